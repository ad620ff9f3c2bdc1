"""The tree of a long session on the screen: opening it, its keys, its memory."""

from __future__ import annotations

import json
import os
import re
import statistics
from contextlib import contextmanager
from itertools import takewhile
from typing import TYPE_CHECKING

from tests.benchmarks.measure import anonymous_bytes, percentile, run
from tests.benchmarks.rows import Result, mb, ms
from tests.benchmarks.screen import bare_python
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.measure import Setting

SIZES = {20_000: 0.5, 80_000: 1.5}
"""Entries, and seconds from the file to the painted tree."""
START = 0.012
"""Seconds that a bare Python takes on the quiet machine for which the limits in seconds hold. Other machines
are judged by multiples of it.
"""
END = 0.1
"""Seconds from a key to the last rows of the tree of 20,000 entries."""
KEYS = 25
"""How often a key is pressed."""
FRAME, SWITCH = 0.016, 0.1
"""Seconds: a frame; the limit for another filter and for a letter of a search."""
PLANTED = 7
"""The number of entries that contain the first of `WORDS`; twice as many contain the second, and so on."""
WORDS = ("zqa", "zqb", "zqc", "zqd")
_BRANCH_EVERY = 500
_PROSE = "the token is read before the cookie is set and so the second call fails on a clean machine "
OUTPUT = "".join(f"{number:4} return self.{'abcdefgh'[number % 8] * 9}(value)\n" for number in range(28))


def trees(setting: Setting) -> Iterator[Result]:
    """Measure both sizes, and the keys at the larger one."""
    start = statistics.median([bare_python(setting) for _ in range(7)])
    for count, limit in SIZES.items():
        home = os.path.join(setting.folder, f"trees-{count}")
        size = write(home, count)
        whole_times, end_times = [], []
        letters: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        for number in range(max(5, setting.repeat)):
            with _opened(setting, home) as terminal:
                before = anonymous_bytes(terminal.process.pid)
                pressed = terminal.press("down")
                end_times.append(terminal.wait_for_text(f"entry {count - 1} ", 60) - pressed)
                whole_times.append(terminal.wait_for_text(f"{count:,} entries", 60) - pressed)
                if count == max(SIZES) and number == 0:
                    keys = list(_keys(terminal, count, start))
                    grown = anonymous_bytes(terminal.process.pid) - before
                elif count == max(SIZES):
                    rested = number % 2 == 1
                    letters[rested].append(_first_letter(terminal, rested=rested))
        whole, end = statistics.median(whole_times), statistics.median(end_times)
        what = f"key -> whole tree of {count:,} entries painted"
        yield _judged(what, whole, f"file {mb(size)}", limit, start)
        end_limit = END if count == min(SIZES) else None
        yield Result("6", "  its last rows", ms(end), value=end, limit=end_limit)
    yield from keys
    yield from _letters(letters, start)
    yield Result(
        "6", "  memory with its text searched", mb(grown), f"file {mb(size)}", grown / size, 3, ci=True
    )


def _judged(what: str, taken: float, beside: str, limit: float, start: float) -> Result:
    """A figure that is judged as a multiple of a bare Python, which took `start` seconds.

    :param beside: another figure of the same measure.
    :param limit: in seconds, on a quiet machine.
    """
    against = f"python {ms(start)}, {beside}"
    return Result("6", what, ms(taken), against, taken / start, limit / START, ci=True)


def _keys(terminal: Terminal, count: int, start: float) -> Iterator[Result]:
    """Measure the keys in the shown tree of `count` entries."""
    terminal.settle(0.5, 30)
    terminal.press("tab", "home")
    terminal.wait_for(lambda shown: any("│❯" in line and "entry 0 " in line for line in shown.lines))
    for key, what in (("down", "a cursor key, on the screen"), ("pagedown", "a page")):
        steps = []
        for number in range(KEYS):
            terminal.settle(0.12 + 0.003 * (number % 5))
            before = _tree(terminal)
            pressed = terminal.press(key)
            steps.append(terminal.wait_for(lambda shown, before=before: _tree(shown) != before) - pressed)
        yield _frame(what, steps)
    switches = []
    for _ in range(5):
        for key, marker in (("ctrl+u", "user: "), ("ctrl+d", "")):
            terminal.settle(0.3)
            pressed = terminal.press(key)
            shows = (lambda shown: shown.shows("user: ") and _hides(shown)) if marker else _hides_nothing
            switches.append(terminal.wait_for(shows) - pressed)
    median, p95 = statistics.median(switches), percentile(switches, 0.95)
    yield _judged("  another filter", median, f"p95 {ms(p95)}", SWITCH, start)
    yield from _search(terminal, start)


def _frame(what: str, taken: list[float]) -> Result:
    median, p95 = statistics.median(taken), percentile(taken, 0.95)
    # Textual paints 60 times a second: a key waits half a frame on average.
    return Result(
        "6", f"  {what}", ms(median), f"p95 {ms(p95)}, frame {ms(FRAME)}", value=median, limit=2 * FRAME
    )


def _search(terminal: Terminal, start: float) -> Iterator[Result]:
    total = PLANTED * len(WORDS) * (len(WORDS) + 1) // 2
    taken = []
    terminal.press("/", "z")
    terminal.wait_for(lambda shown: _counts(shown, total), 60)
    terminal.press("q")
    for number, word in enumerate(WORDS, 1):
        terminal.settle(0.5)
        pressed = terminal.press(word[-1])
        taken.append(terminal.wait_for(lambda shown, n=PLANTED * number: _counts(shown, n), 20) - pressed)
        terminal.settle(0.5)
        pressed = terminal.press("backspace")
        taken.append(terminal.wait_for(lambda shown: _counts(shown, total), 20) - pressed)
    median, p95 = statistics.median(taken), percentile(taken, 0.95)
    yield _judged("  a search key: all hits counted", median, f"p95 {ms(p95)}", SWITCH, start)


def _letters(letters: dict[bool, list[tuple[float, float]]], start: float) -> Iterator[Result]:
    first_hits, all_hits = (statistics.median(times) for times in zip(*letters[True], strict=True))
    yield _judged("  the first letter: hits", first_hits, f"all {ms(all_hits)}", SWITCH, start)
    first_hits, all_hits = (statistics.median(times) for times in zip(*letters[False], strict=True))
    what = "  Tab Home / and a letter at once: hits"
    yield Result("6", what, ms(first_hits), f"all {ms(all_hits)}")


def _first_letter(terminal: Terminal, *, rested: bool) -> tuple[float, float]:
    """Return the seconds from the first letter of the first search in a loaded tree to the first hits, and
    until all hits are counted.

    :param rested: wait after the tree has the focus; otherwise send all keys at once.
    """
    total = PLANTED * len(WORDS) * (len(WORDS) + 1) // 2
    if rested:
        terminal.press("tab", "home")
        terminal.settle(2, 30)
        terminal.press("/")
        terminal.settle(0.3)
        pressed = terminal.press("z")
    else:
        pressed = terminal.press("tab", "home", "/", "z")
    first_hits = terminal.wait_for(_has_hits, 60) - pressed
    return first_hits, terminal.wait_for(lambda shown: _counts(shown, total), 60) - pressed


def _has_hits(terminal: Terminal) -> bool:
    return any(" entries" in line and (" of " in line or " found" in line) for line in terminal.lines)


def _counts(terminal: Terminal, hits: int) -> bool:
    count = re.compile(rf"(?: of {hits:,}|[ ─]{hits:,} found)(?![…\d,])")
    return any(count.search(line) for line in terminal.lines)


def _tree(terminal: Terminal) -> list[str]:
    """Return the rows of the tree."""
    rows = [line.partition("│")[2] for line in terminal.lines]
    return list(takewhile(bool, rows[2:]))


def _hides(terminal: Terminal) -> bool:
    return any(re.search(r"user: [\d,]+ hidden", line) for line in terminal.lines)


def _hides_nothing(terminal: Terminal) -> bool:
    return not any(" hidden" in line for line in terminal.lines)


@contextmanager
def _opened(setting: Setting, home: str) -> Iterator[Terminal]:
    """Run leafmark with the store in `home`, and the cursor on the short session above the long one."""
    env = {
        **setting.env,
        "HOME": home,
        "LEAFMARK_CACHE_DIR": os.path.join(home, "cache"),
        "LEAFMARK_STATE_DIR": os.path.join(home, "state"),
    }
    # Build the catalog, because it exists when a session of this size is opened.
    run(setting.leafmark("list", "--limit", "1"), env)
    # The last run left the tree shown.
    os.makedirs(env["LEAFMARK_STATE_DIR"], exist_ok=True)
    with open(os.path.join(env["LEAFMARK_STATE_DIR"], "screen"), "w") as file:
        file.write("panes-closed=\n")
    with Terminal(setting.leafmark(), env=env, cwd=home, size=(159, 40)) as terminal:
        terminal.wait_for_text("2 entries", 60)
        terminal.settle(0.7, 60)
        yield terminal
        terminal.press("ctrl+q")
        terminal.wait(20)


def write(home: str, count: int) -> int:
    """Write a store with a long session and a newer short one; return the bytes of the long one."""
    folder = os.path.join(home, ".pi/agent/sessions/--work--")
    os.makedirs(folder, exist_ok=True)  # measured once more
    long = os.path.join(folder, "2026_long.jsonl")
    with open(long, "w") as file:
        file.write(json.dumps(_header("long", home)) + "\n")
        for number in range(count):
            file.write(json.dumps(_entry(number)) + "\n")
    short = os.path.join(folder, "2026_short.jsonl")
    with open(short, "w") as file:
        for line in (_header("short", home), _message(0, None, "user", "short", 2_000_000)):
            file.write(json.dumps(line) + "\n")
        file.write(json.dumps(_message(1, "00000000", "assistant", "yes", 2_000_001)) + "\n")
    return os.path.getsize(long)


def _header(id: str, cwd: str) -> dict[str, object]:
    return {"type": "session", "version": 3, "id": id, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd}


def _entry(number: int) -> dict[str, object]:
    """Return an entry of turns of four: a prompt, an answer with a tool call, its result, an answer. Each
    `_BRANCH_EVERY` entries a branch begins 40 entries above.
    """
    parent = None if not number else f"{number - 1:08x}"
    if number and number % _BRANCH_EVERY == 0:
        parent = f"{number - 41:08x}"
    words = [
        word
        for index, word in enumerate(WORDS)
        if number % 101 == index and number // 101 < PLANTED * (index + 1)
    ]
    text = " ".join([f"entry {number} says that", *words, _PROSE * (1 + number % 5)])
    kind = number % 4
    if kind == 0:
        return _message(number, parent, "user", text, number)
    if kind == 2:
        body = {"toolCallId": f"call-{number - 1}", "toolName": "bash"}
        return _message(number, parent, "toolResult", f"{text}\n{OUTPUT}", number, **body)
    usage = {"input": 900, "output": 80, "cacheRead": 9000, "cacheWrite": 0, "cost": {"total": 0.01}}
    entry = _message(number, parent, "assistant", text, number, usage=usage, stopReason="stop")
    if kind == 1:
        call = {
            "type": "toolCall",
            "id": f"call-{number}",
            "name": "bash",
            "arguments": {"command": "make test"},
        }
        entry["message"]["content"].append(call)  # type: ignore[index]
    return entry


def _message(
    number: int, parent: str | None, role: str, text: str, second: int, **more: object
) -> dict[str, object]:
    stamp = f"2026-{1 + second // 2_400_000 % 12:02}-{1 + second // 86_400 % 28:02}T"
    stamp += f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}.000Z"
    message = {"role": role, "content": [{"type": "text", "text": text}], **more}
    return {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": parent,
        "timestamp": stamp,
        "message": message,
    }
