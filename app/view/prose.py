"""Light Markdown: enough to read by, cheap enough to do by the line. The marks stay on the screen, so
nothing of a text is lost and nothing is told by colour alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.view.line import Line

# what stands inside a line is looked for over so many characters: one mark that nothing closes must not cost
# more than that
FAR = 200
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
STYLES = {"struck": "dim"}


class LineKind:
    """What the lines so far opened: the fence a code block must be closed with, or nothing."""

    __slots__ = ("fence",)

    def __init__(self) -> None:
        self.fence = ""

    def opens(self, stripped: str) -> str | None:
        """What a fence says about its code, if this line opens one. It is remembered."""
        found = _FENCE.match(stripped) if stripped.startswith(("```", "~~~")) else None
        if found is None:
            return None
        self.fence = found[1]
        return found[2].strip()

    def closes(self, stripped: str) -> bool:
        """Whether this line closes the fence that is open."""
        mark = stripped.rstrip(" ")
        if len(mark) < len(self.fence) or mark.strip(self.fence[0]):
            return False
        self.fence = ""
        return True


def mark_line(text: str, kind: LineKind) -> str:
    """The style of a whole line of prose: code, heading, quote or text. ``kind`` remembers an open fence."""
    stripped = text.lstrip()
    if kind.fence:
        kind.closes(stripped)
        return "code"
    if kind.opens(stripped) is not None:
        return "code"
    if is_heading(stripped):
        return "heading"
    return "quote" if stripped.startswith(">") else "text"


def is_heading(stripped: str) -> bool:
    """Whether a line without blanks before it is a heading."""
    marks = len(stripped) - len(stripped.lstrip("#"))
    return 1 <= marks <= 6 and stripped[marks : marks + 1] == " "


def mark_prose(text: str, base: str = "text") -> Line:
    """A line of prose with what stands inside it marked: code, strong text, emphasis and links.

    :param base: the style of the rest.
    """
    if "://" not in text and _MARKS.isdisjoint(text):
        return [(text, base)] if text else []
    line: Line = []
    start = 0
    for found in _INLINE.finditer(text):
        begin = found.start()
        if begin > start:
            line.append((text[start:begin], base))
        start = found.end()
        kind = found.lastgroup or ""
        if kind == "target":
            line += [(found["named"], "link"), (found["target"], "dim")]
        else:
            line.append((found[0], STYLES.get(kind, kind)))
    if start < len(text):
        line.append((text[start:], base))
    return line
