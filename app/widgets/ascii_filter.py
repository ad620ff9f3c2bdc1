"""The whole screen in ASCII, for terminals that draw nothing else."""

from __future__ import annotations

from rich.segment import Segment
from textual.filter import LineFilter

from app.view.ascii_text import ascii_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.color import Color


class AsciiFilter(LineFilter):
    """Spells what is drawn in as many cells of ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(ascii_text(segment.text), segment.style)
            for segment in segments
        ]
