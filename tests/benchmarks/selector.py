"""Measures 2 and 5 for the selector (`leafmark resume`), in a pseudo-terminal."""

from __future__ import annotations

import re
import statistics
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.corpus.needles import ALSO, CONVERSATION, NEEDLES
from tests.benchmarks.live import rows_shown
from tests.benchmarks.measure import in_turn
from tests.benchmarks.recall import planted
from tests.benchmarks.rows import Result, ms
from tests.benchmarks.screen import ANSWER, LAUNCH, bare_python, warm_up
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting

PASTED = 0.2
"""Most seconds from a pasted query to the painted number of its hits."""
_HITS = re.compile(r"\b[1-9][\d,]* of [\d,]+")


@contextmanager
def selector(setting: Setting, live: LiveProject) -> Iterator[Terminal]:
    """Run the selector in the folder of the live project, and wait for its rows."""
    with Terminal(setting.leafmark("resume"), env=setting.env, cwd=live.folder) as terminal:
        yield terminal
        if terminal.process.poll() is None:
            terminal.press("escape", "ctrl+q")
            terminal.wait(20)


def resume(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """From the launch to the rows and to a typed letter; from a paste to the number of sessions that match,
    with all folders listed.
    """
    warm_up(setting)
    answered: list[float] = []

    def rows() -> float:
        with selector(setting, live) as terminal:
            shown = terminal.wait_for(lambda _: rows_shown(live, terminal), 30) - terminal.started
            # The first frame cannot draw the letter: it appears when the application has read the key.
            terminal.send("z")
            answered.append(
                terminal.wait_for(lambda _: terminal.lines[1].strip().startswith("z"), 30) - terminal.started
            )
        return shown

    ours, start = in_turn(setting.repeat, rows, lambda: bare_python(setting))
    keys, against = statistics.median(answered), f"python -c pass {ms(start)}"
    yield Result("2", "resume: launch -> rows", ms(ours), against, ours / start, LAUNCH)
    yield Result("2", "resume: launch -> a letter is shown", ms(keys), against, keys / start, ANSWER)
    pasted = [_pasted(setting, live, query) for query in _queries(setting)]
    took = statistics.median(pasted)
    worst = f"slowest of {len(pasted)}: {ms(max(pasted))}"
    yield Result("5", "resume: pasted -> its hits on screen", ms(took), worst, value=took, limit=PASTED)


def _queries(setting: Setting) -> list[str]:
    """Words of the conversation that few sessions have."""
    records = read_truth(setting.corpus)
    return [
        needle.query
        for needle in NEEDLES
        if needle.place in CONVERSATION
        and needle.query.isalnum()
        and needle.name not in ALSO
        and 0 < len(planted(records, needle)) < 100
    ][:5]


def _pasted(setting: Setting, live: LiveProject, query: str) -> float:
    """Return the seconds until the rule above the list has a number of hits."""
    with selector(setting, live) as terminal:
        terminal.wait_for(lambda _: rows_shown(live, terminal), 30)
        terminal.press("tab")
        terminal.wait_for_text("all folders", 30)
        terminal.settle(1.0, 60)
        sent = terminal.send(query)
        return terminal.wait_for(lambda _: _has_hits(terminal, query), 30) - sent


def _has_hits(terminal: Terminal, query: str) -> bool:
    """Whether the search is complete: until then, the figures in its rule end with an ellipsis."""
    rule, search_line = terminal.lines[0].partition("┬")[0], terminal.lines[1]
    return query in search_line and _HITS.search(rule) is not None and "· … " not in rule
