"""The lines of a document on screen, and the light Markdown inside a line.

The Markdown is enough to read by and cheap enough to do line by line. Its marks stay on the screen, so that
no text is lost and no meaning depends on colour alone. A text is made inert piece by piece: a text of many
megabytes blocks neither the thread that reads it nor the threads that wait for that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.formats.text import inert
from app.view.cells import stable_width
from app.view.line import Line

FAR = 200
"""Most characters of inline markup: a mark that is never closed costs a search of this length."""
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")
_INLINE = re.compile(
    rf"""
    (?P<code> (?<!`)(`{{1,3}})(?!`) .{{1,{FAR}}}? (?<!`)\2(?!`) )
  | (?P<bold>
        \*\*\*(?![\s*]) .{{1,{FAR}}}? (?<!\s)\*\*\*
      | \*\*(?![\s*]) .{{1,{FAR}}}? (?<!\s)\*\*
      | (?<!\w)__(?![\s_]) .{{1,{FAR}}}? (?<!\s)__(?!\w) )
  | (?P<emphasis>
        (?<![\w*])\*(?![\s*]) [^*]{{1,{FAR}}} (?<![\s*])\*(?![\w*])
      | (?<!\w)_(?![\s_]) [^_]{{1,{FAR}}} (?<![\s_])_(?!\w) )
  | (?P<struck> ~~(?![\s~]) [^~]{{1,{FAR}}} (?<!\s)~~ )
  | (?P<named> !?\[ [^\[\]]{{1,{FAR}}} \] ) (?P<target> \( [^\s()]{{1,{FAR}}} (?:\s"[^"]{{0,{FAR}}}")? \) )
  | (?P<link> (?<!\w)https?://[^\s<>"'`)\]|]{{1,{FAR}}} )
    """,
    re.VERBOSE,
)
_MARKS = frozenset("*_`~[")
_INLINE_STYLES = {"struck": "dim"}


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


def is_heading(stripped: str) -> bool:
    """Whether a line without blanks before it is a heading."""
    marks = len(stripped) - len(stripped.lstrip("#"))
    return 1 <= marks <= 6 and stripped[marks : marks + 1] == " "


def mark_prose(text: str, base: str = "text") -> Line:
    """A line of prose with its inline markup styled: code, strong text, emphasis and links.

    :param base: the style of the rest.
    """
    if "://" not in text and _MARKS.isdisjoint(text):
        return [(text, base)] if text else []
    line: Line = []
    start = 0
    for match in _INLINE.finditer(text):
        begin = match.start()
        if begin > start:
            line.append((text[start:begin], base))
        start = match.end()
        kind = match.lastgroup or ""
        if kind == "target":
            line += [(match["named"], "link"), (match["target"], "dim")]
        else:
            line.append((match[0], _INLINE_STYLES.get(kind, kind)))
    if start < len(text):
        line.append((text[start:], base))
    return line


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
    """One line on screen: inert text that fits the given width.

    style    the style of the text, if it has one style
    prose    whether inline markup is styled when the line is drawn
    marked   the text as pieces with styles of their own; None if it has one style
    block    the code block that begins here
    quotes   the text is the session's; a heading or a field's name is leafmark's own and never a hit
    """

    __slots__ = ("block", "marked", "prose", "quotes", "style", "text")

    def __init__(
        self,
        text: str,
        style: str,
        prose: bool = False,
        marked: Line | None = None,
        block: CodeBlock | None = None,
    ) -> None:
        self.text = text
        self.style = style
        self.prose = prose
        self.marked = marked
        self.block = block
        self.quotes = True

    @property
    def spans(self) -> Line:
        """The line as it is drawn."""
        if self.marked is not None:
            return self.marked
        return mark_prose(self.text, self.style) if self.prose else [(self.text, self.style)]


def styled_line(spans: Line, block: CodeBlock | None = None, style: str = "text") -> DocumentLine:
    """A line of pieces with their own styles; ``style`` is that of most of them."""
    return DocumentLine("".join(text for text, _ in spans), style, marked=spans, block=block)


def best_line(lines: Sequence[DocumentLine], words: Sequence[str]) -> int:
    """The index of the first line with the most of the words; -1 if no line has one."""
    best, most = -1, 0
    for index, line in enumerate(lines):
        text = line.text.casefold() if line.quotes else ""
        count = sum(word in text for word in words)
        if count > most:
            best, most = index, count
    return best


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
