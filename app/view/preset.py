"""The two presets of the screen with the sessions: the browser and the selector."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from app.view.geometry import (
    FOOTER,
    PANES,
    TALL_FROM,
    USUAL,
    Box,
    PaneLayout,
    Sizes,
    has_heads,
    place,
    place_selector,
)

if TYPE_CHECKING:
    from app.commands import Command


class Preset(NamedTuple):
    """The data in which the browser and the selector differ.

    title         the first word of the list's title; `search_title`: while there is a query
    scope         the scope of the first arrangement, and whether it is `grouped`
    has_header    a tall screen has a header
    keeps_box     the search line is always shown. Enter in it resumes, Esc leaves, and Tab changes the scope
    focus         the id of the widget that has the focus first
    place         the places of the panes: columns and lines of the screen, the focused pane, the sizes that
                  the user has chosen, and whether only the focused pane is shown
    help_of       the description of a command; "" if it does nothing here
    """

    title: str
    search_title: str
    scope: str
    grouped: bool
    has_header: bool
    keeps_box: bool
    focus: str
    place: Callable[[int, int, str, Sizes, bool], PaneLayout]
    help_of: Callable[[Command], str]

    def place_alone(self, columns: int, lines: int) -> PaneLayout:
        """The places of a screen without any session: the list's pane alone."""
        header = lines >= TALL_FROM and self.has_header
        box = Box(0, int(header), columns, max(2, lines - header - FOOTER))
        return PaneLayout({PANES[0]: box}, -1, header=header, closing=False)

    def list_lines(self, columns: int, lines: int, sizes: Sizes = USUAL) -> int:
        """The number of lines for sessions while the list has the focus."""
        places = self.place(columns, lines, PANES[0], sizes, False)
        height = places.boxes[PANES[0]].height
        return max(1, height - 1 - self.keeps_box - has_heads(height))


BROWSER = Preset(
    title="Sessions",
    search_title="Search",
    scope="all",
    grouped=True,
    has_header=True,
    keeps_box=False,
    focus="sessions",
    place=place,
    help_of=lambda command: command.help,
)
# One list of this folder, as in pi.
SELECTOR = Preset(
    title="Resume",
    search_title="Resume",
    scope="here",
    grouped=False,
    has_header=False,
    keeps_box=True,
    focus="filter",
    place=lambda columns, lines, focus, sizes, zoomed: place_selector(columns, lines),
    help_of=lambda command: command.selector,
)
