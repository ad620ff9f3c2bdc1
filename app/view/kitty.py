"""Images that the terminal itself draws: kitty's graphics protocol with Unicode placeholders.

The image is sent once, under a number. Where it is to be seen stand cells with one private character each;
marks above it say which row and column of the image the cell shows, its colour says which image. So it moves,
is cut and is covered as any other text is, and no cursor has to be placed. What is told never asks for an
answer: that would arrive among the keys.
"""

from __future__ import annotations

import base64

CHUNK = 4096
"""Characters of base64 in one piece of what is sent, at most."""
FIRST_NUMBER, NUMBERS = 16, 240
"""Images go by the colours of a palette of 256, which terminals of any number of colours keep apart, less
those that the user's theme may give other values."""
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
    ends = ([int(end, 16) for end in each.split("-")] for each in _RANGES.split())
    return "".join(chr(code) for each in ends for code in range(each[0], each[-1] + 1))


MARKS = _marks()
MOST_CELLS = len(MARKS)
"""No image can be wider or higher, in cells."""


def cells_of(row: int, count: int) -> str:
    """The first `count` cells of a row of an image, each with its own place, so that any may be covered."""
    above = _PLACEHOLDER + MARKS[row]
    return "".join(above + MARKS[column] for column in range(count))


def style_of(number: int) -> str:
    """The style of the cells of an image."""
    return f"color({number})"


def telling(number: int, png: bytes, cells: int, rows: int) -> str:
    """What tells the terminal an image, and that it is drawn, with its shape kept, in so many cells wherever
    placeholders for it stand.
    """
    data = base64.b64encode(png).decode()
    head = f"a=T,U=1,q=2,f=100,i={number},c={cells},r={rows},"
    pieces = []
    for begin in range(0, len(data), CHUNK):
        more = int(begin + CHUNK < len(data))
        pieces.append(f"\x1b_G{head}m={more};{data[begin : begin + CHUNK]}\x1b\\")
        head = "q=2,"
    return "".join(pieces)


def forgetting(number: int) -> str:
    """What makes the terminal forget an image."""
    return f"\x1b_Ga=d,d=I,q=2,i={number}\x1b\\"
