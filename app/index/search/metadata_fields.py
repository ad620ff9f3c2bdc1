"""The metadata of a session, packed as passages: name, labels, prompts of its agent's history, folder, id and
agent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from app.paths import home_prefix_length
from app.sessions.passages import PackedText, joined, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row

Where = Literal["text", "name", "label", "history", "folder", "id", "program", "header", "row"]
"""The part of a session in which a hit is; "row" is the session as a whole."""

NAME = 0x10
LABEL = 0x11
FOLDER = 0x12
ID = 0x13
AGENT = 0x14
SHORT_FOLDER = 0x15
"""The folder with ``~`` for the home folder, as it is shown. The offset is the length of the home folder."""
HISTORY = 0x16
"""A prompt of the session in its agent's history."""

WHERE: dict[int, Where] = {
    NAME: "name",
    LABEL: "label",
    HISTORY: "history",
    FOLDER: "folder",
    SHORT_FOLDER: "folder",
    ID: "id",
    AGENT: "program",
}
"""Kind of a passage -> the part of a session."""


def is_metadata(kind: int) -> bool:
    """Whether a passage of this kind is a field of the metadata, and no text of an entry."""
    return NAME <= kind <= HISTORY


def packed_metadata(row: Row, home: str, prompts: Sequence[str] = ()) -> PackedText:
    """The passages of a row: its name, labels, prompts, folder, id and agent; only the prompts and the id of
    a deleted session. The offset of a label is its number.

    :param home: the folder that is written as ``~``.
    :param prompts: those of its agent's history.
    """
    parts = []
    if row.name:
        parts.append(pack(NAME, 0, row.name))
    for number, (_, label) in enumerate(row.labels):
        parts.append(pack(LABEL, number, label))
    parts += [pack(HISTORY, 0, prompt) for prompt in prompts]
    if row.cwd and not row.is_deleted:
        parts.append(_folder(row.cwd, home))
    if row.id:
        parts.append(pack(ID, 0, row.id))
    if not row.is_deleted:
        parts.append(_agent(row.agent))
    return joined(parts)


@lru_cache(maxsize=64)
def _agent(name: str) -> PackedText:
    return pack(AGENT, 0, name)


@lru_cache(maxsize=1024)
def _folder(cwd: str, home: str) -> PackedText:
    """The passage of a folder, and one with `~` if the folder is below the home folder."""
    full = pack(FOLDER, 0, cwd)
    home_length = home_prefix_length(cwd, home)
    if not home_length:
        return full
    return joined((full, pack(SHORT_FOLDER, home_length, "~" + cwd[home_length:])))
