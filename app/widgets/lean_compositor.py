"""A screen that draws of each widget what a change needs.

Textual 8.2.8 draws every widget that touches the box around all that changed: for a row of the list and a
line at the foot of the screen that is everything between them, several times for each key.
"""

from __future__ import annotations

from textual import events, on
from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.reactive import Reactive
from textual.screen import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.strip import Strip
    from textual.widget import Widget


class LeanCompositor(Compositor):
    """Textual's own, but for what it draws anew when a part of the screen changed."""

    _changed: tuple[Region, ...] = ()

    def render_partial_update(self) -> ChopsUpdate | None:
        self._changed = tuple(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = ()

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        if not self._changed:
            yield from super()._get_renders(crop)
            return
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            touched = [each for each in self._changed if each.overlaps(shown)]
            if not touched:
                continue
            top = max(shown.y, min(each.y for each in touched))
            bottom = min(shown.bottom, max(each.bottom for each in touched))
            part = Region(shown.x, top, shown.width, bottom - top)
            yield part, clip, widget.render_lines(part.translate(-region.offset))


class LeanScreen(Screen[None]):
    """A screen of which widgets cover everything."""

    # What it would paint itself is worked out for every picture all the same, and a change of the focus would
    # paint everything.
    BLANK = True
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._compositor = LeanCompositor()
        self._has_been_shown = False

    @on(events.ScreenResume)
    def _comes_up(self, event: events.ScreenResume) -> None:
        # at first every widget has just been given its styles
        event.refresh_styles = event.refresh_styles and self._has_been_shown
        self._has_been_shown = True
