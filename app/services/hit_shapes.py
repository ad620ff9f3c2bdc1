"""The excerpts of hits in tool calls and their output, which `app.view.hit_shape` makes of their entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.dialects import dialect_named
from app.formats.entry_types import SHELL_ROLES
from app.formats.lines import opened, read_at
from app.formats.search_text import iter_texts
from app.formats.text import string_of
from app.formats.text_kinds import CALL, RESULT, TOOLS
from app.formats.tool_calls import call_blocks
from app.formats.utf8_text import fold
from app.index.search.grep.file_search import entries_of
from app.index.search.hit_details import entries_at
from app.view.hit_shape import Shape, shape_call, shape_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row
    from app.index.search.results import Hit

_LOOK_BACK = 64 << 10
"""Bytes before the output of a tool in which its call is looked for."""


def shape_of(hit: Hit) -> Shape | None:
    """The excerpt of a hit; None for one that is in no tool call and no output, and if the file does not have
    it as a usual call.
    """
    is_touch = hit.where == "files" and hit.offset >= 0
    if not is_touch and (hit.where != "text" or hit.kind not in TOOLS):
        return None
    kind = CALL if is_touch else hit.kind
    matches = [*dict.fromkeys(fold(hit.snippet[start:end]) for start, end in hit.ranges)]
    shapes = (_shape(hit.row, kind, hit.offset, entry, matches) for entry in entries_at(hit.row, hit.offset))
    return next(filter(None, shapes), None)


def _shape(row: Row, kind: int, offset: int, entry: dict[str, Any], matches: Sequence[str]) -> Shape | None:
    message = entry.get("message")
    if kind == CALL:
        calls = ((string_of(block.get("name")), block.get("arguments")) for block in call_blocks(entry))
        shapes = (shape_call(name, arguments, matches, row.cwd) for name, arguments in calls)
        return next(filter(None, shapes), None)
    if not isinstance(message, dict):
        return None
    if kind == RESULT:
        arguments = _arguments_before(row, offset, string_of(message.get("toolCallId")))
        texts = [text for each, text, _ in iter_texts(entry, other=False) if each == RESULT]
        return shape_output(string_of(message.get("toolName")), arguments, texts, matches, row.cwd)
    command = {"command": message.get(SHELL_ROLES.get(string_of(message.get("role")), ""))}
    output = [string_of(message.get("output"))]
    return shape_call("bash", command, matches, row.cwd) or shape_output(
        "bash", command, output, matches, row.cwd
    )


def _arguments_before(row: Row, offset: int, call_id: str) -> Any:
    """The arguments of the call whose output is in the line at `offset`; None if it is not shortly before."""
    begin = max(0, offset - _LOOK_BACK)
    try:
        with opened(row.path) as descriptor:
            before = read_at(descriptor, offset - begin, begin)
    except OSError:
        return None
    place = before.rfind(call_id.encode("utf-8", "replace")) if call_id else -1
    if place < 0:
        return None
    end = before.find(b"\n", place)
    line = before[before.rfind(b"\n", 0, place) + 1 : end if end >= 0 else len(before)]
    for entry in entries_of(line, dialect_named(row.dialect)):
        for block in call_blocks(entry):
            if block.get("id") == call_id:
                return block.get("arguments")
    return None
