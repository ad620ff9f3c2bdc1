"""What a tool was asked as lines: a name and its value, a text of several lines as these lines, and what an
edit takes out and puts in as the difference of the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.view.cells import cut, steady, width
from app.view.diff_lines import MORE, diff_style, is_diff, replaced
from app.view.document_line import CodeBlock, DocumentLine, marked_line
from app.view.source_lines import lines_in, paragraphs, pieces
from app.view.wrapping import breaks, cuts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.formats.laid_out import Field

_OLD = ("oldText", "old_text", "old_string", "oldString", "old_str")
_NEW = ("newText", "new_text", "new_string", "newString", "new_str")
PAIRS = dict(zip(_OLD, _NEW, strict=True))
CODE = frozenset(("command", "cmd", "code", "script"))
"""Values that one may want to copy though they have one line."""


def field_lines(fields: Sequence[Field], cells: int, style: str = "text") -> Iterator[DocumentLine]:
    """The lines of fields.

    :param style: of the values.
    """
    at = 0
    while at < len(fields):
        field = fields[at]
        other = fields[at + 1] if at + 1 < len(fields) else None
        if other is not None and PAIRS.get(field.name) == other.name and field.column == other.column:
            yield from _edit(field, other, cells)
            at += 2
            continue
        if field.is_below:
            yield from _below(field, cells, style)
        else:
            yield from _beside(field, cells, style)
        at += 1


def _lead(field: Field, cells: int, name: str = "") -> str:
    """What stands before a value; never so long that there is no room for the value."""
    shown = field._replace(name=steady(one_line(name or field.name, 60)))
    lead = shown.lead
    return lead if width(lead) < cells else cut(lead.strip(), cells // 2)


def _margin(field: Field, cells: int) -> str:
    # behind it there must be room for a sign, an ellipsis and a wide character
    return field.margin[: min(cells // 3, cells - 4)]


def _block(field: Field) -> CodeBlock | None:
    return CodeBlock(field.text, one_line(field.name, 40)) if field.is_below or field.name in CODE else None


def _beside(field: Field, cells: int, style: str) -> Iterator[DocumentLine]:
    lead, margin, block = _lead(field, cells), _margin(field, cells), _block(field)
    before = lead + " " if field.name else lead
    rows = pieces(field.text, 0, len(field.text))
    if width(before) > cells // 2 and width(rows[0][:cells]) > cells - width(before):
        yield marked_line([(lead, "argument")], block)
        before, block = margin, None
    for row in rows:
        narrower = len(margin) - width(before)
        for start, stop in breaks(row, cells - width(before), narrower):
            yield marked_line([(before, "argument"), (row[start:stop], style)], block)
            before, block = margin, None


def _below(field: Field, cells: int, style: str) -> Iterator[DocumentLine]:
    block = _block(field)
    margin = _margin(field, cells)
    if field.name:
        yield marked_line([(_lead(field, cells), "argument")], block)
        block = None
    patched = is_diff(field.text)
    lead = margin if field.name else _lead(field, cells)
    room = cells - max(len(margin), width(lead))
    for begin, end in lines_in(field.text):
        for line in pieces(field.text, begin, end):
            look = diff_style(line) if patched else style
            for start, stop in cuts(line, room):
                yield marked_line([(lead, "argument"), (line[start:stop], look)], block)
                block, lead = None, margin


def _edit(old: Field, new: Field, cells: int) -> Iterator[DocumentLine]:
    margin = _margin(old, cells)
    yield marked_line(
        [(_lead(old, cells, f"{old.name} → {new.name}"), "argument")], CodeBlock(new.text, new.name)
    )
    before = list(paragraphs(old.text)) if old.text else []
    after = list(paragraphs(new.text)) if new.text else []
    styles = {"-": "removed", "+": "added", " ": "dim"}
    for sign, line in replaced(before, after):
        for start, stop in cuts(line, max(1, cells - len(margin) - 2)):
            # as in a diff, what does not fit goes on behind the same sign and an ellipsis
            text = f"{margin}{sign}{MORE if start else ' '}{line[start:stop]}"
            yield DocumentLine(text, styles[sign])
