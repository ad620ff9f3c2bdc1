"""indusagi, the old TypeScript one and the new one with transcripts (formats/README.md, "indusagi")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores.base import ABILITIES, Agent, Store, absolute_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

TRANSCRIPT = ".ndjson"
NEW_HOME = ".pindusagi"

# (variable, folder of the sessions below the folder that it names)
MOVES = (
    ("INDUSAGI_AGENT_DIR", "sessions"),
    ("INDUSAGI_CODING_AGENT_DIR", "sessions"),
    ("INDUSAGI_DIR", os.path.join("agent", "sessions")),
    ("INDUSAGI_HOME", "sessions"),
)


class Indusagi(Agent):
    """indusagi: files like pi's (`.jsonl`) and the new program's transcripts (`.ndjson`), side by side."""

    __slots__ = ()

    name = "indusagi"
    title = "indusagi"
    command = "indusagi"
    install_hint = "npm install -g indusagi-coding-agent"
    suffixes = (".jsonl", TRANSCRIPT)
    process_names = frozenset({"indusagi", "indus", "pindus"})
    variables = tuple(variable for variable, _ in MOVES)

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """Both default folders, and the folders of all four variables."""
        found = [
            Store(self, os.path.join(home, ".indusagi", "agent", "sessions")),
            Store(self, os.path.join(home, NEW_HOME, "sessions")),
        ]
        for variable, below in MOVES:
            moved = absolute_paths(env, home, cwd, variable).get(variable)
            if moved:
                root = os.path.join(moved, below)
                found.append(Store(self, root, variable, environment={variable: moved}))
        return found

    def own_store(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The store of the first variable that is set, otherwise the old default. The new program's is only
        read.
        """
        old = {name: value for name, value in env.items() if name != MOVES[-1][0]}
        return super().own_store(old, home, cwd)

    def new_id(self, now_ms: int) -> str:
        """A random UUID, as in the version of pi that indusagi is a fork of."""
        from uuid import uuid4  # imported here because the first frame needs no new id

        return str(uuid4())

    def executable(self, path: str) -> str:
        """`indus` for transcripts, which the new program writes."""
        return "indus" if path.endswith(TRANSCRIPT) else self.command

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """The old program resumes by path; the new one has only its own picker (formats/README.md,
        "Resuming").
        """
        return ["--resume"] if path.endswith(TRANSCRIPT) else ["--session", path]

    def new_command(self, store: Store) -> list[str]:
        """`indus` for a store of the new program, which has its own home folder."""
        parent = os.path.basename(os.path.dirname(store.root))
        is_new = parent == NEW_HOME or store.source == MOVES[-1][0]
        return ["indus" if is_new else self.command]

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """The new program cannot be told which transcript to open."""
        if path.endswith(TRANSCRIPT):
            return "indus cannot be told which session to open; its own picker lists it"
        return None

    def why_not(self, ability: str, path: str = "") -> str:
        """Transcripts have no names and labels, and the agent rewrites the file for a branch
        (formats/README.md, "indusagi").
        """
        if path.endswith(TRANSCRIPT) and ability in ABILITIES:
            return {
                "name": "an indus transcript has no place for a name",
                "label": "an indus transcript has no place for labels",
            }.get(ability, f"indus rewrites its transcripts, so leafmark does not {ability} them")
        return super().why_not(ability, path)
