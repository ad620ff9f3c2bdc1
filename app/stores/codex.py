"""Codex (formats/README.md, "Codex")."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from app.small_files import read_small
from app.stores.base import Agent, Store, absolute_paths
from app.stores.names import read_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HOME = "CODEX_HOME"
SESSIONS, ARCHIVED = "sessions", "archived_sessions"
NAMES, HISTORY = "session_index.jsonl", "history.jsonl"
LOCKS, DAEMON = "thread-writer-locks", ("app-server-daemon", "daemon.pid")
_LOCK = ".lock"
_HELPERS = frozenset(("app-server", "pid-update-loop"))
_NUMBERS = re.compile(rb"\d+")
_UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_IDS = re.compile(rf"({_UUID})(?:_{_UUID})?\.jsonl\Z")
"""The end of the name of a rollout."""


class Codex(Agent):
    """Codex: a folder for each day, read only, resumed by id."""

    __slots__ = ()

    name = "codex"
    title = "Codex"
    command = "codex"
    install_hint = "npm install -g @openai/codex"
    process_names = frozenset({"codex"})
    variables = (HOME,)
    can = frozenset()
    resumes_anywhere = True
    lists_subagents = True
    forks_need_parent = True
    depth = 3
    unread_suffixes = (".jsonl.zst",)

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """`~/.codex/sessions`, the folder of the variable, and the archives beside them."""
        found = [self._store(os.path.join(home, ".codex"), SESSIONS, "default")]
        moved = absolute_paths(env, home, cwd, HOME).get(HOME)
        if moved:
            found.append(self._store(moved, SESSIONS, HOME, {HOME: moved}))
        for store in tuple(found):
            folder = os.path.dirname(store.root)
            if os.path.isdir(os.path.join(folder, ARCHIVED)):
                found.append(self._store(folder, ARCHIVED, store.source, store.environment))
        return found

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The variable leads to a folder whose name is `sessions`, and to no other."""
        folder, name = os.path.split(root)
        if name in (SESSIONS, ARCHIVED):
            return self._store(folder, name, "--store", {HOME: folder})
        return Store(self, root, "--store")

    def _store(
        self, folder: str, name: str, source: str, environment: Mapping[str, str] | None = None
    ) -> Store:
        """The store `name` in a home folder of Codex, which also has the names and the prompts."""
        return Store(
            self,
            os.path.join(folder, name),
            source,
            environment=environment,
            names=os.path.join(folder, NAMES),
            history=os.path.join(folder, HISTORY),
        )

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """The root, for all working folders: the folders below it are days."""
        return store.root

    def file_name(self, timestamp: str, session_id: str) -> str:
        """rollout-YYYY-MM-DDThh-mm-ss-ID.jsonl."""
        return f"rollout-{timestamp[:19].replace(':', '-')}-{session_id}.jsonl"

    def session_id(self, file_name: str) -> str:
        """The UUID of the thread: the last one, or the one before it in a later file of the thread."""
        ids = _IDS.search(file_name)
        return ids[1] if ids is not None else ""

    def is_helper(self, store: Store, pid: int, words: Sequence[str]) -> bool:
        """Its server in the background, which writes for all its screens, and what updates the server."""
        if not _HELPERS.isdisjoint(words[1:]):
            return True
        try:
            noted = read_small(os.path.join(os.path.dirname(store.root), *DAEMON))
        except OSError:
            return False
        return str(pid).encode() in _NUMBERS.findall(noted)

    def locked_sessions(self, store: Store) -> frozenset[str] | None:
        """Those with a file in `thread-writer-locks`, which is there while a process writes the thread."""
        try:
            names = os.listdir(os.path.join(os.path.dirname(store.root), LOCKS))
        except OSError:
            return None
        return frozenset(name.removesuffix(_LOCK) for name in names if name.endswith(_LOCK))

    def base_path(self, path: str, session_id: str) -> str:
        """The rollout whose name ends with that id, in the folders around `path` and in the archive."""
        folder = os.path.dirname(path)
        parts = folder.split(os.sep)
        named = [number for number, part in enumerate(parts) if part in (SESSIONS, ARCHIVED)]
        home = os.sep.join(parts[: named[-1]]) if named else ""
        roots = [os.path.join(home, name) for name in (SESSIONS, ARCHIVED)] if named else [folder]
        ends = tuple(f"{sign}{session_id}.jsonl" for sign in "-_")
        for root in roots:
            for below, _, names in os.walk(root):
                for name in names:
                    if name.endswith(ends):
                        return os.path.join(below, name)
        return ""

    def name_beside(self, path: str) -> str:
        """The name in `session_index.jsonl`."""
        folder, name = os.path.split(path)
        while folder and name not in (SESSIONS, ARCHIVED):
            above, name = os.path.split(folder)
            if above == folder:
                return ""
            folder = above
        return read_names(os.path.join(folder, NAMES)).get(self.session_id(os.path.basename(path)), "")

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """Codex resumes a thread by its id, and goes on from the file that it wrote last."""
        thread = self.session_id(os.path.basename(path)) or session_id
        # An id that begins with a dash would be taken for an option.
        return ["resume", "--", thread] if thread.startswith("-") else ["resume", thread]

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """Codex finds sessions only below its home folder. It asks itself about an archived one."""
        if store.source == "--store" and not store.environment:
            return f"codex finds sessions only in $CODEX_HOME/{SESSIONS}"
        return None
