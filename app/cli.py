"""The command line: parses, prints, and starts the screen only when a screen is wanted.

Nothing is imported here that the first rows on the terminal do not need (PERFORMANCE 3.1).
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from app.arguments import Options
    from app.demo.folder import DemoFolder
    from app.services.indexing import Indexing
    from app.setup import Setup

DONE, NOT_FOUND, WRONG_USE, FAILED = 0, 1, 2, 3
FIRST_LOOK_SECONDS = 0.2


def start() -> int:
    """Run leafmark as this process: what the command `leafmark` does."""
    return main(ends=True)


def main(arguments: Sequence[str] | None = None, *, ends: bool = False) -> int:
    """Run leafmark.

    :param arguments: the words after the program's name; those of the process when None.
    :param ends: the process has nothing else to do and may end here.
    :return: the exit code: 0 done, 1 nothing found, 2 wrong use, 3 refused or failed.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None:  # it was closed before we began
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        return _run(_options(words), ends)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # whoever read our output has gone; nothing more can be said to them
        _silence()
        return DONE
    except OSError as error:
        _silence()
        return _fail(f"leafmark: {error}", FAILED)


def _options(words: list[str]) -> Options:
    from app import arguments

    options = arguments.plain(words)
    if options is None:
        from app import usage

        options = usage.parse(words)
    return options


def _silence() -> None:
    """Standard output takes no more: what is still buffered for it goes nowhere, without another error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(options: Options, ends: bool) -> int:
    if options.demo and options.store:
        return _fail(
            "leafmark: --demo shows only the example sessions; --store has no place beside it", WRONG_USE
        )
    if options.command is None:
        return browse(options.store, demo=options.demo, theme=options.theme or "")
    import gc

    # A command is short: what it makes goes with the process.
    gc.disable()
    from app.arguments import CHANGES

    if options.command == "watch":
        _end_on_signals()
    with _surroundings(options) as setup:
        if options.command in CHANGES:
            from app import changes

            code = changes.run(options, setup)
        else:
            from app import reports

            code = reports.run(options, setup)
    if ends:
        _end(code)
    return code


def _end(code: int) -> NoReturn:
    """End the process here. A command has let go of all it had; for the interpreter to take itself apart as
    well would take as long as looking at hundreds of files.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


class _surroundings:
    """The setup of a command; the example sessions, if they are asked for, go when it ends."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._folder: DemoFolder | None = None

    def __enter__(self) -> Setup:
        from app import setup

        if not self._options.demo:
            return setup.of_process(self._options.store)
        from app.demo.folder import DemoFolder

        _end_on_signals()
        self._folder = DemoFolder()
        return setup.of_demo(self._folder.path)

    def __exit__(self, *error: object) -> None:
        if self._folder is not None:
            self._folder.remove()


def browse(stores: Sequence[tuple[str, str]] = (), *, demo: bool = False, theme: str = "") -> int:
    """Open the browser, and become the agent whose session was chosen."""
    import gc

    # Nothing that is made until the screen is there is garbage; the collector would look at all of it again
    # and again.
    gc.disable()
    from app import places, setup

    if not (os.isatty(0) and os.isatty(2)):
        return _fail("leafmark needs a terminal; `leafmark list` prints the sessions without one", WRONG_USE)
    if os.environ.get("TERM") in ("dumb", "unknown"):
        return _fail("leafmark needs a terminal that can place text; `leafmark list` does not", WRONG_USE)
    _end_on_signals()
    folder: DemoFolder | None = None
    try:
        if demo:
            from app.demo.folder import DemoFolder

            folder = DemoFolder()
        surroundings = setup.of_demo(folder.path) if folder else setup.of_process(stores)
        return _browse(surroundings, theme or places.read_theme(surroundings.env))
    except OSError as error:
        return _fail(f"leafmark: {error}", FAILED)
    finally:
        if folder:
            folder.remove()


def _browse(setup: Setup, theme: str) -> int:
    from app import first_frame

    ended = False
    model, terminal = first_frame.show(setup, theme)
    try:
        # with nothing to show, reading cannot wait until the screen library is there
        indexing = None if model.total else _begin(setup)
        from app.browser import Browser

        app = Browser(setup, model, theme=theme, take_over=terminal is not None, indexing=indexing)
        plan = app.run()
        ended = True
    finally:
        if terminal is not None:
            if not ended:
                terminal.leave()
            terminal.restore()
    if app.crash:
        return _fail(app.crash, FAILED)
    if plan is None:
        return app.return_code or DONE
    from app.actions.resume import ResumeError, execute

    try:
        execute(plan)
    except ResumeError as error:
        return _fail(f"leafmark: {error}\n{plan.shell}", FAILED)


def _begin(setup: Setup) -> Indexing:
    """Have the files read while the screen library is being imported."""
    from app.services.indexing import Indexing

    # Results come in by threads, each of which would wait ten times as long for its turn against the imports,
    # and at every file that the first look at all of them asks the system about: that look goes first.
    sys.setswitchinterval(0.0005)
    indexing = Indexing(setup)
    indexing.start()
    indexing.wait(FIRST_LOOK_SECONDS)
    return indexing


def _end_on_signals() -> None:
    """Until the screen library takes them, a request to end leaves the way an exit does."""
    # `signal` takes as long to import as the first rows take to draw; it is this module in other clothes
    import _signal  # type: ignore[import-not-found]

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), end)


def _fail(message: str, code: int) -> int:
    """Say on standard error what went wrong; paths and errors may hold anything."""
    from app.formats.text import inert

    print(inert(message).encode("utf-8", "replace").decode(), file=sys.stderr)
    return code
