"""All uses of Textual's private state outside `app.startup`, with the upstream change that would remove each.

The names are those of Textual 8.2.8, and `tests/ui/test_textual_internals.py` has a test of each use, which
fails if another version behaves differently.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from textual import events
from textual.app import App
from textual.geometry import Size
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget
from textual.widgets import Input

from app.startup.key_order import leads_to_picture

Result = TypeVar("Result")


class CrashApp(App[Result], Generic[Result]):
    """An application that handles a fatal error itself.

    Textual prints the values of all variables, which may be texts of sessions. A public method that handles
    unexpected errors would replace this class.
    """

    def report_crash(self) -> None:
        """Report the exception that is being handled. The application then ends."""
        raise NotImplementedError

    def _fatal_error(self) -> None:
        self.report_crash()
        self._close_messages_no_wait()


class FirstPictureScreen(Screen[Result], Generic[Result]):
    """A screen that is painted first when the keys that were typed before have taken effect.

    Textual lays out a new screen three times for one size, and paints it as soon as it can. One layout for
    each size, and a public method that holds the first picture back, would replace this class.
    """

    def _screen_resized(self, size: Size) -> None:
        if size != self._compositor.size:
            super()._screen_resized(size)

    def _compositor_refresh(self) -> None:
        # The terminal shows the first frame meanwhile.
        if not leads_to_picture(self.app):
            super()._compositor_refresh()

    def _on_timer_update(self) -> None:
        if leads_to_picture(self.app):
            self._update_timer.pause()
        else:
            super()._on_timer_update()


class LineScroll(ScrollView):
    """A scrolled widget whose rows, height and scroll position change in one step."""

    def set_height(self, lines: int) -> None:
        """Set the number of lines that can be scrolled.

        The setter of `virtual_size` lays out the whole screen, although only the scrollbar depends on it. A
        setter without a layout would replace this method.
        """
        if self.virtual_size.height != lines:
            self.set_reactive(LineScroll.virtual_size, Size(0, lines))
            self._scroll_update(self.virtual_size)

    def size_changed(self) -> None:
        """Called before the first picture in a new size."""

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        # The Resize message comes after the first picture in the new size. Sending it before would replace
        # this method.
        is_changed = super()._size_updated(size, virtual_size, container_size, layout)
        if is_changed:
            self.size_changed()
        return is_changed


class DragHandle(Widget):
    """A widget that gets the mouse with the press of a button, if the press is on its handle.

    Textual sends a movement to the widget below the pointer unless the mouse is captured, and a widget can
    capture it only when it handles the press: a movement that arrives together with the press would go
    elsewhere. A hook that is called with the press would replace this class.
    """

    _drags = False

    def is_handle(self, screen_x: int, screen_y: int) -> bool:
        """Whether a cell of the screen belongs to the handle."""
        raise NotImplementedError

    def dragged_to(self, screen_x: int, screen_y: int, *, done: bool) -> None:
        """The handle was dragged to a cell of the screen.

        :param done: the button was released.
        """
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._drags = self.is_handle(event.screen_x, event.screen_y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drags:
            self.dragged_to(event.screen_x, event.screen_y, done=False)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._drags:
            self._drags = False
            self.release_mouse()
            self.dragged_to(event.screen_x, event.screen_y, done=True)

    def _forward_event(self, event: events.Event) -> None:
        if isinstance(event, events.MouseDown) and self.is_handle(event.screen_x, event.screen_y):
            self.capture_mouse()
        super()._forward_event(event)


def scroll_to_first_text(line: Input) -> None:
    """Have an input scroll to its cursor also when its first text is set; Textual does so for later texts. If
    it did so for the first one, this function would not be needed.
    """
    line._initial_value = False


def show_suggestion(line: Input, suggestion: str) -> None:
    """Show a text behind the cursor of an input.

    A `Suggester` is asked only when the value changes. A public attribute would replace this function.
    """
    if line._suggestion != suggestion:
        line._suggestion = suggestion


def write_to_terminal(app: App[Any], text: str) -> None:
    """Write control sequences to the terminal, in order with what Textual writes. A public method that does
    so would replace this function.
    """
    if app._driver is not None and text:
        app._driver.write(text)
