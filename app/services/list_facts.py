"""Facts about the listed sessions beside their files: which are live or pinned, which folders are the current
one, and sessions in artifacts folders. Read in threads.
"""

from __future__ import annotations

import os
import shutil
from time import monotonic
from typing import TYPE_CHECKING

from app import paths
from app.index.live_sessions import LiveCandidates, live_sessions
from app.messages import (
    JournalRead,
    ListStateNotSaved,
    MissingFound,
    PinsRead,
    PlacesFound,
    StatesFound,
    SubagentsRead,
    WorkingFoldersFound,
)
from app.services.background import BackgroundService, LatestOnlyWorker, in_thread
from app.services.index_service import place_of
from app.stores import agent_named, all_pins
from app.stores.live import RealPaths, look
from app.stores.tags import read_taggings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup

REAL_PATHS_SECONDS = 60.0
"""Age at which the real paths of projects are resolved again: links change seldom."""


class Liveness(BackgroundService):
    """Finds out which sessions running agents have open; posts ``StatesFound``."""

    thread_name = "live"

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup
        self._real_paths = RealPaths()
        self._resolved_at = 0.0
        self._sessions = LiveCandidates([])

    @in_thread
    def look(self, rows: Sequence[Row]) -> None:
        """Look at the running agents once, for the sessions of `rows`."""
        if monotonic() - self._resolved_at > REAL_PATHS_SECONDS:
            self._real_paths, self._resolved_at = RealPaths(), monotonic()
        # The rows are mostly the same objects as before, and a row never changes.
        if self._sessions.rows != rows:
            self._sessions = LiveCandidates([*rows])
        processes, now = look(self._setup.stores), self._setup.now_ms()
        verdicts = live_sessions(self._sessions, processes, now, self._real_paths)
        states = {path: verdict.state for path, verdict in verdicts.items()}
        self._post(StatesFound(states, {path: verdict.reason for path, verdict in verdicts.items()}))


class ListFacts(BackgroundService):
    """Posts ``PinsRead``, ``JournalRead``, ``WorkingFoldersFound``, ``PlacesFound``,
    ``SubagentsRead`` and ``ListStateNotSaved``.
    """

    thread_name = "files"

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup
        # One thread per kind: a request must not replace one of another kind.
        kinds = ("pins", "here", "places", "missing", "memory", "journal")
        self._workers = {kind: LatestOnlyWorker(kind, self._failed) for kind in kinds}
        # size and time of the journal that was read last
        self._journal_read: tuple[int, int] | None = None

    def read_pins(self) -> None:
        """Read which sessions are pinned, and the tags and notes of all."""
        self._workers["pins"].submit(lambda is_stale: self._read_pins())

    def read_journal(self) -> None:
        """Find whether something can be undone or redone, if the journal has changed since the last time."""
        self._workers["journal"].submit(lambda is_stale: self._read_journal())

    def find_here(self, folders: Iterable[str]) -> None:
        """Find which of `folders` are links to the current folder."""
        names = frozenset(folders)
        self._workers["here"].submit(lambda is_stale: self._find_here(names))

    def find_missing(self, folders: Iterable[str], agents: Iterable[str]) -> None:
        """Find which working folders of sessions are gone, and which of their agents are not installed."""
        names, programs = frozenset(folders), frozenset(agents)
        if not self._setup.demo:
            self._workers["missing"].submit(lambda is_stale: self._find_missing(names, programs))

    def find_places(self) -> None:
        """Find the state of the folders in which sessions are looked for."""
        self._workers["places"].submit(lambda is_stale: self._find_places())

    @in_thread
    def read_subagents(self, rows: Sequence[Row]) -> None:
        """Read the sessions of sub-agents of `rows`."""
        from app.index.subagents import subagent_rows

        self._post(SubagentsRead(subagent_rows(self._setup.stores, rows)))

    def remember(self, values: Mapping[str, str]) -> None:
        """Write the values that the next run begins with; posts ``ListStateNotSaved`` if that fails."""
        if not self._setup.demo:
            self._workers["memory"].submit(lambda is_stale: self._remember(values))

    def stop(self) -> None:
        """End the threads."""
        for worker in self._workers.values():
            worker.stop()
        super().stop()

    def _remember(self, values: Mapping[str, str]) -> None:
        env = self._setup.env
        try:
            paths.write_screen(env, paths.read_screen(env) | dict(values))
        except OSError as error:
            self._post(ListStateNotSaved(write_problem(error, env)))

    def _read_pins(self) -> None:
        setup = self._setup
        self._post(PinsRead(all_pins(setup.stores, setup.state_folder), read_taggings(setup.state_folder)))

    def _read_journal(self) -> None:
        try:
            folder = self._setup.state_folder
            status = os.stat(os.path.join(folder, paths.JOURNAL))
            found = (status.st_size, status.st_mtime_ns)
        except OSError:
            folder, found = "", (0, 0)
        if found == self._journal_read:
            return
        self._journal_read = found
        if not found[0]:
            self._post(JournalRead(can_undo=False, can_redo=False))
            return
        # Imported here, in the thread: it loads what writes sessions.
        from app.actions.journal import Journal

        can_undo, can_redo = Journal(folder).has_next()
        self._post(JournalRead(can_undo, can_redo))

    def _find_here(self, names: frozenset[str]) -> None:
        here = self._setup.here
        real = set(map(_real, here))
        links = [name for name in sorted(names.difference(here)) if name and _real(name) in real]
        if links:
            self._post(WorkingFoldersFound(links))

    def _find_missing(self, folders: frozenset[str], agents: frozenset[str]) -> None:
        gone = frozenset(folder for folder in folders if folder and not _is_folder(folder))
        search = self._setup.env.get("PATH", os.defpath)
        absent = frozenset(
            name for name in agents if shutil.which(agent_named(name).command, path=search) is None
        )
        self._post(MissingFound(gone, absent))

    def _find_places(self) -> None:
        self._post(PlacesFound([place_of(store) for store in self._setup.stores]))


def write_problem(error: OSError, env: Mapping[str, str]) -> str:
    """The folder in which leafmark's state could not be written, and the reason."""
    if isinstance(error, paths.CurrentFolderGone):
        return str(error)
    # The error may name a temporary file.
    return f"{paths.state_folder(env)}: {error.strerror or error}"


def _is_folder(folder: str) -> bool:
    """Whether a folder exists; False if this system cannot express its path."""
    try:
        return os.path.isdir(folder)
    except ValueError:
        return False


def _real(folder: str) -> str:
    """The real path of a folder; the name itself if this system cannot express it."""
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        # The path of a session may have characters that this system's locale cannot express.
        return folder
