"""The transcript of long sessions on the screen: opening it, its keys, a search in it, and a popup.

All figures are processor time, which other programs do not change: of all threads together, and for a popup
that of the event loop. The longest callback is that between the first page key and the last hit.
"""

from __future__ import annotations

import glob
import json
import os
import statistics
import sys
import time
from typing import TYPE_CHECKING

from tests.benchmarks import trees, watched
from tests.benchmarks.measure import percentile, run
from tests.benchmarks.rows import Result, mb, ms
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.benchmarks.measure import Setting

ENTRIES = 20_000
COPIES = {"": 1, " of over 100 MB": 7}
"""Which session, and how often the text of an entry is repeated in it."""
OPENING, PAGE, FRAME = 0.1, 0.032, 0.016
"""Seconds: the limits for the end of a transcript and for a page key; one frame is the limit for a popup, and
two are for a callback.
"""
KEYS = 25
"""How often a key is pressed."""
PLANTED = "zqc"
LAST = f"entry {ENTRIES // 10 - 1}"
"""In each of the last ten entries: a session opens at its last prompt."""


def transcripts(setting: Setting) -> Iterator[Result]:
    """Measure both sessions."""
    for name, copies in COPIES.items():
        home = os.path.join(setting.folder, f"transcripts-{copies}")
        size = _write(home, copies)
        limit = OPENING if copies == 1 else None
        yield from _measure(setting, home, f"transcript of {ENTRIES:,} entries{name}", size, limit)


def _measure(setting: Setting, home: str, what: str, size: int, limit: float | None) -> Iterator[Result]:
    env = {
        **setting.env,
        "HOME": home,
        "LEAFMARK_CACHE_DIR": os.path.join(home, "cache"),
        "LEAFMARK_STATE_DIR": os.path.join(home, "state"),
    }
    # The catalog exists when a session of this size is opened.
    run(setting.leafmark("list", "--limit", "1"), env)
    report = os.path.join(home, "callbacks.jsonl")
    with Terminal(
        [sys.executable, "-m", "tests.benchmarks.watched", report], env=env, size=(160, 45)
    ) as terminal:
        terminal.wait_for_text("│   yes", 60)
        opened = []
        for _ in range(max(3, setting.repeat)):
            # The cursor goes from a short session to the long one and back.
            terminal.settle(1, 60)
            opened.append(_used(terminal, "down", lambda shown: shown.shows(LAST)))
            terminal.settle(2, 60)
            terminal.press("up")
            terminal.wait_for_text("│   yes", 20)
        terminal.press("down", "v")
        terminal.wait_for_text(LAST, 20)
        terminal.settle(2, 60)
        began = time.perf_counter()
        pages = list(_pages(terminal))
        terminal.press("/", *PLANTED)
        terminal.wait_for_text("hit 1 of", 60)
        terminal.settle(0.5, 30)
        terminal.press("enter")
        for _ in range(5):
            terminal.press("n")
            terminal.settle(0.3)
        ended = time.perf_counter()
        terminal.press("escape")
        terminal.settle(0.5, 20)
        terminal.press("1", "/", *"has")
        popups = []
        for _ in range(KEYS):
            terminal.settle(0.3, 20)
            pressed = terminal.press(":")
            popups.append((pressed, terminal.wait_for_text("has: at least one", 20)))
            terminal.press("backspace")
        terminal.press("ctrl+q")
        terminal.wait(20)
    middle = statistics.median(opened)
    yield Result("tr", f"{what}: its end", ms(middle), f"file {mb(size)}", value=middle, limit=limit)
    middle, p95 = statistics.median(pages), percentile(pages, 0.95)
    yield Result("tr", "  a page key", ms(middle), f"p95 {ms(p95)}", value=middle, limit=PAGE)
    _, callbacks = watched.read(report)
    drawn = [
        sum(each.processor for each in callbacks if began <= each.began <= ended) for began, ended in popups
    ]
    popup = statistics.median(drawn)
    against = f"p95 {ms(percentile(drawn, 0.95))}"
    yield Result("tr", "  a popup, on the event loop", ms(popup), against, value=popup, limit=FRAME)
    longest = max(
        (each for each in callbacks if began <= each.began <= ended), key=lambda each: each.processor
    )
    name = longest.name.removeprefix("message pump ").partition("(")[0]
    figure, against = ms(longest.processor), f"{name}; clock {ms(longest.clock)}"
    yield Result("tr", "  longest callback", figure, against, value=longest.processor, limit=2 * FRAME)


def _pages(terminal: Terminal) -> Iterator[float]:
    """Press keys that go a page up and down; yield the processor time of each."""
    for key in ("pageup", "pagedown"):
        for number in range(KEYS):
            terminal.settle(0.12 + 0.003 * (number % 5))
            before = list(terminal.lines)
            yield _used(terminal, key, lambda shown, before=before: shown.lines != before)


def _used(terminal: Terminal, key: str, shows: Callable[[Terminal], bool]) -> float:
    """The seconds of processor time from a key until the screen shows its result."""
    before = _processor(terminal)
    terminal.press(key)
    terminal.wait_for(shows, 60)
    return _processor(terminal) - before


def _processor(terminal: Terminal) -> float:
    """The seconds of processor time that all threads of leafmark have used; Linux counts nanoseconds."""
    used = 0
    for path in glob.glob(f"/proc/{terminal.process.pid}/task/*/schedstat"):
        with open(path) as file:
            used += int(file.read().split()[0])
    return used / 1e9


def _write(home: str, copies: int) -> int:
    """Write a store with a long session and a newer short one; return the bytes of the long one."""
    size = trees.write(home, ENTRIES)
    path = os.path.join(home, ".pi/agent/sessions/--work--/2026_long.jsonl")
    if copies > 1:
        with open(path) as file:
            lines = [json.loads(line) for line in file]
        with open(path, "w") as file:
            for line in lines:
                message = line.get("message", {})
                for part in message.get("content", ())[:1] if message.get("role") != "user" else ():
                    part["text"] = f"```python\n{trees.OUTPUT}```\n\n" * copies + part["text"]
                file.write(json.dumps(line) + "\n")
        size = os.path.getsize(path)
    return size
