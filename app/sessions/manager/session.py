"""What can be asked of a session (formats/README.md, "Behaviour of SessionManager")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app import paths
from app.formats.migrate import CURRENT_VERSION
from app.sessions.asked import checked
from app.sessions.errors import BadValue, LiveSession
from app.sessions.manager.context import Context, build_context
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.nested_tree import TreeNode, plant
from app.sessions.manager.problems import damage_of
from app.sessions.manager.session_file import SessionFile
from app.sessions.storage.externalize import restore
from app.sessions.storage.file_storage import FileStorage
from app.stores.base import DANGERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.formats.dialects.base import Dialect
    from app.sessions.errors import Damage
    from app.sessions.manager.change import Change
    from app.sessions.manager.entry import Entry
    from app.sessions.storage.storage import SessionStorage


@checked
class Session:
    """A session and its leaf, as they stand. `SessionManager` makes them."""

    def __init__(
        self,
        agent: str,
        cwd: str,
        session_dir: str,
        storage: SessionStorage | None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """For the class methods, and for tests that bring their own storage.

        :param agent: whose sessions new ones are: pi, omp or indusagi.
        :param session_dir: the folder of new files.
        :param storage: where files are; None for none.
        :param env: the environment that tells where agents keep things; the process's where None.
        """
        self._env = dict(os.environ if env is None else env)
        self._home = paths.home_folder(self._env)
        self._agent = agent
        self._cwd = cwd
        self._session_dir = session_dir
        self._storage = storage
        self._guard = LiveGuard(self._env, self._home) if isinstance(storage, FileStorage) else None
        self._file = SessionFile(storage, self._guard)
        self._change: Change | None = None

    @property
    def leaf_id(self) -> str | None:
        """The id of the entry below which the next one goes; None before any."""
        return self._file.book.leaf_id

    @property
    def leaf_entry(self) -> Entry | None:
        """The entry of `leaf_id`."""
        return self._file.book.leaf

    @property
    def header(self) -> dict[str, Any]:
        """The header, as it stands on disk."""
        return dict(self._file.header)

    @property
    def agent(self) -> str:
        """The agent whose session this is."""
        return self._file.head.agent

    @property
    def dialect(self) -> Dialect:
        """How the entries of this session are spelt."""
        return self._file.book.dialect

    @property
    def session_name(self) -> str | None:
        """The user's name of the session, None where it has none."""
        return self._file.book.name

    @property
    def cwd(self) -> str:
        """The working folder, absolute."""
        return self._cwd

    @property
    def header_cwd(self) -> str:
        """The working folder that the header names; "" where it names none."""
        return self._file.head.cwd

    @property
    def session_dir(self) -> str:
        """The folder of new files, "" in memory."""
        return self._session_dir

    @property
    def session_id(self) -> str:
        """The header's id; not always a UUID."""
        return self._file.head.id

    @property
    def session_file(self) -> str | None:
        """The path of the file, which need not have been written yet; None in memory."""
        return self._file.path or None

    @property
    def is_persisted(self) -> bool:
        """True where the session is, or will be, kept in a file."""
        return self._storage is not None

    @property
    def can_write(self) -> bool:
        """False where entries of this session are only read here."""
        return self._file.book.dialect.writing is not None

    @property
    def forks_last(self) -> bool:
        """True where a fork carries the last messages over, and not a path to an entry."""
        return self._file.book.dialect.forks_last

    @property
    def problems(self) -> list[Damage]:
        """What is wrong with the file, in file order; none of it kept the rest from being read."""
        return damage_of(self._file.book, self._file.head.faults)

    @property
    def last_change(self) -> Change | None:
        """What the last write did, and what it changed: all that is needed to take it back."""
        return self._change

    def get_entry(self, entry_id: str | None) -> Entry | None:
        """The entry with that id, the last if there are several; None where there is none, and for None."""
        return None if entry_id is None else self._file.book.by_id.get(entry_id)

    def get_entries(self) -> list[Entry]:
        """All entries, in file order."""
        return list(self._file.book.entries)

    def get_branch(self, from_id: str | None = None) -> list[Entry]:
        """The entries from a root to `from_id`, to the leaf where None; none for an id that is not there."""
        book = self._file.book
        return book.path_to(book.leaf if from_id is None else book.by_id.get(from_id))

    def get_children(self, entry_id: str | None) -> list[Entry]:
        """The entries directly below that one, in file order; those without a parent for None."""
        return self._file.book.children(entry_id)

    def get_tree(self) -> list[TreeNode]:
        """The roots of the tree, with all entries below them."""
        return plant(self._file.book)

    def get_label(self, entry_id: str | None) -> str | None:
        """The label on an entry, None where there is none."""
        return None if entry_id is None else self._file.book.labels.get(entry_id)

    def build_session_context(self, leaf_id: str | None = None) -> Context:
        """What the agent would send to the model (formats/README.md, "Behaviour of SessionManager").

        :param leaf_id: as if that were the leaf; an id that is not there stands for the file's last entry.
        """
        book = self._file.book
        leaf = (
            self._file.leaf
            if leaf_id is None
            else book.by_id.get(leaf_id, book.entries[-1] if book.entries else None)
        )
        blobs = self._file.blobs
        return build_context(
            book.path_to(leaf), book.dialect, None if blobs is None else lambda fields: restore(fields, blobs)
        )

    def danger(self, operation: str) -> str:
        """Why such a write would be refused now, for an agent that has the session open; "" if it would not.

        :param operation: one of `app.stores.base.DANGERS`. A file of an old version is written anew before it
            takes an entry, so for one of these that must be safe as well.
        :raises BadValue: it is none of them.
        """
        if operation not in DANGERS:
            known = ", ".join(DANGERS)
            raise BadValue(self._file.path, 0, f"there is no write {operation!r}; there are {known}")
        try:
            self._file.protect(operation)
            if self._file.head.version < CURRENT_VERSION:
                self._file.protect("rewrite")
        except LiveSession as live:
            return live.reason
        return ""

    def refresh(self) -> bool:
        """Read what others have written since; True where they did. The leaf follows theirs, unless it was
        moved.

        :raises NotASession, Unreadable: the file is gone, or is no session any more.
        """
        return self._file.refresh()
