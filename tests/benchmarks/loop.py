"""The longest callbacks on the event loop of a screen with over ten thousand sessions, by phase of the run.

The limit is 16 ms, and 100 ms for arranging the list in another order.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from tests.benchmarks import watched
from tests.benchmarks.crowd import Crowd, title
from tests.benchmarks.listing import forget
from tests.benchmarks.measure import percentile
from tests.benchmarks.opening import biggest
from tests.benchmarks.rows import Result, ms
from tests.benchmarks.screen import FILTER_BOX, sessions
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.watched import Callback

FRAME = 0.016
"""Seconds that a callback may take in the other phases."""
ARRANGING, ARRANGED = "arranging the list", 0.1
"""The phase that sorts or groups all sessions anew, and the seconds that a callback may take in it."""
RATE, SECONDS = 1_000, 2

START, END = "until the first picture", "leaving"

Phase = tuple[str, float]


def loop(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """The longest callback of each phase by processor time; the clock also counts other programs."""
    crowd = Crowd(setting.folder, setting.pi_root)
    total = f"{sessions(setting, live) + len(crowd.paths):,} sessions"
    report = os.path.join(setting.folder, "callbacks.jsonl")
    try:
        forget(setting.env)
        for use in (_first_time, _again):
            phases: list[Phase] = []
            command = [sys.executable, "-m", "tests.benchmarks.watched", report]
            with Terminal(command, env=setting.env, cwd=crowd.folder) as terminal:
                use(terminal, setting, crowd, total, phases)
                phases.append((END, terminal.press("ctrl+q")))
                terminal.wait(20)
            shown, callbacks = watched.read(report)
            yield Result("loop", "a million additions, for scale", ms(_additions()))
            first, *others = phases
            for name, callbacks_of_phase in by_phase(
                callbacks, [(START, 0.0), (first[0], shown), *others]
            ).items():
                yield _row(name, callbacks_of_phase)
    finally:
        crowd.close()


def _additions() -> float:
    """Return the processor time of a million additions: the current speed of this machine."""
    began = time.thread_time()
    sum(number for number in range(1_000_000))
    return time.thread_time() - began


def _first_time(terminal: Terminal, setting: Setting, crowd: Crowd, total: str, phases: list[Phase]) -> None:
    """Run without a catalog, until every session is listed."""
    phases.append(("no cache: the first list", 0.0))
    terminal.wait_for_text(title(0), 60)
    terminal.wait_for_text(total, 120)
    terminal.settle(0.5, 20)


def _again(terminal: Terminal, setting: Setting, crowd: Crowd, total: str, phases: list[Phase]) -> None:
    """Run with a catalog: the list, changes in the middle of it, a burst of them, keys, the biggest tree."""
    phases.append(("the list from the catalog", 0.0))
    terminal.wait_for_text(total, 60)
    terminal.settle(1.0, 20)
    phases.append(("an append now and then", time.perf_counter()))
    for _ in range(10):
        crowd.append("now and then")
        terminal.settle(0.2)
    phases.append((f"{RATE:,} appends/s", time.perf_counter()))
    started = time.perf_counter()
    for number in range(RATE * SECONDS):
        crowd.append(f"flood {number}")
        ahead = started + (number + 1) / RATE - time.perf_counter()
        if ahead > 0.002:
            time.sleep(ahead)
    terminal.settle(0.5)
    phases.append(("moving about", time.perf_counter()))
    for key in ["down", "down", "pagedown", "pagedown", "end", "home", "tab", "tab", "tab", "space", "space"]:
        terminal.press(key)
        terminal.settle(0.1)
    phases.append((ARRANGING, time.perf_counter()))
    for key in ["O", "ctrl+s", "ctrl+s", "D", "ctrl+s", "O", "D", "ctrl+n", "ctrl+n", ".", ".", "O"]:
        terminal.press(key)
        terminal.settle(0.2)
    phases.append(("moving about in one list", time.perf_counter()))
    for key in ["end", "pageup", "up", "space", "space", "home"]:
        terminal.press(key)
        terminal.settle(0.1)
    phases.append((ARRANGING, time.perf_counter()))
    terminal.press("O")
    terminal.settle(0.2)
    phases.append(("typing a filter", time.perf_counter()))
    terminal.press("/")
    terminal.wait_for_text(FILTER_BOX)
    for key in [*"session 77", *["backspace"] * 10]:
        terminal.press(key)
        terminal.settle(0.1)
    record = biggest(setting)
    phases.append((f"opening a tree of {record['entry_count']:,} entries", time.perf_counter()))
    terminal.send(record["id"])
    last = _last_texts(record["path"])
    terminal.wait_for(lambda shown: any(map(shown.shows, last)), 30)
    terminal.settle(0.5)


def _last_texts(path: str) -> list[str]:
    """Return the first 16 characters of each of the last messages of a session."""
    with open(path, "rb") as file:
        file.seek(-200_000, os.SEEK_END)
        lines = file.read().split(b"\n")[1:-1]
    texts = []
    for line in lines[-12:]:
        content = json.loads(line).get("message", {}).get("content", "")
        blocks = [{"text": content}] if isinstance(content, str) else content
        texts += [block["text"].split("\n")[0][:16] for block in blocks if block.get("text", "").strip()]
    return [text for text in texts if len(text) == 16]


def by_phase(callbacks: list[Callback], phases: list[Phase]) -> dict[str, list[Callback]]:
    """Return the callbacks that began in each phase. Phases are (name, start), in order."""
    phase_callbacks: dict[str, list[Callback]] = {name: [] for name, _ in phases}
    for callback in callbacks:
        for name, began in reversed(phases):
            if callback.began >= began:
                phase_callbacks[name].append(callback)
                break
    return phase_callbacks


def _row(name: str, callbacks: list[Callback]) -> Result:
    longest = max(callbacks, key=lambda callback: callback.processor)
    p99 = percentile([callback.processor for callback in callbacks], 0.99)
    what = longest.name.removeprefix("message pump ").partition("(")[0]
    against = f"{what}; clock {ms(max(callback.clock for callback in callbacks))}"
    figure = f"{ms(longest.processor)}, p99 {ms(p99)}"
    # Before the first frame and after the last one, the loop can delay nothing.
    limit = None if name in (START, END) else ARRANGED if name == ARRANGING else FRAME
    return Result("loop", name, figure, against, value=longest.processor, limit=limit)
