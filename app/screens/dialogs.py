"""Small screens over the browser, each typed by its result."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from app.commands import COMMANDS, PANES, keys_of
from app.formats.text import inert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

PANE_TITLES = {
    "sessions": "Sessions",
    "filter": "Filter",
    "tree": "Tree",
    "entry": "Entry",
    "list": "In every pane",
    "app": "Everywhere",
}


class ResumeDialog(ModalScreen[bool]):
    """Says why a session cannot simply be resumed, with the command to copy. True: resume it all the same.

    :param possible: whether going on is offered; the first choice is harmless either way.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(False)", "Back"),
        Binding("c,y,ctrl+y", "copy", "Copy the command"),
        Binding("r", "go_on", "Resume all the same"),
    ]

    def __init__(self, *, title: str, folder: str, command: str, reason: str, possible: bool) -> None:
        super().__init__()
        self._title = title
        self._folder = folder
        self._command = command
        self._reason = reason
        self._possible = possible

    def compose(self) -> ComposeResult:
        hints = "Esc back   c copy the command" + ("   r resume all the same" if self._possible else "")
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            yield Static(Content(inert(self._reason)), classes="warning", id="reason")
            yield Static(Content(f"folder   {inert(self._folder)}"), id="folder")
            yield Static(Content(inert(self._command)), classes="command", id="command")
            yield Static(Content(hints), classes="hint")

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._command)
        self.app.notify("Command copied", markup=False)

    def action_go_on(self) -> None:
        if self._possible:
            self.dismiss(True)


class HelpDialog(ModalScreen[None]):
    """The keys, pane by pane, and what the marks mean."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss(None)", "Back"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def __init__(self, legend: str) -> None:
        super().__init__()
        self._legend = legend

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content("keys")
            with VerticalScroll(id="keys"):
                yield Static(help_text(self._legend))

    def on_mount(self) -> None:
        self.query_one("#keys", VerticalScroll).focus()

    def action_scroll(self, step: int) -> None:
        self.query_one("#keys", VerticalScroll).scroll_relative(y=step, animate=False)


def help_text(legend: str) -> Content:
    """Every command with its keys, by pane."""
    pieces: list[Content | tuple[str, str] | str] = []
    for pane in PANES:
        pieces.append((f"{PANE_TITLES[pane]}\n", "bold $accent"))
        for command in COMMANDS:
            if command.pane == pane:
                pieces.append((f"  {keys_of(command):<19}", "$primary"))
                pieces.append(f" {command.help}\n")
        pieces.append("\n")
    pieces.append(("Marks\n", "bold $accent"))
    pieces.append(f"  {legend}\n")
    return Content.assemble(*pieces)
