"""Measures 2, 3, 4, 8 and 10: the browser in a pseudo-terminal."""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.listing import forget
from tests.benchmarks.live import rows_shown
from tests.benchmarks.measure import Setting, in_turn, percentile, processor_seconds, run
from tests.benchmarks.opening import biggest
from tests.benchmarks.pickers import ROUNDS, FastResume, Titles, first_rows, in_both_terminals, pickers
from tests.benchmarks.rows import Result, ms
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.peers import Peers
    from tests.benchmarks.pickers import Picker, Rows

LAUNCH, ANSWER = 5.45, 31.8
"""Most time from the launch to the first rows and to the first answered key, 60 and 350 ms, as multiples of
the 11 ms of a bare Python."""
OF_PI = 0.65
"""Most time to the first answered key, as a part of pi's time."""
TRIES = 25
POLLING = {"LEAFMARK_POLL": "1"}
FILTER_BOX = '"a phrase"'
"""A part of the placeholder in the empty filter box."""
RATE = 1_000
"""Appends per second in `flood`."""
SECONDS = 3
"""Duration of `flood`."""
# While the search runs, the last figure is "…".
_COUNT = re.compile(r"[━─] ([\d,]+) of [\d,]+(?: · [^·…━─]+)* [━─]")


@contextmanager
def started(
    command: list[str], setting: Setting, live: LiveProject, *, colour: bool | None = None, **env: str
) -> Iterator[Terminal]:
    """Run a screen of leafmark in the folder of the live project.

    :param colour: whether the terminal answers the query for its background colour. It answers all other
        queries; with None it answers none.
    """
    with Terminal(
        command,
        env={**setting.env, **env},
        cwd=live.folder,
        answers=colour is not None,
        colour=bool(colour),
    ) as terminal:
        yield terminal
        if terminal.process.poll() is None:
            terminal.press("ctrl+q")
            terminal.wait(20)


def browser(
    setting: Setting, live: LiveProject, *, colour: bool | None = None, **env: str
) -> AbstractContextManager[Terminal]:
    """Run the browser; see `started`."""
    return started(setting.leafmark(), setting, live, colour=colour, **env)


def warm_up(setting: Setting) -> None:
    """Bring the catalog up to date."""
    run(setting.leafmark("list", "--limit", "1"), setting.env)


def launch(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Measure 2: from the process start to the rows, and to the effect of a key pressed as soon as they
    appear.
    """
    warm_up(setting)
    answered = []

    def rows(colour: bool | None = None) -> float:
        with browser(setting, live, colour=colour) as terminal:
            shown = terminal.wait_for(lambda _: rows_shown(live, terminal), 30) - terminal.started
            # The first frame cannot draw the filter box: it appears when the application has read the key.
            terminal.press("/")
            answered.append(terminal.wait_for_text(FILTER_BOX, 30) - terminal.started)
            terminal.press("escape")
        return shown

    ours, start = in_turn(setting.repeat, rows, lambda: bare_python(setting))
    keys = statistics.median(answered)
    against = f"python -c pass {ms(start)}"
    yield Result("2", "launch -> rows", ms(ours), against, ours / start, LAUNCH)
    yield Result("2", "launch -> a key is answered", ms(keys), against, keys / start, ANSWER)
    titles = Titles(setting)
    if peers.fast_resume:
        yield from in_both_terminals("launch -> rows", FastResume(peers, titles), rows, setting.repeat)
    for picker in pickers(peers):
        answered.clear()
        # The terminal answers the queries of pi and omp, so it answers those of leafmark as well.
        yield from _compared_launch(picker, lambda: rows(True), answered, live, titles)


def bare_python(setting: Setting) -> float:
    """Seconds that Python takes to start and end."""
    return run([sys.executable, "-c", "pass"], setting.env).wall


def _compared_launch(
    picker: Picker, rows: Callable[[], float], answered: list[float], live: LiveProject, titles: Titles
) -> Iterator[Result]:
    """Measure 2 compared with pi or omp, in turn with it.

    omp's list of all sessions counts, because leafmark lists all from the start. pi's first rows count,
    because pi can answer a key then.
    """
    peer_rows: list[Rows] = []

    def theirs() -> float:
        peer_rows.append(first_rows(picker, live, titles))
        return peer_rows[-1].here

    ours, here = in_turn(ROUNDS, rows, theirs)
    everywhere = statistics.median(shown.everywhere for shown in peer_rows)
    against = f"{picker.name} --resume {ms(here)}"
    yield Result("2", "launch -> rows", ms(ours), against, ours / here)
    against_all = f"{picker.name} --resume, Tab {ms(everywhere)}"
    yield Result("2", "launch -> rows", ms(ours), against_all, ours / everywhere)
    if picker.name == "pi":
        keys = statistics.median(answered)
        yield Result("2", "launch -> a key is answered", ms(keys), against, keys / here, OF_PI)


def first_time(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Measures 3 and 4 on the screen, with no cache: the newest rows, and the whole list."""
    total = sessions(setting, live)
    rows = []

    def complete() -> float:
        forget(setting.env)
        with browser(setting, live) as terminal:
            rows.append(terminal.wait_for(lambda _: rows_shown(live, terminal), 60) - terminal.started)
            return terminal.wait_for_text(f"{total:,} sessions", 120) - terminal.started

    tasks = [complete]
    if peers.omp:
        tasks.append(peers.omp_listing)
    whole, *omp = in_turn(3, *tasks)
    newest = statistics.median(rows)
    yield Result("3", "no cache: newest rows on screen (bar: 0.8 s)", ms(newest), value=newest, limit=0.8)
    what = f"no cache: all {total:,} sessions on screen"
    yield Result("4", what, ms(whole))
    for theirs in omp:
        yield Result("4", what, ms(whole), f"omp's listing {ms(theirs)}", whole / theirs)


def sessions(setting: Setting, live: LiveProject) -> int:
    """Return the number of sessions on the screen: all but those of the flat folder, which needs
    `--store`.
    """
    return len(live.drafts) + sum(
        bool(record["path"].startswith(setting.env["HOME"]))
        for record in read_truth(setting.corpus)
        if not record["refused"] and not record["hidden"]
    )


def follow(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Measure 8: from an append by another program until it is on the screen."""
    # The cursor is to be on the first session, and stays on one that an outdated catalog lists first.
    warm_up(setting)
    for watch, limit, env in (("native watch", 0.1, {}), ("no watch", 0.2, POLLING)):
        with browser(setting, live, **env) as terminal:
            ready(terminal, live)
            taken = []
            for number in range(TRIES):
                name = f"{watch[:2]}-{number:05d}"
                # The pauses differ, so that the appends do not coincide with the timers of leafmark.
                time.sleep(0.05 + 0.013 * (number % 7))
                written = live.name(number % 3, name)
                taken.append(terminal.wait_for_text(name, 10) - written)
            median, p95 = statistics.median(taken), percentile(taken, 0.95)
            what = f"append -> on screen, {watch}: p95"
            yield Result("8", what, ms(p95), f"p50 {ms(median)}", value=p95, limit=limit)
            if not env:
                yield from _tree_follows(terminal, live)
                yield from flood(terminal, live)


def _tree_follows(terminal: Terminal, live: LiveProject) -> Iterator[Result]:
    """Append to the session under the cursor, until its tree shows the new entry."""
    taken = []
    for number in range(TRIES):
        text = f"follow-{number:05d}"
        time.sleep(0.05 + 0.013 * (number % 7))
        written = live.message(0, text)
        taken.append(terminal.wait_for_text(text, 10) - written)
    median, p95 = statistics.median(taken), percentile(taken, 0.95)
    yield Result("8", "append -> in the tree: p95", ms(p95), f"p50 {ms(median)}", value=p95, limit=0.1)


def flood(terminal: Terminal, live: LiveProject) -> Iterator[Result]:
    """Append `RATE` entries a second, in turn to all sessions of the live project."""
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


def ready(terminal: Terminal, live: LiveProject) -> None:
    """Wait until the screen shows the rows and has written nothing for a second."""
    terminal.wait_for(lambda _: rows_shown(live, terminal), 60)
    terminal.settle(1.0, 60)


def matches_in(rule: str) -> int | None:
    """Return the number of matching sessions in the rule above the list; None if it has none yet.

    :param rule: the whole line, with the rule above the pane beside the list, which may have a count as well.
    """
    count = _COUNT.search(rule.partition("┬")[0])
    return int(count[1].replace(",", "")) if count else None


def open_biggest(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Measure 10: from a filter that matches only the biggest session to its last entries on the screen."""
    record = biggest(setting)
    warm_up(setting)
    last = last_texts(record["path"])
    taken = []
    for _ in range(max(3, setting.repeat)):
        with browser(setting, live) as terminal:
            ready(terminal, live)
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


def last_texts(path: str) -> list[str]:
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
