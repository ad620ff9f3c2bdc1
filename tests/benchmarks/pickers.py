"""What a person sees of the peers, in a pseudo-terminal: their first rows, the whole list; their memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.live import rows_shown
from tests.benchmarks.measure import Peaks
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers

WHOLE_LIST = 180
"""Seconds that a peer may take for all sessions."""


class Picker(NamedTuple):
    """A peer's screen that lists the sessions of its folder first, and all after Tab.

    complete   whether the list of all is whole
    """

    name: str
    command: list[str]
    env: dict[str, str]
    complete: Callable[[Terminal], bool]


def pickers(peers: Peers) -> list[Picker]:
    """Those of the peers that are installed."""
    found = []
    if peers.pi:
        found.append(Picker("pi", peers.pi_picker(), peers.env, lambda shown: shown.shows("◉ All")))
    if peers.omp:
        found.append(
            Picker("omp", peers.omp_picker(), peers.omp_env, lambda shown: shown.shows("(all projects)"))
        )
    return found


class Titles:
    """How the sessions of the corpus begin on a screen."""

    def __init__(self, setting: Setting) -> None:
        titles = {
            (record["name"] or record["first_message"] or "")[:12]
            for record in read_truth(setting.corpus)
            if not record["refused"] and not record["hidden"]
        }
        self._titles = {title for title in titles if len(title) == 12}

    def shown(self, terminal: Terminal) -> bool:
        """Whether three of them stand on the screen."""
        return sum(any(title in line for title in self._titles) for line in terminal.lines) >= 3


class Rows(NamedTuple):
    """Seconds from the start to the rows of the folder it was started in, and to rows of all folders."""

    here: float
    everywhere: float


def first_rows(picker: Picker, live: LiveProject, titles: Titles) -> Rows:
    """A picker's rows of the live project and, after a Tab as soon as they are there, of the corpus."""
    with Terminal(picker.command, env=picker.env, cwd=live.folder, answers=True) as terminal:
        here = terminal.wait_for(lambda shown: rows_shown(live, shown), 60)
        terminal.press("tab")
        everywhere = terminal.wait_for(titles.shown, 60)
        return Rows(here - terminal.started, everywhere - terminal.started)


class Whole(NamedTuple):
    """Seconds from Tab to the list of all, and the biggest process in bytes."""

    seconds: float
    peak: int


def whole_list(picker: Picker, live: LiveProject) -> Whole:
    """A picker that has listed everything."""
    with Terminal(picker.command, env=picker.env, cwd=live.folder, answers=True) as terminal:
        peaks = Peaks(terminal.process.pid)
        terminal.wait_for(lambda shown: rows_shown(live, shown), 60)
        pressed = terminal.press("tab")
        at = terminal.wait_for(picker.complete, WHOLE_LIST)
        terminal.settle(0.5, 20)
        peaks.look()
    return Whole(at - pressed, peaks.biggest)


class FastResume:
    """fast-resume's screen, which lists everything at once."""

    def __init__(self, peers: Peers, titles: Titles) -> None:
        """Brings its index up to date."""
        self._peers = peers
        self._titles = titles
        peers.warm_list()

    def rows(self) -> float:
        """Seconds from the start to three sessions of the corpus."""
        with self.started() as terminal:
            return terminal.wait_for(self._titles.shown, 60) - terminal.started

    def peak(self) -> int:
        """The biggest process in bytes, once nothing moves on its screen."""
        with self.started() as terminal:
            peaks = Peaks(terminal.process.pid)
            terminal.wait_for(self._titles.shown, 60)
            terminal.settle(1.0, 60)
            peaks.look()
        return peaks.biggest

    def started(self) -> Terminal:
        """Its screen."""
        env = self._peers.env
        return Terminal(self._peers.fr(), env=env, cwd=env["HOME"], answers=True)
