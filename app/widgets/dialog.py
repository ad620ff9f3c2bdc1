"""A dialog: a screen over another one, which is dimmed behind it; and a list of items in a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual import events, on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from app.keys import key_named
from app.theme import DIALOGS, styles_folder
from app.view.cells import cut, width
from app.view.line import fit_line
from app.view.session_row import POINTER
from app.view.status_messages import message_text
from app.widgets.line_list import LineList
from app.widgets.styling import with_images

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType
    from textual.geometry import Region
    from textual.strip import Strip

    from app.view.line import Line
    from app.view.status_messages import StatusMessage

Answer = TypeVar("Answer")
Item = TypeVar("Item")

BESIDE_KEYS = 6
"""Cells of the lower frame beside its keys: corner, dash and blank, twice."""
NARROW_BELOW = 60
"""Columns of a screen below which a dialog fills it, see the styles."""
SHORT_BELOW = 16
"""Lines of a screen below which a dialog has no blank lines, see the styles."""


class Dialog(ModalScreen[Answer], Generic[Answer]):
    """A dialog; its result is the answer."""

    CSS_PATH: ClassVar[Any] = styles_folder() / DIALOGS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "app.show_help", "Help", show=False),
        Binding("f2", "app.choose_theme", "Theme", show=False),
    ]
    # A dialog without a box leaves the bars below the panes in view.
    DEFAULT_CLASSES = "-box"
    # Textual declares this as an instance variable.
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "-narrow"), (NARROW_BELOW, "-wide")]
    VERTICAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "-short"), (SHORT_BELOW, "-high")]

    # The keys in the lower frame, None until they are known, and the message in their place; on the class,
    # which Textual makes in several ways.
    _frame_keys: str | None = None
    _message: StatusMessage | None = None

    def set_text(self, selector: str, text: str) -> None:
        """Show a text in a `Static`.

        :param text: inert.
        """
        self.query_one(selector, Static).update(Content(text))

    def set_keys(self, keys: str) -> None:
        """Set the keys in the lower frame.

        :param keys: inert.
        """
        self._frame_keys = keys
        self._show_keys_that_fit()

    def on_resize(self) -> None:
        # The frame has its width after the layout.
        self.call_after_refresh(self._show_keys_that_fit)

    @on(events.Click)
    def _press_clicked(self, event: events.Click) -> None:
        """Press the key of the hint that is clicked in the lower frame; beside the box, that which leaves."""
        boxes = self.query(".dialog")
        if not boxes or not self.has_class("-box"):
            return
        region = boxes.first().region
        if not region.contains(event.screen_x, event.screen_y):
            self._press("escape")
        elif event.screen_y == region.bottom - 1 and self._message is None:
            hints = str(boxes.first().border_subtitle or "")
            self._press(key_at(hints, event.screen_x - region.x - BESIDE_KEYS // 2))

    def line_clicked(self, selector: str, event: events.Click) -> int:
        """The line of a `Static` that is clicked; -1 for none."""
        region = self.query_one(selector).region
        return event.screen_y - region.y if region.contains(event.screen_x, event.screen_y) else -1

    def _press(self, key: str) -> None:
        if not key:
            return
        # Textual 8.2.8 stops a key at the screen that sends it, before the app looks for its binding.
        self.app.call_later(self.app.simulate_key, key)

    @property
    def room(self) -> int:
        """The lines that fit into the box: a dialog takes at most 96 % of a high screen, see the styles."""
        height = self.app.size.height
        return height - 2 if height < SHORT_BELOW else height * 96 // 100 - 4

    def _show_keys_that_fit(self) -> None:
        """Show the keys in the lower frame, unless a message is there."""
        boxes = self.query(".dialog")
        if not boxes or self._message is not None:
            return
        box = boxes.first()
        if self._frame_keys is None:
            self._frame_keys = str(box.border_subtitle or "")
        cells = box.outer_size.width - BESIDE_KEYS
        box.border_subtitle = Content(
            keys_that_fit(self._frame_keys, cells) if cells > 0 else self._frame_keys
        )

    def show_message(self, shown: StatusMessage | None) -> None:
        """Show a message in place of the keys in the lower frame; None shows the keys again."""
        boxes = self.query(".dialog")
        if not boxes:
            return
        box = boxes.first()
        if self._message is None and self._frame_keys is None:
            self._frame_keys = str(box.border_subtitle or "")
        self._message = shown
        cells = max(0, box.outer_size.width - BESIDE_KEYS)
        if shown is None:
            self._show_keys_that_fit()
        else:
            box.border_subtitle = Content(message_text(shown, cells))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines. Images of the screen below stay images; a second dialog would draw them as text."""
        return [with_images(line) for line in super().render_lines(crop)]


class DialogBox(Vertical):
    """The box of a dialog, with its title in the upper frame and its keys in the lower one."""

    def __init__(self, title: str, keys: str = "", *, classes: str = "") -> None:
        """:param title: inert; ``keys`` as well.
        :param classes: further classes.
        """
        super().__init__(classes=f"dialog {classes}")
        self.border_title = Content(title)
        self.border_subtitle = Content(keys)


def keys_that_fit(keys: str, cells: int) -> str:
    """As many keys as have room, each whole. The first one and the last one, which closes the dialog, stay.

    :param keys: keys with their labels, with two blanks between them.
    """
    shown = keys.split("  ")
    while len(shown) > 2 and width("  ".join(shown)) > cells:
        del shown[-2]
    return "  ".join(shown)


def key_at(keys: str, x: int) -> str:
    """The key of the hint at a cell; "" if there is none.

    :param keys: keys with their labels, with two blanks between them.
    """
    end = 0
    for hint in keys.split("  "):
        start, end = end, end + width(hint)
        if start <= x < end:
            clicked = hint[: len(cut(hint, x - start))].count(" ")
            names = [name for name in hint.split(" ")[:-1] if key_named(name)]
            return (key_named(names[min(clicked, len(names) - 1)]) or "") if names else ""
        end += 2
    return ""


class TextLines(LineList):
    """Lines of text, laid out for the width of the dialog; the keys scroll them."""

    is_text = True

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lay_out: Callable[[int], list[Line]] = lambda cells: []
        self._most: Callable[[], int] | None = None  # until something is shown, the styles give the height
        self._laid_out: list[Line] = []

    def show(self, lay_out: Callable[[int], list[Line]], most: Callable[[], int]) -> None:
        """Show other lines from their beginning.

        :param lay_out: gives the lines for a width in cells.
        :param most: gives the lines that the list is high at most; it is as high as it has lines.
        """
        self._lay_out, self._most = lay_out, most
        self._show_lines()
        self._scroll(0)

    def _show_lines(self) -> None:
        if self.size.width:
            self._laid_out = self._lay_out(self.scrollable_content_region.width)
            if self._most is not None:
                self.styles.height = min(len(self._laid_out), self._most())
        self.set_rows(len(self._laid_out), 0)

    def on_resize(self) -> None:
        self._show_lines()
        super().on_resize()

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        return fit_line(self._laid_out[index] if index < len(self._laid_out) else [], cells)


class ItemList(LineList, Generic[Item]):
    """A list of items of one kind, one line each."""

    def __init__(self, draw_item: Callable[[Item, int], Line], *, id: str) -> None:
        """:param draw_item: draws an item in at most the given number of cells."""
        super().__init__(id=id)
        self._draw_item = draw_item
        self.items: Sequence[Item] = ()

    def show(self, items: Sequence[Item]) -> None:
        """Show these items, with the cursor on the first."""
        self.items = items
        self.set_rows(len(items), 0)

    def fit(self, most: int) -> None:
        """Make the list as high as its items are many, and at most so many lines."""
        self.styles.height = max(1, min(len(self.items), most))

    def move_to(self, index: int) -> None:
        """Move the cursor to an item, past a None: a line between items."""
        index = max(0, min(index, self.rows - 1))
        if self.items and self.items[index] is None:
            index += 1 if index >= self.cursor else -1
        super().move_to(index)

    @property
    def picked(self) -> Item | None:
        """The item under the cursor."""
        return self.items[self.cursor] if self.items else None

    @property
    def has_cursor(self) -> bool:
        return bool(self.items)

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if index >= len(self.items):
            return fit_line([], cells)
        head: Line = [(POINTER if selected else " ", "pointer"), (" ", "text")]
        return fit_line([*head, *self._draw_item(self.items[index], cells - 2)], cells)
