"""Measures 2, 3 and 8: the browser in a pseudo-terminal."""

from __future__ import annotations

import statistics
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.listing import forget
from tests.benchmarks.live import rows_shown
from tests.benchmarks.measure import Setting, in_turn, percentile, run
from tests.benchmarks.rows import Result, ms
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.peers import Peers

LAUNCH, ANSWER = 5.45, 31.8
"""Most time from the launch to the first rows and to the first answered key, 60 and 350 ms, as multiples of
the 11 ms of a bare Python."""
OF_PI = 0.65
"""Most time to the first answered key, as a part of pi's time."""
ROUNDS = 9
"""The number of times that pi is started in turn with leafmark. A processor that was idle is slow for a
moment, which affects either program by chance.
"""
TRIES = 25
POLLING = {"LEAFMARK_POLL": "1"}
FILTER_BOX = '"a phrase"'
"""A part of the placeholder in the empty filter box."""


@contextmanager
def browser(
    setting: Setting, live: LiveProject, *, colour: bool | None = None, **env: str
) -> Iterator[Terminal]:
    """Run the browser in the folder of the live project.

    :param colour: whether the terminal answers the query for its background colour. It answers all other
        queries; with None it answers none.
    """
    with Terminal(
        setting.leafmark(),
        env={**setting.env, **env},
        cwd=live.folder,
        answers=colour is not None,
        colour=bool(colour),
    ) as terminal:
        yield terminal
        if terminal.process.poll() is None:
            terminal.press("ctrl+q")
            terminal.wait(20)


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
    if peers.fast_resume:
        # fast-resume asks for the background colour and for the status before it draws anything, and waits
        # 100 ms for an answer. The limit holds for a terminal that answers neither query, and answers the
        # later ones, for which fast-resume would wait two more seconds.
        titles = _titles(setting)
        peers.warm_list()
        for what, colour, limit in (("colour never told", False, 0.5), ("all answered at once", True, None)):
            ours, theirs = in_turn(
                setting.repeat,
                lambda colour=colour: rows(colour),
                lambda colour=colour: _fast_resume_rows(peers, titles, colour=colour),
            )
            yield Result("2", f"launch -> rows, {what}", ms(ours), f"fr {ms(theirs)}", ours / theirs, limit)
    if peers.pi:
        answered.clear()
        # The terminal answers the queries of pi, so it answers those of leafmark as well.
        _, theirs = in_turn(ROUNDS, lambda: rows(True), lambda: _pi_rows(peers, live))
        keys, against = statistics.median(answered), f"pi --resume {ms(theirs)}"
        yield Result("2", "launch -> a key is answered", ms(keys), against, keys / theirs, OF_PI)


def bare_python(setting: Setting) -> float:
    """Return the seconds that Python takes to start and end."""
    return run([sys.executable, "-c", "pass"], setting.env).wall


def _titles(setting: Setting) -> set[str]:
    """Return the first 12 characters of the titles of the corpus' sessions, as fast-resume shows them."""
    titles = {
        (record["name"] or record["first_message"] or "")[:12]
        for record in read_truth(setting.corpus)
        if not record["refused"] and not record["hidden"]
    }
    return {title for title in titles if len(title) == 12}


def _fast_resume_rows(peers: Peers, titles: set[str], *, colour: bool) -> float:
    """Return the seconds from the start of fast-resume's screen to three sessions, which it lists at once."""
    env = peers.env
    with Terminal(peers.fr(), env=env, cwd=env["HOME"], answers=True, colour=colour) as terminal:

        def shows_rows(shown: Terminal) -> bool:
            return sum(any(title in line for title in titles) for line in shown.lines) >= 3

        return terminal.wait_for(shows_rows, 60) - terminal.started


def _pi_rows(peers: Peers, live: LiveProject) -> float:
    """Return the seconds to pi's first rows, those of the live project: pi can answer a key then."""
    with Terminal(peers.pi_picker(), env=peers.env, cwd=live.folder, answers=True) as terminal:
        return terminal.wait_for(lambda shown: rows_shown(live, shown), 60) - terminal.started


def first_time(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """Measure 3 on the screen, with no cache: the newest rows, and the whole list."""
    total = sessions(setting, live)
    rows, complete = [], []
    for _ in range(3):
        forget(setting.env)
        with browser(setting, live) as terminal:
            rows.append(terminal.wait_for(lambda _: rows_shown(live, terminal), 60) - terminal.started)
            complete.append(terminal.wait_for_text(f"{total:,} sessions", 120) - terminal.started)
    newest, whole = statistics.median(rows), statistics.median(complete)
    what = "no cache: newest rows on screen"
    yield Result("3", what, ms(newest), f"all {total:,} sessions {ms(whole)}", value=newest, limit=0.8)


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
            yield _followed(f"append -> on screen, {watch}: p95", taken, limit)
            if not env:
                taken = []
                for number in range(TRIES):
                    text = f"follow-{number:05d}"
                    time.sleep(0.05 + 0.013 * (number % 7))
                    written = live.message(0, text)
                    taken.append(terminal.wait_for_text(text, 10) - written)
                yield _followed("append -> in the tree: p95", taken, limit)


def _followed(what: str, taken: list[float], limit: float) -> Result:
    p95 = percentile(taken, 0.95)
    return Result("8", what, ms(p95), f"p50 {ms(statistics.median(taken))}", value=p95, limit=limit)


def ready(terminal: Terminal, live: LiveProject) -> None:
    """Wait until the screen shows the rows and has written nothing for a second."""
    terminal.wait_for(lambda _: rows_shown(live, terminal), 60)
    terminal.settle(1.0, 60)
