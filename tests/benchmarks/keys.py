"""Time from a key to its effect on the screen, in the selector with all folders and the preview."""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING

from tests.benchmarks.measure import percentile
from tests.benchmarks.rows import Result, ms
from tests.benchmarks.screen import warm_up
from tests.benchmarks.selector import CURSOR, box_text, list_all_folders, list_rows, selector
from tests.benchmarks.typed_queries import prefixes, queries
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting

STEPS = 60
HELD = 90
EVERY = 1 / 30
"""Seconds between the repeats of a held key."""
QUERIES = 20
EMPTY = "Type to search"
"""The beginning of the placeholder in the empty search box."""
STILL = 0.15
"""Seconds without output after which the work of a key counts as done."""

MOVING, TYPING = 0.032, 0.05
"""Limits in seconds."""

_BARE = f"""
import os, tty
tty.setraw(0)
os.write(1, {CURSOR!r}.encode())
while os.read(0, 64) != b"q":
    os.write(1, {CURSOR!r}.encode())
"""


def keys(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """A step, a page, a held key: the median of each; every letter of some queries: the p95.

    A minimal program that answers every key shows the share of the machine and the terminal.
    """
    warm_up(setting)
    yield _moved("a bare program answers a key", bare(STEPS), None)
    with selector(setting, live) as terminal:
        list_all_folders(terminal, live)
        terminal.press("home")
        for _ in range(3):
            stepped(terminal, "down")
        yield _moved("resume: a step -> repainted", [stepped(terminal, "down") for _ in range(STEPS)], MOVING)
        pages = [stepped(terminal, key) for key in ["pagedown", "pageup"] * (STEPS // 4)]
        yield _moved("  a page -> repainted", pages, MOVING)
        yield _moved("  a held key -> repainted", held(terminal, "down", HELD, EVERY), MOVING)
        terminal.settle(0.5)
        shown, listed = [], []
        for query in queries(QUERIES):
            for prefix in prefixes(query):
                sent = terminal.send(prefix[-1])
                if prefix.endswith(" "):
                    # This time is not reported.
                    terminal.settle(STILL)
                    continue
                shown.append(terminal.wait_for(lambda _, p=prefix: box_text(terminal).startswith(p)) - sent)
                listed.append(_last_change(terminal, lambda: list_rows(terminal)) - sent)
            terminal.press("escape")
            # Output right after Escape belongs to Escape.
            terminal.wait_for(lambda _: box_text(terminal).startswith(EMPTY))
            terminal.settle(STILL)
        yield _typed(f"  a letter ({len(shown)} of {QUERIES} queries) -> in the line", shown, TYPING)
        yield _typed("  a letter -> its sessions stand there", listed, None)


def stepped(terminal: Terminal, key: str) -> float:
    """Press a key while nothing changes; return the seconds until the cursor's row is painted."""
    first_chunk = len(terminal.chunks)
    pressed = terminal.press(key)
    painted = terminal.wait_for_bytes(CURSOR.encode(), after=first_chunk) - pressed
    terminal.settle(STILL)
    return painted


def held(terminal: Terminal, key: str, times: int, every: float) -> list[float]:
    """Press a key `times` times, `every` seconds apart; return the seconds from each press to the next frame
    with the cursor's row.
    """
    first_chunk = len(terminal.chunks)
    pressed = []
    started = time.perf_counter()
    for number in range(times):
        time.sleep(max(0.0, started + number * every - time.perf_counter()))
        pressed.append(terminal.press(key))
    terminal.settle(0.5)
    painted = [chunk.at for chunk in terminal.chunks[first_chunk:] if CURSOR.encode() in chunk.data]
    return answers(pressed, painted)


def answers(pressed: Sequence[float], painted: Sequence[float]) -> list[float]:
    """Return the times from each press to the first frame after it."""
    return [next(frame for frame in painted if frame >= press) - press for press in pressed]


def _last_change(terminal: Terminal, read: Callable[[], object]) -> float:
    """Return when the result of `read` changed last; wait until it stays the same."""
    changed = terminal.chunks[-1].at
    while True:
        result = read()
        try:
            changed = terminal.wait_for(lambda _, result=result: read() != result, STILL)
        except TimeoutError:
            return changed


def bare(times: int) -> list[float]:
    """Press keys in a minimal program; return the seconds until it has answered each."""
    command = [sys.executable, "-I", "-S", "-c", _BARE]
    with Terminal(command, env={}, cwd="/") as terminal:
        terminal.wait_for_text(CURSOR)
        taken = [stepped(terminal, "down") for _ in range(times)]
        terminal.send("q")
        terminal.wait(20)
    return taken


def _moved(what: str, taken: Sequence[float], limit: float | None) -> Result:
    median = statistics.median(taken)
    others = f"p95 {ms(percentile(taken, 0.95))}, max {ms(max(taken))}"
    return Result("key", f"{what}, p50", ms(median), others, value=median, limit=limit)


def _typed(what: str, taken: Sequence[float], limit: float | None) -> Result:
    p95 = percentile(taken, 0.95)
    others = f"p50 {ms(statistics.median(taken))}, max {ms(max(taken))}"
    return Result("key", f"{what}, p95", ms(p95), others, value=p95, limit=limit)
