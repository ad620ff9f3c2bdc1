"""Small screens over the browser, each typed by its result."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

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

    from app.actions.resume import Plan
    from app.view.line import Line


class Standing(NamedTuple):
    """The content of a `ResumeDialog`.

    path      the path of the session
    plan      the plan to resume it; resuming is not offered if the plan has a problem
    folder    the folder of the session, as it is shown
    reason    the reason for the question; raw
    """

    path: str
    plan: Plan
    folder: str
    reason: str


class ResumeDialog(Dialog[str | None]):
    """Says why a session cannot simply be resumed, and offers to "resume" it all the same, to "fork" it into
    another folder and resume it there, or to "read" it. The result is None if nothing is chosen. The first
    choice is harmless.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(None)", "Back"),
        Binding("c,y,ctrl+y", "copy", "Copy the command"),
        Binding("r", "go_on", "Resume anyway"),
        Binding("f", "fork", "Another folder"),
        Binding("t", "dismiss('read')", "Read only"),
    ]

    def __init__(self, title: str, standing: Standing) -> None:
        super().__init__()
        self._title = title
        self.standing = standing
        self._is_gone = False

    def compose(self) -> ComposeResult:
        reason, folder, command, hints = self._said()
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            with VerticalScroll(classes="body"):
                yield Static(reason, classes="warning", id="reason")
                yield Static(folder, id="folder")
                yield Static(command, classes="command", id="command")
            yield Static(hints, classes="hint", id="hints")

    def _said(self) -> tuple[Content, Content, Content, Content]:
        plan = self.standing.plan
        if self._is_gone:
            return Content("This session is gone."), Content(""), Content(""), Content("Esc back")
        hints = ["c copy command   t view tree   Esc cancel"]
        if plan.folder_gone:
            hints.insert(0, "f fork into another folder and resume there")
        if plan.problem is None:
            hints.insert(0, "r resume anyway")
        return (
            Content(inert(self.standing.reason or "The session can be resumed now.")),
            Content(f"folder   {inert(self.standing.folder)}"),
            Content(inert(plan.shell)),
            Content("\n".join(hints)),
        )

    def tell(self, standing: Standing) -> None:
        """It stands otherwise now: its agent has moved the session."""
        self.standing, self._is_gone = standing, False
        self._show()

    def tell_back(self) -> None:
        """The session is where it was."""
        if self._is_gone:
            self.tell(self.standing)

    def tell_gone(self) -> None:
        """The session is there no more."""
        if not self._is_gone:
            self._is_gone = True
            self._show()

    def _show(self) -> None:
        for name, said in zip(("reason", "folder", "command", "hints"), self._said(), strict=True):
            self.query_one(f"#{name}", Static).update(said)

    def action_copy(self) -> None:
        """Copy the command."""
        if not self._is_gone:
            self.app.copy_to_clipboard(self.standing.plan.shell)
            self.app.notify("Command copied", markup=False)

    def action_go_on(self) -> None:
        """Resume all the same, where that is possible."""
        if self.standing.plan.problem is None and not self._is_gone:
            self.dismiss("resume")

    def action_fork(self) -> None:
        """Go on in another folder, where that would help."""
        if self.standing.plan.folder_gone and not self._is_gone:
            self.dismiss("fork")


class FolderDialog(Dialog[str | None]):
    """Asks for an existing folder. The result is its absolute path, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, title: str, start: str, home: str) -> None:
        """:param start: the folder that is offered.
        :param home: what `~` stands for.
        """
        super().__init__()
        self._title = title
        self._start = start
        self._home = home

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            # A path that is not printable is offered as ".".
            offered = self._start if self._start.isprintable() else os.curdir
            with VerticalScroll(classes="body", can_focus=False):
                yield Input(offered, id="folder-path", compact=True)
                yield Static(Content(""), classes="warning", id="wrong")
            yield Static(Content("Enter select   Esc cancel"), classes="hint")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if text == "~" or text.startswith("~/"):
            text = self._home + text[1:]
        folder = await asyncio.to_thread(_folder_at, self._start, text)
        if folder:
            self.dismiss(folder)
        else:
            self.query_one("#wrong", Static).update(
                Content(f"No such folder: {one_line(text, 200)}" if text else "Type the path of a folder")
            )


def _folder_at(start: str, text: str) -> str:
    """The absolute path of a folder named relative to `start`; "" if it does not exist."""
    folder = os.path.normpath(os.path.join(start, text))
    return folder if text and "\0" not in text and os.path.isdir(folder) else ""


class Choice(NamedTuple):
    """One answer.

    answer    the result of the dialog
    key       the key that chooses it at once
    label     its effect, in a few words
    detail    more about the effect; raw
    command   the words of the command that will run; raw
    why_not   why it cannot be chosen, raw; "" if it can
    """

    answer: str
    key: str
    label: str
    detail: str = ""
    why_not: str = ""
    command: Sequence[str] = ()


class ChoiceList(LineList):
    """Two lines for each answer: its effect, and the details or the reason why it cannot be chosen."""

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
    """Asks one question. The first answer is harmless. The result is None after Esc."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Back"),
        Binding("enter", "choose", "Select"),
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
            yield Static(Content("Enter select   Esc cancel"), classes="hint")

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
        # The messages above the list stay in view.
        self._list.focus(scroll_visible=False)

    @on(LineList.Moved)
    def on_resize(self) -> None:
        self.call_after_refresh(self._show_cursor)

    def _show_cursor(self) -> None:
        """Scroll the choice under the cursor into view."""
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
    """Edits a text. The result is None after Esc. If the text was changed, Esc must be pressed twice, so that
    one key does not lose it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # a text that Tab indents would take it for its own way out, to what is focused next: here nothing is
        Binding("escape", "leave", "Back", priority=True),
        Binding("ctrl+s", "keep", "Select", priority=True),
    ]

    def __init__(self, title: str, text: str, takes: str) -> None:
        """:param text: to begin with; raw.
        :param takes: what Ctrl+S does with it.
        """
        super().__init__()
        self._title = title
        self._takes = takes
        # Imported here: most runs edit no text, and it takes 6 ms.
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
        return Content(f"Ctrl+S {self._takes}   {leaves} cancel")

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

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "Cancel")]

    def __init__(self, title: str, said: str) -> None:
        super().__init__()
        self._title = title
        self._said = said

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(one_line(self._title, 100))
            with VerticalScroll(classes="body"):
                yield Static(Content(inert(self._said)))
            yield Static(Content("Esc cancel"), classes="hint")
