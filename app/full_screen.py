"""The browser and the selector as this process: the first frame, then Textual, then the agent that was
chosen.

Nothing is imported here that the first rows on the terminal do not need.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.actions.resume import Plan
    from app.options import Options
    from app.services.indexing import Indexing
    from app.settings import Settings
    from app.setup import Setup
    from app.signals import Ending
    from app.view.arrangement import Arrangement

DONE, WRONG_USE, FAILED, LEFT = 0, 2, 3, 130
SWITCH_SECONDS = 0.0005
STACK_BYTES = 1 << 20
"""Of each thread where address space is limited."""
_M_ARENA_MAX = -8
"""The option of the C library's `mallopt` that says how many heaps the threads have."""
FIRST_ROWS_SECONDS = 0.7
"""So long the newest sessions are waited for when none are known: from a slow disk they come later."""


def missing() -> str:
    """Why there can be no screen, "" when there can."""
    if not (os.isatty(0) and os.isatty(2)):
        return "leafmark needs a terminal; `leafmark list` prints the sessions without one"
    from app.view.terminal import places_text

    if not places_text(os.environ):
        return "leafmark needs a terminal that can place text; `leafmark list` does not"
    return ""


def run(setup: Setup, theme: str, ending: Ending, query: str | None = None) -> tuple[Plan | None, int, str]:
    """Show the browser, or the selector, until it is left.

    :param theme: ``dark`` or ``light``.
    :param ending: takes the signals.
    :param query: with which the selector begins; None for the browser.
    :return: the plan of the session that was chosen, else None; the exit code; what went wrong, "" if
        nothing.
    """
    from app import paths
    from app.startup import first_frame
    from app.view.arrangement import initial
    from app.view.terminal import is_ascii_terminal

    settings = _settings(setup)
    remembered = {} if setup.demo else paths.read_screen(setup.env)
    arrangement = initial(remembered, selects=query is not None)
    ascii_only = is_ascii_terminal(setup.env) if settings is None else settings.draws_ascii(setup.env)
    ended = False
    ending.hold_stop()
    ending.first(lambda: _end_commands(at_once=True))

    def nowhere() -> list[tuple[str, str, str]]:
        from app.services.indexing import place_of

        return [place_of(store) for store in setup.stores]

    model, terminal = first_frame.show(
        setup, theme, arrangement, ending, query, ascii_only=ascii_only, nowhere=nowhere
    )
    # Pictures are written by a thread, and what is searched and read comes in by others: with Python's own
    # number each would wait ten times as long for its turn, and the keys for theirs.
    sys.setswitchinterval(SWITCH_SECONDS)
    _limit_threads()
    try:
        # with nothing to show, reading cannot wait until the screen library is there
        indexing = None if model.known else _begin(setup, arrangement)
        if indexing is not None and terminal is not None:
            rows, done, total = indexing.first_rows(FIRST_ROWS_SECONDS)
            if rows:
                first_frame.fill(
                    setup, theme, model, terminal, rows, done, total, query, ascii_only=ascii_only
                )
        from app.browser import Browser

        app = Browser(
            setup,
            model,
            theme=theme,
            take_over=terminal.restore if terminal is not None else None,
            ending=ending,
            indexing=indexing,
            selector=query,
            settings=settings,
        )
        plan = app.run()
        ended = True
    finally:
        if terminal is not None:
            if ended and not app.crash:
                terminal.is_left()
            terminal.give_back()
        # the terminal first: a command that does not end when it is told to takes its time
        _end_commands()
    if app.parting:
        from contextlib import suppress

        from app.reports.output import complain

        with suppress(OSError):  # the terminal may be gone
            for said in app.parting:
                complain(said)
    if ending.status:
        # it came while the screen library ran; one that comes from here on leaves at once
        ending.leave()
    return plan, FAILED if app.crash else app.return_code or DONE, app.crash


def _end_commands(*, at_once: bool = False) -> None:
    """See that no command that writes a summary outlives the screen: the thread that would end it does not.

    :param at_once: there is no time to have it end by itself.
    """
    # nothing of it is loaded before there is one
    commands = sys.modules.get("app.actions.summary_command")
    if commands is not None:
        (commands.kill_all if at_once else commands.end_all)()


def become(plan: Plan, ending: Ending) -> tuple[int, str]:
    """Become the agent; does not return when that works.

    :param ending: has taken the signals: what is ignored stays so for the agent.
    :return: the exit code and what went wrong.
    """
    from app.actions.resume import ResumeError, execute

    ending.give_back()
    try:
        execute(plan)
    except ResumeError as error:
        return FAILED, f"leafmark: {error}\n{plan.shell}"


def _settings(setup: Setup) -> Settings | None:
    """What the user has set; None where nothing is, which is not looked for twice. Commands get the keys that
    are set for them, before anything is bound to them.
    """
    from app import paths

    if not os.path.lexists(os.path.join(paths.config_folder(setup.env), "config.toml")):
        return None
    from dataclasses import replace

    from app.formats.text import one_line
    from app.key_settings import remap
    from app.settings import read_settings

    settings = read_settings(setup.env)
    wrong = tuple(one_line(f"keys: {each}", 200) for each in remap(settings.keys))
    return replace(settings, problems=settings.problems + wrong)


def _limit_threads() -> None:
    """Have threads reserve little address space where the process may use little of it. With a stack of 8 MB
    each, and 64 MB for what each allocates, some of them would not start.
    """
    from app.index.watch.polling import has_little_address_space

    if not has_little_address_space():
        return
    import threading

    threading.stack_size(STACK_BYTES)
    try:
        import ctypes

        # Only glibc has these. A thread that Python stops at exit needs the second, and aborts the process if
        # it cannot be loaded then.
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
        ctypes.CDLL("libgcc_s.so.1")
    except (ImportError, OSError, AttributeError):
        pass


def _begin(setup: Setup, arrangement: Arrangement) -> Indexing:
    """Have the files read while the screen library is being imported."""
    from app.services.indexing import Indexing

    indexing = Indexing(setup, arrangement)
    indexing.start()
    return indexing


def resume(options: Options, setup: Setup, theme: str, ending: Ending) -> tuple[int, str]:
    """``leafmark resume``: into the session that is named, or to the selector.

    :param ending: takes the signals.
    :return: the exit code and what went wrong.
    """
    why_not = missing()
    plan = None
    if options.query:
        from app import resuming

        if why_not or resuming.may_name(options):
            plan, code, said = resuming.look_up(options, setup, alone=bool(why_not))
            if said:
                return code, said
    if plan is None and why_not:
        return WRONG_USE, why_not
    if plan is None:
        plan, code, said = run(setup, theme, ending, " ".join(options.query))
        if plan is None:
            # what reads the command must not take its absence for one
            return LEFT if options.print and code == DONE else code, said
        if not options.print:
            return become(plan, ending)
    ending.give_back()
    from app import resuming

    return resuming.hand_over(plan, prints=options.print, anyway=options.anyway), ""
