"""The command line: parses, prints, and starts the screen only when a screen is wanted.

Nothing is imported here that the first rows on the terminal do not need.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from app.demo.folder import DemoFolder
    from app.options import Options
    from app.setup import Setup

DONE, NOT_FOUND, WRONG_USE, FAILED = 0, 1, 2, 3


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
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        _open_what_is_closed()
    try:
        return _run(_options(words), ends)
    except KeyboardInterrupt:
        if ends:
            # whoever reads our output may have stopped; what is left of it would be waited for
            _silence()
        return 130
    except BrokenPipeError:
        # whoever read our output has gone; nothing more can be said to them
        _silence()
        return DONE
    except OSError as error:
        _silence()
        return _fail(f"leafmark: {_reason(error)}", FAILED)
    except (MemoryError, RuntimeError, ImportError, SystemError) as error:
        if not _is_out_of_memory(error):
            raise
        _fail("leafmark: there is not enough memory (`ulimit -v` shows a limit)", FAILED)
        if ends:
            # Threads that are left would need memory to end, and abort the process.
            _end(FAILED)
        return FAILED


_OUT_OF_MEMORY = ("can't start new thread", "failed to map segment", "error return without exception set")
"""Messages of the interpreter and the system's loader where memory was short without a MemoryError."""


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether memory was short, for an object, a thread or a library, in `error` or in one before it."""
    while error is not None:
        text = str(error)
        if isinstance(error, MemoryError) or any(sign in text for sign in _OUT_OF_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


def _options(words: list[str]) -> Options:
    # Without the table of all that may stand there: it takes as long as reading the first rows.
    if words in ([], ["resume"]):
        from app.options import Options

        options = Options()
        options.command = words[0] if words else None
        return options
    from app import arguments

    plain = arguments.plain(words)
    if plain is None:
        from app import usage

        try:
            return usage.parse(words)
        except SystemExit:
            # help that cannot be printed is told of while somebody can be told
            sys.stdout.flush()
            raise
    return plain


def _open_what_is_closed() -> None:
    """No file that is opened later gets the number of a standard stream that was closed before we began.
    Input and errors lead nowhere. To write to output fails, as it does where a disk is full.
    """
    for stream, access in ((0, os.O_RDWR), (1, os.O_RDONLY), (2, os.O_RDWR)):
        try:
            os.fstat(stream)
        except OSError:
            # the lowest number that is free
            os.set_inheritable(os.open(os.devnull, access), True)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", errors="replace")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", errors="replace")


def _silence(stream: int = 1) -> None:
    """Standard output, or standard error (2), takes no more: what is still buffered for it goes nowhere,
    without another error, and is not waited for.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream)
    os.close(nowhere)


def _reason(error: OSError) -> str:
    import errno

    # of no file that we have opened ourselves
    return "standard output is closed" if error.errno == errno.EBADF else str(error)


def _run(options: Options, ends: bool) -> int:
    if options.demo and options.store:
        return _fail(
            "leafmark: --demo shows only the example sessions; --store has no place beside it", WRONG_USE
        )
    if options.command in (None, "resume"):
        return _show(options, is_process=ends)
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


def _show(options: Options, *, is_process: bool = False) -> int:
    """The browser, or the selector where that was asked for.

    :param is_process: the process does nothing else.
    """
    import gc

    # Nothing that is made until the screen is there is garbage; the collector would look at all of it again
    # and again.
    gc.disable()
    from app import full_screen, paths, setup
    from app.signals import Ending

    why_not = "" if options.command else full_screen.missing()
    if why_not:
        return _fail(why_not, WRONG_USE)
    ending = Ending(is_process=is_process)
    ending.take()
    folder: DemoFolder | None = None
    try:
        if options.demo:
            from app.demo.folder import DemoFolder

            folder = DemoFolder()
            ending.first(folder.remove)
        surroundings = setup.of_demo(folder.path) if folder else setup.of_process(options.store)
        theme = options.theme or paths.read_theme(surroundings.env)
        if options.command:
            code, said = full_screen.resume(options, surroundings, theme, ending)
        else:
            plan, code, said = full_screen.run(surroundings, theme, ending)
            if plan is not None:
                code, said = full_screen.become(plan, ending)
        return _fail(said, code) if said else code
    except OSError as error:
        if is_process:
            _silence()
        return _fail(f"leafmark: {_reason(error)}", FAILED)
    finally:
        if folder:
            folder.remove()
        if not is_process:
            ending.give_back()


def _end_on_signals() -> None:
    """A request to end leaves a command the way an exit does."""
    import signal

    def end(number: int, frame: object) -> None:
        # whoever reads our output may have stopped; what is left of it would be waited for
        _silence()
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def _fail(message: str, code: int) -> int:
    """Say on standard error what went wrong; paths and errors may hold anything.

    :return: `code`; `FAILED` where the message cannot be written.
    """
    from app.formats.text import inert

    try:
        print(inert(message).encode("utf-8", "replace").decode(), file=sys.stderr, flush=True)
    except OSError:
        _silence(2)
        return FAILED
    return code
