"""Marking what a filter matched."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.view.line import Line


def highlight(text: str, words: Sequence[str], style: str, match: str = "match") -> Line:
    """``text`` as pieces in ``style``, with every place where one of ``words`` stands in ``match``.

    ``words`` are casefolded. Where folding changes the length of the text nothing is marked: a wrong mark is
    worse than none.
    """
    folded = text.casefold()
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
    for at in range(1, len(text) + 1):
        if at == len(text) or marked[at] != marked[begin]:
            line.append((text[begin:at], match if marked[begin] else style))
            begin = at
    return line
