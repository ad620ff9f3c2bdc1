"""The whole screen in other characters, for terminals that do not draw all there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.filter import LineFilter

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.color import Color


class AsciiFilter(LineFilter):
    """Spells what is drawn."""

    def __init__(self, spell: Callable[[str], str]) -> None:
        """:param spell: gets text that is no ASCII, and gives another of as many cells."""
        super().__init__()
        self._spell = spell

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(self._spell(segment.text), segment.style)
            for segment in segments
        ]
