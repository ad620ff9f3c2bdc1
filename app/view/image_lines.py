"""Images as lines: in half blocks, or as placeholders of kitty's graphics protocol.

A half block shows two pixels in a cell. Its colours are styles of their own, `#rrggbb #rrggbb` for the
character and its background, because no theme names the colours of an image.

For kitty's protocol, an image is sent once, under a number. Cells with one private character each show it:
marks above the character give the row and column of the image, and its colour gives the number of the image.
Thus an image moves, is cut and is covered like any other text, and no cursor has to be placed. No command
asks for an answer, because an answer would arrive among the keys.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from app.formats.text import one_line
from app.view.cells import stable_width
from app.view.document_line import DocumentLine, own_line
from app.view.line import Line, wrap

MOST_ROWS = 40
"""Most lines of an image, however high the pane is."""
UPPER = "▀"


def fit_size(width: int, height: int, across: int, down: int) -> tuple[int, int]:
    """The largest size of an image of `width` by `height` that fits `across` by `down`, with its shape kept.
    It is not enlarged, and has at least one pixel each way.
    """
    scale = min(1.0, across / width, down / height)
    return max(1, min(across, round(width * scale))), max(1, min(down, round(height * scale)))


class Drawing:
    """An image that is being drawn: its place is known before it is decoded.

    description  its description in the file; "" if it is shown elsewhere
    cells       the width of its lines; `rows`: the number of its lines
    size        the size in pixels to which it is decoded
    flat        the pixels, three bytes each, by the background that shines through; None until it is decoded
    number      its number in the terminal if the terminal draws it, else 0
    sent        the sequence that transmits the image; "" until it is decoded
    problem     why it could not be decoded, inert; "" for no problem
    """

    __slots__ = ("cells", "description", "flat", "number", "problem", "rows", "sent", "size")

    def __init__(
        self, description: str, cells: int, rows: int, size: tuple[int, int], number: int = 0
    ) -> None:
        self.description = description
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
        super().__init__([])
        self.drawing = drawing
        self.row = row

    def spans_over(self, background: str) -> Line:
        """The line as it is drawn over a colour, `#rrggbb`."""
        drawing = self.drawing
        if drawing.flat is not None:
            return half_blocks(drawing.flat[background], drawing.size[0], self.row)
        if drawing.sent:
            return [(placeholder_cells(self.row, drawing.cells), f"color({drawing.number})")]
        return []


def half_blocks(flat: bytes, width: int, row: int) -> Line:
    """Two rows of pixels as one line: the upper one in the colour of a half block, the lower one behind it.

    :param flat: three bytes a pixel, `width` pixels a row. If the number of rows is odd, the last line has
        no lower pixels.
    """
    stride = 3 * width
    begin = 2 * row * stride
    upper, lower = flat[begin : begin + stride].hex(), flat[begin + stride : begin + 2 * stride].hex()
    line: Line = []
    last, count = "", 0
    for offset in range(0, 6 * width, 6):
        above, below = upper[offset : offset + 6], lower[offset : offset + 6]
        style = f"#{above} #{below}" if below else f"#{above}"
        if style == last:
            count += 1
            continue
        if count:
            line.append((UPPER * count, last))
        last, count = style, 1
    line.append((UPPER * count, last))
    return line


def problem_lines(reason: str, cells: int) -> list[DocumentLine]:
    """The lines in place of an image that is not drawn. `reason` need not be inert."""
    message = stable_width(one_line(f"not drawn: {reason}"))
    return [own_line(piece, "warning") for piece in wrap(message, cells)]


CHUNK = 4096
"""Most characters of base64 in one piece of a transmission."""
FIRST_NUMBER, NUMBERS = 16, 240
"""The number of an image is a colour of the palette of 256, which terminals with any number of colours
distinguish. The first sixteen colours are left out, because the user's theme may change them.
"""
_PLACEHOLDER = "\U0010eeee"
# the protocol's marks, in its order: of combining class 230 and without a decomposition in Unicode 6
_RANGES = (
    "305 30D-30E 310 312 33D-33F 346 34A-34C 350-352 357 35B 363-36F 483-487 592-595 597-599 59C-5A1 5A8-5A9 "
    "5AB-5AC 5AF 5C4 610-617 657-65B 65D-65E 6D6-6DC 6DF-6E2 6E4 6E7-6E8 6EB-6EC 730 732-733 735-736 73A 73D "
    "73F-741 743 745 747 749-74A 7EB-7F1 7F3 816-819 81B-823 825-827 829-82D 951 953-954 F82-F83 F86-F87 "
    "135D-135F 17DD 193A 1A17 1A75-1A7C 1B6B 1B6D-1B73 1CD0-1CD2 1CDA-1CDB 1CE0 1DC0-1DC1 1DC3-1DC9 "
    "1DCB-1DCC 1DD1-1DE6 1DFE 20D0-20D1 20D4-20D7 20DB-20DC 20E1 20E7 20E9 20F0 2CEF-2CF1 "
    "2DE0-2DFF A66F A67C-A67D A6F0-A6F1 A8E0-A8F1"
)


def _marks() -> str:
    ranges = ([int(end, 16) for end in codes.split("-")] for codes in _RANGES.split())
    return "".join(chr(code) for ends in ranges for code in range(ends[0], ends[-1] + 1))


MARKS = _marks()
MOST_CELLS = len(MARKS)
"""Most cells of an image in width and in height."""


def placeholder_cells(row: int, count: int) -> str:
    """The first `count` cells of a row of an image. Each has its own place, so that any may be covered."""
    above = _PLACEHOLDER + MARKS[row]
    return "".join(above + MARKS[column] for column in range(count))


def transmit(number: int, png: bytes, cells: int, rows: int) -> str:
    """The sequence that transmits an image, to be drawn with its shape kept in ``cells`` by ``rows`` at each
    of its placeholders.
    """
    data = base64.b64encode(png).decode()
    head = f"a=T,U=1,q=2,f=100,i={number},c={cells},r={rows},"
    pieces = []
    for begin in range(0, len(data), CHUNK):
        more = int(begin + CHUNK < len(data))
        pieces.append(f"\x1b_G{head}m={more};{data[begin : begin + CHUNK]}\x1b\\")
        head = "q=2,"
    return "".join(pieces)


def delete_command(number: int) -> str:
    """The sequence that deletes an image from the terminal."""
    return f"\x1b_Ga=d,d=I,q=2,i={number}\x1b\\"
