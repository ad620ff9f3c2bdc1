"""Measures 2, 5, 7, 8 and 11 for the selector (`leafmark resume`), in a pseudo-terminal.

It starts in the folder of the live project and lists that folder first. Most figures are taken with all
folders listed.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.live import rows_shown
from tests.benchmarks.measure import (
    Peaks,
    anonymous_bytes,
    idle_share,
    in_turn,
    percentile,
)
from tests.benchmarks.pasted import pastes, shows_paste, with_fast_resume, with_picker
from tests.benchmarks.pickers import (
    ROUNDS,
    FastResume,
    Titles,
    first_rows,
    in_both_terminals,
    pickers,
    whole_list,
)
from tests.benchmarks.rows import Result, mb, ms
from tests.benchmarks.screen import (
    ANSWER,
    LAUNCH,
    OF_PI,
    POLLING,
    TRIES,
    bare_python,
    flood,
    matches_in,
    started,
    warm_up,
)
from tests.benchmarks.searching import DEEP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.pasted import Paste
    from tests.benchmarks.peers import Peers
    from tests.benchmarks.pickers import Picker, Rows
    from tests.terminal import Terminal

CURSOR = "❯"
"""Stands before the selected row; absent if no session is listed."""
BOX_ROW = 1
"""The row of the search box on the screen, from 0."""
DEEP_KEY = "ctrl+t"


def selector(
    setting: Setting, live: LiveProject, *, colour: bool | None = None, **env: str
) -> AbstractContextManager[Terminal]:
    """Run the selector; see `started`."""
    return started(setting.leafmark("resume"), setting, live, colour=colour, **env)


def list_all_folders(terminal: Terminal, live: LiveProject) -> None:
    """Wait for the first rows, list all folders, and wait until nothing changes."""
    terminal.wait_for(lambda _: rows_shown(live, terminal), 60)
    terminal.settle(1.0, 60)
    terminal.press("tab")
    terminal.wait_for_text("all folders")
    terminal.settle(0.5, 20)


def box_text(terminal: Terminal) -> str:
    """Return the text in the search box, with the suggestion behind it."""
    return _cells(terminal, BOX_ROW).strip()


def match_count(terminal: Terminal) -> int | None:
    """Return the number of matching sessions; None while the search runs or if there is no query."""
    return matches_in(terminal.lines[BOX_ROW - 1])


def list_rows(terminal: Terminal) -> list[str]:
    """Return the rows of the list."""
    return [_cells(terminal, row) for row in range(BOX_ROW + 1, terminal.emulator.screen.lines - 2)]


def _cells(terminal: Terminal, row: int) -> str:
    """Return the text of a row of the list's pane."""
    cells = terminal.emulator.screen.buffer[row]
    shown = []
    for column in range(terminal.emulator.screen.columns):
        if cells[column].data == "│":
            break
        shown.append(cells[column].data)
    return "".join(shown)


def launch(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Measure 2: rows of the folder, the effect of a letter pressed then, rows of all folders after Tab."""
    warm_up(setting)
    titles = Titles(setting)
    answered: list[float] = []

    def ours(colour: bool | None = None) -> float:
        with selector(setting, live, colour=colour) as terminal:
            shown = terminal.wait_for(lambda _: rows_shown(live, terminal), 30) - terminal.started
            # The first frame cannot draw the letter.
            terminal.press("z")
            answered.append(terminal.wait_for(lambda _: box_text(terminal) == "z", 30) - terminal.started)
            terminal.press("escape")
        return shown

    def ours_of_all() -> float:
        with selector(setting, live) as terminal:
            terminal.wait_for(lambda _: rows_shown(live, terminal), 30)
            terminal.press("tab")
            return terminal.wait_for(titles.shown, 30) - terminal.started

    here, of_all, start = in_turn(setting.repeat, ours, ours_of_all, lambda: bare_python(setting))
    keys = statistics.median(answered)
    against = f"python -c pass {ms(start)}"
    yield Result("2", "resume: launch -> rows", ms(here), against, here / start, LAUNCH)
    yield Result("2", "  launch -> a key is answered", ms(keys), against, keys / start, ANSWER)
    yield Result("2", "  launch, Tab -> rows of all folders", ms(of_all))
    if peers.fast_resume:
        yield from in_both_terminals("  launch -> rows", FastResume(peers, titles), ours, setting.repeat)
    for picker in pickers(peers):
        # The terminal answers the queries of pi and omp, so it answers those of leafmark as well.
        yield from _compared_launch(picker, live, titles, lambda: ours(True), ours_of_all, answered)


def _compared_launch(
    picker: Picker,
    live: LiveProject,
    titles: Titles,
    ours: Callable[[], float],
    ours_of_all: Callable[[], float],
    answered: list[float],
) -> Iterator[Result]:
    """Measure 2 compared with pi or omp, in turn with it: all list the folder first, and all folders after
    Tab.
    """
    answered.clear()
    peer_rows: list[Rows] = []

    def theirs() -> float:
        peer_rows.append(first_rows(picker, live, titles))
        return peer_rows[-1].here

    here, of_all, theirs_here = in_turn(ROUNDS, ours, ours_of_all, theirs)
    theirs_of_all = statistics.median(shown.everywhere for shown in peer_rows)
    name = f"{picker.name} --resume"
    yield Result("2", "  launch -> rows", ms(here), f"{name} {ms(theirs_here)}", here / theirs_here)
    against = f"{name}, Tab {ms(theirs_of_all)}"
    yield Result("2", "  launch -> rows", ms(here), against, here / theirs_of_all)
    yield Result("2", "  launch, Tab -> rows of all", ms(of_all), against, of_all / theirs_of_all)
    if picker.name == "pi":
        keys = statistics.median(answered)
        against = f"{name} {ms(theirs_here)}"
        yield Result("2", "  launch -> a key is answered", ms(keys), against, keys / theirs_here, OF_PI)


def pasted(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Measure 5: from a pasted number until the list shows only the sessions that contain it."""
    warm_up(setting)
    wanted = pastes(setting, max(3, setting.repeat))
    titles = Titles(setting)

    def ours(paste: Paste) -> float:
        with selector(setting, live) as terminal:
            list_all_folders(terminal, live)
            sent = terminal.send(paste.text)
            return (
                terminal.wait_for(lambda _: shows_paste(terminal, paste) and bool(match_count(terminal)), 30)
                - sent
            )

    tasks = [lambda: statistics.median(map(ours, wanted))]
    if peers.fast_resume:
        program = FastResume(peers, titles)
        tasks.append(lambda: statistics.median(with_fast_resume(program, titles, paste) for paste in wanted))
    took, *fast_resume = in_turn(3, *tasks)
    what = "resume: a number pasted -> its sessions on the screen"
    yield Result("5", what, ms(took))
    for theirs in fast_resume:
        yield Result("5", "  the same", ms(took), f"fr {ms(theirs)}", value=took - theirs, limit=0.03)
    for picker in pickers(peers):
        if picker.name == "pi":
            theirs = with_picker(picker, live, titles, wanted[0])
            yield Result("5", "  the same", ms(took), f"pi --resume {ms(theirs)}", took / theirs, 0.02)


def deep(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Measure 7: from the key that adds tool calls and output to the search until the first hits are
    painted.
    """
    warm_up(setting)
    first, complete = [], []
    for _ in range(max(3, setting.repeat)):
        with selector(setting, live) as terminal:
            list_all_folders(terminal, live)
            terminal.send(DEEP)
            terminal.wait_for(lambda _: match_count(terminal) == 0, 30)
            terminal.settle(0.5)
            pressed = terminal.press(DEEP_KEY)
            first.append(terminal.wait_for_text(CURSOR, 60) - pressed)
            complete.append(terminal.wait_for(lambda _: bool(match_count(terminal)), 60) - pressed)
    median = statistics.median(first)
    against = f"all of them {ms(statistics.median(complete))}"
    yield Result(
        "7", "resume: deep tier -> first hits painted", ms(median), against, value=median, limit=0.15
    )


def follow(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Measure 8: from an append by another program until it is in the list and in the preview."""
    warm_up(setting)
    # The flood comes last, because it reorders the sessions, and the preview shows the first one.
    for watch, limit, env in (("no watch", 0.2, POLLING), ("native watch", 0.1, {})):
        with selector(setting, live, **env) as terminal:
            list_all_folders(terminal, live)

            def append_name(number: int, watch: str = watch) -> tuple[str, float]:
                name = f"r{watch[0]}-{number:05d}"
                return name, live.name(number % 3, name)

            def append_prompt(number: int, watch: str = watch) -> tuple[str, float]:
                text = f"resumed-{watch[0]}-{number:05d}"
                return text, live.message(0, text)

            for what, append in (("row", append_name), ("preview", append_prompt)):
                taken = _appended(terminal, append)
                p95 = percentile(taken, 0.95)
                half = f"p50 {ms(statistics.median(taken))}"
                what = f"resume: append -> in the {what}, {watch}: p95"
                yield Result("8", what, ms(p95), half, value=p95, limit=limit)
            if not env:
                yield from flood(terminal, live)


def _appended(terminal: Terminal, append: Callable[[int], tuple[str, float]]) -> list[float]:
    """Return the seconds from each append until its text is on the screen."""
    taken = []
    for number in range(TRIES):
        # The pauses differ, so that the appends do not coincide with the timers of leafmark.
        time.sleep(0.05 + 0.013 * (number % 7))
        text, written = append(number)
        taken.append(terminal.wait_for_text(text, 10) - written)
    return taken


class Resources(NamedTuple):
    """Resources of a selector after some use: bytes of anonymous memory, share of one core while idle, peak
    memory of its processes.
    """

    anonymous: int
    idle: float
    peaks: Peaks


def memory(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Measure 11: after moving through the list of all sessions and a search, with all stores watched."""
    warm_up(setting)
    kept = _used_resources(setting, live)
    size, peaks = kept.anonymous, kept.peaks
    against = f"peak {mb(peaks.biggest)}"
    what = "resume: anonymous memory, in MB"
    yield Result("11", what, mb(size), against, value=size / 1e6, limit=130)
    yield Result("11", "  idle, of one core", f"{kept.idle:.2%}", value=kept.idle, limit=0.01)
    if peers.fast_resume:
        peak = FastResume(peers, Titles(setting)).peak()
        yield Result("11", "  its peak", mb(peaks.total), f"fr {mb(peak)}", peaks.total / peak)
    for picker in pickers(peers):
        peak = whole_list(picker, live).peak
        limit = 0.5 if picker.name == "pi" else None
        against = f"{picker.name} --resume {mb(peak)}"
        yield Result("11", "  its peak", mb(peaks.total), against, peaks.total / peak, limit)


def _used_resources(setting: Setting, live: LiveProject) -> Resources:
    with selector(setting, live) as terminal:
        list_all_folders(terminal, live)
        for key in [*["down"] * 10, *["pagedown"] * 10, *"session", *["backspace"] * 7]:
            terminal.press(key)
            terminal.settle(0.1)
        terminal.settle(1.0)
        pid = terminal.process.pid
        idle = idle_share(pid)
        peaks = Peaks(pid)
        peaks.look()
        return Resources(anonymous_bytes(pid), idle, peaks)
