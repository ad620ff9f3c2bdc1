"""A whole entry as lines of a given width.

The work is done line by line and piece by piece, so that a text of many megabytes blocks neither the thread
that wraps it nor the threads that wait for that one. The arguments of a tool call are shown as names and
values, and the two texts of an edit as their difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from app.formats.entry_parts import Field, Part
from app.formats.images import EmbeddedImage
from app.formats.text import one_line
from app.view.cells import cut, shorten, stable_width, width
from app.view.diff_lines import MORE, diff_lines, diff_style, is_diff, replaced_lines
from app.view.document_line import CodeBlock, DocumentLine, inert_pieces, line_ranges, paragraphs, styled_line
from app.view.line import cut_ranges, wrap, wrap_ranges
from app.view.markdown import prose_lines

BATCH = 250
"""Lines in one batch."""
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
    parts: Iterable[Part], cells: int, draw: Callable[[EmbeddedImage], Iterable[DocumentLine]] | None = None
) -> Iterator[list[DocumentLine]]:
    """The lines of an entry, in batches, so that the caller may pause between two of them.

    :param cells: the width of a line, at least 4.
    :param draw: gives the lines of an image. It may take a while; the lines above the image come first.
    """
    cells = max(4, cells)
    batch: list[DocumentLine] = []
    first = True
    for part in parts:
        title = heading(part)
        if not first and (title or part.kind in ("text", "meta")):
            batch.append(DocumentLine("", "text"))
        if title:
            heading_line = DocumentLine(f"─ {shorten(stable_width(title), cells - 3)} "[:cells], "section")
            heading_line.quotes = False
            batch.append(heading_line)
        first = False
        for line in _lines(part, cells):
            line.quotes = part.kind != "meta"
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
    """The heading of a part, inert; "" for none."""
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
    """Begin a code block at the first of the lines."""
    for number, line in enumerate(lines):
        if not number:
            line.block = block
        yield line


_OLD = ("oldText", "old_text", "old_string", "oldString", "old_str")
_NEW = ("newText", "new_text", "new_string", "newString", "new_str")
PAIRS = dict(zip(_OLD, _NEW, strict=True))
CODE = frozenset(("command", "cmd", "code", "script"))
"""Arguments that a user may want to copy even if they have one line."""


def field_lines(fields: Sequence[Field], cells: int, style: str = "text") -> Iterator[DocumentLine]:
    """The lines of arguments: a name and its value, or a text of several lines below its name.

    :param style: the style of the values.
    """
    index = 0
    while index < len(fields):
        field = fields[index]
        following = fields[index + 1] if index + 1 < len(fields) else None
        if (
            following is not None
            and PAIRS.get(field.name) == following.name
            and field.column == following.column
        ):
            yield from _edit(field, following, cells)
            index += 2
            continue
        if field.is_below:
            yield from _below(field, cells, style)
        else:
            yield from _beside(field, cells, style)
        index += 1


def _lead(field: Field, cells: int, name: str = "") -> str:
    """The text before a value; it always leaves room for the value."""
    shown = field._replace(name=stable_width(one_line(name or field.name, 60)))
    lead = shown.lead
    return lead if width(lead) < cells else cut(lead.strip(), cells // 2)


def _margin(field: Field, cells: int) -> str:
    # a sign, an ellipsis and a wide character must fit behind it
    return field.margin[: min(cells // 3, cells - 4)]


def _block(field: Field) -> CodeBlock | None:
    return CodeBlock(field.text, one_line(field.name, 40)) if field.is_below or field.name in CODE else None


def _beside(field: Field, cells: int, style: str) -> Iterator[DocumentLine]:
    lead, margin, block = _lead(field, cells), _margin(field, cells), _block(field)
    before = lead + " " if field.name else lead
    rows = inert_pieces(field.text, 0, len(field.text))
    if width(before) > cells // 2 and width(rows[0][:cells]) > cells - width(before):
        yield styled_line([(lead, "argument")], block)
        before, block = margin, None
    for row in rows:
        narrower = len(margin) - width(before)
        for start, stop in wrap_ranges(row, cells - width(before), narrower):
            yield styled_line([(before, "argument"), (row[start:stop], style)], block)
            before, block = margin, None


def _below(field: Field, cells: int, style: str) -> Iterator[DocumentLine]:
    block = _block(field)
    margin = _margin(field, cells)
    if field.name:
        yield styled_line([(_lead(field, cells), "argument")], block)
        block = None
    patched = is_diff(field.text)
    lead = margin if field.name else _lead(field, cells)
    room = cells - max(len(margin), width(lead))
    for begin, end in line_ranges(field.text):
        for line in inert_pieces(field.text, begin, end):
            look = diff_style(line) if patched else style
            for start, stop in cut_ranges(line, room):
                yield styled_line([(lead, "argument"), (line[start:stop], look)], block)
                block, lead = None, margin


def _edit(old: Field, new: Field, cells: int) -> Iterator[DocumentLine]:
    margin = _margin(old, cells)
    yield styled_line(
        [(_lead(old, cells, f"{old.name} → {new.name}"), "argument")], CodeBlock(new.text, new.name)
    )
    before = list(paragraphs(old.text)) if old.text else []
    after = list(paragraphs(new.text)) if new.text else []
    styles = {"-": "removed", "+": "added", " ": "dim"}
    for sign, line in replaced_lines(before, after):
        for start, stop in cut_ranges(line, max(1, cells - len(margin) - 2)):
            # as in a diff, the rest of a long line follows the same sign and an ellipsis
            text = f"{margin}{sign}{MORE if start else ' '}{line[start:stop]}"
            yield DocumentLine(text, styles[sign])
