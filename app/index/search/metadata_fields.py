"""The metadata of a session, packed as passages: name, labels, prompts of its agent's history, folder, id and
agent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from app.formats.utf8_text import fold, to_utf8
from app.index.text.mmap_reader import Source
from app.paths import home_prefix_length
from app.sessions.passages import pack

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
"""A prompt of the session in its agent's history. The offset is its number in `MetadataSource.prompts`."""

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


class MetadataSource(Source):
    """The packed metadata of some sessions.

    prompts   the text of each `HISTORY` passage
    """

    __slots__ = ("prompts",)

    def __init__(self, data: bytes, prompts: Sequence[str]) -> None:
        super().__init__(data)
        self.prompts = prompts


def packed_metadata(row: Row, home: str, prompts: Sequence[str] = (), first: int = 0) -> bytes:
    """The passages of a row: its name, labels, prompts, folder, id and agent. The offset of a label is its
    number.

    :param home: the folder that is written as ``~``.
    :param prompts: those of its agent's history.
    :param first: the number of the first of `prompts` in `MetadataSource.prompts`.
    """
    parts = []
    if row.name:
        parts.append(pack(NAME, 0, to_utf8(fold(row.name))))
    for number, (_, label) in enumerate(row.labels):
        parts.append(pack(LABEL, number, to_utf8(fold(label))))
    for number, prompt in enumerate(prompts, first):
        parts.append(pack(HISTORY, number, to_utf8(fold(prompt))))
    if row.cwd:
        parts.append(_folder(row.cwd, home))
    if row.id:
        parts.append(pack(ID, 0, to_utf8(fold(row.id))))
    parts.append(_agent(row.agent))
    return b"".join(parts)


@lru_cache(maxsize=64)
def _agent(name: str) -> bytes:
    return pack(AGENT, 0, to_utf8(fold(name)))


@lru_cache(maxsize=1024)
def _folder(cwd: str, home: str) -> bytes:
    """The passage of a folder, and one with `~` if the folder is below the home folder."""
    full = pack(FOLDER, 0, to_utf8(fold(cwd)))
    home_length = home_prefix_length(cwd, home)
    if not home_length:
        return full
    return full + pack(SHORT_FOLDER, home_length, to_utf8(fold("~" + cwd[home_length:])))


def field_text(row: Row, kind: int, offset: int, source: Source) -> str:
    """The text of a passage of the metadata as it is written.

    :param kind: this, `offset` and `source` are those of the passage.
    """
    if kind == NAME:
        return row.name or ""
    if kind == LABEL:
        return row.labels[offset][1]
    if kind == HISTORY:
        assert isinstance(source, MetadataSource)
        return source.prompts[offset]
    if kind == FOLDER:
        return row.cwd
    if kind == SHORT_FOLDER:
        return "~" + row.cwd[offset:]
    return row.id if kind == ID else row.agent
