"""The dialog that asks in which form sessions are exported, and to which file."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Static

from app.dialogs.questions import path_at
from app.export.choice import FULL, HTML
from app.export.dialog_choices import (
    FORMATS,
    IMAGES,
    LEAF,
    PATH,
    REDACTIONS,
    THINKING,
    TOOL_CALLS,
    WITH,
    WITHOUT,
    ExportAnswer,
    branches,
    leaves_out,
    order_of,
    redaction_of,
    writes,
)
from app.formats.text import inert, one_line
from app.view.formatting import tilde
from app.widgets.choice_row import ChoiceRow
from app.widgets.dialog import Dialog, DialogBox
from app.widgets.inputs import LineInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.view.branch_choices import Option


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
        self._format = ChoiceRow("Format", FORMATS, HTML, id="export-format")
        self._branches = ChoiceRow(
            "Branches", self._branch_options(HTML), PATH if entry_id else LEAF, id="export-branches"
        )
        self._thinking = ChoiceRow("Thinking", THINKING, WITH, id="export-thinking")
        self._tools = ChoiceRow("Tools", TOOL_CALLS, FULL, id="export-tools")
        self._images = ChoiceRow("Images", IMAGES, WITHOUT, id="export-images")
        self._redaction = ChoiceRow("Redact", REDACTIONS, WITH, id="export-redaction")
        left_out = (self._thinking, self._tools, self._images)
        self._rows = (self._format, self._branches, *left_out, self._redaction)
        self._offered = self._offer(HTML)
        self._path = LineInput(self._offered, id="export-path", compact=True)
        self._last_format = HTML
        # the path that is there, and whose replacement was offered
        self._there = ""

    def compose(self) -> ComposeResult:
        title = f"Export {one_line(self._title, 60)}"
        with DialogBox(title), VerticalScroll(classes="body", can_focus=False):
            yield from self._rows
            with Horizontal(id="export-target"):
                yield Static("Folder" if self._is_folder else "File", id="export-label")
                yield self._path
            yield Static(id="export-writes")
            yield Static(classes="warning", id="wrong")

    def on_mount(self) -> None:
        self._format.focus()
        self._show()

    def _branch_options(self, format: str) -> list[Option]:
        return branches(format, at_entry=bool(self._entry_id))

    def _offer(self, format: str) -> str:
        path = self._paths[format]
        return tilde(path, self._home) if path.isprintable() else os.curdir

    def _show(self) -> None:
        format = self._format.value
        if format != self._last_format:
            self._last_format = format
            self._branches.set_options(self._branch_options(format))
            self._redaction.choose(redaction_of(format))
            offered = self._offer(format)
            if self._path.value == self._offered:
                self._path.value = offered
            self._offered = offered
        for row in (self._thinking, self._tools, self._images):
            row.display = leaves_out(format)
        said = writes(format, self._redaction.value, self._images.value if leaves_out(format) else WITHOUT)
        self.set_text("#export-writes", f"Writes   {said}")
        self.set_keys(f"Enter {'replace' if self._there else 'export'}  Tab next  ← → choose  Esc cancel")

    def _complain(self, text: str) -> None:
        self.set_text("#wrong", inert(text))

    def on_choice_row_chosen(self) -> None:
        self._ask_anew()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._ask_anew()

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
        order = order_of(*(row.value for row in self._rows), entry_id=self._entry_id)
        self.dismiss(ExportAnswer(order, path, is_there))


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
