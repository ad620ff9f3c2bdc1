"""A whole entry as lines of a given width.

Markdown, code and diffs are drawn as in a transcript (`view.markdown`, `view.code_lines`, `view.tool_input`),
but nothing is left out. The work is done line by line and piece by piece, so that a text of many megabytes
blocks neither the thread that wraps it nor the threads that wait for that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from app.formats.edits import is_diff
from app.formats.entry_parts import Part
from app.formats.images import EmbeddedImage
from app.view.cells import shorten, stable_width
from app.view.code_lines import diff_rows
from app.view.document_line import CodeBlock, DocumentLine, heading, own_line, paragraphs, text_line
from app.view.line import wrap
from app.view.markdown import markdown_lines, written_lines
from app.view.tool_input import field_lines, input_lines

BATCH = 250
"""Lines in one batch."""
RULE = 12
"""Cells of the rule between the input and the output of a tool."""
PLAIN_STYLES = {
    "thinking": "thinking",
    "error": "error",
    "meta": "dim",
    "image": "dim",
    "details": "dim",
    "tool_result": "result",
}
_OUTPUT = ("tool_result", "error", "raw")


class ToolCall(NamedTuple):
    """The call of a tool: its name, and its arguments as it gives them, of any type."""

    name: str
    arguments: Any


def document(
    parts: Iterable[Part],
    cells: int,
    draw: Callable[[EmbeddedImage], Iterable[DocumentLine]] | None = None,
    *,
    call: ToolCall | None = None,
    is_prompt: bool = False,
) -> Iterator[list[DocumentLine]]:
    """The lines of an entry, in batches, so that the caller may pause between two of them.

    :param cells: the width of a line, at least 4.
    :param draw: gives the lines of an image. It may take a while; the lines above the image come first.
    :param call: the call of which the entry is the result; its input comes first.
    :param is_prompt: the text is shown as it was written, and not as Markdown.
    """
    batch: list[DocumentLine] = []
    for item in _lines_and_images(list(parts), max(4, cells), call, is_prompt=is_prompt):
        if isinstance(item, DocumentLine):
            batch.append(item)
            if len(batch) >= BATCH:
                yield batch
                batch = []
        elif draw is not None:
            yield batch
            batch = list(draw(item))
    if batch:
        yield batch


def _lines_and_images(
    parts: Sequence[Part], cells: int, call: ToolCall | None, *, is_prompt: bool
) -> Iterator[DocumentLine | EmbeddedImage]:
    """The lines of an entry, with each image behind its description."""
    if call is not None:
        shows_diff = any(part.kind == "diff" for part in parts)
        yield from input_lines(call.name, call.arguments, cells, draws_edits=not shows_diff)
        yield own_line("─" * min(RULE, cells), "border")
    for number, part in enumerate(parts):
        title = "" if call is not None and part.kind in _OUTPUT else heading(part)
        if number and (title or part.kind in ("text", "meta")):
            yield DocumentLine([])
        if title:
            yield own_line(f"─ {shorten(stable_width(title), cells - 3)} "[:cells], "section")
        for line in _lines(part, cells, is_prompt=is_prompt):
            if part.kind == "meta":
                line.own = len(line.spans)
            yield line
        if part.image is not None:
            yield part.image


def _lines(part: Part, cells: int, *, is_prompt: bool) -> Iterator[DocumentLine]:
    style = PLAIN_STYLES.get(part.kind, "text")
    if part.kind == "text" and is_prompt:
        yield from written_lines(part.text, cells, style)
    elif part.kind == "text":
        yield from markdown_lines(part.text, cells)
    elif part.kind == "tool_call" and part.value is not None:
        yield from input_lines(part.title, part.value, cells)
    elif part.fields:
        yield from field_lines(part.fields, cells, style)
    elif part.kind == "diff" or (part.kind == "tool_result" and is_diff(part.text)):
        block: CodeBlock | None = CodeBlock(part.text, "diff")
        for row in diff_rows(part.text):
            line = row.drawn([])
            line.block, block = block, None
            yield line
    else:
        for paragraph in paragraphs(part.text):
            yield from (text_line(piece, style) for piece in wrap(paragraph, cells))
