"""Which sessions there are, without an index: of a working folder, of an agent's store, in one folder (specs
001 "Listing").
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from app import paths
from app.sessions.asked import AnyPath, absolute, checked, known, suffixes, taken
from app.sessions.manager import listing
from app.sessions.manager.forking import Forking
from app.sessions.storage.file_storage import FileStorage
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from app.sessions.manager.listing import SessionInfo


@checked
class Finding(Forking):
    """A session among others."""

    @classmethod
    def list(
        cls,
        cwd: AnyPath,
        session_dir: AnyPath | None = None,
        on_progress: Callable[[int, int], object] | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> list[SessionInfo]:
        """The sessions of the working folder `cwd`, newest activity first.

        :param session_dir: a folder of sessions, of which those of `cwd` are listed; the agent's where None.
        :param on_progress: called with the number of files read, and of all.
        """
        manager = cls._of_folder(cwd, session_dir, agent, env)
        return listing.infos(*manager._files(session_dir), on_progress)

    @classmethod
    def list_all(
        cls,
        on_progress: Callable[[int, int], object] | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> Sequence[SessionInfo]:
        """The sessions of all working folders in the agent's store, newest activity first."""
        env = os.environ if env is None else env
        store = known(agent).own_store(env, taken(paths.home_folder(env)), paths.here() or os.sep)
        return listing.infos(listing.in_store(store), (agent,), None, on_progress)

    @classmethod
    def get_recent_sessions(
        cls,
        session_dir: AnyPath,
        limit: int,
        *,
        env: Mapping[str, str] | None = None,
        agents: tuple[str, ...] = (),
    ) -> Sequence[SessionInfo]:
        """The `limit` sessions in the files of one folder that were written to last, the last one first.

        :param agents: as for `open`.
        """
        return [*islice(listing.by_file_time(*cls._lying_in(session_dir, env, agents)), max(limit, 0))]

    @classmethod
    def find_most_recent_session(
        cls, session_dir: AnyPath, *, env: Mapping[str, str] | None = None, agents: tuple[str, ...] = ()
    ) -> str | None:
        """The first of these: the path of its file, None where the folder has no session."""
        return listing.most_recent(*cls._lying_in(session_dir, env, agents))

    # inside

    @classmethod
    def _of_folder(
        cls, cwd: AnyPath, session_dir: AnyPath | None, agent: str, env: Mapping[str, str] | None
    ) -> Self:
        home, cwd = known(agent), absolute(cwd, env)
        manager = cls(agent, cwd, "", FileStorage(), env)
        if session_dir is not None:
            manager._session_dir = absolute(session_dir, env)
        else:
            store = home.own_store(manager._env, manager._home, cwd)
            manager._session_dir = home.folder_of(store, cwd, manager._home)
        return manager

    def _files(self, session_dir: AnyPath | None) -> tuple[Iterable[str], tuple[str, ...], str | None]:
        """The files of this working folder, the agents they may be of, and the folder to filter by."""
        home = agent_named(self._agent)
        own = home.own_store(self._env, self._home, self._cwd)
        mixed = session_dir is not None or home.folder_of(own, self._cwd, self._home) == own.root
        files = listing.in_folder(self._session_dir, home.suffixes)
        return files, (self._agent,), self._cwd if mixed else None

    @classmethod
    def _lying_in(
        cls, session_dir: AnyPath, env: Mapping[str, str] | None, agents: tuple[str, ...]
    ) -> tuple[Iterable[str], tuple[str, ...]]:
        """The files in that folder that may be sessions, and the agents they may be of."""
        folder = absolute(session_dir, env)
        manager = cls("pi", paths.here() or os.sep, folder, FileStorage(), env)
        agents = agents or manager._agents_of(os.path.join(folder, "any"))
        return listing.in_folder(folder, suffixes(agents)), agents

    def _agents_of(self, path: str) -> tuple[str, ...]:
        """The agents in whose store `path` lies; none where it lies in none."""
        store = self._store_of(path)
        return () if store is None else store.agents
