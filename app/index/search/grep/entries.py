"""The pieces of single lines of a session, whatever its dialect, and which tool gave which result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.content import TOOL_CALLS
from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.everything import everything, parts
from app.formats.kinds import RESULT
from app.formats.lines import BOM
from app.index.search.originals import headers

if TYPE_CHECKING:
    from collections.abc import Iterator


class Piece(NamedTuple):
    """A text of an entry.

    :param part: which entry of its line it is from, for lanes.
    :param tool: whose call or result it is; "" where the entry does not say.
    :param call: for a result that does not say, the id of the call it answers; else "".
    """

    kind: int
    part: int
    text: str
    tool: str
    call: str


class Entries:
    """Decodes lines of one session. What an old version spells otherwise says the same.

    decoded   how many lines were, so far
    """

    def __init__(self, dialect: str) -> None:
        self.decoded = 0
        self._dialect = named(dialect)

    def parts(self, line: bytes, offset: int, *, other: bool) -> Iterator[tuple[int, str, str]]:
        """What the pieces of the line at `offset` are made of, see `everything.parts`."""
        for _, entry in self._entries(line, offset):
            yield from parts(entry, other=other)

    def pieces(self, line: bytes, offset: int) -> Iterator[Piece]:
        """What the line at `offset` says; nothing where it is no entry and no header, or cannot be read."""
        for part, entry in self._entries(line, offset):
            call = _answered(entry)
            for said in everything(entry):
                needed = call if said.kind == RESULT and not said.tool else ""
                yield Piece(said.kind, part, said.text, said.tool, needed)

    def caller(self, line: bytes, offset: int, call: str) -> str:
        """The name of the tool that is called in the line under that id; "" where none is."""
        for _, entry in self._entries(line, offset):
            message = entry.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else ():
                if isinstance(block, dict) and block.get("type") in TOOL_CALLS and block.get("id") == call:
                    name = block.get("name")
                    if isinstance(name, str):
                        return name
        return ""

    def _entries(self, line: bytes, offset: int) -> list[tuple[int, dict[str, Any]]]:
        self.decoded += 1
        if not offset and line.startswith(BOM):
            line = line[len(BOM) :]
        dialect = self._dialect
        try:
            if dialect.one_entry_a_line:
                entry = dialect.entry(line)
                return [] if _is_title(entry) else [(0, entry)]
            dialect.skims(line)  # refuses more
            entries = [*dialect.entries(line), *dialect.beside(line)]
        except BadLine:
            entries = []
        if not entries and not dialect.one_entry_a_line:
            entries = headers(line)
        return [(part, entry) for part, entry in enumerate(entries) if not _is_title(entry)]


def _answered(entry: dict[str, Any]) -> str:
    message = entry.get("message")
    call = message.get("toolCallId") if isinstance(message, dict) else None
    return call if isinstance(call, str) else ""


def _is_title(entry: dict[str, Any]) -> bool:
    """Whether it is the name of the session, which the catalog has, and no entry."""
    return entry.get("type") == "title" and not isinstance(entry.get("id"), str)
