"""Claude Code (formats/README.md, "Claude Code")."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from app.small_files import read_small
from app.stores.base import Agent, Store, absolute_paths
from app.stores.json_state import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_DIR = "CLAUDE_CONFIG_DIR"
PROJECTS, NOTES = "projects", "sessions"
_NO_LETTER = re.compile(r"[^A-Za-z0-9]")


class Claude(Agent):
    """Claude Code: a folder for each working folder, read only, resumed by id."""

    __slots__ = ()

    name = "claude"
    title = "Claude Code"
    command = "claude"
    install_hint = "npm install -g @anthropic-ai/claude-code"
    process_names = frozenset({"claude"})
    variables = (CONFIG_DIR,)
    can = frozenset()
    has_subagents = True
    keeps_artifacts = True
    inner_files = ("agent-",)

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """`~/.claude/projects`, `~/.config/claude/projects` where that is, and the folder of the variable."""
        found = [Store(self, os.path.join(home, ".claude", PROJECTS))]
        older = os.path.join(home, ".config", "claude")
        if os.path.isdir(os.path.join(older, PROJECTS)):
            found.append(Store(self, os.path.join(older, PROJECTS), environment={CONFIG_DIR: older}))
        moved = absolute_paths(env, home, cwd, CONFIG_DIR).get(CONFIG_DIR)
        if moved:
            root = os.path.join(moved, PROJECTS)
            found.append(Store(self, root, CONFIG_DIR, environment={CONFIG_DIR: moved}))
        return found

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The variable leads to a folder whose name is `projects`, and to no other."""
        environment = {}
        if os.path.basename(root) == PROJECTS:
            environment[CONFIG_DIR] = os.path.dirname(root)
        return Store(self, root, "--store", environment=environment)

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """The path with dashes for everything but letters and digits."""
        return os.path.join(store.root, _NO_LETTER.sub("-", cwd))

    def new_id(self, now_ms: int) -> str:
        """A random UUID."""
        from uuid import uuid4  # imported here because the first frame needs no new id

        return str(uuid4())

    def file_name(self, timestamp: str, session_id: str) -> str:
        """The id alone."""
        return f"{session_id}.jsonl"

    def open_session(self, store: Store, pid: int) -> str:
        """The id in `sessions/PID.json`, which Claude Code removes at its end."""
        path = os.path.join(os.path.dirname(store.root), NOTES, f"{pid}.json")
        try:
            value = parse_json(read_small(path))
        except (OSError, ValueError):  # `Damaged` is a ValueError
            return ""
        session = value.get("sessionId") if isinstance(value, dict) and value.get("pid", pid) == pid else None
        return session if isinstance(session, str) else ""

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """Claude Code resumes by id, in the folder in which the session was started."""
        return ["--resume", session_id]

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """Claude Code finds sessions only below its configuration folder, and none of sub-agents."""
        if store.source == "--store" and not store.environment:
            return f"claude finds sessions only in $CLAUDE_CONFIG_DIR/{PROJECTS}"
        if os.path.basename(path).startswith(self.inner_files):
            return "it is the session of a sub-agent, which claude does not resume"
        return None
