"""What the catalog itself knows of a session, as packed pieces: so it is searched as its text is."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from app.formats.fold import encoded, fold
from app.paths import below_home
from app.sessions.passages import pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row
    from app.index.search.results import Where

NAME = 0x10
LABEL = 0x11
FOLDER = 0x12
ID = 0x13
PROGRAM = 0x14
SHORT = 0x15
"""The folder with ``~`` for the home folder, as the screen shows it. Its offset says what that stands for."""

WHERE: dict[int, Where] = {
    NAME: "name",
    LABEL: "label",
    FOLDER: "folder",
    SHORT: "folder",
    ID: "id",
    PROGRAM: "program",
}


def is_said(kind: int) -> bool:
    """Whether a piece of that kind is none of an entry."""
    return NAME <= kind <= SHORT


def said(row: Row, home: str) -> bytes:
    """The pieces of a row: its name, its labels, its folder, its id and its program. The offset says which
    label.

    :param home: the folder that is written as ``~``.
    """
    parts = []
    if row.name:
        parts.append(pack(NAME, 0, encoded(fold(row.name))))
    for number, (_, label) in enumerate(row.labels):
        parts.append(pack(LABEL, number, encoded(fold(label))))
    if row.cwd:
        parts.append(_folder(row.cwd, home))
    if row.id:
        parts.append(pack(ID, 0, encoded(fold(row.id))))
    parts.append(_shared(PROGRAM, row.agent))
    return b"".join(parts)


def of_all(rows: Sequence[Row], home: str) -> bytes:
    """The same of several rows, folded, one in a line: what is not in this is not said of any of them."""
    folders = {row.cwd for row in rows}
    texts = folders | {"~" + cwd[short:] for cwd in folders if (short := below_home(cwd, home))}
    texts.update([row.agent for row in rows])
    texts.update([row.id for row in rows])
    texts.update([row.name for row in rows if row.name])
    texts.update([label for row in rows if row.labels for _, label in row.labels])
    # What is ASCII is folded in no time.
    plain = [text for text in texts if text.isascii()]
    others = [text for text in texts if not text.isascii()]
    return encoded(fold("\n".join(plain)) + "\n" + fold("\n".join(others)))


@lru_cache(maxsize=1024)
def _shared(kind: int, text: str) -> bytes:
    """A piece that many sessions have."""
    return pack(kind, 0, encoded(fold(text)))


@lru_cache(maxsize=1024)
def _folder(cwd: str, home: str) -> bytes:
    """A folder as it is, and as it is shown where that is shorter."""
    whole = pack(FOLDER, 0, encoded(fold(cwd)))
    short = below_home(cwd, home)
    return whole + pack(SHORT, short, encoded(fold("~" + cwd[short:]))) if short else whole


def text_of(row: Row, kind: int, number: int) -> str:
    """The text of such a piece as it is written."""
    if kind == NAME:
        return row.name or ""
    if kind == LABEL:
        return row.labels[number][1]
    if kind == FOLDER:
        return row.cwd
    if kind == SHORT:
        return "~" + row.cwd[number:]
    return row.id if kind == ID else row.agent
