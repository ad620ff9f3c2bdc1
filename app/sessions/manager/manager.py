"""`SessionManager`: one session of any agent, to read, to write to, to branch and to fork.

The names are those of the format documents, in Python's spelling. `leaf_id`, `leaf_entry`, `header`, `cwd`,
`is_persisted` and all about the session's name, id, file and folder are properties; `setSessionName` is
`set_name`, and the `Fork` of nickcecere/agent is `fork_from`.

Reading never writes: an old file is migrated on disk only when it is really written to. An empty file is no
session to read: `open`, `set_session_file` and `continue_recent` make it one, at once and by its header, as
the agents do. formats/README.md, "Writing beside a running agent", says what may be written then.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app import paths
from app.sessions.asked import AnyPath, absolute, checked, known
from app.sessions.errors import NoFile, NotThere
from app.sessions.manager import listing
from app.sessions.manager.finding import Finding
from app.sessions.storage.file_storage import FileStorage
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.manager.entry import Entry


@checked
class SessionManager(Finding):
    """A session and its leaf. Make one with the class methods; `Session` has what can be asked of it,
    `Appending` what can be put into it, `Forking` what can be made of it, `Finding` which others there are.

    Paths are texts or `pathlib.Path`; they may be relative to the present folder and begin with `~`, as the
    agents take them. Every error is a `SessionError`: `BadValue` for what has another type than the method
    says. All that take a path raise `NoPath` for what can be none, and `NotThere` for a relative one where
    the present folder is gone; all that take the name of an agent raise `UnknownAgent`.
    """

    def get_path(self, from_id: str | None = None) -> list[Entry]:
        """As `get_branch`, which oh-my-pi's document calls so."""
        return self.get_branch(from_id)

    def flush(self) -> None:
        """Nothing is left to be written: each write is on the disk when it returns, and what waits for the
        first answer goes on waiting (formats/README.md, "Behaviour of SessionManager").

        :raises WriteFailed: what went wrong at the last write, again.
        """
        self._file.check()

    # making

    @classmethod
    def create(
        cls,
        cwd: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> SessionManager:
        """A new session of the working folder `cwd`.

        :param session_dir: the folder of its file; the one the agent would use where None.
        :raises ReadOnly: sessions of that agent are only read here.
        """
        manager = cls._of_folder(cwd, session_dir, agent, env)
        manager.new_session()
        return manager

    @classmethod
    def open(
        cls,
        path: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        env: Mapping[str, str] | None = None,
        agents: tuple[str, ...] = (),
        new: bool = True,
    ) -> SessionManager:
        """The session in the file at `path`; a new one that will be kept there where the file is missing or
        empty.

        An empty file gets its header now, a missing one is made with the first answer.

        :param session_dir: the folder for new files; that of `path` where None.
        :param agents: the agents in whose store it lies; those of the stores that `env` leads to where empty.
        :param new: False where a missing or empty file is to be refused, and not made a session.
        :raises NotASession: the file is something else; it is untouched.
        :raises Unreadable: it cannot be read; NotThere where it is missing.
        :raises WriteFailed: it is empty, and takes no header.
        """
        path = absolute(path, env)
        for agent in agents:
            known(agent)
        folder = absolute(session_dir, env) if session_dir else os.path.dirname(path)
        manager = cls("pi", paths.here() or os.sep, folder, FileStorage(), env)
        manager._go_to(path, agents, new)
        manager._cwd = manager._file.head.cwd or manager._cwd
        return manager

    @classmethod
    def continue_recent(
        cls,
        cwd: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> SessionManager:
        """The session that was last worked on in `cwd`, else a new one.

        The session this terminal was last in comes first, where the agent keeps note of it
        (formats/README.md, "Behaviour of SessionManager"), then the file that was written to last.

        :raises ReadOnly: there is none, and sessions of that agent are only read here.
        :raises NotASession, Unreadable, WriteFailed: as `open`.
        """
        manager = cls._of_folder(cwd, session_dir, agent, env)
        home = agent_named(agent)
        path = ""
        if session_dir is None:
            store = home.own_store(manager._env, manager._home, manager._cwd)
            path = home.breadcrumb(manager._env, store, manager._cwd)
        if not path:
            path = listing.most_recent(*manager._files(session_dir)) or ""
        if path:
            manager.set_session_file(path)
        else:
            manager.new_session()
        return manager

    @classmethod
    def in_memory(cls, cwd: AnyPath | None = None, *, agent: str = "pi") -> SessionManager:
        """A session that is never written.

        :raises ReadOnly: sessions of that agent are only read here.
        """
        manager = cls(agent, absolute(cwd or ".", None), "", None)
        manager.new_session()
        return manager

    @classmethod
    def fork_from(
        cls,
        source_path: AnyPath,
        target_cwd: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        last: int | None = None,
        summary: str = "",
        env: Mapping[str, str] | None = None,
        agents: tuple[str, ...] = (),
    ) -> SessionManager:
        """A new session of the working folder `target_cwd` with all entries of another, written at once.

        The source is not touched. Lines of it that are no entries stay behind.

        :param session_dir: the folder of the new file; the one the agent would use where None.
        :param last: how many messages are carried over, for nickcecere/agent, whose forks carry no more; 20
            where None.
        :param summary: of the source, or why it is forked: nickcecere/agent's forks have a place for that.
        :param agents: the agents in whose store the source lies, as for `open`.
        :raises NotASession, Unreadable: of the source.
        :raises ReadOnly: of a format that cannot be forked, or whose forks have no place for a summary.
        :raises WriteFailed: there is no new file.
        """
        source = cls.open(source_path, env=env, agents=agents, new=False)
        manager = cls._of_folder(target_cwd, session_dir, source._agent, env)
        manager._fork(source, last, summary)
        return manager

    def new_session(self, parent_session: AnyPath | None = None) -> str | None:
        """Go on with a new, empty session; return the path its file will have, None in memory.

        :param parent_session: the path or id of the session it comes from.
        """
        self._begin(None if parent_session is None else os.fspath(parent_session))
        self._made(None)
        return self.session_file

    def set_session_file(self, path: AnyPath) -> None:
        """Go on with the session at `path`; folder and working folder of this manager stay.

        An empty file gets a header and keeps its path, a missing one is made with the first answer. A file
        that is no session is refused and left as it is.

        :raises NotASession: the file is something else.
        :raises Unreadable: it cannot be read.
        :raises WriteFailed: it is empty, and takes no header.
        :raises NoFile: this session is in memory.
        """
        if self._storage is None:
            raise NoFile(os.fspath(path), 0, "cannot be gone on with: this session is in memory")
        self._go_to(absolute(path, self._env), (), new=True)

    # inside

    def _go_to(self, path: str, agents: tuple[str, ...], new: bool) -> None:
        assert self._storage is not None
        signature = self._storage.signature(path)
        if new and signature is not None and signature.size == 0:
            self._begin(None, path)
            self._file.save()
            return
        try:
            self._file.load(path, agents or self._agents_of(path))
        except NotThere:
            if not new:
                raise
            self._begin(None, path)
            return
        self._agent = self._file.head.agent
        self._set_blobs()
