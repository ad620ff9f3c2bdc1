"""Runs the browser or the selector in this process: the first frame, then Textual, then the chosen agent.

The first frame loads this module, so it imports nothing that the first rows do not need.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from app import paths
from app.formats.text import one_line
from app.index.watch.polling import has_little_address_space
from app.keys import remap
from app.options import DONE, FAILED, WRONG_USE, Options
from app.settings import RETURN, Settings, read_settings
from app.setup import Setup
from app.signals import ExitSignals
from app.startup import first_frame
from app.view.arrangement import Arrangement, initial, last_place
from app.view.list_filter import is_plain
from app.view.preset import BROWSER, SELECTOR
from app.view.terminal import can_place_text, is_ascii_terminal

if TYPE_CHECKING:  # imported after the first frame
    from app.actions.resume import Plan
    from app.services.index_service import IndexService

LEFT = 130
"""The exit code of a selector that was left without a choice."""
SWITCH_SECONDS = 0.0005
"""Seconds after which a thread gives the interpreter to another one, so that keys do not wait."""
STACK_BYTES = 1 << 20
"""Bytes of each thread's stack if address space is limited."""
SHORTEST_ID = 8
"""Characters. A shorter word is taken for a word to search for, although it may be the beginning of an id."""
_HEX_LETTERS = "abcdef"
_M_ARENA_MAX = -8
"""The option of the C library's `mallopt` that says how many heaps the threads have."""
FIRST_ROWS_SECONDS = 0.7
"""Seconds to wait for the newest sessions if no session is known. A slow disk takes longer."""


def missing() -> str:
    """Why there can be no screen; "" if there can."""
    if not (os.isatty(0) and os.isatty(2)):
        return "leafmark needs a terminal; `leafmark list` prints the sessions without one"
    if not can_place_text(os.environ):
        return "TERM=dumb cannot show full-screen programs; try `leafmark list`"
    return ""


def run(
    setup: Setup,
    theme: str,
    ending: ExitSignals,
    query: str | None = None,
    *,
    typed: str = "",
    begin_at: str = "",
    news: str = "",
) -> tuple[Plan | None, int, str]:
    """Show the browser, or the selector, until the user leaves it.

    :param theme: a name in `app.view.palette.THEMES`.
    :param ending: handles the signals.
    :param query: the first query of the selector; None for the browser.
    :param typed: the first query of the browser.
    :param begin_at: the path of the session that the browser opens at; "" for the first one.
    :param news: a sentence for the status line; "" for none.
    :return: the plan of the chosen session, or None; the exit code; the error, "" for none.
    """
    settings = _settings(setup)
    remembered = {} if setup.demo else paths.read_screen(setup.env)
    preset = BROWSER if query is None else SELECTOR
    given = settings or Settings()
    if query is None and not typed and not begin_at:
        begin_at, typed = last_place(remembered, setup.here[0])
    arrangement = initial(remembered, preset, sizes=given.show_size, wanted=given.arranged())
    ascii_only = is_ascii_terminal(setup.env) if settings is None else settings.draws_ascii(setup.env)
    ended = False
    ending.hold_stop()
    ending.first(lambda: _end_commands(at_once=True))

    def nowhere() -> list[tuple[str, str, str]]:
        # Imported here: only a first frame without rows needs it.
        from app.services.index_service import place_of

        return [place_of(store) for store in setup.stores]

    model, terminal = first_frame.show(
        setup, theme, arrangement, ending, query, typed=typed, ascii_only=ascii_only, nowhere=nowhere
    )
    # Python's default is ten times as long.
    sys.setswitchinterval(SWITCH_SECONDS)
    _limit_threads()
    try:
        # With nothing to show, the files are read while Textual is imported.
        indexing = None if model.known else _begin(setup, arrangement)
        if indexing is not None and terminal is not None:
            rows, done, total = indexing.first_rows(FIRST_ROWS_SECONDS, terminal.size.lines)
            if rows:
                first_frame.fill(
                    setup, theme, model, terminal, rows, done, total, query, ascii_only=ascii_only
                )
        # Imported here, with Textual: the first rows are drawn before.
        from app.browser import Browser

        app = Browser(
            setup,
            model,
            theme=theme,
            take_over=terminal.restore if terminal is not None else None,
            ending=ending,
            indexing=indexing,
            selector=query,
            typed=typed,
            begin_at=begin_at,
            settings=settings,
            news=news,
        )
        plan = app.run()
        ended = True
    finally:
        if terminal is not None:
            if ended and not app.crash:
                terminal.is_left()
            terminal.give_back()
        # After the terminal, because a command may take long to end.
        _end_commands()
    if app.parting:
        # Imported here: most runs have nothing to report.
        from app.reports.output import complain

        with suppress(OSError):  # the terminal may be gone
            for message in app.parting:
                complain(message)
    if ending.status:
        # The signal came while Textual ran. From here on, a signal ends the process at once.
        ending.leave()
    return plan, FAILED if app.crash else app.return_code or DONE, app.crash


def _end_commands(*, at_once: bool = False) -> None:
    """End every summary command, because the threads that wait for it end with the screen.

    :param at_once: kill the commands without waiting.
    """
    # The module is loaded when the first command runs.
    commands = sys.modules.get("app.actions.summary_command")
    if commands is not None:
        (commands.kill_all if at_once else commands.end_all)()


def become(plan: Plan, ending: ExitSignals, back: Returning | None = None) -> tuple[int, str]:
    """Become the agent. The function returns only after an error.

    :param back: to become a process that runs the agent and comes back here, if the user wants that.
    :param ending: gives the signals back first, because a program inherits ignored signals.
    :return: the exit code and the error.
    """
    # Imported here: the first rows do not need it.
    from app.actions.resume import ResumeError, execute, plan_to_return

    ending.give_back()
    try:
        execute(plan_to_return(plan, *back) if back is not None else plan)
    except ResumeError as error:
        return FAILED, f"leafmark: {error}\n{plan.shell}"


Returning = tuple[Sequence[str], Mapping[str, str]]
"""The command by which leafmark is started again, and its environment."""


def _returning(options: Options, setup: Setup) -> Returning | None:
    """How to come back when the agent has ended; None if the user does not want that."""
    if _has_no_settings(setup) or read_settings(setup.env).after_resume != RETURN:
        return None
    # The words before leafmark's own are the interpreter's and the program's name.
    program = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    words = [f"--theme={options.theme}"] if options.theme else []
    words += [f"--store={agent}={folder}" for agent, folder in options.store]
    return [sys.executable, *program, *words], setup.env


def _has_no_settings(setup: Setup) -> bool:
    return not os.path.lexists(os.path.join(paths.config_folder(setup.env), paths.CONFIG))


def _settings(setup: Setup) -> Settings | None:
    """The user's settings; None if there is no settings file. The keys of the commands are set here, before
    any keys are bound.
    """
    if _has_no_settings(setup):
        return None
    settings = read_settings(setup.env)
    setup.prices = settings.prices
    problems = tuple(one_line(f"keys: {problem}", 200) for problem in remap(settings.keys))
    return replace(settings, problems=settings.problems + problems)


def _limit_threads() -> None:
    """Let threads reserve little address space if the process has little. With a stack of 8 MB and a heap of
    64 MB each, some of them would not start.
    """
    if not has_little_address_space():
        return
    threading.stack_size(STACK_BYTES)
    try:
        # Imported here: few processes have little address space.
        import ctypes

        # Only glibc has these. A thread that Python stops at exit needs libgcc, and aborts the process if it
        # cannot be loaded then.
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
        ctypes.CDLL("libgcc_s.so.1")
    except (ImportError, OSError, AttributeError):
        pass


def _begin(setup: Setup, arrangement: Arrangement) -> IndexService:
    """Begin to read the files while Textual is being imported."""
    # Imported here: with a cache, the first rows are drawn without it.
    from app.services.index_service import IndexService

    indexing = IndexService(setup, arrangement)
    indexing.start()
    return indexing


def browse(
    options: Options, setup: Setup, theme: str, ending: ExitSignals, news: str = ""
) -> tuple[int, str]:
    """Show the browser, at the session or with the query of the command line, and become the agent of the
    session that is chosen.

    :param ending: handles the signals.
    :param news: a sentence for the status line; "" for none.
    :return: the exit code and the error, "" for none.
    """
    begin_at = ""
    reference = _reference(options)
    if options.query and _is_likely(reference, options):
        from app import resume_command  # not at the top: most runs have no query

        begin_at, code, error = resume_command.find_path(options.query[0], setup, is_path=reference == "path")
        if error:
            return code, error
    typed = "" if begin_at else " ".join(options.query)
    plan, code, error = run(setup, theme, ending, typed=typed, begin_at=begin_at, news=news)
    return (code, error) if plan is None else become(plan, ending, _returning(options, setup))


def resume(options: Options, setup: Setup, theme: str, ending: ExitSignals) -> tuple[int, str]:
    """``leafmark resume``: resume the named session, or show the selector.

    :param ending: handles the signals.
    :return: the exit code and the error, "" for none.
    """
    if options.shell and not options.print:
        return WRONG_USE, "leafmark: --shell has a place only beside --print"
    why_not = missing()
    plan = None
    reference = _reference(options)
    if options.newest or (options.query and (why_not or _is_likely(reference, options))):
        from app import resume_command  # not at the top: most queries go to the selector at once

        plan, code, error = resume_command.find_plan(options, setup, reference, alone=bool(why_not))
        if error:
            return code, error
    if plan is None and why_not:
        return WRONG_USE, why_not
    if plan is None:
        plan, code, error = run(setup, theme, ending, " ".join(options.query))
        if plan is None:
            # Without a command to print, the exit code must not be that of success.
            return LEFT if options.print and code == DONE else code, error
        if not options.print:
            return become(plan, ending)
    ending.give_back()
    # Imported here: the first rows do not need it.
    from app import resume_command

    code = resume_command.hand_over(plan, prints=options.print, anyway=options.anyway, shell=options.shell)
    return code, ""


def _reference(options: Options) -> str:
    """How the query can name a session: "path", "id" (or the beginning of one), or "" if it cannot."""
    if len(options.query) != 1:
        return ""
    (word,) = options.query
    if os.sep in word and os.path.lexists(word):
        return "path"
    # No id contains the characters of filters and phrases.
    return "id" if len(word) >= SHORTEST_ID and is_plain(word) else ""


def _is_likely(reference: str, options: Options) -> bool:
    """Whether to look for the named session before the first frame.

    The ids that agents make have digits or dashes (formats/README.md, "Files of pi"). A word of letters alone
    goes to the selector, which finds an id too.
    """
    word = "".join(options.query)
    return reference == "path" or (reference == "id" and not (word.isalpha() and word.strip(_HEX_LETTERS)))
