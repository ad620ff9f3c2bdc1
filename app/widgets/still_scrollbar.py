"""A scrollbar that is painted when it looks different, not whenever a number changes, and that is cheap to
paint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from textual.filter import ANSIToTruecolor
from textual.geometry import Size
from textual.reactive import Reactive
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

if TYPE_CHECKING:
    from textual.geometry import Region


class StillScrollBar(ScrollBar):
    """Beside a list that grows by the second the thumb moves by an eighth of a cell now and then; painting it
    would take Textual as long as painting the list.
    """

    # nothing is in it: no reason to lay out the whole screen once more when its height changes
    virtual_size = Reactive(Size(0, 0), layout=False)
    _shown: object = None
    _drawn: tuple[object, list[Strip]] = (None, [])

    def refresh(
        self, *regions: Any, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        if repaint and not layout and not recompose:
            look = self._look()
            if look == self._shown:
                return self
            self._shown = look
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        look = self._look()
        if look != self._drawn[0]:
            self._drawn = look, self._strips()
        strips = self._drawn[1][crop.y : crop.bottom]
        for each in self.get_line_filters():
            # all our colours are true ones
            if not isinstance(each, ANSIToTruecolor):
                background = self.background_colors[1]
                strips = [strip.apply_filter(each, background) for strip in strips]
        return strips

    def _look(self) -> object:
        """Where the thumb begins and ends, in eighths of a cell, and what its colours depend on."""
        cells, rows, shown = self.size.height, self.window_virtual_size, self.window_size
        state = (cells, self.app.theme, self.mouse_over, bool(self.grabbed))
        if not 0 < shown < rows:
            return state
        thumb = max(1.0, cells * shown / rows)
        start = int((cells - thumb) * self.position / (rows - shown) * 8)
        return *state, start, int(thumb * 8)

    def _strips(self) -> list[Strip]:
        """One for each line. There are five different ones at most, whatever the height."""
        bar = self.render()
        assert isinstance(bar, ScrollBarRender)
        style = self.app.console.get_style(bar.style)
        assert style.color is not None
        assert style.bgcolor is not None
        segments = bar.render_bar(
            size=self.size.height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=self.size.width,
            back_color=style.bgcolor,
            bar_color=style.color,
        ).segments
        strips = {segment: Strip([segment], self.size.width) for segment in set(segments)}
        return [strips[segment] for segment in segments]
