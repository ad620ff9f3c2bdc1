"""A line of styled text, independent of any screen: pieces of text, each with the name of a style.

`app.view.palette` gives the look of each style. The text of a piece is inert and has no newline. The
functions measure, cut, wrap and highlight lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.formats.utf8_text import fold
from app.view.cells import ELLIPSIS, cut, graphemes, max_width, shorten, stable_width, width

Ranges = tuple[tuple[int, int], ...]


Span = tuple[str, str]
Line = list[Span]


def line_width(line: Iterable[Span]) -> int:
    """Cells that the line takes."""
    return sum(width(text) for text, _ in line)


def fit_line(line: Iterable[Span], cells: int) -> Line:
    """The line cut or padded to ``cells``. A cut line ends with an ellipsis and fits any terminal."""
    if cells <= 0:
        return []
    fitted: Line = []
    left = cells
    for text, style in line:
        if max_width(text) <= left:
            fitted.append((text, style))
            left -= width(text)
            continue
        while not left:
            # the ellipsis takes the last cell of the text that fitted
            text, style = fitted.pop()
            left = width(text)
        shortened = cut(text, left - 1) + ELLIPSIS
        fitted.append((shortened, style))
        left -= width(shortened)
        break
    if left > 0:
        fitted.append((" " * left, "text"))
    return fitted


def plain_text(line: Iterable[Span]) -> str:
    """The text of the line alone."""
    return "".join(text for text, _ in line)


def wrap(text: str, cells: int) -> Iterator[str]:
    """A line broken at spaces into pieces of at most ``cells``; a word that is longer is cut."""
    for begin, end in wrap_ranges(text, cells):
        yield text[begin:end]


def wrap_ranges(text: str, cells: int, hanging: int = 0) -> Iterator[tuple[int, int]]:
    """The ranges of the pieces of ``wrap``, as (begin, end).

    :param hanging: cells by which all pieces but the first are narrower.
    """
    size = len(text)
    if size * 2 <= cells or (text.isascii() and size <= cells):
        yield 0, size
        return
    begin = 0
    while begin < size:
        end = begin + len(cut(text[begin : begin + cells * 8 + 1], cells) or text[begin])
        piece = text[begin:end]
        if end < size and text[end] != " ":
            space = piece.rfind(" ")
            if space > 0 and piece[:space].strip():
                end = begin + space + 1
                piece = piece[: space + 1]
        yield begin, begin + len(piece.rstrip(" ")) if end < size else end
        begin = end
        if piece.strip():
            while begin < size and text[begin] == " ":
                begin += 1
        cells, hanging = max(1, cells - hanging), 0


def cut_ranges(text: str, cells: int) -> Iterator[tuple[int, int]]:
    """As `wrap_ranges`, but a line may be broken at any character, because every blank of code counts."""
    size = len(text)
    if size * 2 <= cells or (text.isascii() and size <= cells):
        yield 0, size
        return
    begin = 0
    while begin < size:
        end = begin + len(cut(text[begin : begin + cells * 8 + 1], cells) or text[begin])
        yield begin, end
        begin = end


def slice_line(line: Line, ranges: Iterator[tuple[int, int]]) -> Iterator[Line]:
    """The parts of a styled line in the given ranges of its text, which follow each other."""
    offset = first = 0
    for begin, end in ranges:
        part: Line = []
        while first < len(line):
            text, style = line[first]
            piece = text[max(0, begin - offset) : max(0, end - offset)]
            if piece:
                part.append((piece, style))
            if offset + len(text) > end:
                break
            offset += len(text)
            first += 1
        yield part


_MATCH = "match"


def highlight(text: str, words: Sequence[str], style: str) -> Line:
    """``text`` as pieces in ``style``, with every occurrence of one of ``words`` styled as a match.

    ``words`` are folded. Nothing is marked if folding changes the length of the text: a wrong mark is
    worse than none.
    """
    folded = fold(text)
    if not words or len(folded) != len(text):
        return [(text, style)]
    marked = bytearray(len(text))
    for word in words:
        start = folded.find(word)
        while word and start >= 0:
            marked[start : start + len(word)] = b"\x01" * len(word)
            start = folded.find(word, start + len(word))
    line: Line = []
    begin = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or marked[end] != marked[begin]:
            line.append((text[begin:end], _MATCH if marked[begin] else style))
            begin = end
    return line


def highlight_line(line: Line, words: Sequence[str]) -> Line:
    """As `highlight`, for a line that has styles already; a match may reach from one piece into the next."""
    text = "".join(piece for piece, _ in line)
    marked = highlight(text, words, "")
    if all(style != _MATCH for _, style in marked):
        return line
    highlighted: Line = []
    pieces = iter(marked)
    rest, kind = next(pieces)
    for piece, style in line:
        while piece:
            size = min(len(piece), len(rest))
            if size:
                highlighted.append((piece[:size], kind or style))
            piece, rest = piece[size:], rest[size:]
            if not rest:
                rest, kind = next(pieces, ("", ""))
    return highlighted


def excerpt(text: str, ranges: Sequence[tuple[int, int]], cells: int) -> tuple[str, Ranges]:
    """As much of an inert line as fits, around the first of its ranges.

    :param ranges: (start, end) of the matches in `text`, in characters, in order.
    :return: the text, with an ellipsis at cut ends, and its part of the ranges.
    """
    if max_width(text) <= cells:
        return text, tuple(ranges)
    begin = _excerpt_begin(text, *ranges[0], cells) if ranges else 0
    head = ELLIPSIS if begin else ""
    rest = head + text[begin:]
    shown = shorten(rest, cells)
    # the lengths may be equal although the text is cut: the ellipsis may replace one wide character
    last = len(shown) if shown == rest else len(shown) - len(ELLIPSIS)
    moved = len(head) - begin
    placed = [(max(start + moved, len(head)), min(end + moved, last)) for start, end in ranges]
    return shown, tuple((start, end) for start, end in placed if start < end)


def _excerpt_begin(text: str, start: int, end: int, cells: int) -> int:
    """The offset from which the match is in the middle, or at the start if it is too long for that."""
    if max_width(text[:end]) < cells:
        return 0
    room = max(0, cells - max_width(text[start:end])) // 2 - len(ELLIPSIS)
    begin = start
    for piece, _ in reversed(graphemes(text[:start])):
        room -= max_width(piece)
        if room < 0:
            break
        begin -= len(piece)
    return begin


def _divided(text: str, ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """The pieces of a text, and whether each is in one of the ranges, which are in order."""
    copied = 0
    for start, end in ranges:
        start = max(start, copied)
        if start < end:
            yield text[copied:start], False
            yield text[start:end], True
            copied = end
    yield text[copied:], False


def mark_pieces(text: str, ranges: Sequence[tuple[int, int]]) -> Line:
    """The text as dim pieces, with its ranges, which are in order, styled as matches. Each piece has
    the same width in every terminal.
    """
    pieces = _divided(text, ranges)
    return [(stable_width(piece), _MATCH if is_match else "dim") for piece, is_match in pieces if piece]


def mark_ranges(text: str, ranges: Sequence[tuple[int, int]], before: str, behind: str) -> str:
    """The text with `before` and `behind` around each of its ranges, which are in order."""
    pieces = _divided(text, ranges)
    return "".join(f"{before}{piece}{behind}" if is_match else piece for piece, is_match in pieces)
