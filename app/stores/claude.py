"""Claude Code (formats/README.md, "Claude Code")."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.small_files import read_small
from app.stores.base import Agent, ProcessNote, Store, absolute_paths
from app.stores.json_state import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_DIR = "CLAUDE_CONFIG_DIR"
PROJECTS, NOTES, HISTORY = "projects", "sessions", "history.jsonl"
_LONGEST_NAME = 200
"""Characters of the name of a working folder; a longer one is cut, and a digest follows."""
_NO_LETTER = re.compile(r"[^A-Za-z0-9]")
_WAITING, _ACTIVITIES = "waiting", ("waiting", "busy", "idle")
_JOB = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


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
    resumes_anywhere = True
    has_subagents = True
    keeps_artifacts = True
    counts_compactions = False
    inner_files = ("agent-",)

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """`~/.claude/projects`, `~/.config/claude/projects` where that is, and the folder of the variable."""
        found = [self._store(os.path.join(home, ".claude"), "default")]
        older = os.path.join(home, ".config", "claude")
        if os.path.isdir(os.path.join(older, PROJECTS)):
            found.append(self._store(older, "default", {CONFIG_DIR: older}))
        moved = absolute_paths(env, home, cwd, CONFIG_DIR).get(CONFIG_DIR)
        if moved:
            found.append(self._store(moved, CONFIG_DIR, {CONFIG_DIR: moved}))
        return found

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The variable leads to a folder whose name is `projects`, and to no other."""
        folder, name = os.path.split(root)
        if name == PROJECTS:
            return self._store(folder, "--store", {CONFIG_DIR: folder})
        return Store(self, root, "--store")

    def _store(self, folder: str, source: str, environment: Mapping[str, str] | None = None) -> Store:
        """The store in a configuration folder, which also has the prompts of all sessions."""
        root, history = os.path.join(folder, PROJECTS), os.path.join(folder, HISTORY)
        return Store(self, root, source, environment=environment, history=history)

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """The path with dashes for everything but letters and digits."""
        return os.path.join(store.root, _NO_LETTER.sub("-", cwd))

    def is_history_of(self, path: str, cwd: str) -> bool:
        """By the name; one of more than 200 characters ends with a digest."""
        name = os.path.basename(os.path.dirname(path))
        encoded = _NO_LETTER.sub("-", cwd)
        if len(encoded) <= _LONGEST_NAME:
            return name == encoded
        return name.startswith(f"{encoded[:_LONGEST_NAME]}-")

    def new_id(self, now_ms: int) -> str:
        """A random UUID."""
        from uuid import uuid4  # imported here because the first frame needs no new id

        return str(uuid4())

    def file_name(self, timestamp: str, session_id: str) -> str:
        """The id alone."""
        return f"{session_id}.jsonl"

    def note_of(self, store: Store, pid: int, started: str) -> ProcessNote | None:
        """The note `sessions/PID.json`, which Claude Code removes at its end. If it writes notes, a
        process without one has no session; one that crashed leaves a note, which is not that of a later one.
        """
        folder = os.path.join(os.path.dirname(store.root), NOTES)
        try:
            value = parse_json(read_small(os.path.join(folder, f"{pid}.json")))
        except FileNotFoundError:
            return ProcessNote() if os.path.isdir(folder) else None
        except (OSError, ValueError):  # `Damaged` is a ValueError
            return None
        if not isinstance(value, dict) or not isinstance(session := value.get("sessionId"), str):
            return None
        noted = value.get("procStart")
        is_reused = bool(started) and isinstance(noted, str) and noted != started
        if is_reused or value.get("pid", pid) != pid:
            return ProcessNote()
        job = value.get("jobId") if value.get("kind") == "bg" else None
        job = job if isinstance(job, str) and _JOB.fullmatch(job) else ""
        return ProcessNote(session, job, _activity(value.get("status"), value.get("waitingFor")))

    def attach_arguments(self, job: str) -> list[str]:
        """Claude Code refuses to resume a session that it runs in the background."""
        return ["attach", job]

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """Claude Code resumes by id, in the folder in which the session was started."""
        # An id that begins with a dash would be taken for an option.
        return [f"--resume={session_id}"] if session_id.startswith("-") else ["--resume", session_id]

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """Claude Code finds sessions only below its configuration folder, and none of sub-agents."""
        if store.source == "--store" and not store.environment:
            return f"claude finds sessions only in $CLAUDE_CONFIG_DIR/{PROJECTS}"
        if os.path.basename(path).startswith(self.inner_files):
            return "it is the session of a sub-agent, which claude does not resume"
        return None


def _activity(status: object, waiting_for: object) -> str:
    """See `ProcessNote`."""
    if status == _WAITING and isinstance(waiting_for, str):
        return one_line(f"{_WAITING}: {waiting_for}", 60)
    return next((activity for activity in _ACTIVITIES if activity == status), "")
