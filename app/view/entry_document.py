"""The whole of an entry as lines of a given width.

Everything is done line by line and piece by piece, so that a text of many megabytes neither stops the thread
that wraps it nor anything that waits for that thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.view.cells import shorten, steady
from app.view.diff_lines import diff_lines, is_diff
from app.view.document_line import CodeBlock, DocumentLine
from app.view.field_lines import field_lines
from app.view.prose_lines import prose_lines
from app.view.source_lines import paragraphs
from app.view.wrapping import wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from app.formats.image_block import Image
    from app.formats.parts import Part

BATCH = 250
TITLED = {
    "thinking": "thinking",
    "tool_call": "tool call",
    "tool_result": "result",
    "diff": "diff",
    "image": "image",
    "error": "error",
}
PLAIN_STYLES = {"thinking": "thinking", "error": "error", "meta": "dim", "image": "dim", "details": "dim"}


def document(
    parts: Iterable[Part], cells: int, draw: Callable[[Image], Iterable[DocumentLine]] | None = None
) -> Iterator[list[DocumentLine]]:
    """The lines of an entry, in batches, so that the caller may rest between two of them.

    :param cells: how wide a line may be, at least 4.
    :param draw: gives the lines of an image, which may take a while: all that stands above comes first.
    """
    cells = max(4, cells)
    batch: list[DocumentLine] = []
    first = True
    for part in parts:
        title = heading(part)
        if not first and (title or part.kind in ("text", "meta")):
            batch.append(DocumentLine("", "text"))
        if title:
            batch.append(DocumentLine(f"─ {shorten(steady(title), cells - 3)} "[:cells], "section"))
        first = False
        for line in _lines(part, cells):
            batch.append(line)
            if len(batch) >= BATCH:
                yield batch
                batch = []
        if part.image is not None and draw is not None:
            yield batch
            batch = list(draw(part.image))
    if batch:
        yield batch


def heading(part: Part) -> str:
    """What stands above a part, inert; "" for nothing."""
    label, title = TITLED.get(part.kind, ""), one_line(part.title)
    if part.kind == "meta":
        return ""
    return f"{label}: {title}" if label and title and title != label else title or label


def _lines(part: Part, cells: int) -> Iterator[DocumentLine]:
    style = PLAIN_STYLES.get(part.kind, "text")
    if part.kind == "text":
        yield from prose_lines(part.text, cells)
    elif part.fields:
        yield from field_lines(part.fields, cells, style)
    elif part.kind == "diff" or (part.kind == "tool_result" and is_diff(part.text)):
        yield from _beginning(diff_lines(part.text, cells), CodeBlock(part.text, "diff"))
    elif part.kind == "tool_call" and part.text:
        yield from _beginning(_plain(part.text, cells, style), CodeBlock(part.text, one_line(part.title, 40)))
    else:
        yield from _plain(part.text, cells, style)


def _plain(text: str, cells: int, style: str) -> Iterator[DocumentLine]:
    for paragraph in paragraphs(text):
        for piece in wrap(paragraph, cells):
            yield DocumentLine(piece, style)


def _beginning(lines: Iterator[DocumentLine], block: CodeBlock) -> Iterator[DocumentLine]:
    """The lines, at the first of which a piece of code begins."""
    for at, line in enumerate(lines):
        if not at:
            line.block = block
        yield line
