"""Each use of Textual's private state has the effect that leafmark needs, and Textual still lacks it."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from app.widgets.textual_internals import (
    CrashApp,
    FirstPictureScreen,
    LineScroll,
    scroll_to_first_text,
    show_suggestion,
    write_to_terminal,
)
from tests.ui.conftest import forward

pytestmark = pytest.mark.usefixtures("every_frame")


class OneWidget(App):
    """An application with one widget, which has the focus."""

    def __init__(self, widget):
        super().__init__()
        self.widget = widget

    def compose(self):
        yield self.widget

    def on_mount(self):
        self.widget.focus()


@pytest.fixture
def layouts(monkeypatch):
    """A list with one item for each layout of a screen."""
    done = []
    refresh = Screen._refresh_layout

    def counted(screen, *arguments, **options):
        done.append(screen)
        refresh(screen, *arguments, **options)

    monkeypatch.setattr(Screen, "_refresh_layout", counted)
    return done


async def test_a_crash_is_reported_in_place_of_the_values_of_variables(capsys):
    class Crashing(CrashApp[None]):
        reported = 0

        def on_mount(self):
            secret = "text of a session"
            raise RuntimeError(len(secret))

        def report_crash(self):
            self.reported += 1

    app = Crashing()
    with pytest.raises(RuntimeError):
        async with app.run_test():
            pass
    assert app.reported == 1
    assert "text of a session" not in "".join(capsys.readouterr())


async def layouts_of(base, layouts):
    """The number of layouts until a screen is shown."""

    class OneScreen(App):
        def get_default_screen(self):
            return base()

    layouts.clear()
    async with OneScreen().run_test() as pilot:
        await pilot.pause()
    return len(layouts)


async def test_two_layouts_for_the_first_size_are_left_out(layouts):
    assert await layouts_of(FirstPictureScreen, layouts) <= await layouts_of(Screen, layouts) - 2


class Keys:
    """A queue of keys that holds the first picture until it is told not to."""

    leads_to_picture = True


async def test_the_first_picture_waits_for_the_keys_before_it(monkeypatch):
    painted = []
    monkeypatch.setattr("app.widgets.textual_internals.leads_to_picture", lambda app: Keys.leads_to_picture)

    class Painted(FirstPictureScreen[None]):
        def render_lines(self, crop):
            painted.append(crop)
            return super().render_lines(crop)

    class OneScreen(App):
        def get_default_screen(self):
            return Painted()

    async with OneScreen().run_test() as pilot:
        await pilot.pause()
        assert painted == []
        monkeypatch.setattr(Keys, "leads_to_picture", False)
        pilot.app.screen.refresh()
        await pilot.pause()
        assert painted


class Lines(LineScroll):
    """Draws the number of each line."""

    heights = ()

    def size_changed(self):
        self.heights = (*self.heights, self.size.height)

    def render_line(self, y):
        return Strip.blank(self.size.width)


async def test_the_height_of_a_list_changes_without_a_layout(layouts):
    app = OneWidget(Lines())
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        layouts.clear()
        app.widget.set_height(100)
        assert app.widget.show_vertical_scrollbar
        assert app.widget.vertical_scrollbar.window_virtual_size == 100
        app.widget.scroll_to(y=90, animate=False, force=True, immediate=True)
        assert app.widget.scroll_offset.y == 90
        app.widget.set_height(50)
        assert app.widget.scroll_offset.y == 40


async def test_a_list_knows_its_new_size_before_it_is_drawn():
    drawn = []

    class Drawn(Lines):
        def render_line(self, y):
            drawn.append((self.size.height, self.heights[-1:]))
            return super().render_line(y)

    app = OneWidget(Drawn())
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.resize_terminal(40, 20)
        await pilot.pause()
    assert drawn
    assert all(known == (height,) for height, known in drawn)


@pytest.mark.parametrize("is_asked", [True, False])
async def test_an_input_scrolls_to_the_end_of_its_first_text(is_asked):
    app = OneWidget(Input())
    async with app.run_test(size=(40, 5)) as pilot:
        if is_asked:
            scroll_to_first_text(app.widget)
        app.widget.insert("x" * 200, 0)
        await pilot.pause()
        assert (app.widget.scroll_offset.x > 0) == is_asked


async def test_a_suggestion_is_behind_the_cursor_until_the_text_changes():
    app = OneWidget(Input())
    async with app.run_test(size=(40, 5)) as pilot:
        await pilot.press("a", "b")
        show_suggestion(app.widget, "abcdef")
        await pilot.pause()
        assert "abcdef" in app.widget.render_line(0).text
        await pilot.press("x")
        assert "cdef" not in app.widget.render_line(0).text


async def test_control_sequences_reach_the_driver(monkeypatch):
    app = OneWidget(Widget())
    written = []
    async with app.run_test():
        write_to_terminal(app, "\x1b[0m")
        monkeypatch.setattr(type(app._driver), "write", lambda driver, text: written.append(text))
        write_to_terminal(app, "\x1b[1m")
        write_to_terminal(app, "")
    assert written[:1] == ["\x1b[1m"]
    assert "" not in written


def mouse(kind, x, y):
    """An event of the left button."""
    return kind(None, x, y, 0, 0, 1, False, False, False, screen_x=x, screen_y=y)


async def test_a_press_and_moves_that_arrive_together_are_a_drag(browser, three, tree_shown):
    async with browser() as ui:
        places = ui.screen.pane_layout
        y = places.boxes["transcript"].y
        for kind, row in ((events.MouseDown, y), (events.MouseMove, y - 3), (events.MouseUp, y - 4)):
            forward(ui, mouse(kind, 100, row))
        await ui.until(lambda: ui.screen.pane_layout.boxes["transcript"].y == y - 4, "the new place")
        for kind, column in ((events.MouseDown, places.divider), (events.MouseUp, 70)):
            forward(ui, mouse(kind, column, 10))
        await ui.until(lambda: ui.screen.pane_layout.divider == 70, "the new place")
        assert ui.app.mouse_captured is None
