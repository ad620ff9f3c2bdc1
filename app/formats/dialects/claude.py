"""Claude Code: lines that hang on each other by `uuid` and `parentUuid`, without a header
(formats/README.md, "Claude Code").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec import Struct

from app.formats.dialects.base import Dialect, FirstLines
from app.formats.dialects.calls import claude_call
from app.formats.dialects.claude_lines import entries_of, titles_of
from app.formats.dialects.claude_reader import ClaudeReader
from app.formats.dialects.copies import ClaudeCopies
from app.formats.json_codec import DECODE_ERRORS, BadLine, decode
from app.formats.packed import stem_of
from app.formats.partial_entry import PartialEntry, partial_entry_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.formats.dialects.base import LineReader

_FILE_TOOLS = {
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookRead": "read",
    "NotebookEdit": "edit",
}


class _Facts(Struct, gc=False):
    """The fields of a line that a header needs."""

    uuid: Any = None
    sessionId: Any = None
    cwd: Any = None
    timestamp: Any = None
    forkedFrom: Any = None


_decode_facts: Callable[[bytes], _Facts] = msgspec.json.Decoder(_Facts).decode


def _facts_of(line: bytes) -> _Facts:
    """The facts in a line; the pictures and documents beside them, of up to 32 MB, are not decoded.

    :raises BadLine: it is not a JSON object.
    """
    try:
        return _decode_facts(line)
    except DECODE_ERRORS:
        value = decode(line)
        return _Facts(*map(value.get, _Facts.__struct_fields__))


class Claude(Dialect):
    """Claude Code."""

    name = "claude"
    one_entry_a_line = False
    lines_are_entries = False
    migrates = False
    writing = None
    name_marker = b'Title"'
    knows_prompts = True
    answers: ClassVar[dict[str, str]] = {"api": "anthropic-messages", "provider": "anthropic"}

    def reader(self) -> LineReader:
        """A reader that joins the lines of an answer."""
        return ClaudeReader()

    def copies(self) -> ClaudeCopies:
        """By the ids of answers."""
        return ClaudeCopies()

    def first_lines(self, path: str, lines: Iterator[bytes]) -> FirstLines | None:
        """The facts of the first line of the conversation; the id is in the name of the file."""
        for number, line in enumerate(lines, 1):
            try:
                facts = _facts_of(line)
            except BadLine:
                continue
            if isinstance(facts.uuid, str) and isinstance(facts.sessionId, str):
                forked = facts.forkedFrom
                parent = forked.get("sessionId") if isinstance(forked, dict) else None
                stem = os.path.basename(stem_of(path))
                return FirstLines(stem, facts.cwd, facts.timestamp, parent, number, first_id=facts.uuid)
        return None

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entries of the line, each as it stands for itself."""
        value = decode(line)
        found = [partial_entry_of(entry, wrong) for entry in entries_of(value)]
        return [*found, *titles_of(value)]

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """The message; the results of several calls are several entries."""
        return entries_of(decode(line))

    def metadata_entries(self, line: bytes) -> list[dict[str, Any]]:
        """The titles, as names."""
        return [{"type": "session_info", "name": each.name} for each in titles_of(decode(line))]

    def folders(self, cwd: str, used: Sequence[str]) -> tuple[str, ...]:
        """The folders of the lines, the last one first, then that of the first line. Lines have the present
        folder of the shell, so the store knows better which one counts.
        """
        return (*reversed(used), cwd) if used and list(used) != [cwd] else ()

    def file_call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, Any]:
        """The tools that read and change files have names and arguments of their own."""
        path = arguments.get("file_path", arguments.get("notebook_path"))
        return _FILE_TOOLS.get(tool, tool), path

    def call_for_pi(self, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A call of Claude Code, as pi spells it."""
        return claude_call(name, arguments)
