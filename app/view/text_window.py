"""Parts of a text that is too long to be shown whole: its first lines, and the text around a match."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.utf8_text import fold

AROUND = 600
"""Characters shown before and behind a match, in a text that is not shown whole."""
LINE_OF_TEXT = 400
"""Characters that count as one line; a longer line counts as several."""
_CHUNK = 64 << 10


def find_words(text: str, words: Sequence[str]) -> int:
    """The offset of the first occurrence of the longest of the words, in characters; -1 if none occurs.

    The text is searched in parts, because folding many megabytes at once would block the screen.
    """
    for word in sorted(words, key=len, reverse=True):
        step = max(_CHUNK, 4 * len(word))
        for begin in range(0, len(text), step):
            part = text[begin : begin + step + len(word)]
            folded = fold(part)
            position = folded.find(word)
            if position >= 0:
                return begin + (position if len(folded) == len(part) else _unfolded(part, position))
    return -1


def _unfolded(text: str, position: int) -> int:
    """The offset in a text of an offset in its folded form, which may be longer."""
    for index, char in enumerate(text):
        position -= len(fold(char))
        if position < 0:
            return index
    return len(text)


def end_of_first_lines(text: str, most: int) -> int:
    """The end of the first lines of a text; a short rest is included."""
    position = 0
    for _ in range(most):
        end = text.find("\n", position, position + LINE_OF_TEXT)
        if end < 0:
            position = min(len(text), position + LINE_OF_TEXT)
            break
        position = end + 1
    is_rest_short = len(text) - position <= LINE_OF_TEXT and text.find("\n", position) < 0
    return len(text) if is_rest_short else position


def context_range(text: str, offset: int) -> tuple[int, int]:
    """(begin, end) of the text around an offset, in whole lines if they are short."""
    return line_begin(text, max(0, offset - AROUND)), line_end(text, min(len(text), offset + AROUND))


def line_begin(text: str, offset: int) -> int:
    """The beginning of the line at an offset; the offset itself if that is far."""
    if offset <= 0:
        return 0
    newline = text.rfind("\n", max(0, offset - LINE_OF_TEXT), offset)
    return newline + 1 if newline >= 0 else offset


def line_end(text: str, offset: int) -> int:
    """The end of the line at an offset, with its LF; the offset itself if that is far."""
    newline = text.find("\n", offset, offset + LINE_OF_TEXT)
    return newline + 1 if newline >= 0 else min(offset, len(text))
