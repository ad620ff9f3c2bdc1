"""Measure 5 on the screen: from a pasted number until only the sessions that contain it are shown."""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.measure import in_turn
from tests.benchmarks.pickers import FastResume, Titles, pickers
from tests.benchmarks.rows import Result, ms
from tests.benchmarks.screen import FILTER_BOX, browser, matches_in, ready, warm_up
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers
    from tests.benchmarks.pickers import Picker

TITLE_CHARACTERS = 300
"""Characters of a first prompt that a row of leafmark shows at most. Pasted numbers stand behind them."""
_SERIAL = re.compile(r"\((\d{5,7})\)")


class Paste(NamedTuple):
    """The pasted text, and the start of the row of the session that contains it."""

    text: str
    title: str


def pastes(setting: Setting, count: int) -> list[Paste]:
    """Return numbers that are in very few prompts of pi's sessions."""
    numbers, titles = [], set()
    for record in read_truth(setting.corpus):
        if record["refused"] or record["hidden"] or record["agent"] != "pi" or record["name"]:
            continue
        first = record["first_message"] or ""
        serial = _SERIAL.search(first, TITLE_CHARACTERS)
        if serial is None:
            continue
        title = first[:12]
        if record["path"].startswith(setting.env["HOME"]) and title.isascii() and title not in titles:
            titles.add(title)
            numbers.append(Paste(serial[1], title))
    step = max(1, len(numbers) // count)
    return numbers[::step][:count]


def pasted(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """Measure 5, in turn with fast-resume. pi, which takes seconds, is measured once."""
    warm_up(setting)
    wanted = pastes(setting, max(3, setting.repeat))
    titles = Titles(setting)

    def ours() -> float:
        return statistics.median(_ours(setting, live, paste) for paste in wanted)

    def theirs() -> float:
        return statistics.median(with_fast_resume(fast_resume, titles, paste) for paste in wanted)

    tasks: list[Callable[[], float]] = [ours]
    if peers.fast_resume:
        fast_resume = FastResume(peers, titles)
        tasks.append(theirs)
    took, *fast_resume_seconds = in_turn(3, *tasks)
    what = "a number pasted -> its sessions on the screen"
    yield Result("5", what, ms(took))
    for fr_took in fast_resume_seconds:
        yield Result("5", what, ms(took), f"fr {ms(fr_took)}", value=took - fr_took, limit=0.03)
    for picker in pickers(peers):
        if picker.name == "pi":
            pi_seconds = statistics.median(with_picker(picker, live, titles, paste) for paste in wanted[:1])
            yield Result("5", what, ms(took), f"pi --resume {ms(pi_seconds)}", took / pi_seconds, 0.02)


def _ours(setting: Setting, live: LiveProject, paste: Paste) -> float:
    with browser(setting, live) as terminal:
        ready(terminal, live)
        terminal.press("/")
        terminal.wait_for_text(FILTER_BOX)
        sent = terminal.send(paste.text)
        return terminal.wait_for(lambda shown: shows_paste(shown, paste) and _counted(shown), 30) - sent


def with_fast_resume(program: FastResume, titles: Titles, paste: Paste) -> float:
    """Return the seconds from a paste into fast-resume's screen to the session's row."""
    with program.started() as terminal:
        terminal.wait_for(titles.shown, 60)
        terminal.settle(1.0, 30)
        sent = terminal.send(paste.text)
        return terminal.wait_for(lambda shown: shows_paste(shown, paste), 30) - sent


def with_picker(picker: Picker, live: LiveProject, titles: Titles, paste: Paste) -> float:
    """Return the seconds from a paste into a picker's list of all to the session's row."""
    with Terminal(picker.command, env=picker.env, cwd=live.folder, answers=True) as terminal:
        terminal.settle(1.0, 60)
        terminal.press("tab")
        terminal.wait_for(picker.complete, 180)
        terminal.wait_for(titles.shown, 60)
        terminal.settle(1.0, 60)
        # Text without quotes is searched letter by letter.
        sent = terminal.send(f'"{paste.text}"')
        return terminal.wait_for(lambda shown: shows_paste(shown, paste), 60) - sent


def shows_paste(terminal: Terminal, paste: Paste) -> bool:
    """Whether the screen shows the session's row and the typed text."""
    return paste.text in "\n".join(terminal.lines) and any(paste.title in line for line in terminal.lines)


def _counted(terminal: Terminal) -> bool:
    """Whether the search is complete, with few sessions left."""
    # The header stands above the rule of the list.
    return matches_in(terminal.lines[1]) in range(1, 10)
