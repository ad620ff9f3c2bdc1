"""Places in a text of any length, looked for without going through more of it than is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

AROUND = 600
"""Characters on either side of what was found, in a text that is not shown whole."""
LINE_OF_TEXT = 400
"""Characters that count as one line where lines are counted: a longer line has several."""
_CHUNK = 64 << 10


def place_of(text: str, words: Sequence[str]) -> int:
    """Where the longest of the words first stands, in characters; -1 where none does.

    Looked for a part at a time: folding many megabytes at once would hold up the screen.
    """
    for word in sorted(words, key=len, reverse=True):
        step = max(_CHUNK, 4 * len(word))
        for begin in range(0, len(text), step):
            part = text[begin : begin + step + len(word)]
            folded = part.casefold()
            at = folded.find(word)
            if at >= 0:
                return begin + (at if len(folded) == len(part) else _unfolded(part, at))
    return -1


def _unfolded(text: str, at: int) -> int:
    """Which character of a text that folding makes longer stands at `at` of the folded one."""
    for place, char in enumerate(text):
        at -= len(char.casefold())
        if at < 0:
            return place
    return len(text)


def first_lines(text: str, most: int) -> int:
    """Where the first lines of a text end; a little more is shown rather than said to be left out."""
    at = 0
    for _ in range(most):
        end = text.find("\n", at, at + LINE_OF_TEXT)
        if end < 0:
            at = min(len(text), at + LINE_OF_TEXT)
            break
        at = end + 1
    is_little = len(text) - at <= LINE_OF_TEXT and text.find("\n", at) < 0
    return len(text) if is_little else at


def around(text: str, at: int) -> tuple[int, int]:
    """(begin, end) of what stands around a place, in whole lines where they are short."""
    return line_begin(text, max(0, at - AROUND)), line_end(text, min(len(text), at + AROUND))


def line_begin(text: str, at: int) -> int:
    """Where the line begins that `at` is in, unless that is far."""
    if at <= 0:
        return 0
    found = text.rfind("\n", max(0, at - LINE_OF_TEXT), at)
    return found + 1 if found >= 0 else at


def line_end(text: str, at: int) -> int:
    """Where the line ends that `at` is in, LF included, unless that is far."""
    found = text.find("\n", at, at + LINE_OF_TEXT)
    return found + 1 if found >= 0 else min(at, len(text))
