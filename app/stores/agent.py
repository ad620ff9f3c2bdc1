"""nickcecere/agent (formats/README.md, "nickcecere/agent")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores.base import Agent, Store, absolute_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_HOME = "XDG_CONFIG_HOME"
CONFIG = "agent.yaml"
BELOW = os.path.join("agent", "sessions")


class NickcecereAgent(Agent):
    """nickcecere/agent: one flat folder of linear sessions, resumed by id and with a config file."""

    __slots__ = ()

    name = "agent"
    title = "nickcecere/agent"
    command = "agent"
    install_hint = "go install github.com/nickcecere/agent@latest"
    process_names = frozenset({"agent"})
    variables = (CONFIG_HOME,)
    can = frozenset({"fork"})

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """`~/.config/agent/sessions`, and the same folder below XDG_CONFIG_HOME."""
        found = [Store(self, os.path.join(home, ".config", BELOW))]
        moved = absolute_paths(env, home, cwd, CONFIG_HOME).get(CONFIG_HOME)
        if moved:
            found.append(
                Store(self, os.path.join(moved, BELOW), CONFIG_HOME, environment={CONFIG_HOME: moved})
            )
        return found

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The agent looks up ids in its own folder, so sessions can be resumed only if the variable can lead
        to this store.
        """
        environment = {}
        if root.endswith(os.sep + BELOW):
            environment[CONFIG_HOME] = root[: -len(os.sep + BELOW)]
        return Store(self, root, "--store", environment=environment)

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """The root, for all working folders."""
        return store.root

    def new_id(self, now_ms: int) -> str:
        """A random UUID, whose first eight digits are in the name of the file."""
        from uuid import uuid4  # imported here because the first frame needs no new id

        return str(uuid4())

    def file_name(self, timestamp: str, session_id: str) -> str:
        """YYYYMMDD-HHMMSS-<8hex>.jsonl."""
        digits = "".join(digit for digit in timestamp if digit.isdigit())
        return f"{digits[:8]}-{digits[8:14]}-{session_id[:8]}.jsonl"

    def new_command(self, store: Store) -> list[str]:
        """The command with its config file, which the agent looks for in its working folder."""
        return [self.command, "-config", CONFIG]

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """Resume by id. The agent's documentation says "by ID prefix", but not whether it compares the id of
        the header or of the file name. The eight digits in the file name are a prefix of both, so they are
        used if possible.
        """
        short = os.path.splitext(os.path.basename(path))[0].rpartition("-")[2]
        if len(short) == 8 and session_id.startswith(short):
            session_id = short
        return ["-config", CONFIG, "-session", session_id]

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """The agent needs its config file, and the session in its own folder."""
        if store.is_named and not store.environment:
            return f"agent finds sessions only in $XDG_CONFIG_HOME/{BELOW}"
        if cwd and not os.path.exists(os.path.join(cwd, CONFIG)):
            return f"agent needs its config file, and there is no {CONFIG} in the session's folder"
        return None

    def why_not(self, ability: str, path: str = "") -> str:
        """Sessions have no labels, names or branches (formats/README.md, "nickcecere/agent")."""
        return {
            "name": "sessions of nickcecere/agent have no place for a name",
            "label": "sessions of nickcecere/agent have no place for labels",
            "branch": "sessions of nickcecere/agent are linear: they have no branches",
        }.get(ability, super().why_not(ability, path))
