"""The peers in a pseudo-terminal: their first rows, the whole list, their memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.live import rows_shown
from tests.benchmarks.measure import Peaks, in_turn
from tests.benchmarks.rows import Result, ms
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers

ROUNDS = 9
"""The number of times that a picker is started in turn with leafmark. A processor that was idle is slow for a
moment, which affects either program by chance.
"""
WHOLE_LIST = 180
"""Seconds that a peer may take to list all sessions."""


class Picker(NamedTuple):
    """A peer's screen that lists the sessions of its folder first, and all after Tab.

    complete   whether the list of all is whole
    """

    name: str
    command: list[str]
    env: dict[str, str]
    complete: Callable[[Terminal], bool]


def pickers(peers: Peers) -> list[Picker]:
    """Return the installed peers that have such a screen."""
    installed = []
    if peers.pi:
        installed.append(Picker("pi", peers.pi_picker(), peers.env, lambda shown: shown.shows("◉ All")))
    if peers.omp:
        installed.append(
            Picker("omp", peers.omp_picker(), peers.omp_env, lambda shown: shown.shows("(all projects)"))
        )
    return installed


class Titles:
    """The starts of the titles of the corpus' sessions, as screens show them."""

    def __init__(self, setting: Setting) -> None:
        titles = {
            (record["name"] or record["first_message"] or "")[:12]
            for record in read_truth(setting.corpus)
            if not record["refused"] and not record["hidden"]
        }
        self._titles = {title for title in titles if len(title) == 12}

    def shown(self, terminal: Terminal) -> bool:
        """Whether the screen shows at least three of them."""
        return sum(any(title in line for title in self._titles) for line in terminal.lines) >= 3


class Rows(NamedTuple):
    """Seconds from the start to the rows of the start folder, and to rows of all folders."""

    here: float
    everywhere: float


def first_rows(picker: Picker, live: LiveProject, titles: Titles) -> Rows:
    """Measure a picker's rows of the live project and, after Tab as soon as they appear, of the corpus."""
    with Terminal(picker.command, env=picker.env, cwd=live.folder, answers=True) as terminal:
        here = terminal.wait_for(lambda shown: rows_shown(live, shown), 60)
        terminal.press("tab")
        everywhere = terminal.wait_for(titles.shown, 60)
        return Rows(here - terminal.started, everywhere - terminal.started)


class Whole(NamedTuple):
    """Seconds from Tab to the list of all, and the bytes of the biggest process."""

    seconds: float
    peak: int


def whole_list(picker: Picker, live: LiveProject) -> Whole:
    """Measure a picker until it has listed everything."""
    with Terminal(picker.command, env=picker.env, cwd=live.folder, answers=True) as terminal:
        peaks = Peaks(terminal.process.pid)
        terminal.wait_for(lambda shown: rows_shown(live, shown), 60)
        pressed = terminal.press("tab")
        listed = terminal.wait_for(picker.complete, WHOLE_LIST)
        terminal.settle(0.5, 20)
        peaks.look()
    return Whole(listed - pressed, peaks.biggest)


class FastResume:
    """fast-resume's screen, which lists everything at once."""

    def __init__(self, peers: Peers, titles: Titles) -> None:
        """Update its index."""
        self._peers = peers
        self._titles = titles
        peers.warm_list()

    def rows(self, *, colour: bool) -> float:
        """Return the seconds from the start to three sessions; for ``colour`` see `in_both_terminals`."""
        with self.started(colour=colour) as terminal:
            return terminal.wait_for(self._titles.shown, 60) - terminal.started

    def peak(self) -> int:
        """Return the bytes of the biggest process, once nothing moves on its screen."""
        with self.started() as terminal:
            peaks = Peaks(terminal.process.pid)
            terminal.wait_for(self._titles.shown, 60)
            terminal.settle(1.0, 60)
            peaks.look()
        return peaks.biggest

    def started(self, *, colour: bool = True) -> Terminal:
        """Start its screen."""
        env = self._peers.env
        return Terminal(self._peers.fr(), env=env, cwd=env["HOME"], answers=True, colour=colour)


def in_both_terminals(
    what: str, program: FastResume, ours: Callable[[bool], float], repeat: int
) -> Iterator[Result]:
    """Measure 2 compared with fast-resume, in turn, in both kinds of terminal.

    fast-resume asks for the background colour and for the status before it draws anything, and waits 100 ms
    for an answer. The limit holds for a terminal that answers neither query, and answers the later ones, for
    which fast-resume would wait two more seconds. A terminal that answers everything at once, as most do,
    causes no wait, and the start of Python alone takes up to half of fast-resume's time: that figure is only
    reported.

    :param ours: gives the seconds to leafmark's rows; its argument is whether the terminal tells the colour.
    """
    ours_silent, theirs_silent, ours_answered, theirs_answered = in_turn(
        repeat,
        lambda: ours(False),
        lambda: program.rows(colour=False),
        lambda: ours(True),
        lambda: program.rows(colour=True),
    )
    yield Result(
        "2",
        f"{what}, colour never told",
        ms(ours_silent),
        f"fr {ms(theirs_silent)}",
        ours_silent / theirs_silent,
        0.5,
    )
    yield Result(
        "2",
        f"{what}, all answered at once",
        ms(ours_answered),
        f"fr {ms(theirs_answered)}",
        ours_answered / theirs_answered,
    )
