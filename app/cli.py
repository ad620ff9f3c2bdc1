"""The command line: parses, prints, and starts the screen only when a screen is wanted.

Nothing is imported here that the first rows on the terminal do not need (PERFORMANCE 3.1).
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from app.setup import Setup

DONE, NOT_FOUND, WRONG_USE, FAILED = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run leafmark.

    :param arguments: the words after the program's name; those of the process when None.
    :return: the exit code: 0 done, 1 nothing found, 2 wrong use, 3 refused or failed.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None:  # it was closed before we began
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        if not words:
            return browse()
        options = _parser().parse_args(words)
        return _run(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # whoever read our output has gone; nothing more can be said to them
        _silence()
        return DONE
    except OSError as error:
        _silence()
        return _fail(f"leafmark: {error}", FAILED)


def _silence() -> None:
    """Standard output takes no more: what is still buffered for it goes nowhere, without another error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(options: argparse.Namespace) -> int:
    if options.demo and options.store:
        return _fail(
            "leafmark: --demo shows only the example sessions; --store has no place beside it", WRONG_USE
        )
    if options.command is None:
        return browse(options.store, demo=options.demo, theme=options.theme or "")
    import gc

    from app import reports

    # a report is short: what it makes goes with the process
    gc.disable()
    with _surroundings(options) as setup:
        return reports.run(options, setup)


class _surroundings:
    """The setup of a command; the example sessions, if they are asked for, go when it ends."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._folder = ""

    def __enter__(self) -> Setup:
        from app import setup

        if not self._options.demo:
            return setup.of_process(self._options.store)
        import tempfile

        self._folder = tempfile.mkdtemp(prefix="leafmark-demo-")
        return setup.of_demo(self._folder)

    def __exit__(self, *error: object) -> None:
        if self._folder:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)


def browse(stores: Sequence[tuple[str, str]] = (), *, demo: bool = False, theme: str = "") -> int:
    """Open the browser, and become the agent whose session was chosen."""
    from app import places, setup

    if not (os.isatty(0) and os.isatty(2)):
        return _fail("leafmark needs a terminal; `leafmark list` prints the sessions without one", WRONG_USE)
    if os.environ.get("TERM") in ("dumb", "unknown"):
        return _fail("leafmark needs a terminal that can place text; `leafmark list` does not", WRONG_USE)
    folder = ""
    if demo:
        import tempfile

        folder = tempfile.mkdtemp(prefix="leafmark-demo-")
    try:
        surroundings = setup.of_demo(folder) if demo else setup.of_process(stores)
        return _browse(surroundings, theme or places.read_theme(surroundings.env))
    except OSError as error:
        return _fail(f"leafmark: {error}", FAILED)
    finally:
        if folder:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)


def _browse(setup: Setup, theme: str) -> int:
    import gc

    from app import first_frame

    ended = False
    _end_on_signals()
    model, terminal = first_frame.show(setup, theme)
    # nothing that is imported from here on is garbage; the collector would look at all of it again and again
    gc.disable()
    try:
        from app.browser import Browser

        app = Browser(setup, model, theme=theme, take_over=terminal is not None)
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


def _end_on_signals() -> None:
    """Until the screen library takes them, a request to end leaves the way an exit does."""
    # `signal` takes as long to import as the first rows take to draw; it is this module in other clothes
    import _signal  # type: ignore[import-not-found]

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), end)


def _fail(message: str, code: int) -> int:
    """Say on standard error what went wrong; paths and errors may hold anything."""
    from app.formats.text import inert

    print(inert(message).encode("utf-8", "replace").decode(), file=sys.stderr)
    return code


def _store(text: str) -> tuple[str, str]:
    import argparse

    from app.stores import AGENTS

    agent, equals, folder = text.partition("=")
    names = [each.name for each in AGENTS]
    if not equals or not folder or agent not in names:
        raise argparse.ArgumentTypeError(f"{text!r} is not AGENT=FOLDER with AGENT one of {', '.join(names)}")
    return agent, folder


def _parser() -> argparse.ArgumentParser:
    import argparse

    from app import __version__

    class Formatter(argparse.HelpFormatter):
        """Finds the width without `shutil`, which takes as long to import as all options to add."""

        def __init__(self, prog: str) -> None:
            try:
                columns = os.get_terminal_size(1).columns
            except OSError:
                columns = 80
            super().__init__(prog, width=columns - 2)

    parser = argparse.ArgumentParser(
        prog="leafmark",
        formatter_class=Formatter,
        description="Browse the sessions of pi, oh-my-pi, indusagi and nickcecere/agent, and resume them.",
    )
    _add_shared(parser, store=[], demo=False)
    parser.add_argument("--version", action="version", version=f"leafmark {__version__}")
    parser.add_argument("--theme", choices=("dark", "light"), help="colours of the browser")
    # with `prog` given, no help is laid out to find it
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", prog="leafmark")
    listing = commands.add_parser(
        "list", formatter_class=Formatter, help="print the sessions, newest activity first"
    )
    listing.add_argument("query", nargs="*", metavar="QUERY", help="words that must all match")
    listing.add_argument("--limit", type=_limit, metavar="N", help="at most N sessions")
    tree = commands.add_parser("tree", formatter_class=Formatter, help="print a session's tree")
    tree.add_argument("session", metavar="SESSION", help="a path, an id, or the beginning of one id")
    tree.add_argument("--ascii", action="store_true", help="draw with plain characters")
    doctor = commands.add_parser(
        "doctor", formatter_class=Formatter, help="what was found, and what was skipped and why"
    )
    for command in (listing, tree, doctor):
        command.add_argument("--json", action="store_true", help="as JSON")
        _add_shared(command, store=argparse.SUPPRESS, demo=argparse.SUPPRESS)
    return parser


def _add_shared(parser: argparse.ArgumentParser, *, store: object, demo: object) -> None:
    """The options that may stand before and behind the command. Behind it they have no default of their
    own, so that they do not undo what stood before it.
    """
    parser.add_argument(
        "--store",
        type=_store,
        action="append",
        default=store,
        metavar="AGENT=FOLDER",
        help="also look in this folder (may be given several times)",
    )
    parser.add_argument(
        "--demo",
        action="store_true",
        default=demo,
        help="use bundled example sessions in a throw-away folder",
    )


def _limit(text: str) -> int:
    if not text.isdecimal():
        import argparse

        raise argparse.ArgumentTypeError(f"{text!r} is not a number of sessions")
    return int(text)
