"""All labels, of the session at hand or of all sessions, with the entries that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, Static

from app.formats.text import one_line
from app.keys import key_of
from app.services.tree_reader import LabelReader
from app.sessions.tree.labelled import LabelledEntry
from app.view.cells import pad, shorten, stable_width, width
from app.view.formatting import age
from app.view.tree_row import without_marks
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.inputs import LineInput
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.index.row import Row
    from app.view.line import Line

_BESIDE = 10
"""Lines of the screen beside the labels."""
_KINDS = {"user": "Prompt", "assistant": "Answer", "toolResult": "Tool", "branch_summary": "Summary"}


class Labelled(NamedTuple):
    """One label: the session, the entry's id, and what the label says (raw)."""

    row: Row
    entry_id: str
    label: str


MOST_RECENT, MOST_CHARACTERS = 20, 80
"""Labels that are offered while one is edited, and the characters of each."""


def recent_labels(rows: Sequence[Row], but: str) -> list[str]:
    """The labels that the arrow keys offer while one is edited: those of the newest sessions first, inert.

    :param but: the label that is edited.
    """
    texts = dict.fromkeys(one_line(labelled.label, MOST_CHARACTERS) for labelled in labelled_in(rows))
    return [text for text in texts if text and text != but][:MOST_RECENT]


class LabelAnswer(NamedTuple):
    """The chosen action on a label: "go", "change" or "clear", and the text of its entry, "" if that is
    unknown.
    """

    what: str
    labelled: Labelled
    text: str = ""


def labelled_in(rows: Sequence[Row]) -> list[Labelled]:
    """The labels of the sessions: the newest session's first, each session's in the order of its file."""
    return [
        Labelled(row, entry_id, label)
        for row in sorted(rows, key=lambda row: (-row.modified, row.path))
        for entry_id, label in row.labels
    ]


class LabelsDialog(Dialog[LabelAnswer | None]):
    """Typing keeps the labels that contain the text, Tab turns between this session and all of them, Enter
    goes to the entry. In the list, L changes the label, and Delete removes it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("enter", "answer('go')", "Go to the entry"),
        Binding("tab", "turn", "This session, or all", priority=True),
        Binding("shift+tab", "turn", "This session, or all", priority=True),
        Binding("down", "enter_list", "Into the list"),
    ]

    def __init__(self, rows: Sequence[Row], path: str, now_ms: int, *, makes: bool = True) -> None:
        """:param rows: all sessions.
        :param path: of the session at hand; "" where there is none.
        :param makes: labels can be made in that session.
        """
        super().__init__()
        self._rows = [row for row in rows if row.labels]
        self._path = path
        self._makes = makes
        self._now_ms = now_ms
        self._all = False
        # by path and id
        self._entries: dict[tuple[str, str], LabelledEntry] = {}
        self._list = _LabelList(self._draw, id="labels")
        self._line = LineInput(placeholder="Filter", id="labels-filter", compact=True)
        self._reader = LabelReader(self.post_message)

    def compose(self) -> ComposeResult:
        with DialogBox("Labels"):
            yield self._line
            yield Static(id="labels-scope")
            yield self._list
            yield Static(id="labels-entry")

    def on_mount(self) -> None:
        self._line.focus()
        self._all = not any(row.path == self._path for row in self._rows)
        self._show()
        self._read()

    def on_unmount(self) -> None:
        self._reader.stop()

    @work
    async def _read(self) -> None:
        """Read the entries of one session after the other."""
        for row in sorted(self._rows, key=lambda row: (row.path != self._path, -row.modified)):
            for entry_id, found in (await self._reader.read(row) or {}).items():
                self._entries[row.path, entry_id] = found
            self._list.redraw_rows()
            self._show_entry()

    def _show(self) -> None:
        typed = self._line.value.strip().casefold()
        labels = labelled_in([row for row in self._rows if self._all or row.path == self._path])
        shown = [item for item in labels if typed in item.label.casefold() or typed in self._text(item)]
        self._list.show(shown)
        self._list.fit(self.size.height - _BESIDE)
        marks = (" ", "•") if self._all else ("•", " ")
        scope = f"({marks[0]}) This session   ({marks[1]}) All   {len(shown):,} of {len(labels):,}"
        if not labels:
            key = key_of("entry.label") if self._makes else ""
            makes = f"; {key} in the tree makes one" if key else ""
            scope = f"No labels {'yet' if self._all else 'here'}{makes}"
        self.set_text("#labels-scope", scope)
        self._show_entry()
        edits = "L edit  Del remove  " if self._list.has_focus else "↓ to edit  "
        other = "this session" if self._all else "all sessions"
        self.set_keys(f"Enter go  Tab {other}  {edits if shown else ''}Esc close")

    def _text(self, item: Labelled) -> str:
        """The text of the entry, folded."""
        return self._entry(item).text.casefold()

    def _entry(self, item: Labelled) -> LabelledEntry:
        """The entry of a label; empty until it is read."""
        return self._entries.get((item.row.path, item.entry_id), LabelledEntry())

    @on(LineList.Moved)
    def _show_entry(self) -> None:
        item, said = self._list.picked, ""
        if item is not None:
            entry = self._entry(item)
            kind = _KINDS.get(entry.kind, "Entry")
            place = f" in {item.row.title}" if self._all else ""
            if entry.branches > 1 and entry.branch:
                branch = f"branch {entry.branch:,} of {entry.branches:,}"
                place += f"{',' if place else ' on'} {branch}{', active' if entry.is_active else ''}"
            said = f"{kind}{place}: {without_marks(entry.text)}"
        line = self.query_one("#labels-entry", Static)
        line.update(
            Content(shorten(one_line(said, 500), max(0, line.content_region.width or self.size.width - 8)))
        )

    def _draw(self, item: Labelled, cells: int) -> Line:
        entry = self._entry(item)
        stamp = entry.time_ms
        when = f" {age(stamp, self._now_ms) if stamp is not None else '':>4} "
        label = pad(stable_width(one_line(item.label, 200)), max(8, cells // 4))
        session = ""
        if self._all:
            session = f" {pad(stable_width(one_line(item.row.title, 200)), cells // 4)}"
        room = max(0, cells - width(label) - 1 - width(session) - width(when))
        text = pad(without_marks(stable_width(one_line(entry.text, 500))), room)
        return [(label, "label"), (" ", "text"), (text, "text"), (session, "dim"), (when, "dim")]

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_answer("go")

    def on_resize(self) -> None:
        if self.is_mounted:
            self._show()
            # The line of the entry has its width after the layout.
            self.call_after_refresh(self._show_entry)

    def action_turn(self) -> None:
        """Turn between this session's labels and those of all."""
        self._all = not self._all
        self._show()

    def action_enter_list(self) -> None:
        """Give the list the keys."""
        if self._list.items:
            self._list.focus()
            self._show()

    def leave_list(self) -> None:
        """Give the filter the keys again."""
        self._line.focus()
        self._show()

    @on(LineList.Activated)
    def _activated(self) -> None:
        self.action_answer("go")

    def action_answer(self, what: str) -> None:
        """Answer with the label under the cursor."""
        picked = self._list.picked
        if picked is not None:
            self.dismiss(LabelAnswer(what, picked, self._entry(picked).text))


class _LabelList(ItemList[Labelled]):
    """The labels. Up on the first goes back to the filter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("L", "screen.answer('change')", "Edit"),
        Binding("delete", "screen.answer('clear')", "Remove"),
        Binding("up,k", "up", "Up"),
    ]

    def action_up(self) -> None:
        """One row up, or out of the list."""
        if self.cursor:
            self.move_to(self.cursor - 1)
        elif isinstance(self.screen, LabelsDialog):
            self.screen.leave_list()
