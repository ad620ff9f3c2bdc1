"""What a write did, and what takes it back: always one more write, never an erased line (issue 3 "Undo")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Change:
    """One write to a session.

    :param kind: what changed: "entry" for one more entry and nothing else, "file" for a new session file.
    :param path: the file that was written, "" for a session in memory.
    :param entry_id: the entry that was written, "" where none was.
    :param before: the label, name or leaf before; None where there was none. Of a file: the one left.
    :param after: the same after.
    :param target_id: the entry whose label changed, or on which the leaf was put (None: before all entries).
    :param agent: the agent whose session it is.
    :param session_id: the session that changed, or that the new file was made of ("" where of none).
    :param after_id: the id of the session in a new file.
    :param note: what the user should know of it, "" for nothing.
    """

    kind: Literal["entry", "label", "name", "leaf", "file"]
    path: str
    entry_id: str
    before: str | None = None
    after: str | None = None
    target_id: str | None = None
    agent: str = ""
    session_id: str = ""
    after_id: str | None = None
    note: str = ""
