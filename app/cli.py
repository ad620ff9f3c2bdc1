"""The command line: parses the arguments, and runs a command or the screen.

The first frame loads this module, so it imports nothing that the first rows do not need.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from app import __version__, paths, setup
from app.formats.text import inert
from app.options import DONE, FAILED, WRONG_USE, Options
from app.setup import Setup
from app.signals import ExitSignals

if TYPE_CHECKING:  # the examples are imported when they are asked for
    from app.demo.folder import DemoFolder


def start() -> int:
    """Run leafmark as this process: the entry point of the command `leafmark`."""
    return main(ends=True)


def main(arguments: Sequence[str] | None = None, *, ends: bool = False) -> int:
    """Run leafmark.

    :param arguments: the words after the program's name; None for those of the process.
    :param ends: the process has nothing else to do and may end here.
    :return: the exit code: 0 done, 1 nothing found, 2 wrong use, 3 refused or failed, 130 after Ctrl+C.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        _open_what_is_closed()
    try:
        if words == ["--version"]:
            # argparse would print the same, and takes longer to import than everything else.
            print(f"leafmark {__version__}", flush=True)
            return DONE
        if words[:1] == ["__complete"]:
            # Imported here: only the completion of a shell needs it.
            from app.completion import candidates

            return candidates.run(words[1:])
        return _run(_options(words), ends)
    except KeyboardInterrupt:
        if ends:
            # the reader of the output may have stopped, and writing the rest would block
            _silence()
        return 130
    except BrokenPipeError:
        # the reader of the output has gone
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
            # The remaining threads would need memory to end, and abort the process.
            _end(FAILED)
        return FAILED


_OUT_OF_MEMORY = ("can't start new thread", "failed to map segment", "error return without exception set")
"""Messages of the interpreter and of the system's loader if memory is short, without a MemoryError."""


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether `error`, or an error before it, means that memory was short."""
    while error is not None:
        text = str(error)
        if isinstance(error, MemoryError) or any(sign in text for sign in _OUT_OF_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


def _options(words: list[str]) -> Options:
    if words in ([], ["resume"]):
        options = Options()
        options.command = words[0] if words else None
        return options
    from app import cli_options  # building argparse's parser takes as long as the first rows

    try:
        return cli_options.parse(words)
    except SystemExit:
        # help that cannot be printed is reported before the end
        sys.stdout.flush()
        raise


def _open_what_is_closed() -> None:
    """Open standard streams that were closed before the start, so that no other file gets their numbers.
    Input and errors go to the null device. Writing to output fails, as on a full disk.
    """
    for stream, access in ((0, os.O_RDWR), (1, os.O_RDONLY), (2, os.O_RDWR)):
        try:
            os.fstat(stream)
        except OSError:
            # it gets the lowest free number
            os.set_inheritable(os.open(os.devnull, access), True)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", errors="replace")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", errors="replace")


def _silence(stream: int = 1) -> None:
    """Discard the buffered text of standard output, or of standard error (2), without another error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream)
    os.close(nowhere)


def _reason(error: OSError) -> str:
    # no file that leafmark opened raises it
    return "standard output is closed" if error.errno == errno.EBADF else str(error)


def _run(options: Options, ends: bool) -> int:
    if options.demo and options.store:
        return _fail(
            "leafmark: --demo shows only the example sessions; --store has no place beside it", WRONG_USE
        )
    if options.command in (None, "resume"):
        return _show(options, is_process=ends)
    # A command is short: its objects go with the process.
    gc.disable()
    if options.command in ("watch", "export"):
        _end_on_signals()
    # Imported here: the screen does not need it.
    from app.command_table import CHANGES

    if options.demo:
        _end_on_signals()
    folder = _demo_folder(options)
    try:
        surroundings = _surroundings(options, folder)
        # Imported here: each of the two needs only its own modules.
        if options.command in CHANGES:
            from app import changes

            code = changes.run(options, surroundings)
        else:
            from app import reports

            code = reports.run(options, surroundings)
    finally:
        if folder is not None:
            folder.remove()
    if ends:
        _end(code)
    return code


def _end(code: int) -> NoReturn:
    """End the process here. The command has released its resources, and the interpreter's own clean-up would
    take as long as checking hundreds of files.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


def _demo_folder(options: Options) -> DemoFolder | None:
    """The folder of the example sessions of `--demo`, which the caller has to remove; None without it."""
    if not options.demo:
        return None
    # Imported here: only `--demo` needs it.
    from app.demo.folder import DemoFolder

    return DemoFolder()


def _surroundings(options: Options, folder: DemoFolder | None) -> Setup:
    return setup.setup_from_demo(folder.path) if folder else setup.setup_from_process(options.store)


def _show(options: Options, *, is_process: bool = False) -> int:
    """Show the browser, or the selector for `leafmark resume`.

    :param is_process: the process does nothing else.
    """
    # The objects that are made before the screen is there stay, so a collection would find no garbage.
    gc.disable()
    from app import full_screen  # not at the top: the other commands do not need it

    theme, problem = _theme(options.theme, os.environ)
    if problem:
        return _fail(f"leafmark: {problem}", WRONG_USE)
    why_not = "" if options.command else full_screen.missing()
    if why_not:
        return _fail(why_not, WRONG_USE)
    ending = ExitSignals(is_process=is_process)
    ending.take()
    folder: DemoFolder | None = None
    # No program that leafmark runs is to have it.
    news = os.environ.pop(paths.ENDED_VARIABLE, "")
    try:
        folder = _demo_folder(options)
        if folder:
            ending.first(folder.remove)
        surroundings = _surroundings(options, folder)
        if options.command:
            code, error_text = full_screen.resume(options, surroundings, theme, ending)
        else:
            code, error_text = full_screen.browse(options, surroundings, theme, ending, news)
        return _fail(error_text, code) if error_text else code
    except OSError as error:
        if is_process:
            _silence()
        return _fail(f"leafmark: {_reason(error)}", FAILED)
    finally:
        if folder:
            folder.remove()
        if not is_process:
            ending.give_back()


def _theme(wanted: str | None, env: Mapping[str, str]) -> tuple[str, str]:
    """The name of the theme, and why the wanted one cannot be used. One that was chosen earlier and is gone
    is replaced by the dark one.
    """
    name = wanted or paths.read_theme(env)
    if name in ("dark", "light"):
        return name, ""
    # Imported here: the first frame in leafmark's own colours does not need it.
    from app.theme_files import load_theme

    problem = load_theme(name, env)
    return ("dark", problem if wanted else "") if problem else (name, "")


def _end_on_signals() -> None:
    """Let signals that ask the process to end raise SystemExit, so that a command cleans up."""

    def end(number: int, frame: object) -> None:
        # the reader of the output may have stopped, and writing the rest would block
        _silence()
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, end)


def _fail(message: str, code: int) -> int:
    """Report an error on standard error; paths and errors may contain any text.

    :return: `code`; `FAILED` if the message cannot be written.
    """
    try:
        print(inert(message).encode("utf-8", "replace").decode(), file=sys.stderr, flush=True)
    except OSError:
        _silence(2)
        return FAILED
    return code
