"""The metadata of a session, packed as passages: name, labels, tags, note, prompts of its agent's history,
folder, id and agent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from app.paths import home_prefix_length
from app.sessions.passages import NO_TEXT, PackedText, joined, pack
from app.stores.tags import NOTHING, Tagging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row

Where = Literal[
    "text", "name", "label", "tag", "note", "history", "folder", "id", "program", "files", "header", "row"
]
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
TAG = 0x17
NOTE = 0x18
TITLE = 0x19
"""The title of a session that has no name."""
FILE = 0x1A
"""The path of a file that a tool touched."""

WHERE: dict[int, Where] = {
    NAME: "name",
    LABEL: "label",
    TAG: "tag",
    NOTE: "note",
    HISTORY: "history",
    FOLDER: "folder",
    SHORT_FOLDER: "folder",
    ID: "id",
    AGENT: "program",
    TITLE: "name",
    FILE: "files",
}
"""Kind of a passage -> the part of a session."""


def is_metadata(kind: int) -> bool:
    """Whether a passage of this kind is a field of the metadata, and no text of an entry."""
    return NAME <= kind <= FILE


def packed_names(row: Row, tagging: Tagging = NOTHING) -> PackedText:
    """The passages of a row that users see first: its name, or its title if it has none, labels and tags. The
    offset of a label is its number.
    """
    if row.is_deleted:
        return NO_TEXT
    # The ellipsis of a cut title is in no text.
    parts = [pack(NAME, 0, row.name) if row.name else pack(TITLE, 0, row.title.replace("…", " "))]
    parts += [pack(LABEL, number, label) for number, (_, label) in enumerate(row.labels)]
    parts += [pack(TAG, 0, tag) for tag in tagging.tags]
    return joined(parts)


def packed_metadata(
    row: Row, home: str, prompts: Sequence[str] = (), tagging: Tagging = NOTHING
) -> PackedText:
    """The passages of a row: its name, labels, tags, note, prompts, folder, id and agent; only the prompts
    and the id of a deleted session. The offset of a label is its number.

    :param home: the folder that is written as ``~``.
    :param prompts: those of its agent's history.
    """
    parts = []
    if row.name:
        parts.append(pack(NAME, 0, row.name))
    for number, (_, label) in enumerate(row.labels):
        parts.append(pack(LABEL, number, label))
    parts += [pack(TAG, 0, tag) for tag in tagging.tags]
    if tagging.note:
        parts.append(pack(NOTE, 0, tagging.note))
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
