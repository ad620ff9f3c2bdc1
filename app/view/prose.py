"""Light Markdown: enough to read by, cheap enough to do by the line (TEXTUAL 3: the real thing stalls the
screen).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.view.line import Line

FENCES = ("```", "~~~")
MARKERS = (("**", "bold"), ("__", "bold"), ("`", "code"))


class LineKind:
    """What the lines so far opened: the fence a code block must be closed with, or nothing."""

    __slots__ = ("fence",)

    def __init__(self) -> None:
        self.fence = ""


def mark_line(text: str, kind: LineKind) -> str:
    """The style of a whole line of prose: code, heading, quote or text. ``kind`` remembers an open fence."""
    stripped = text.lstrip()
    if kind.fence:
        if stripped.startswith(kind.fence) and not stripped.strip(kind.fence[0] + " "):
            kind.fence = ""
        return "code"
    if stripped.startswith(FENCES):
        kind.fence = stripped[:3]
        return "code"
    marks = len(stripped) - len(stripped.lstrip("#"))
    if 1 <= marks <= 6 and stripped[marks : marks + 1] == " ":
        return "heading"
    if stripped.startswith(">"):
        return "quote"
    return "text"


def mark_prose(text: str) -> Line:
    """A line of prose with inline code and strong text marked; the marks stay, so nothing of the text is
    lost.
    """
    line: Line = []
    start = at = 0
    while at < len(text):
        marked = _marked(text, at)
        if marked is None:
            at += 1
            continue
        end, style = marked
        if at > start:
            line.append((text[start:at], "text"))
        line.append((text[at:end], style))
        start = at = end
    if start < len(text):
        line.append((text[start:], "text"))
    return line


def _marked(text: str, at: int) -> tuple[int, str] | None:
    """Where the marked piece that begins at ``at`` ends, and its style."""
    for marker, style in MARKERS:
        if text.startswith(marker, at):
            end = text.find(marker, at + len(marker))
            if end > at + len(marker):
                return end + len(marker), style
    return None
