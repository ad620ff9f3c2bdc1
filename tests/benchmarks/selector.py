"""The selector from outside, in a pseudo-terminal: bars 2, 5, 7, 8 and 11 for `leafmark resume`.

It opens on the folder it was started in, which is the live project's; most is measured with all folders.
"""

from __future__ import annotations

import re
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
from tests.benchmarks.pasted import found, pastes, with_fast_resume, with_picker
from tests.benchmarks.pickers import (
    ROUNDS,
    FastResume,
    Titles,
    first_rows,
    in_both_kinds,
    pickers,
    whole_list,
)
from tests.benchmarks.rows import Result, mb, ms
from tests.benchmarks.screen import POLLING, TRIES, flood, started, warm_up
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
"""Before the row that is chosen; where no session is listed there is none."""
BOX_ROW = 2
_COUNT = re.compile(r"─ ([\d,]+) of [\d,]+(?: · [\d,]+ hidden)? ─")
DEEP_KEY = "ctrl+t"


def selector(
    setting: Setting, live: LiveProject, *, colour: bool | None = None, **env: str
) -> AbstractContextManager[Terminal]:
    """The selector, see `started`."""
    return started(setting.leafmark("resume"), setting, live, colour=colour, **env)


def everywhere(terminal: Terminal, live: LiveProject) -> None:
    """All sessions are listed, and nothing moves any more."""
    terminal.wait_for(lambda _: rows_shown(live, terminal), 60)
    terminal.settle(1.0, 60)
    terminal.press("tab")
    terminal.wait_for_text("all folders")
    terminal.settle(0.5, 20)


def typed(terminal: Terminal) -> str:
    """What stands in the line, with what is offered behind it."""
    return _cells(terminal, BOX_ROW, 2).strip()


def matches(terminal: Terminal) -> int | None:
    """How many sessions match; None while more may be found, or nothing is looked for."""
    # the preview beside the list has counts in its border as well
    border = terminal.lines[-3].partition("╯")[0]
    count = _COUNT.search(border)
    return int(count[1].replace(",", "")) if count else None


def list_rows(terminal: Terminal) -> list[str]:
    """The rows of the list."""
    return [_cells(terminal, row, 1) for row in range(BOX_ROW + 1, terminal.emulator.screen.lines - 3)]


def _cells(terminal: Terminal, row: int, begin: int) -> str:
    """What stands in a row of the list's box, from column `begin` on."""
    cells = terminal.emulator.screen.buffer[row]
    shown = []
    for column in range(begin, terminal.emulator.screen.columns):
        if cells[column].data == "│":
            break
        shown.append(cells[column].data)
    return "".join(shown)


def launch(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Bar 2: rows of this folder, a letter that is typed at once, rows of all folders after Tab."""
    warm_up(setting)
    titles = Titles(setting)
    answered: list[float] = []

    def ours(colour: bool | None = None) -> float:
        with selector(setting, live, colour=colour) as terminal:
            at = terminal.wait_for(lambda _: rows_shown(live, terminal), 30) - terminal.started
            # the first frame cannot draw it
            terminal.press("z")
            answered.append(terminal.wait_for(lambda _: typed(terminal) == "z", 30) - terminal.started)
            terminal.press("escape")
        return at

    def ours_of_all() -> float:
        with selector(setting, live) as terminal:
            terminal.wait_for(lambda _: rows_shown(live, terminal), 30)
            terminal.press("tab")
            return terminal.wait_for(titles.shown, 30) - terminal.started

    here, of_all = in_turn(setting.repeat, ours, ours_of_all)
    keys = statistics.median(answered)
    yield Result("2", "resume: launch -> rows (bar: 100 ms)", ms(here), value=here, limit=0.1)
    yield Result("2", "  launch -> a key is answered", ms(keys), value=keys, limit=0.75)
    yield Result("2", "  launch, Tab -> rows of all folders", ms(of_all))
    if peers.fast_resume:
        yield from in_both_kinds("  launch -> rows", FastResume(peers, titles), ours, setting.repeat)
    for picker in pickers(peers):
        # theirs are answered
        yield from _beside(picker, live, titles, lambda: ours(True), ours_of_all, answered)


def _beside(
    picker: Picker,
    live: LiveProject,
    titles: Titles,
    ours: Callable[[], float],
    ours_of_all: Callable[[], float],
    answered: list[float],
) -> Iterator[Result]:
    """Bar 2 beside pi or omp, in turn with it; both open on this folder, and list all after Tab."""
    answered.clear()
    seen: list[Rows] = []

    def theirs() -> float:
        seen.append(first_rows(picker, live, titles))
        return seen[-1].here

    here, of_all, theirs_here = in_turn(ROUNDS, ours, ours_of_all, theirs)
    theirs_of_all = statistics.median(one.everywhere for one in seen)
    rows, all_rows = {"pi": (0.05, None), "omp": (None, 0.025)}[picker.name]
    name = f"{picker.name} --resume"
    yield Result("2", "  launch -> rows", ms(here), f"{name} {ms(theirs_here)}", here / theirs_here, rows)
    against = f"{name}, Tab {ms(theirs_of_all)}"
    yield Result("2", "  launch -> rows", ms(here), against, here / theirs_of_all, all_rows)
    yield Result("2", "  launch, Tab -> rows of all", ms(of_all), against, of_all / theirs_of_all)
    if picker.name == "pi":
        keys = statistics.median(answered)
        against = f"{name} {ms(theirs_here)}"
        yield Result("2", "  launch -> a key is answered", ms(keys), against, keys / theirs_here, 0.45)


def pasted(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Bar 5: a number is pasted, until the few sessions of all that have it stand there alone."""
    warm_up(setting)
    wanted = pastes(setting, max(3, setting.repeat))
    titles = Titles(setting)

    def ours(paste: Paste) -> float:
        with selector(setting, live) as terminal:
            everywhere(terminal, live)
            sent = terminal.send(paste.text)
            return terminal.wait_for(lambda _: found(terminal, paste) and bool(matches(terminal)), 30) - sent

    tasks = [lambda: statistics.median(map(ours, wanted))]
    if peers.fast_resume:
        program = FastResume(peers, titles)
        tasks.append(lambda: statistics.median(with_fast_resume(program, titles, one) for one in wanted))
    took, *others = in_turn(3, *tasks)
    what = "resume: a number pasted -> its sessions on the screen"
    yield Result("5", what, ms(took))
    for other in others:
        yield Result("5", "  the same", ms(took), f"fr {ms(other)}", value=took - other, limit=0.03)
    for picker in pickers(peers):
        if picker.name == "pi":
            slow = with_picker(picker, live, titles, wanted[0])
            yield Result("5", "  the same", ms(took), f"pi --resume {ms(slow)}", took / slow, 0.02)


def deep(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Bar 7: the key that has tool output searched as well, until the first hits are painted."""
    warm_up(setting)
    first, complete = [], []
    for _ in range(max(3, setting.repeat)):
        with selector(setting, live) as terminal:
            everywhere(terminal, live)
            terminal.send(DEEP)
            terminal.wait_for(lambda _: matches(terminal) == 0, 30)
            terminal.settle(0.5)
            pressed = terminal.press(DEEP_KEY)
            first.append(terminal.wait_for_text(CURSOR, 60) - pressed)
            complete.append(terminal.wait_for(lambda _: bool(matches(terminal)), 60) - pressed)
    half = statistics.median(first)
    whole = f"all of them {ms(statistics.median(complete))}"
    yield Result("7", "resume: deep tier -> first hits painted", ms(half), whole, value=half, limit=0.15)


def follow(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Bar 8: an append by another program, until it stands in the list of all and in the preview."""
    # the flood comes last: it moves the sessions, and the cursor begins on the first
    for watch, limit, env in (("no watch", 0.2, POLLING), ("native watch", 0.1, {})):
        with selector(setting, live, **env) as terminal:
            everywhere(terminal, live)

            def named(number: int, watch: str = watch) -> tuple[str, float]:
                name = f"r{watch[0]}-{number:05d}"
                return name, live.name(number % 3, name)

            def said(number: int, watch: str = watch) -> tuple[str, float]:
                text = f"resumed-{watch[0]}-{number:05d}"
                return text, live.message(0, text)

            for what, append in (("row", named), ("preview", said)):
                taken = _appended(terminal, append)
                most = percentile(taken, 0.95)
                half = f"p50 {ms(statistics.median(taken))}"
                what = f"resume: append -> in the {what}, {watch}: p95"
                yield Result("8", what, ms(most), half, value=most, limit=limit)
            if not env:
                yield from flood(terminal, live)


def _appended(terminal: Terminal, append: Callable[[int], tuple[str, float]]) -> list[float]:
    """Seconds until what was appended stands on the screen, each time."""
    taken = []
    for number in range(TRIES):
        # at no fixed distance from whatever ticks in there
        time.sleep(0.05 + 0.013 * (number % 7))
        text, written = append(number)
        taken.append(terminal.wait_for_text(text, 10) - written)
    return taken


class Kept(NamedTuple):
    """What a selector that was used takes: bytes that no file backs, the share of a core when nobody does
    anything, the peaks of its processes.
    """

    anonymous: int
    idle: float
    peaks: Peaks


def memory(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Bar 11: after a walk through the list of all and a search, with everything watched."""
    warm_up(setting)
    kept = _used(setting, live)
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


def _used(setting: Setting, live: LiveProject) -> Kept:
    with selector(setting, live) as terminal:
        everywhere(terminal, live)
        for key in [*["down"] * 10, *["pagedown"] * 10, *"session", *["backspace"] * 7]:
            terminal.press(key)
            terminal.settle(0.1)
        terminal.settle(1.0)
        pid = terminal.process.pid
        idle = idle_share(pid)
        peaks = Peaks(pid)
        peaks.look()
        return Kept(anonymous_bytes(pid), idle, peaks)
