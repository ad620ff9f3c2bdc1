"""New sessions: where they go, and how one is cut out of another
(formats/README.md, "Forks of the agents").
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from app.formats.decode import decode
from app.formats.stamps import iso
from app.sessions.asked import AnyPath, checked, known, taken
from app.sessions.errors import ReadOnly, UnknownEntry
from app.sessions.manager.appending import Appending
from app.sessions.manager.change import Change, announce
from app.sessions.manager.fork import Cutting, artifacts_copied, cut_path, fork_last
from app.sessions.manager.tracked_file import now_ms
from app.sessions.storage.file_storage import FileStorage
from app.sessions.storage.image_bytes import blobs_of
from app.stores import agent_named, artifacts_folder, discover, store_holding
from app.stores.base import Store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.sessions.manager.entry import Entry


_LAST = 20
"""How many messages a fork of nickcecere/agent carries over."""


@checked
class Forking(Appending):
    """A session from which others can be made."""

    def create_branched_session(self, leaf_id: str) -> str | None:
        """Go on in a new session with only the path to `leaf_id`; return its file's path, None in memory.

        The labels on the path come along, with the times they had; entries hang below one another without
        gaps
        (formats/README.md, "Forks of the agents"). The file is written at once where the path has an
        answer, else with the first one.

        :raises UnknownEntry, AmbiguousEntry: of `leaf_id`.
        :raises ReadOnly: no session of this agent is made here.
        :raises WriteFailed: there is no new file.
        """
        self._file.check()
        self._existing(leaf_id)
        source = self._file.path
        self._cut(leaf_id)
        file = self._file
        if file.storage is not None and (file.writing.has_slot or _has_answer(file.book.entries)):
            self._save_fork(source)
        return self.session_file

    def cut(
        self, leaf_id: str | None, target_cwd: AnyPath | None = None, store: Store | None = None
    ) -> Change:
        """The same, with the session's name, written whatever is in it
        (formats/README.md, "Forks of the agents").

        :param leaf_id: None for a session without entries, which cannot be forked.
        :param target_cwd: the working folder of the new session, whose folder it goes into; this one's where
            None.
        :param store: where this session was found; the one that the environment leads to where None.
        :raises UnknownEntry: there is nothing to fork.
        :raises AmbiguousEntry, ReadOnly, WriteFailed: as `create_branched_session`.
        :raises NoPath: of `target_cwd`.
        """
        self._file.check()
        if leaf_id is None:
            raise UnknownEntry(self._file.path, 0, "there is nothing to fork")
        self._existing(leaf_id)
        return self._cut_to(leaf_id, target_cwd, store)

    def blank(self, target_cwd: AnyPath | None = None, store: Store | None = None) -> Change:
        """Go on in a new session that has the name of this one and none of its entries.

        That is how a first prompt is said in other words. Parameters as of `cut`.

        :raises ReadOnly, WriteFailed, NoPath: as `cut`.
        """
        self._file.check()
        return self._cut_to(None, target_cwd, store)

    def _cut_to(self, leaf_id: str | None, target_cwd: AnyPath | None, store: Store | None) -> Change:
        file, name, source = self._file, self.session_name, self._file.path
        cwd = self._cwd if target_cwd is None else taken(target_cwd)
        if cwd != self._cwd:
            self._session_dir = self._folder_for(cwd, store)
            self._cwd = cwd
        self._cut(leaf_id)
        made = self._change
        if self.session_name != name:
            self.append_session_info(name or "")
        self._change = made
        if file.storage is not None and not file.written:
            self._save_fork(source if leaf_id is not None else "", store)
        assert self._change is not None
        return self._change

    def _save_fork(self, source: str, store: Store | None = None) -> None:
        """Write the new session, with a copy of the artifacts that its entries refer to.

        :param source: the path of the session it was made of, "" where it takes no entries from one.
        :param store: where that session was found, if it is known.
        :raises WriteFailed: there is neither a new file nor a copy.
        """
        file, home = self._file, agent_named(self._agent)
        folder = ""
        if source and home.keeps_artifacts and isinstance(self._storage, FileStorage):
            known_stores = discover(self._env, self._home, self._cwd)
            folder = artifacts_folder(source, [store, *known_stores] if store else known_stores)
        target = os.path.splitext(file.path)[0]
        if self._change is not None:
            announce(self._change)
        with artifacts_copied(folder, target, home.private_artifacts) as skipped:
            file.save()
        if skipped and self._change is not None:
            which = ", ".join(map(os.path.basename, skipped[:3]))
            more = f" and {len(skipped) - 3:,} more" if len(skipped) > 3 else ""
            note = f"{folder}: not copied, because it is no regular file: {which}{more}"
            self._change = replace(self._change, note=note)

    def _cut(self, leaf_id: str | None) -> None:
        file = self._file
        source = (file.path, file.head.id)
        book = file.book
        path = book.path_to(None if leaf_id is None else book.by_id[leaf_id])
        cuttings = cut_path(path, book.labels, book.label_times, now_ms())
        title = self.session_name if file.writing.has_slot else None
        self._begin(file.path or None, name=title)
        self._fill(cuttings)
        self._made(source)

    # inside

    def _begin(self, parent: str | None, path: str = "", name: str | None = None) -> None:
        home = known(self._agent)
        stamp = now_ms()
        session_id, timestamp = home.new_id(stamp), iso(stamp)
        if self._storage is not None and not path:
            path = os.path.join(self._session_dir, home.file_name(timestamp, session_id))
        self._file.begin(path, self._agent, session_id, timestamp, self._cwd, parent, name)
        self._set_blobs()

    def _set_blobs(self) -> None:
        path, env, home = self._file.path, self._env, self._home
        blobs = blobs_of(self._agent, path, self._cwd, discover(env, home, self._cwd), env, home)
        self._file.blobs = blobs if self._storage is not None else None

    def _folder_for(self, target_cwd: str, store: Store | None) -> str:
        """Where a session of that working folder goes that is made of this one: into the same store.

        That is the folder in which the agent looks, whether the store is its own or a copy of one.
        """
        home = agent_named(self._agent)
        if store is None:
            store = self._store_of(self._file.path)
        own = home.own_store(self._env, self._home, self._cwd)
        if store is None or os.path.realpath(store.root) == os.path.realpath(own.root):
            own = home.own_store(self._env, self._home, target_cwd)
            return home.folder_of(own, target_cwd, self._home)
        folder = os.path.dirname(self._file.path)
        if os.path.realpath(folder) == os.path.realpath(store.root):
            return folder
        return home.folder_of(Store(home, store.root), target_cwd, self._home)

    def _store_of(self, path: str) -> Store | None:
        return store_holding(path, discover(self._env, self._home, self._cwd))

    def _made(self, source: tuple[str, str] | None) -> None:
        """Note the new session.

        :param source: path and id of the one it was made of.
        """
        path, session_id = source or ("", "")
        head = self._file.head
        self._change = Change(
            kind="file",
            path=self._file.path,
            entry_id="",
            before=path or None,
            after=self.session_file,
            target_id=self.leaf_id if path else None,
            agent=head.agent,
            session_id=session_id,
            after_id=head.id,
        )

    def _fork(self, source: Forking, last: int | None, summary: str) -> None:
        file = source._file
        if file.book.dialect.writing is None:
            self._fork_last(source, last, summary)
            return
        if summary:
            raise ReadOnly(file.path, 0, "cannot be forked so: there is no place for a summary in its forks")
        writing = file.writing
        parent = source.session_id if writing.forks_by_id else file.path
        self._begin(parent, name=source.session_name if writing.has_slot else None)
        self._file.header = writing.forked(self._file.header, file.header)
        self._fill(Cutting(entry.raw, entry.carried) for entry in file.book.entries)
        self._made((file.path, file.head.id))
        self._save_fork(file.path)

    def _fork_last(self, source: Forking, last: int | None, summary: str) -> None:
        file = source._file
        home = agent_named(source._agent)
        stamp = now_ms()
        session_id, timestamp = home.new_id(stamp), iso(stamp)
        path = os.path.join(self._session_dir, home.file_name(timestamp, session_id))
        count = _LAST if last is None else last
        data = fork_last(file.book, session_id, timestamp, self._cwd, count, summary)
        assert self._storage is not None
        # Its lines are known before they are read back.
        leaf = decode(data.rstrip(b"\n").rpartition(b"\n")[2]).get("id") if count > 0 else None
        announce(
            Change(
                "file",
                path,
                "",
                before=file.path,
                after=path,
                target_id=leaf,
                agent=source._agent,
                session_id=file.head.id,
                after_id=session_id,
            )
        )
        self._storage.tidy(path)
        self._storage.create(path, data)
        self._file.load(path, (source._agent,))
        self._made((file.path, file.head.id))

    def _fill(self, cuttings: Iterable[Cutting]) -> None:
        book = self._file.book
        for cutting in cuttings:
            book.append(book.make(cutting.raw, cutting.line))


def _has_answer(entries: Iterable[Entry]) -> bool:
    for entry in entries:
        message = entry.raw.get("message") if entry.type == "message" else None
        if isinstance(message, dict) and message.get("role") == "assistant":
            return True
    return False
