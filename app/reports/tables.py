"""A table of texts on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.text import one_line
from app.reports.output import BOLD, painted
from app.view.cells import pad, shorten, width


def aligned(
    names: Sequence[str],
    lines: Sequence[Sequence[str]],
    styles: Sequence[str],
    cells: int,
    most: int,
    *,
    colour: bool,
) -> list[str]:
    """The texts of each line side by side, inert, below the names of the columns. The last text gets the room
    that is left.

    :param styles: of the columns; "" for none.
    :param cells: the width to fit to.
    :param most: the most cells of a column, apart from the last one, which has at least as many.
    """
    inert = [list(names)]
    for *first, last in lines:
        inert.append([*(shorten(one_line(text), most) for text in first), one_line(last, 4_000)])
    widths = [max(map(width, column)) for column in list(zip(*inert, strict=True))[:-1]]
    room = max(most, cells - sum(widths) - 2 * len(widths))
    table = []
    for number, (*first, last) in enumerate(inert):
        texts = [*map(pad, first, widths), shorten(last, room)]
        shown = styles if number else [BOLD] * len(texts)
        pairs = zip(texts, shown, strict=True)
        table.append("  ".join([painted(text, style, colour=colour) for text, style in pairs]).rstrip())
    return table
