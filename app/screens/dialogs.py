"""Small screens over the browser, each typed by its result."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from app.commands import PANES, keys_of
from app.formats.text import inert, one_line
from app.view.wrapping import wrap
from app.widgets.dialog import Dialog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size

    from app.actions.resume import Plan
    from app.commands import Command

_HELP_COLUMN = 25
PANE_TITLES = {
    "sessions": "Sessions",
    "side": "Sessions and search",
    "filter": "Search",
    "tree": "Tree",
    "entry": "Entry",
    "list": "In every pane",
    "app": "Everywhere",
}


class Standing(NamedTuple):
    """How it stands with a session that cannot simply be resumed.

    path      where it is
    plan      how it would be resumed; where that has a problem, resuming is not offered
    folder    in which folder, as it is shown
    reason    why it is asked about; raw
    """

    path: str
    plan: Plan
    folder: str
    reason: str


class ResumeDialog(Dialog[str | None]):
    """Says why a session cannot simply be resumed, and what can be done instead: "resume" it all the same,
    "fork" it into another folder and go on there, "read" it. None: nothing. The first choice is harmless.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(None)", "Back"),
        Binding("c,y,ctrl+y", "copy", "Copy the command"),
        Binding("r", "go_on", "Resume all the same"),
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
        hints = ["c copy the command   t read only   Esc back"]
        if plan.folder_gone:
            hints.insert(0, "f fork into another folder, and go on there")
        if plan.problem is None:
            hints.insert(0, "r resume all the same")
        return (
            Content(inert(self.standing.reason or "Nothing stands in the way any more.")),
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

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # while it is laid out: with the lines the height changes as well, and by a second layout the box
        # would be seen to grow
        if width != self._cells:
            self._cells = width
            self.update(help_text(self._legend, self._commands, self._told, width), layout=False)
        return super().get_content_height(container, viewport, width)


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
            keys = f"  {keys_of(command)}  "
            # those of the settings may be many
            below = f"\n{' ' * _HELP_COLUMN}" if len(keys) > _HELP_COLUMN else ""
            what = _hanging(told(command), cells - _HELP_COLUMN, _HELP_COLUMN)
            pieces += [(f"{keys:<{_HELP_COLUMN}}", "$primary"), below + what]
        pieces.append("\n")
    pieces += [("Marks\n", "bold $accent"), "  ", _hanging(legend, cells - 2, 2)]
    return Content.assemble(*pieces)


def _hanging(text: str, cells: int, column: int) -> str:
    """Lines of at most ``cells``, all but the first moved to ``column``."""
    return f"\n{' ' * column}".join(wrap(text, max(cells, 8))) + "\n"
