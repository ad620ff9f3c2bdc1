"""The whole of an entry as lines of a given width.

Text is made inert and wrapped piece by piece, so that a text of many megabytes neither stops the thread that
wraps it nor anything that waits for that thread. Markdown is marked by line (headings, fences, quotes); what
stands inside a line is marked when the line is drawn (``app.view.prose``).
"""

from __future__ import annotations

from app.formats.text import inert, one_line
from app.view.cells import steady
from app.view.prose import LineKind, mark_line
from app.view.wrapping import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.formats.parts import Part

CHUNK = 32_768
BATCH = 1_000
TITLED = {
    "thinking": "thinking",
    "tool_call": "tool call",
    "tool_result": "result",
    "image": "image",
    "error": "error",
}
PLAIN_STYLES = {"thinking": "thinking", "error": "error", "meta": "dim", "image": "dim"}


class DocumentLine:
    """One line on screen: inert text no wider than was asked for, its style, and whether prose may be
    marked in it.
    """

    __slots__ = ("prose", "style", "text")

    def __init__(self, text: str, style: str, prose: bool = False) -> None:
        self.text = text
        self.style = style
        self.prose = prose


def document(parts: Iterable[Part], cells: int) -> Iterator[list[DocumentLine]]:
    """The lines of an entry, in batches, so that the caller may rest between two of them.

    :param cells: how wide a line may be, at least 4.
    """
    cells = max(4, cells)
    batch: list[DocumentLine] = []
    first = True
    for part in parts:
        title = part.title or TITLED.get(part.kind, "")
        if not first and (title or part.kind in ("text", "meta")):
            batch.append(DocumentLine("", "text"))
        if title and part.kind != "meta":
            label = TITLED.get(part.kind, "")
            head = f"{label}: {part.title}" if part.title and label and part.title != label else title
            batch.append(DocumentLine(_section(head, cells), "section"))
        first = False
        for line in _lines(part, cells):
            batch.append(line)
            if len(batch) >= BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def _section(title: str, cells: int) -> str:
    return f"─ {one_line(title, max(1, cells - 4))} "[:cells]


def _lines(part: Part, cells: int) -> Iterator[DocumentLine]:
    prose = part.kind == "text"
    style = PLAIN_STYLES.get(part.kind, "text")
    kind = LineKind()
    for paragraph in paragraphs(part.text):
        line_style = mark_line(paragraph, kind) if prose else style
        marked = prose and line_style == "text"
        for piece in wrap(paragraph, cells):
            yield DocumentLine(piece, line_style, marked)


def paragraphs(text: str) -> Iterator[str]:
    """The lines of the text, inert; a huge one in pieces."""
    start, end = 0, len(text)
    while start <= end:
        stop = text.find("\n", start)
        if stop < 0:
            stop = last = end
        else:
            # a CRLF is one end of a line
            last = stop - 1 if text.startswith("\r", stop - 1, stop) else stop
        for at in range(start, max(last, start + 1), CHUNK):
            yield from steady(inert(text[at : min(at + CHUNK, last)])).split("\n")
        start = stop + 1
