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
from app.services.background import BackgroundService, answered
from app.services.index_service import place_of
from app.sessions.errors import SessionError
from app.stores import agent_named, all_pins
from app.stores.kept import original_path
from app.stores.live import RealPaths, look
from app.stores.tags import read_taggings
from app.view.keeping import Keeping
from app.view.menus import CHANGED_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.prompt_histories import Recaps
    from app.services.background import Post
    from app.setup import Setup
    from app.stores.live import Verdict
    from app.stores.tags import Taggings

TOLD = "told-keys"
"""The remembered value with the names of the changed keys that need no message any more."""
REAL_PATHS_SECONDS = 60.0
"""Age at which the real paths of projects are resolved again: links change seldom."""


class ListFacts(BackgroundService):
    """Reads the facts; each method is awaited."""

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup
        self._real_paths = RealPaths()
        self._resolved_at = 0.0
        self._sessions = LiveCandidates([])
        self._recaps: Recaps | None = None
        self._demo_setting = "ask"
        # (agent, id) -> path and size of the file, and the last words in it
        self._last_words: dict[tuple[str, str], tuple[tuple[str, int], str]] = {}
        # size and time of the journal that was read last, and what it had
        self._journal: tuple[tuple[int, int], tuple[bool, bool]] = (0, 0), (False, False)

    @answered()
    def find_live(self, rows: Sequence[Row]) -> dict[str, Verdict]:
        """Look at the running agents once: path -> verdict for those of `rows` that may be open."""
        if monotonic() - self._resolved_at > REAL_PATHS_SECONDS:
            self._real_paths, self._resolved_at = RealPaths(), monotonic()
        # The rows are mostly the same objects as before, and a row never changes.
        if self._sessions.rows != rows:
            self._sessions = LiveCandidates([*rows])
        processes, now = look(self._setup.stores), self._setup.now_ms()
        return live_sessions(self._sessions, processes, now, self._real_paths)

    @answered()
    def read_pins(self) -> tuple[frozenset[tuple[str, str]], Taggings]:
        """The sessions that are pinned, (agent, id), and the tags and notes of all sessions."""
        setup = self._setup
        return all_pins(setup.stores, setup.state_folder), read_taggings(setup.state_folder)

    @answered()
    def read_keeping(self, rows: Sequence[Row]) -> Keeping:
        """Which of the sessions are kept, and which ones their agents may delete soon. The user's settings do
        not apply to example sessions.
        """
        # Imported here, in the thread: the first key does not wait for these.
        from app.index.filter_context import expiry_of
        from app.settings import read_settings
        from app.stores.layout import copies
        from app.stores.retention import SOON_MS

        setup = self._setup
        setting = self._demo_setting if setup.demo else read_settings(setup.env).keep
        kept = {original_path(copy.path, store.kept) for store in setup.stores for copy in copies(store)}
        expires, soon = expiry_of(lambda: rows), setup.now_ms() + SOON_MS
        expiring = (
            {}
            if setting == "never"
            else {
                row.path: at_ms
                for row in rows
                if row.path not in kept and (at_ms := expires(row)) is not None and at_ms <= soon
            }
        )
        agents = frozenset(row.agent for row in rows if row.path in expiring)
        return Keeping(setting, frozenset(kept), expiring, agents)

    @answered()
    def set_keep(self, value: str) -> str:
        """Change the setting `keep`; for the example sessions only in this run. Return why it cannot be
        written, "" if it was.
        """
        # Imported here: it loads a parser of TOML that keeps comments.
        from app.settings_writer import CannotWrite, set_setting

        if self._setup.demo:
            self._demo_setting = value
            return ""
        try:
            set_setting(self._setup.env, "keep", f'"{value}"')
        except CannotWrite as error:
            return str(error)
        return ""

    @answered()
    def read_journal(self) -> tuple[bool, bool]:
        """Whether something can be undone, and whether something can be redone."""
        try:
            folder = self._setup.state_folder
            status = os.stat(os.path.join(folder, paths.JOURNAL))
            found = (status.st_size, status.st_mtime_ns)
        except OSError:
            folder, found = "", (0, 0)
        if found != self._journal[0]:
            # Imported here, in the thread: it loads what writes sessions.
            from app.actions.journal import Journal

            self._journal = found, Journal(folder).has_next() if found[0] else (False, False)
        return self._journal[1]

    @answered()
    def find_here(self, folders: Iterable[str]) -> list[str]:
        """Those of `folders` that are links to the current folder."""
        here = self._setup.here
        real = set(map(_real, here))
        return [name for name in sorted(set(folders).difference(here)) if name and _real(name) in real]

    @answered()
    def find_missing(
        self, folders: Iterable[str], agents: Iterable[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Those of the working folders that are gone, and those of the agents that are not installed."""
        search = self._setup.env.get("PATH", os.defpath)
        gone = frozenset(folder for folder in folders if folder and not _is_folder(folder))
        absent = {name for name in agents if shutil.which(agent_named(name).command, path=search) is None}
        return gone, frozenset(absent)

    @answered()
    def find_places(self) -> list[tuple[str, str, str]]:
        """The present state of the stores, as in `CatalogLoaded.places`."""
        return [place_of(store) for store in self._setup.stores]

    @answered()
    def read_subagents(self, rows: Sequence[Row]) -> list[Row]:
        """The sessions of sub-agents of `rows`."""
        from app.index.subagents import subagent_rows

        return subagent_rows(self._setup.stores, rows)

    @answered()
    def read_recaps(self) -> dict[tuple[str, str], str]:
        """The recaps of sessions by their agents (`Recaps`)."""
        if self._recaps is None:
            # Imported here, in the thread: only rows of two lines show recaps.
            from app.index.search.prompt_histories import Recaps

            self._recaps = Recaps(self._setup.stores)
        return self._recaps.read()

    @answered()
    def read_last_words(self, rows: Sequence[Row]) -> dict[tuple[str, str], str]:
        """(agent, id) -> the last words of the sessions of `rows` (`app.sessions.last_words`). A file is read
        again only if its size is another.
        """
        # Imported here, in the thread: only the list of what needs the user shows them.
        from app.sessions.last_words import last_words

        read = {}
        for row in rows:
            key = row.agent, row.id
            before = self._last_words.get(key)
            if before is None or before[0] != (row.path, row.size):
                try:
                    words = last_words(row.path, (row.agent,), row.ending, row.size)
                except (SessionError, OSError):
                    words = ""
                before = (row.path, row.size), words
            read[key] = before
        self._last_words = read
        return {key: words for key, (_, words) in read.items() if words}

    @answered()
    def read_opened(self) -> dict[tuple[str, str], int]:
        """When sessions were last opened (`app.paths.read_opened`)."""
        return {} if self._setup.demo else paths.read_opened(self._setup.env)

    @answered(OSError)
    def note_opened(self, row: Row, at_ms: int) -> None:
        """Remember that a session was opened.

        :raises OSError: that cannot be written.
        """
        if not self._setup.demo:
            paths.note_opened(self._setup.env, row.agent, row.id, at_ms)

    @answered()
    def read_values(self) -> dict[str, str]:
        """The values that `remember` wrote last."""
        return {} if self._setup.demo else paths.read_screen(self._setup.env)

    @answered(OSError)
    def remember(self, values: Mapping[str, str]) -> None:
        """Write the values that the next run begins with.

        :raises OSError: they cannot be written.
        """
        self.remember_now(values)

    def remember_now(self, values: Mapping[str, str]) -> None:
        """As `remember`, in this thread."""
        if not self._setup.demo:
            # A user who begins with this version has no key to learn anew.
            before = paths.read_screen(self._setup.env) or {TOLD: " ".join(CHANGED_KEYS)}
            paths.write_screen(self._setup.env, before | dict(values))


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
