"""Bars 2, 4, 8 and 11: what a person sees, in a pseudo-terminal."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.listing import forget
from tests.benchmarks.measure import (
    Setting,
    anonymous_bytes,
    in_turn,
    peak_bytes,
    percentile,
    processor_seconds,
    run,
)
from tests.benchmarks.opening import biggest
from tests.benchmarks.rows import Result, mb, ms
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.peers import Peers

TRIES = 25
FILTER_BOX = "filter:"
"""What an empty filter shows of itself."""
RATE = 1_000
SECONDS = 3


@contextmanager
def browser(setting: Setting, live: LiveProject, **env: str) -> Iterator[Terminal]:
    """leafmark's screen, started in the live project's folder."""
    with Terminal(setting.leafmark(), env={**setting.env, **env}, cwd=live.folder) as terminal:
        yield terminal
        if terminal.process.poll() is None:
            terminal.press("ctrl+q")
            terminal.wait(20)


def rows_shown(live: LiveProject, terminal: Terminal) -> bool:
    return all(terminal.shows(live.title(number)) for number in range(3))


def warm_up(setting: Setting) -> None:
    """Bring the catalog up to date."""
    run(setting.leafmark("list", "--limit", "1"), setting.env)


def launch(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Bar 2: from the start of the process to its rows, and to the answer to a key typed at once."""
    warm_up(setting)
    first, answered = [], []

    def rows() -> float:
        with browser(setting, live) as terminal:
            at = terminal.wait_for(lambda _: rows_shown(live, terminal), 30) - terminal.started
            first.append(at)
            # The first frame cannot draw it: it stands there when the application has read the key.
            terminal.press("/")
            answered.append(terminal.wait_for_text(FILTER_BOX, 30) - terminal.started)
            terminal.press("escape")
        return at

    tasks = [rows, lambda: run([sys.executable, "-c", "pass"], setting.env).wall]
    if peers.fast_resume:
        peers.warm_list()
        tasks.append(lambda: _peer_rows(peers.browser(), peers.env, setting))
    medians = in_turn(setting.repeat, *tasks)
    keys = statistics.median(answered)
    yield Result(
        "2", "launch -> rows on the terminal (bar: 100 ms)", ms(medians[0]), value=medians[0], limit=0.1
    )
    yield Result(
        "2", "launch -> rows", ms(medians[0]), f"python -c pass {ms(medians[1])}", medians[0] / medians[1]
    )
    yield Result("2", "launch -> a key is answered (bar: 0.75 s)", ms(keys), value=keys, limit=0.75)
    if peers.fast_resume:
        yield Result(
            "2", "launch -> rows", ms(medians[0]), f"fr {ms(medians[2])}", medians[0] / medians[2], 0.5
        )
    if peers.pi:
        other = _peer_rows(peers.picker(), peers.env, setting, press="\t")
        against = f"pi --resume, Tab {ms(other)}"
        yield Result("2", "launch -> rows", ms(medians[0]), against, medians[0] / other, 0.05)


def _peer_rows(command: list[str], env: dict[str, str], setting: Setting, press: str = "") -> float:
    """When three sessions of the corpus stand on a peer's screen."""
    titles = {
        (record["name"] or record["first_message"] or "")[:12]
        for record in read_truth(setting.corpus)
        if not record["refused"] and not record["hidden"]
    }
    titles = {title for title in titles if len(title) == 12}

    def shown(terminal: Terminal) -> bool:
        return sum(any(title in line for title in titles) for line in terminal.lines) >= 3

    with Terminal(command, env=env, cwd=env["HOME"], answers=True) as terminal:
        if press:
            terminal.settle(1.0, 20)
            terminal.send(press)
        return terminal.wait_for(shown, 120) - terminal.started


def first_time(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Bars 3 and 4 on the screen: no cache, the newest rows, and the whole list."""
    listed = [
        record for record in read_truth(setting.corpus) if not record["refused"] and not record["hidden"]
    ]
    # The flat folder is not one that leafmark finds by itself.
    total = sum(record["path"].startswith(setting.env["HOME"]) for record in listed) + len(live.drafts)
    rows, complete = [], []
    for _ in range(3):
        forget(setting)
        with browser(setting, live) as terminal:
            rows.append(terminal.wait_for(lambda _: rows_shown(live, terminal), 60) - terminal.started)
            complete.append(terminal.wait_for_text(f"{total:,} sessions", 120) - terminal.started)
    newest, whole = statistics.median(rows), statistics.median(complete)
    yield Result("3", "no cache: newest rows on screen (bar: 0.8 s)", ms(newest), value=newest, limit=0.8)
    yield Result("4", f"no cache: all {total:,} sessions on screen", ms(whole))


def follow(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Bar 8: an append by another program, until it stands on the screen."""
    for watch, limit, env in (("native watch", 0.1, {}), ("no watch", 0.2, {"LEAFMARK_POLL": "1"})):
        with browser(setting, live, **env) as terminal:
            _ready(terminal, live)
            taken = []
            for number in range(TRIES):
                name = f"{watch[:2]}-{number:05d}"
                # At no fixed distance from whatever ticks in there.
                time.sleep(0.05 + 0.013 * (number % 7))
                written = live.name(number % 3, name)
                taken.append(terminal.wait_for_text(name, 10) - written)
            half, most = statistics.median(taken), percentile(taken, 0.95)
            what = f"append -> on screen, {watch}: p95"
            yield Result("8", what, ms(most), f"p50 {ms(half)}", value=most, limit=limit)
            if not env:
                yield from _tree_follows(terminal, live)
                yield from _flood(terminal, live)


def _tree_follows(terminal: Terminal, live: LiveProject) -> Iterator[Result]:
    """New entries of the session under the cursor, which stands on the leaf."""
    taken = []
    for number in range(TRIES):
        text = f"follow-{number:05d}"
        time.sleep(0.05 + 0.013 * (number % 7))
        written = live.message(0, text)
        taken.append(terminal.wait_for_text(text, 10) - written)
    half, most = statistics.median(taken), percentile(taken, 0.95)
    yield Result("8", "append -> in the tree: p95", ms(most), f"p50 {ms(half)}", value=most, limit=0.1)


def _flood(terminal: Terminal, live: LiveProject) -> Iterator[Result]:
    pid = terminal.process.pid
    before, started = processor_seconds(pid), time.perf_counter()
    for number in range(RATE * SECONDS):
        live.message(number % len(live.drafts), f"flood {number}")
        ahead = started + (number + 1) / RATE - time.perf_counter()
        if ahead > 0.002:
            time.sleep(ahead)
    took = time.perf_counter() - started
    written = live.name(0, "last-drop")
    lag = terminal.wait_for_text("last-drop", 20) - written
    share = (processor_seconds(pid) - before) / (took + max(0.0, lag))
    rate = RATE * SECONDS / took
    yield Result(
        "8", f"{rate:,.0f} appends/s for 3 s: the last one visible after", ms(lag), value=lag, limit=0.25
    )
    yield Result("8", "  processor meanwhile, of one core", f"{share:.1%}", value=share, limit=0.2)


def memory(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Bar 11: memory and processor of a screen that nobody touches."""
    warm_up(setting)
    with browser(setting, live) as terminal:
        _ready(terminal, live)
        time.sleep(3)
        pid = terminal.process.pid
        before, started = processor_seconds(pid), time.perf_counter()
        time.sleep(6)
        share = (processor_seconds(pid) - before) / (time.perf_counter() - started)
        size, peak = anonymous_bytes(pid), peak_bytes(pid)
    what = "anonymous memory of the screen, in MB"
    yield Result("11", what, mb(size), f"peak {mb(peak)}", value=size / 1e6, limit=130)
    yield Result("11", "idle, of one core", f"{share:.2%}", value=share, limit=0.01)


def _ready(terminal: Terminal, live: LiveProject) -> None:
    """The screen is up and has seen every file."""
    terminal.wait_for(lambda _: rows_shown(live, terminal), 60)
    terminal.settle(1.0, 60)


def open_biggest(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Bar 10: from a filter that leaves the biggest session to its last entries on the screen."""
    record = biggest(setting)
    warm_up(setting)
    last = _last_texts(record["path"])
    taken = []
    for _ in range(max(3, setting.repeat)):
        with browser(setting, live) as terminal:
            _ready(terminal, live)
            terminal.press("/")
            terminal.wait_for_text(FILTER_BOX)
            pressed = terminal.send(record["id"])
            taken.append(terminal.wait_for(lambda shown: any(map(shown.shows, last)), 30) - pressed)
    ours = statistics.median(taken)
    yield Result("10", f"filter -> tree of {record['entry_count']:,} entries on screen", ms(ours))
    if peers.pi:
        theirs = statistics.median(peers.open_tree(record["path"]) for _ in range(3))
        yield Result(
            "10", "filter -> tree on screen", ms(ours), f"pi open + getTree {ms(theirs)}", ours / theirs, 0.5
        )


def _last_texts(path: str) -> list[str]:
    """How the last messages of a session begin."""
    with open(path, "rb") as file:
        file.seek(-200_000, os.SEEK_END)
        lines = file.read().split(b"\n")[1:-1]
    found = []
    for line in lines[-12:]:
        content = json.loads(line).get("message", {}).get("content", "")
        blocks = [{"text": content}] if isinstance(content, str) else content
        found += [block["text"].split("\n")[0][:16] for block in blocks if block.get("text", "").strip()]
    return [text for text in found if len(text) == 16]
