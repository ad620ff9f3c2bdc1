"""Small screens over the browser, each typed by its result."""

from __future__ import annotations

import asyncio
import os
from typing import ClassVar

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from app.commands import PANES, keys_of
from app.formats.text import inert, one_line
from app.view.wrapping import wrap
from app.widgets.dialog import Dialog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.commands import Command

_HELP_COLUMN = 22
PANE_TITLES = {
    "sessions": "Sessions",
    "side": "Sessions and search",
    "filter": "Search",
    "tree": "Tree",
    "entry": "Entry",
    "list": "In every pane",
    "app": "Everywhere",
}


class ResumeDialog(Dialog[str | None]):
    """Says why a session cannot simply be resumed, and what can be done instead: "resume" it all the same,
    "fork" it into another folder and go on there, "read" it. None: nothing.

    :param possible: whether resuming is offered; the first choice is harmless either way.
    :param folder_gone: another folder would help.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(None)", "Back"),
        Binding("c,y,ctrl+y", "copy", "Copy the command"),
        Binding("r", "go_on", "Resume all the same"),
        Binding("f", "fork", "Another folder"),
        Binding("t", "dismiss('read')", "Read only"),
    ]

    def __init__(
        self, *, title: str, folder: str, command: str, reason: str, possible: bool, folder_gone: bool = False
    ) -> None:
        super().__init__()
        self._title = title
        self._folder = folder
        self._command = command
        self._reason = reason
        self._possible = possible
        self._folder_gone = folder_gone

    def compose(self) -> ComposeResult:
        hints = ["c copy the command   t read only   Esc back"]
        if self._folder_gone:
            hints.insert(0, "f fork into another folder, and go on there")
        if self._possible:
            hints.insert(0, "r resume all the same")
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            with VerticalScroll(classes="body"):
                yield Static(Content(inert(self._reason)), classes="warning", id="reason")
                yield Static(Content(f"folder   {inert(self._folder)}"), id="folder")
                yield Static(Content(inert(self._command)), classes="command", id="command")
            yield Static(Content("\n".join(hints)), classes="hint")

    def action_copy(self) -> None:
        """Copy the command."""
        self.app.copy_to_clipboard(self._command)
        self.app.notify("Command copied", markup=False)

    def action_go_on(self) -> None:
        """Resume all the same, where that is possible."""
        if self._possible:
            self.dismiss("resume")

    def action_fork(self) -> None:
        """Go on in another folder, where that would help."""
        if self._folder_gone:
            self.dismiss("fork")


class FolderDialog(Dialog[str | None]):
    """Asks for a folder that is there. The result is its path, absolute; None: no folder."""

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
            # what a terminal would not show as it stands is offered by its short name
            offered = self._start if self._start.isprintable() else os.curdir
            with VerticalScroll(classes="body", can_focus=False):
                yield Input(offered, id="folder-path", compact=True)
                yield Static(Content(""), classes="warning", id="wrong")
            yield Static(Content("Enter takes it   Esc back"), classes="hint")

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
                Content(f"{one_line(text, 200) or 'nothing'} is no folder")
            )


def _folder_at(start: str, text: str) -> str:
    """The folder that somebody at `start` means; "" where there is none."""
    folder = os.path.normpath(os.path.join(start, text))
    return folder if text and "\0" not in text and os.path.isdir(folder) else ""


class HelpDialog(Dialog[None]):
    """The keys, pane by pane, and what the marks mean."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss(None)", "Back"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def __init__(self, legend: str, commands: Sequence[Command], told: Callable[[Command], str]) -> None:
        """:param told: what a command does where the help is asked for."""
        super().__init__()
        self._legend = legend
        self._commands = commands
        self._told = told

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content("keys")
            with VerticalScroll(id="keys", classes="body"):
                yield _Keys(self._legend, self._commands, self._told)
            yield Static(Content("↑ ↓ scroll   Esc back"), classes="hint")

    def on_mount(self) -> None:
        self.query_one("#keys", VerticalScroll).focus()

    def action_scroll(self, step: int) -> None:
        self.query_one("#keys", VerticalScroll).scroll_relative(y=step, animate=False)


class _Keys(Static):
    """The commands with their keys, laid out anew for another width."""

    def __init__(self, legend: str, commands: Sequence[Command], told: Callable[[Command], str]) -> None:
        super().__init__()
        self._legend = legend
        self._commands = commands
        self._told = told
        self._cells = 0

    def on_resize(self, event: events.Resize) -> None:
        # with its lines the height changes as well
        if event.size.width != self._cells:
            self._cells = event.size.width
            self.update(help_text(self._legend, self._commands, self._told, self._cells))


def help_text(
    legend: str, commands: Sequence[Command], told: Callable[[Command], str], cells: int
) -> Content:
    """The commands with their keys, by pane, in lines of ``cells``; what is longer hangs below its start."""
    pieces: list[Content | tuple[str, str] | str] = []
    for pane in PANES:
        own = [command for command in commands if command.pane == pane and command.keys]
        if not own:
            continue
        pieces.append((f"{PANE_TITLES[pane]}\n", "bold $accent"))
        for command in own:
            keys = f"  {keys_of(command):<19} "
            pieces += [(keys, "$primary"), _hanging(told(command), cells - len(keys), _HELP_COLUMN)]
        pieces.append("\n")
    pieces += [("Marks\n", "bold $accent"), "  ", _hanging(legend, cells - 2, 2)]
    return Content.assemble(*pieces)


def _hanging(text: str, cells: int, column: int) -> str:
    """Lines of at most ``cells``, all but the first moved to ``column``."""
    return f"\n{' ' * column}".join(wrap(text, max(cells, 8))) + "\n"
