"""Find the folders and the store of a session, and check the paths and agents that callers pass."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app import paths
from app.sessions.errors import NotThere, UnknownAgent
from app.sessions.manager.listing import in_folder
from app.sessions.storage.blobs import BlobStore, blobs_of
from app.sessions.storage.session_storage import AnyPath, path_text
from app.stores import AGENTS, agent_named, artifacts_folder, discover, store_holding
from app.stores.base import Store, absolute

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.stores.base import Agent


def absolute_path(path: AnyPath, env: Mapping[str, str] | None) -> str:
    """Return `path` as the agents read it: a leading `~` is the home folder, and a relative path starts at
    the current folder.

    :param env: the environment that names the home folder; None for that of this process.
    :raises NotThere: the path is relative and the current folder is gone.
    :raises NoPath: the path or the home folder is not a valid path.
    """
    home = path_text(paths.home_folder(os.environ if env is None else env))
    try:
        return paths.absolute(absolute(path_text(path), home, ""))
    except paths.CurrentFolderGone:
        raise NotThere(os.fspath(path), 0, paths.FOLDER_GONE) from None


def known_agent(name: str) -> Agent:
    """Return the agent called `name`.

    :raises UnknownAgent: there is none.
    """
    try:
        return agent_named(name)
    except KeyError:
        names = ", ".join(agent.name for agent in AGENTS)
        raise UnknownAgent("", 0, f"there is no agent {name!r}; there are {names}") from None


class SessionLocation:
    """The agent of a session, its working folder, and the folder for new files.

    :param agent: the name of the agent whose sessions new ones are.
    :param cwd: the working folder, absolute.
    :param session_dir: the folder of new files, "" in memory.
    :param env: the environment by which the agents' folders are found; None for that of this process.
    """

    def __init__(self, agent: str, cwd: str, session_dir: str, env: Mapping[str, str] | None) -> None:
        self.agent = agent
        self.cwd = cwd
        self.session_dir = session_dir
        self.env = dict(os.environ if env is None else env)
        self.home = paths.home_folder(self.env)

    @classmethod
    def of_folder(
        cls, cwd: AnyPath, session_dir: AnyPath | None, agent: str, env: Mapping[str, str] | None
    ) -> SessionLocation:
        """Return the location of sessions of the working folder `cwd`.

        :param session_dir: the folder of new files; None for the one that the agent would use.
        :raises UnknownAgent, NoPath, NotThere: of the arguments.
        """
        owner = known_agent(agent)
        location = cls(agent, absolute_path(cwd, env), "", env)
        if session_dir is not None:
            location.session_dir = absolute_path(session_dir, env)
        else:
            location.session_dir = owner.folder_of(location.own_store(), location.cwd, location.home)
        return location

    def own_store(self) -> Store:
        """Return the store that the agent itself would use in the working folder."""
        return agent_named(self.agent).own_store(self.env, self.home, self.cwd)

    def new_path(self, timestamp: str, session_id: str) -> str:
        """Return the path of a new session's file.

        :param timestamp: when the session begins, ISO 8601.
        """
        return os.path.join(self.session_dir, agent_named(self.agent).file_name(timestamp, session_id))

    def session_files(self, *, flat: bool) -> tuple[Iterable[str], tuple[str, ...], str | None]:
        """Return the files of the working folder, the agents that they may belong to, and the working folder
        to filter by (None if the folder holds only its sessions).

        :param flat: the folder may hold sessions of other working folders, too.
        """
        owner, own = agent_named(self.agent), self.own_store()
        mixed = flat or owner.folder_of(own, self.cwd, self.home) == own.root
        files = in_folder(self.session_dir, owner.suffixes)
        return files, (self.agent,), self.cwd if mixed else None

    def breadcrumb(self) -> str:
        """Return the path of the session that this terminal was last in, "" if the agent keeps no note."""
        return agent_named(self.agent).breadcrumb(self.env, self.own_store(), self.cwd)

    def store_of(self, path: str) -> Store | None:
        """Return the store that the file at `path` lies in, None if it lies in none."""
        return store_holding(path, discover(self.env, self.home, self.cwd))

    def agents_of(self, path: str) -> tuple[str, ...]:
        """Return the agents in whose store `path` lies; none if it lies in no store."""
        store = self.store_of(path)
        return () if store is None else store.agents

    def blobs_of(self, path: str) -> BlobStore | None:
        """Return the blobs of the session at `path`, None if its agent keeps images in the session."""
        stores = discover(self.env, self.home, self.cwd)
        return blobs_of(self.agent, path, self.cwd, stores, self.env, self.home)

    def artifacts_of(self, path: str, store: Store | None) -> str:
        """Return the folder of artifacts of the session at `path`, "" if it has none.

        :param store: the store that the session was found in, if it is known.
        """
        if not agent_named(self.agent).keeps_artifacts:
            return ""
        stores = discover(self.env, self.home, self.cwd)
        return artifacts_folder(path, [store, *stores] if store else stores)

    def folder_for(self, target_cwd: str, path: str, store: Store | None) -> str:
        """Return the folder for a session of `target_cwd` that is made from the session at `path`: in the
        same store.

        The agent looks in that folder, whether the store is its own or a copy of one.

        :param store: the store that the session at `path` was found in; None to look for it.
        """
        owner, own = agent_named(self.agent), self.own_store()
        if store is None:
            store = self.store_of(path)
        if store is None or os.path.realpath(store.root) == os.path.realpath(own.root):
            own = owner.own_store(self.env, self.home, target_cwd)
            return owner.folder_of(own, target_cwd, self.home)
        folder = os.path.dirname(path)
        if os.path.realpath(folder) == os.path.realpath(store.root):
            return folder
        return owner.folder_of(Store(owner, store.root), target_cwd, self.home)


def files_in_folder(
    session_dir: AnyPath, env: Mapping[str, str] | None, agents: tuple[str, ...]
) -> tuple[Iterable[str], tuple[str, ...]]:
    """Return the files in the folder `session_dir` that may be sessions, and the agents that they may
    belong to.

    :param agents: the names of the agents; the agents of the store that the folder lies in if empty.
    :raises UnknownAgent, NoPath, NotThere: of the arguments.
    """
    folder = absolute_path(session_dir, env)
    location = SessionLocation("pi", paths.current_folder() or os.sep, folder, env)
    agents = agents or location.agents_of(os.path.join(folder, "any"))
    owners = [known_agent(name) for name in agents] or AGENTS
    suffixes = tuple({suffix: None for owner in owners for suffix in owner.suffixes})
    return in_folder(folder, suffixes), agents
