"""Images as lines: how large one is drawn, and its lines in half blocks, two pixels to a cell.

Colours come as styles of their own, `#rrggbb #rrggbb` for a character and what is behind it, since no theme
names the colours of an image.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.view.cells import steady
from app.view.document_line import DocumentLine
from app.view.kitty import cells_of, style_of
from app.view.wrapping import wrap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.view.line import Line

MOST_ROWS = 40
"""Lines of an image at most, however high the pane is."""
UPPER = "▀"


def fit(width: int, height: int, across: int, down: int) -> tuple[int, int]:
    """The size at which an image of `width` by `height` is as large as it can be in `across` by `down`, with
    its shape kept, and no larger than it is. At least one pixel each way.
    """
    scale = min(1.0, across / width, down / height)
    return max(1, min(across, round(width * scale))), max(1, min(down, round(height * scale)))


class Drawing:
    """An image on its way to the screen: its place is known before it is decoded.

    said        what its file says about it; "" where that is said already
    cells       cells that each of its lines takes, `rows` how many lines there are
    size        pixels that it is drawn at, which are decoded
    flat        the pixels, three bytes each, by the background that shines through; None until they are there
    number      under which the terminal knows it, where that draws it; else 0
    sent        what tells the terminal the image; "" until it is there
    problem     why it could not be decoded, inert; "" as long as it could
    """

    __slots__ = ("cells", "flat", "number", "problem", "rows", "said", "sent", "size")

    def __init__(self, said: str, cells: int, rows: int, size: tuple[int, int], number: int = 0) -> None:
        self.said = said
        self.cells = cells
        self.rows = rows
        self.size = size
        self.number = number
        self.flat: Mapping[str, bytes] | None = None
        self.sent = ""
        self.problem = ""

    @property
    def is_done(self) -> bool:
        """Whether it can be drawn."""
        return self.flat is not None or bool(self.sent)


class ImageLine(DocumentLine):
    """One line of an image; blank until the image is decoded."""

    __slots__ = ("drawing", "row")

    def __init__(self, drawing: Drawing, row: int) -> None:
        super().__init__("", "text")
        self.drawing = drawing
        self.row = row

    def spans_over(self, background: str) -> Line:
        """The line as it is drawn over a colour, `#rrggbb`."""
        drawing = self.drawing
        if drawing.flat is not None:
            return half_blocks(drawing.flat[background], drawing.size[0], self.row)
        if drawing.sent:
            return [(cells_of(self.row, drawing.cells), style_of(drawing.number))]
        return []


def half_blocks(flat: bytes, width: int, row: int) -> Line:
    """Two rows of pixels as one line: the upper one in the colour of a half block, the lower one behind it.

    :param flat: three bytes a pixel, `width` pixels a row. Below the last of an odd number of rows is
        nothing.
    """
    stride = 3 * width
    begin = 2 * row * stride
    upper, lower = flat[begin : begin + stride].hex(), flat[begin + stride : begin + 2 * stride].hex()
    line: Line = []
    last, count = "", 0
    for at in range(0, 6 * width, 6):
        style = f"#{upper[at : at + 6]} #{lower[at : at + 6]}" if lower else f"#{upper[at : at + 6]}"
        if style == last:
            count += 1
            continue
        if count:
            line.append((UPPER * count, last))
        last, count = style, 1
    line.append((UPPER * count, last))
    return line


def told_why(reason: str, cells: int) -> list[DocumentLine]:
    """The lines that stand in place of an image. `reason` need not be inert."""
    said = steady(one_line(f"not drawn: {reason}"))
    return [DocumentLine(piece, "warning") for piece in wrap(said, cells)]
