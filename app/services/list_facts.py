"""What is known of the sessions besides their files: which are pinned, which folders are this one, what lies
in archives and in artifacts folders. Asked off the screen's thread.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app import paths
from app.messages.sessions import HereFound, PinsRead, PlacesFound, SubagentsRead, Unremembered
from app.services.indexing import place_of
from app.services.latest import LatestOnlyWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from textual.message import Message

    from app.index.row import Row
    from app.setup import Setup


class ListFacts:
    """Reads; answers with ``PinsRead``, ``HereFound``, ``PlacesFound``, ``SubagentsRead`` and
    ``ArchiveRead``.
    """

    def __init__(
        self, setup: Setup, post: Callable[[Message], object], failed: Callable[[BaseException], None]
    ) -> None:
        self._setup = setup
        self._post = post
        # each kind in a thread of its own: a question must not drop one of another kind
        self._pins = LatestOnlyWorker("pins", failed)
        self._here = LatestOnlyWorker("here", failed)
        self._places = LatestOnlyWorker("places", failed)
        self._files = LatestOnlyWorker("files", failed)
        self._memory = LatestOnlyWorker("memory", failed)

    def read_pins(self) -> None:
        """Which sessions are pinned."""
        self._pins.ask(lambda overtaken: self._read_pins())

    def find_here(self, folders: Iterable[str]) -> None:
        """Which of `folders` lead to this folder by other names (links)."""
        names = frozenset(folders)
        self._here.ask(lambda overtaken: self._find_here(names))

    def find_places(self) -> None:
        """What there is where sessions are looked for."""
        self._places.ask(lambda overtaken: self._find_places())

    def read_subagents(self, rows: Sequence[Row]) -> None:
        """The sessions of sub-agents beside those of `rows`."""
        self._files.ask(lambda overtaken: self._read_subagents(rows))

    def read_archive(self) -> None:
        """What agents have put into their archives."""
        self._files.ask(lambda overtaken: self._read_archive())

    def remember(self, values: Mapping[str, str]) -> None:
        """Write down what the next run begins with; answered with ``Unremembered`` where that fails."""
        if not self._setup.demo:
            self._memory.ask(lambda overtaken: self._remember(values))

    def stop(self) -> None:
        """End the threads."""
        for latest in (self._pins, self._here, self._places, self._files, self._memory):
            latest.stop()

    def _remember(self, values: Mapping[str, str]) -> None:
        env = self._setup.env
        try:
            paths.write_screen(env, paths.read_screen(env) | dict(values))
        except OSError as error:
            self._post(Unremembered(unwritten(error, env)))

    def _read_pins(self) -> None:
        from app.actions.pin import pins

        self._post(PinsRead(pins(self._setup.stores, self._setup.state_folder)))

    def _find_here(self, names: frozenset[str]) -> None:
        here = self._setup.here
        real = set(map(_real, here))
        found = [name for name in sorted(names.difference(here)) if name and _real(name) in real]
        if found:
            self._post(HereFound(found))

    def _find_places(self) -> None:
        self._post(PlacesFound([place_of(store) for store in self._setup.stores]))

    def _read_subagents(self, rows: Sequence[Row]) -> None:
        from app.index.subagents import subagent_rows

        self._post(SubagentsRead(subagent_rows(self._setup.stores, rows)))

    def _read_archive(self) -> None:
        from app.messages.archive import ArchiveRead
        from app.stores.archive import archived

        self._post(ArchiveRead(archived(self._setup.stores)))


def unwritten(error: OSError, env: Mapping[str, str]) -> str:
    """Where what leafmark remembers could not be written, and why."""
    if isinstance(error, paths.Nowhere):
        return str(error)
    # the error may name a file that was only on its way there
    return f"{paths.state_folder(env)}: {error.strerror or error}"


def _real(folder: str) -> str:
    """Where a folder's name leads; the name itself where this system has no such name."""
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        # a session may have been written under a locale with more characters
        return folder
