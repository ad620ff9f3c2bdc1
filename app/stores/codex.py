"""Codex (formats/README.md, "Codex")."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from app.stores.base import Agent, Store, absolute_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME = "CODEX_HOME"
SESSIONS, ARCHIVED = "sessions", "archived_sessions"
NAMES, HISTORY = "session_index.jsonl", "history.jsonl"
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

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """Codex resumes a thread by its id, and goes on from the file that it wrote last."""
        return ["resume", self.session_id(os.path.basename(path)) or session_id]

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """Codex finds sessions only below its home folder, and none that were archived."""
        if store.source == "--store" and not store.environment:
            return f"codex finds sessions only in $CODEX_HOME/{SESSIONS}"
        if os.path.basename(store.root) == ARCHIVED:
            return "the session is archived; `codex unarchive` brings it back"
        return None
