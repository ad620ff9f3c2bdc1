"""A line of an entry, and the code that begins at one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.prose import mark_prose

if TYPE_CHECKING:
    from app.view.line import Line


class CodeBlock:
    """A piece of a text that one may want to copy: a fenced block, a command, the content of a file.

    name         what it is: the language of a fence, the name of an argument; "" where nothing tells
    begin, end   where it stands in the text; until its end is found, it reaches to the end of the text
    indent       blanks before each of its lines that are not part of it
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
    """One line on screen: inert text no wider than was asked for.

    style    of the text, where it has one style
    prose    whether what stands inside the line may be marked when it is drawn
    marked   the text in pieces with styles of their own; None: it has one style
    block    the code that begins here
    """

    __slots__ = ("block", "marked", "prose", "style", "text")

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

    @property
    def spans(self) -> Line:
        """The line as it is drawn."""
        if self.marked is not None:
            return self.marked
        return mark_prose(self.text, self.style) if self.prose else [(self.text, self.style)]


def marked_line(spans: Line, block: CodeBlock | None = None, style: str = "text") -> DocumentLine:
    """A line of pieces; most of it is in ``style``."""
    return DocumentLine("".join(text for text, _ in spans), style, marked=spans, block=block)
