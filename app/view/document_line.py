"""The lines of entries and transcripts on screen, and dividing a text into inert lines.

A text is made inert piece by piece: a text of many megabytes blocks neither the thread that reads it nor the
threads that wait for that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from app.formats.text import inert, one_line
from app.formats.utf8_text import fold
from app.view.cells import ELLIPSIS, cut, max_width, stable_width, width
from app.view.line import Line, highlight_line, line_width, plain_text

if TYPE_CHECKING:
    from app.formats.entry_parts import Part

MEASURE = 96
"""Most cells of a line of text: longer lines are hard to read."""
PAD = "  "
"""Before each line of a transcript."""

RAW, DETAILS = LOOKS = ("raw", "details")
"""Ways to look at an entry: its line in the file, or the table of its details with its text."""

_TITLED = {
    "thinking": "thinking",
    "tool_call": "tool call",
    "tool_result": "result",
    "diff": "diff",
    "image": "image",
    "error": "error",
}

_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")


class LineKind:
    """The state after the lines so far: the fence that ends the open code block; "" for none."""

    __slots__ = ("fence",)

    def __init__(self) -> None:
        self.fence = ""

    def opens(self, stripped: str) -> str | None:
        """The info string of a fence, if this line opens a code block; None if it does not. An open fence is
        remembered.
        """
        match = _FENCE.match(stripped) if stripped.startswith(("```", "~~~")) else None
        if match is None:
            return None
        self.fence = match[1]
        return match[2].strip()

    def closes(self, stripped: str) -> bool:
        """Whether this line closes the fence that is open."""
        mark = stripped.rstrip(" ")
        if len(mark) < len(self.fence) or mark.strip(self.fence[0]):
            return False
        self.fence = ""
        return True


class CodeBlock:
    """A part of a text that a user may want to copy: a fenced block, a command, the content of a file.

    name         the language of a fence, or the name of an argument; "" for none
    begin, end   the part as offsets in the text; until its end is found, it reaches to the end of the text
    indent       the number of blanks before each of its lines that do not belong to it
    """

    __slots__ = ("_text", "begin", "end", "indent", "name")

    def __init__(self, text: str, name: str = "", begin: int = 0, indent: int = 0):
        self._text = text
        self.name = name
        self.begin = begin
        self.end = len(text)
        self.indent = indent

    @property
    def source(self) -> str:
        """The code as it was written, with one newline at the end of each line."""
        code = self._text[self.begin : self.end].replace("\r\n", "\n").removesuffix("\r")
        if not self.indent:
            return code
        lines = code.split("\n")
        return "\n".join(line[min(self.indent, len(line) - len(line.lstrip(" "))) :] for line in lines)


class DocumentLine:
    """One line on screen: pieces of inert text.

    own      the number of first pieces that are leafmark's own: marks, names, numbers. They are no hits of a
             search, and they stay where they are while code is scrolled sideways
    scrolls  the other pieces are code: they may be wider than the pane, and scroll sideways
    block    the code block that begins here
    ground   the name of its background; "" for that of the pane
    right    the pieces at its right end, which are leafmark's own
    """

    __slots__ = ("block", "ground", "own", "right", "scrolls", "spans")

    def __init__(
        self,
        spans: Line,
        block: CodeBlock | None = None,
        *,
        own: int = 0,
        scrolls: bool = False,
        ground: str = "",
        right: Line | None = None,
    ) -> None:
        self.spans = spans
        self.block = block
        self.own = own
        self.scrolls = scrolls
        self.ground = ground
        self.right = right or []

    @property
    def text(self) -> str:
        """The whole text, but for that at the right end."""
        return plain_text(self.spans)

    @property
    def whole_text(self) -> str:
        """The text with that at the right end."""
        right = plain_text(self.right)
        return f"{self.text}  {right}" if right else self.text

    @property
    def session_text(self) -> str:
        """The text that is the session's."""
        return plain_text(self.spans[self.own :])

    def drawn(self, words: Sequence[str], shift: int) -> Line:
        """The line as it is drawn.

        :param words: folded words, which are highlighted in the text of the session.
        :param shift: cells by which code is scrolled to the left.
        """
        rest = highlight_line(self.spans[self.own :], words) if words else self.spans[self.own :]
        if shift and self.scrolls and rest:
            rest = [(ELLIPSIS, "dim"), *_without_first(rest, shift + 1)]
        return [*self.spans[: self.own], *rest]

    def overflow(self, cells: int) -> int:
        """The cells of code that a line of ``cells`` leaves out."""
        return max(0, max_width(self.text) - cells) if self.scrolls else 0

    def cells_before(self, words: Sequence[str]) -> int:
        """The cells before the first of the words in the text of the session; 0 if it has none of them."""
        text = self.session_text
        folded = fold(text)
        offsets = [offset for offset in map(folded.find, words) if offset >= 0]
        if not offsets or len(folded) != len(text):
            return 0
        return line_width(self.spans[: self.own]) + width(text[: min(offsets)])


def _without_first(line: Line, cells: int) -> Line:
    """The line without its first cells. Half of a wide character becomes a blank."""
    rest: Line = []
    for text, style in line:
        if cells > 0:
            size = width(text)
            if size <= cells:
                cells -= size
                continue
            begin = cut(text, cells)
            halves = cells - width(begin)
            text = text[len(begin) :]
            if halves:
                text = " " * max(0, width(text[:1]) - halves) + text[1:]
            cells = 0
        rest.append((text, style))
    return rest


def own_line(text: str, style: str = "dim") -> DocumentLine:
    """A line whose words are leafmark's own."""
    return DocumentLine([(text, style)] if text else [], own=1)


def text_line(text: str, style: str) -> DocumentLine:
    """A line of the session's text in one style."""
    return DocumentLine([(text, style)] if text else [])


def best_line(lines: Sequence[DocumentLine], words: Sequence[str]) -> int:
    """The index of the first line with the most of the words; -1 if no line has one."""
    best, most = -1, 0
    for index, line in enumerate(lines):
        text = fold(line.session_text)
        count = sum(word in text for word in words)
        if count > most:
            best, most = index, count
    return best


def next_shift(lines: Iterable[DocumentLine], cells: int, shift: int, step: int) -> int:
    """The cells by which code is scrolled sideways, after a step to the right (1) or to the left (-1).

    :param lines: those in view, each ``cells`` wide. The step is not longer than the longest of them needs.
    """
    if step < 0:
        return max(0, shift - cells // 2)
    most = max((line.overflow(cells) for line in lines), default=0)
    return max(shift, min(shift + cells // 2, most))


CHUNK = 32_768
"""Characters that are made inert at once."""


def paragraphs(text: str) -> Iterator[str]:
    """The lines of the text, inert. A huge line comes in pieces."""
    for begin, end in line_ranges(text):
        yield from inert_pieces(text, begin, end)


def line_ranges(text: str) -> Iterator[tuple[int, int]]:
    """The begin and the end of each line of the text; there is at least one line."""
    start, size = 0, len(text)
    while start <= size:
        stop = text.find("\n", start)
        if stop < 0:
            yield start, size
            return
        # a CRLF is one end of a line
        yield start, stop - 1 if stop > start and text[stop - 1] == "\r" else stop
        start = stop + 1


def inert_pieces(text: str, begin: int, end: int) -> list[str]:
    """The text from ``begin`` to ``end``, inert and of the same width in every terminal, in several pieces if
    it is huge or contains line separators.
    """
    pieces: list[str] = []
    for start in range(begin, max(end, begin + 1), CHUNK):
        pieces += stable_width(inert(text[start : min(start + CHUNK, end)])).split("\n")
    return pieces


def heading(part: Part) -> str:
    """The heading of a part, inert; "" for none."""
    label, title = _TITLED.get(part.kind, ""), one_line(part.title)
    if part.kind == "meta":
        return ""
    return f"{label}: {title}" if label and title and title != label else title or label
