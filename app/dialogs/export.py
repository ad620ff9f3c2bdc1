"""The dialog that asks in which form sessions are exported, and to which file."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Static

from app.dialogs.questions import path_at
from app.export.choice import FULL, HTML, JSON, JSONL, MARKDOWN, NONE, REDACTED, SHORT, Choice, Order
from app.formats.text import inert, one_line
from app.view.branch_choices import Option
from app.view.formatting import tilde
from app.widgets.choice_row import ChoiceRow
from app.widgets.dialog import Dialog, DialogBox
from app.widgets.inputs import LineInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType


_PATH, _LEAF, _ALL = "path", "leaf", "all"
"""Which branches are exported: the path to an entry, the one to the leaf, or all."""
_WITH, _WITHOUT = "with", "without"

_FORMATS = (
    Option(HTML, "HTML page"),
    Option(MARKDOWN, "Markdown"),
    Option(JSON, "JSON"),
    Option(JSONL, "Session file"),
)
_THINKING = (Option(_WITH, "With"), Option(_WITHOUT, "Without"))
_TOOL_CALLS = (Option(FULL, "Whole"), Option(SHORT, "Short output"), Option(NONE, "None"))
_IMAGES = (Option(_WITHOUT, "Without"), Option(_WITH, "With"))
_REDACTIONS = (Option(_WITH, "Replace secrets and names"), Option(_WITHOUT, "Keep everything"))

_WRITES = {
    HTML: "one page that loads nothing from elsewhere",
    MARKDOWN: "Markdown, with tool output to unfold",
    JSON: "the context that the agent builds, as messages",
    JSONL: "a session that pi and oh-my-pi open",
}


class ExportAnswer(NamedTuple):
    """The choices of the user.

    order   what is exported of each session
    path    the file or the folder, absolute
    force   replace files that are there
    """

    order: Order
    path: str
    force: bool


class ExportDialog(Dialog["ExportAnswer | None"]):
    """The result is what the user has chosen; None after Esc. A file that is there is replaced only after the
    dialog has said so and is answered again.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel", priority=True),
        Binding("ctrl+s,enter", "go_on", "Export", priority=True),
    ]

    def __init__(
        self,
        title: str,
        paths: Mapping[str, str],
        *,
        is_folder: bool,
        made: str,
        entry_id: str,
        here: str,
        home: str,
    ) -> None:
        """:param title: what is exported; raw.
        :param paths: the path that is offered for each format.
        :param is_folder: these are folders, for several sessions.
        :param made: a folder that is created if it is missing.
        :param entry_id: of the entry to which the path can be exported; "" for none.
        :param here: the folder that relative paths begin at; ``home`` what `~` stands for.
        """
        super().__init__()
        self._title = title
        self._paths = paths
        self._is_folder = is_folder
        self._made = made
        self._entry_id = entry_id
        self._here = here
        self._home = home
        self._format = ChoiceRow("Format", _FORMATS, HTML, id="export-format")
        self._branches = ChoiceRow(
            "Branches", self._branch_options(HTML), _PATH if entry_id else _LEAF, id="export-branches"
        )
        self._thinking = ChoiceRow("Thinking", _THINKING, _WITH, id="export-thinking")
        self._tools = ChoiceRow("Tools", _TOOL_CALLS, FULL, id="export-tools")
        self._images = ChoiceRow("Images", _IMAGES, _WITHOUT, id="export-images")
        self._redaction = ChoiceRow("Redact", _REDACTIONS, _WITH, id="export-redaction")
        self._offered = self._offer(HTML)
        self._path = LineInput(self._offered, id="export-path", compact=True)
        self._last_format = HTML
        # the path that is there, and whose replacement was offered
        self._there = ""

    def compose(self) -> ComposeResult:
        title = f"Export {one_line(self._title, 60)}"
        with DialogBox(title), VerticalScroll(classes="body", can_focus=False):
            yield from (self._format, self._branches, self._thinking, self._tools, self._images)
            yield self._redaction
            with Horizontal(id="export-target"):
                yield Static("Folder" if self._is_folder else "File", id="export-label")
                yield self._path
            yield Static(id="export-writes")
            yield Static(classes="warning", id="wrong")

    def on_mount(self) -> None:
        self._format.focus()
        self._show()

    def _branch_options(self, format: str) -> list[Option]:
        why_not = "JSON has the messages of one path" if format == JSON else ""
        offered = [Option(_PATH, "To this entry")] if self._entry_id else []
        return [*offered, Option(_LEAF, "Active path"), Option(_ALL, "All branches", why_not)]

    def _offer(self, format: str) -> str:
        path = self._paths[format]
        return tilde(path, self._home) if path.isprintable() else os.curdir

    def _show(self) -> None:
        format = self._format.value
        if format != self._last_format:
            self._last_format = format
            self._branches.set_options(self._branch_options(format))
            self._redaction.choose(_WITH if format in REDACTED else _WITHOUT)
            offered = self._offer(format)
            if self._path.value == self._offered:
                self._path.value = offered
            self._offered = offered
        leaves_out = format in (HTML, MARKDOWN)
        for row in (self._thinking, self._tools, self._images):
            row.display = leaves_out
        said = _WRITES[format]
        if self._redaction.value == _WITHOUT:
            said += "; secrets stay in it"
        elif leaves_out and self._images.value == _WITH:
            said += "; images are not looked at"
        self.set_text("#export-writes", f"Writes   {said}")
        self.set_keys(f"Enter {'replace' if self._there else 'export'}  Tab next  ← → choose  Esc cancel")

    def _complain(self, text: str) -> None:
        self.set_text("#wrong", inert(text))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._ask_anew()

    @on(ChoiceRow.Chosen)
    def _ask_anew(self) -> None:
        if self.is_mounted:
            self._there = ""
            self._complain("")
            self._show()

    async def action_go_on(self) -> None:
        """Answer with what is chosen, if the file can be made."""
        path = path_at(self._here, self._path.value.strip(), self._home)
        problem, is_there = await asyncio.to_thread(_look_at, path, self._is_folder, self._made)
        if problem:
            self._complain(problem)
            return
        if is_there and self._there != path:
            self._there = path
            self._complain("This file is there already. Enter again replaces it.")
            self._show()
            return
        self.dismiss(ExportAnswer(self._order(), path, is_there))

    def _order(self) -> Order:
        format, branch = self._format.value, self._branches.value
        choice = Choice(
            entry=self._entry_id if branch == _PATH else "",
            all_branches=branch == _ALL and format != JSON,
            thinking=self._thinking.value == _WITH,
            tools=self._tools.value,
            images=self._images.value == _WITH,
        )
        return Order(format, choice, self._redaction.value == _WITH)


def _look_at(path: str, needs_folder: bool, made: str) -> tuple[str, bool]:
    """Why nothing can be written at `path`, "" if something can; and whether a file is there.

    :param made: a folder that is created if it is missing.
    """
    if not path or "\0" in path:
        return "Type the path of a folder" if needs_folder else "Type the path of a file", False
    if needs_folder:
        return ("" if os.path.isdir(path) or path == made else "No such folder"), False
    if os.path.isdir(path):
        return "This is a folder: type the path of a file", False
    folder = os.path.dirname(path)
    if not os.path.isdir(folder) and folder != made:
        return "The folder of this file does not exist", False
    return "", os.path.lexists(path)
