"""A question with several answers, a text to edit, and a wait that can be given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from app.formats.text import inert, one_line
from app.view.bars import command_line
from app.view.cells import shorten
from app.view.line import fit_line
from app.view.session_row import POINTER
from app.widgets.dialog import Dialog
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key

    from app.view.line import Line


class Choice(NamedTuple):
    """One answer.

    answer    what comes back
    key       answers at once
    label     what it does, in a few words
    detail    how; raw
    command   the command that will run, as its words; raw
    why_not   why it cannot be chosen, "" when it can; raw
    """

    answer: str
    key: str
    label: str
    detail: str = ""
    why_not: str = ""
    command: Sequence[str] = ()


class ChoiceList(LineList):
    """Two lines for each answer: what it does, and how or why not."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__(id="choices")
        self.choices = choices
        self.set_row_height(2)

    def on_mount(self) -> None:
        self.set_rows(len(self.choices), 0)

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        choice = self.choices[index]
        style = "dim" if choice.why_not else "text"
        return fit_line(
            [
                (POINTER if selected else " ", "pointer"),
                (f" {choice.key} ", "key"),
                (f" {shorten(choice.label, max(0, cells - 6))}", style),
            ],
            cells,
        )

    def draw_below(self, index: int, cells: int, selected: bool) -> Line:
        choice = self.choices[index]
        room = max(0, cells - 6)
        if choice.why_not:
            said = shorten(one_line(choice.why_not, 500), room)
            return fit_line([("     ", "text"), (said, "warning")], cells)
        said = shorten(one_line(choice.detail, 2_000), room)
        if choice.command:
            said = command_line([one_line(word, 2_000) for word in choice.command], room)
        return fit_line([("     ", "text"), (said, "dim")], cells)


class ChoiceDialog(Dialog[str | None]):
    """Asks one question. The first answer is harmless; None: Esc."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Back"),
        Binding("enter", "choose", "Take it"),
    ]

    def __init__(self, title: str, said: Sequence[str], choices: Sequence[Choice]) -> None:
        """:param said: lines above the answers; raw."""
        super().__init__()
        self._title = title
        self._said = said
        self._choices = choices
        self._list = ChoiceList(choices)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(one_line(self._title, 100))
            self._list.styles.height = 2 * len(self._choices)
            with VerticalScroll(classes="body", can_focus=False):
                yield from self._lines()
                yield self._list
            yield Static(Content("Enter takes it   Esc back"), classes="hint")

    def tell(self, said: Sequence[str], choices: Sequence[Choice]) -> None:
        """It stands otherwise now; the answers are as many, in the same order."""
        lines, self._said, self._choices = self._said, said, choices
        self._list.choices = choices
        self._list.redraw_rows()
        if self.is_mounted and list(said) != list(lines):
            body = self.query_one(".body", VerticalScroll)
            body.query(".warning").remove()
            body.mount(*self._lines(), before=self._list)

    def _lines(self) -> list[Static]:
        return [Static(Content(inert(line)), classes="warning") for line in self._said]

    def on_mount(self) -> None:
        # what is said above it comes first
        self._list.focus(scroll_visible=False)

    @on(LineList.Moved)
    def on_resize(self) -> None:
        self.call_after_refresh(self._show_cursor)

    def _show_cursor(self) -> None:
        """Where all of it has no room, the answer under the cursor is in sight."""
        first = self._list.virtual_region.y + 2 * self._list.cursor
        body = self.query_one(".body", VerticalScroll)
        top, lines = body.scroll_offset.y, body.scrollable_content_region.height
        if lines and not top <= first <= top + lines - 2:
            body.scroll_to(y=min(first, max(0, first + 2 - lines)), animate=False, force=True)

    def key_of(self, key: str) -> Choice | None:
        """The answer that a key gives."""
        return next((choice for choice in self._choices if choice.key == key), None)

    def on_key(self, event: Key) -> None:
        choice = self.key_of(event.character or "")
        if choice is not None:
            # else the screen below, which is back by then, would take the key for one of its own
            event.stop()
            self._take(choice)

    @on(LineList.Activated)
    def action_choose(self) -> None:
        """Take the answer under the cursor."""
        self._take(self._choices[self._list.cursor])

    def _take(self, choice: Choice) -> None:
        if choice.why_not:
            self.notify(one_line(choice.why_not, 500), severity="warning", markup=False)
        else:
            self.dismiss(choice.answer)


class TextDialog(Dialog[str | None]):
    """A text to be edited. None: Esc, and nothing is done. Where something was typed, it takes a second Esc:
    what somebody wrote is not lost to one key.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # a text that Tab indents would take it for its own way out, to what is focused next: here nothing is
        Binding("escape", "leave", "Back", priority=True),
        Binding("ctrl+s", "keep", "Take it", priority=True),
    ]

    def __init__(self, title: str, text: str, takes: str) -> None:
        """:param text: to begin with; raw.
        :param takes: what Ctrl+S does with it.
        """
        super().__init__()
        self._title = title
        self._takes = takes
        # it takes long to load, and most runs edit no text
        from textual.widgets import TextArea

        # Tab types: there is nothing else that could have the keys
        self._area = TextArea(inert(text), soft_wrap=True, show_line_numbers=False, tab_behavior="indent")
        self._before = self._area.text
        # the text and the cursor, as they were when Esc was pressed
        self._left_at: object = None
        self._hint = Static(self._keys(), classes="hint")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall") as box:
            box.border_title = Content(one_line(self._title, 100))
            yield self._area
            yield self._hint

    def on_mount(self) -> None:
        self._area.focus()
        self._area.move_cursor(self._area.document.end)

    def _keys(self) -> Content:
        leaves = "Esc"
        if self._is_changed:
            leaves = "Esc again" if self._left_at == self._now else "Esc twice"
        return Content(f"Ctrl+S {self._takes}   {leaves} cancels, nothing is changed")

    @property
    def _is_changed(self) -> bool:
        return self._area.text != self._before

    @property
    def _now(self) -> object:
        """The text and the cursor."""
        return self._area.text, self._area.selection

    def on_text_area_changed(self) -> None:
        self._hint.update(self._keys())

    def on_text_area_selection_changed(self) -> None:
        self._hint.update(self._keys())

    def action_leave(self) -> None:
        """Leave the text, where nothing was typed or this was said already."""
        if self._is_changed and self._left_at != self._now:
            self._left_at = self._now
            self._hint.update(self._keys())
        else:
            self.dismiss(None)

    def action_keep(self) -> None:
        """Take the text."""
        self.dismiss(self._area.text)


class WaitDialog(Dialog[None]):
    """Something takes its time; Esc gives it up."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "Give it up")]

    def __init__(self, title: str, said: str) -> None:
        super().__init__()
        self._title = title
        self._said = said

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(one_line(self._title, 100))
            with VerticalScroll(classes="body"):
                yield Static(Content(inert(self._said)))
            yield Static(Content("Esc gives it up, nothing is changed"), classes="hint")
