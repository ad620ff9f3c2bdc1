"""Of each widget what changed is drawn, and the picture is the one that Textual would have made."""

from __future__ import annotations

import random

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from app.widgets.lean_compositor import LeanCompositor, _Patches
from tests.terminal import Emulator


class Lines(Widget):
    """Notes which lines it is asked for."""

    DEFAULT_CSS = "Lines { height: 1; } Lines#middle { height: 10; }"

    def __init__(self, id):
        super().__init__(id=id)
        self.asked = []

    def render_lines(self, crop):
        self.asked += crop.line_range
        return [Strip.blank(crop.width) for _ in crop.line_range]


class Small(Screen):
    def __init__(self):
        super().__init__()
        self._compositor = LeanCompositor()

    def compose(self):
        yield from (Lines("top"), Lines("middle"), Lines("bottom"))


class Program(App):
    def get_default_screen(self):
        return Small()


async def asked_for(*changes):
    """The lines that each widget is asked for after some of their regions have changed."""
    async with Program().run_test() as pilot:
        widgets = {widget.id: widget for widget in pilot.app.screen.query(Lines)}
        await pilot.pause()
        for widget in widgets.values():
            widget.asked.clear()
        for id, *regions in changes:
            widgets[id].refresh(*regions)
        await pilot.pause(0.1)
        return {id: widget.asked for id, widget in widgets.items()}


async def test_what_lies_between_two_changes_is_not_drawn():
    assert await asked_for(("top",), ("bottom",)) == {"top": [0], "middle": [], "bottom": [0]}


async def test_of_a_widget_the_lines_that_changed_are_drawn():
    assert await asked_for(("middle", Region(0, 3, 5, 2))) == {"top": [], "middle": [3, 4], "bottom": []}


async def test_where_it_changed_the_picture_is_textuals_and_nothing_is_painted_elsewhere(browser, three):
    rng = random.Random(5)
    async with browser() as it:
        compositor, console = it.screen._compositor, it.app.console
        assert isinstance(compositor, LeanCompositor)
        whole = cells(it.app.size, compositor.render_full_update().render_segments(console))
        width, height = it.app.size
        for _ in range(30):
            regions = {
                Region(x, y, rng.randint(1, width - x), rng.randint(1, min(6, height - y)))
                for x, y in [(rng.randrange(width), rng.randrange(height)) for _ in range(3)]
            }
            compositor._dirty_regions = set(regions)
            painted = cells(it.app.size, compositor.render_partial_update().render_segments(console))
            changed = {(x, y) for x, y in whole if any(each.contains(x, y) for each in regions)}
            assert painted == {place: whole[place] if place in changed else UNTOUCHED for place in whole}


def test_a_style_that_is_on_is_not_sent_again():
    red, link = Style(color="#ff0000"), Style(link="file:///x")
    patches = [
        (0, 0, Strip([Segment("a", red), Segment("b", red), Segment("c")])),
        (4, 1, Strip([Segment("d"), Segment("e", red)])),
        (4, 2, Strip([Segment("f", red), Segment("g", link)])),
    ]
    sent = _Patches(patches).render_segments(Console(color_system="truecolor"))
    on = "\x1b[0;38;2;255;0;0m"
    linked = f"\x1b]8;id={link.link_id};file:///x\x1b\\g\x1b]8;;\x1b\\"
    assert sent == f"\x1b[1;1H{on}ab\x1b[0mc\x1b[2;5Hd{on}e\x1b[3;5Hf\x1b[0m{linked}"


async def test_nothing_changed_paints_nothing(browser, three):
    async with browser() as it:
        it.screen._compositor._dirty_regions = set()
        assert it.screen._compositor.render_partial_update() is None


UNTOUCHED = Emulator(1, 1).screen.buffer[0][0]


def cells(size, data):
    """What a terminal shows that was blank, by place."""
    emulator = Emulator(*size)
    emulator.feed(data.encode())
    rows = emulator.screen.buffer
    return {(x, y): rows[y][x] for x in range(size.width) for y in range(size.height)}
