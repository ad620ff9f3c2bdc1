"""The metadata of a session, packed as passages: name, labels, folder, id and agent."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from app.paths import home_prefix_length
from app.sessions.passages import PackedText, joined, pack

if TYPE_CHECKING:
    from app.index.row import Row

Where = Literal["text", "name", "label", "folder", "id", "program", "header", "row"]
"""The part of a session in which a hit is; "row" is the session as a whole."""

NAME = 0x10
LABEL = 0x11
FOLDER = 0x12
ID = 0x13
AGENT = 0x14
SHORT_FOLDER = 0x15
"""The folder with ``~`` for the home folder, as it is shown. The offset is the length of the home folder."""

WHERE: dict[int, Where] = {
    NAME: "name",
    LABEL: "label",
    FOLDER: "folder",
    SHORT_FOLDER: "folder",
    ID: "id",
    AGENT: "program",
}
"""Kind of a passage -> the part of a session."""


def is_metadata(kind: int) -> bool:
    """Whether a passage of this kind is a field of the metadata, and no text of an entry."""
    return NAME <= kind <= SHORT_FOLDER


def packed_metadata(row: Row, home: str) -> PackedText:
    """The passages of a row: its name, labels, folder, id and agent. The offset of a label is its number.

    :param home: the folder that is written as ``~``.
    """
    parts = []
    if row.name:
        parts.append(pack(NAME, 0, row.name))
    for number, (_, label) in enumerate(row.labels):
        parts.append(pack(LABEL, number, label))
    if row.cwd:
        parts.append(_folder(row.cwd, home))
    if row.id:
        parts.append(pack(ID, 0, row.id))
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


def field_text(row: Row, kind: int, offset: int) -> str:
    """The text of a passage of the metadata as it is written.

    :param kind: this and `offset` are those of the passage.
    """
    if kind == NAME:
        return row.name or ""
    if kind == LABEL:
        return row.labels[offset][1]
    if kind == FOLDER:
        return row.cwd
    if kind == SHORT_FOLDER:
        return "~" + row.cwd[offset:]
    return row.id if kind == ID else row.agent
