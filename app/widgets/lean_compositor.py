"""A screen that draws of each widget what a change needs.

Textual 8.2.8 draws every widget that touches the box around all that changed: for a row of the list and a
line at the foot of the screen that is everything between them, several times for each key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import ColorSystem
from textual import events, on
from textual._compositor import Compositor, CompositorUpdate
from textual.geometry import Region
from textual.reactive import Reactive
from textual.screen import Screen
from textual.strip import Strip

from app.startup.key_order import leads_to_picture
from app.widgets.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.style import Style
    from textual.geometry import Size
    from textual.widget import Widget


class _Patches(CompositorUpdate):
    """Pieces of lines, each with the place of its first cell."""

    def __init__(self, patches: Iterable[tuple[int, int, Strip]]) -> None:
        self._patches = patches

    def render_segments(self, console: Console) -> str:
        """What puts them on the screen. A style that is on is not turned off and on again, as Textual does
        with each piece of text: where most is blank that is half of what the terminal has to read.
        """
        colours = console._color_system or ColorSystem.TRUECOLOR
        out: list[str] = []
        on = ""
        for x, y, strip in self._patches:
            out.append(f"\x1b[{y + 1};{x + 1}H")
            for text, style, _ in strip:
                wanted = ""
                if style is not None:
                    wanted = Strip.render_ansi(style, colours) if style._ansi is None else style._ansi
                if wanted != on:
                    out.append(f"\x1b[0;{wanted}m" if wanted else "\x1b[0m")
                    on = wanted
                out.append(text if style is None or not style._link else _linked(text, style))
        if on:
            out.append("\x1b[0m")
        return "".join(out)


class LeanCompositor(Compositor):
    """Textual's own, but for what it draws anew when a part of the screen changed."""

    def render_partial_update(self) -> _Patches | None:  # type: ignore[override]  # whoever asks writes it
        regions = {each.intersection(self.size.region) for each in self._dirty_regions}
        self._dirty_regions.clear()
        changed = [each for each in regions if not any(_is_within(each, other) for other in regions)]
        patches: list[tuple[int, int, Strip]] = []
        # those in front come first
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            behind: list[Region] = []
            for each in changed:
                part = each.intersection(shown)
                if not part:
                    behind.append(each)
                    continue
                strips = widget.render_lines(part.translate(-region.offset))
                patches += [(part.x, y, strip) for y, strip in zip(part.line_range, strips, strict=False)]
                behind += _around(part, each)
            changed = behind
        return _Patches(patches) if patches else None


def _linked(text: str, style: Style) -> str:
    return f"\x1b]8;id={style._link_id};{style._link}\x1b\\{text}\x1b]8;;\x1b\\"


def _is_within(one: Region, other: Region) -> bool:
    return one != other and other.contains_region(one)


def _around(part: Region, whole: Region) -> list[Region]:
    """What is left of a region without a part of it."""
    above = Region(whole.x, whole.y, whole.width, part.y - whole.y)
    below = Region(whole.x, part.bottom, whole.width, whole.bottom - part.bottom)
    before = Region(whole.x, part.y, part.x - whole.x, part.height)
    after = Region(part.right, part.y, whole.right - part.right, part.height)
    return [each for each in (above, below, before, after) if each]


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
        self._pace: Pace | None = None

    @property
    def _update_timer(self) -> Pace:
        if self._pace is None:
            self._pace = Pace(self, self._on_timer_update)
        return self._pace

    def hurry(self) -> None:
        """A key was pressed: what it leads to is painted at once."""
        self._update_timer.hurry()

    def _screen_resized(self, size: Size) -> None:
        # Of its first size it is told twice more, by the picture of that.
        if size != self._compositor.size:
            super()._screen_resized(size)

    def _compositor_refresh(self) -> None:
        # The first rows stand there already: another picture of them would only hold up the keys.
        if not leads_to_picture(self.app):
            super()._compositor_refresh()

    def _on_timer_update(self) -> None:
        if leads_to_picture(self.app):
            self._update_timer.pause()
            return
        if self._layout_required and self._repaint_required:
            # one picture, and not one of what has moved and then one of everything
            self._repaint_required = False
            self._compositor._dirty_regions.add(self._compositor.size.region)
        super()._on_timer_update()

    @on(events.ScreenResume)
    def _comes_up(self, event: events.ScreenResume) -> None:
        # at first every widget has just been given its styles
        event.refresh_styles = event.refresh_styles and self._has_been_shown
        self._has_been_shown = True
