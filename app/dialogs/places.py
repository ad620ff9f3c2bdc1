"""The trash and the archive: what lies there, with a filter, marks, and what would be lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus
from textual.widgets import Input, Static

from app.commands import Command
from app.dialogs.palette import CommandOffer, PaletteDialog
from app.services.places import PlacesReader
from app.view.cells import shorten
from app.view.places import PlaceModel, lost_for_good, place_line
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.inputs import LineInput
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key
    from textual.widget import Widget

    from app.dialogs.palette import Offer
    from app.index.row import Row
    from app.setup import Setup
    from app.view.line import Line
    from app.view.places import PlaceRow

_BESIDE = 11
"""Lines of the screen above and below the list."""
WORD = "delete"
"""The user types it before sessions are deleted for good."""

_RESTORE = Command("app", "place.restore", "enter", "restore", "Restore these sessions")
_MARK_ALL = Command("app", "place.mark_all", "asterisk", "mark_all", "Mark all shown sessions, or none")
_DELETE = Command("app", "place.delete", "", "delete", "Delete these sessions for good")
"""The commands of the palette of a place; the last one is only there."""


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of place.

    title     over the dialog
    key       closes the dialog, as it opened it
    nothing   what an empty place says
    read      asks a reader for the sessions there
    deletes   its sessions can be deleted for good
    """

    title: str
    key: str
    nothing: str
    read: Callable[[PlacesReader], Awaitable[list[PlaceRow]]]
    deletes: bool = False


TRASH = Place("Trash", "X", "No session is in the trash.", PlacesReader.read_trash, deletes=True)
ARCHIVE = Place(
    "Archive", "A", "Nothing in the archive. oh-my-pi's /archive fills it.", PlacesReader.read_archive
)


class PlaceAnswer(NamedTuple):
    """The choice, "restore" or "delete", and the sessions."""

    what: str
    rows: list[PlaceRow]


class _FilterLine(LineInput):
    """The filter. Down goes to the list; Space and the asterisk mark while the line is empty."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.to_list(1)", show=False),
        Binding("up", "screen.to_list(-1)", show=False),
        Binding("pagedown", "screen.to_list(10)", show=False),
        Binding("pageup", "screen.to_list(-10)", show=False),
    ]

    async def on_key(self, event: Key) -> None:
        if not self.value and event.character in (" ", "*"):
            event.stop()
            event.prevent_default()
            await self.run_action("screen.mark" if event.character == " " else "screen.mark_all")


class PlaceDialog(Dialog["PlaceAnswer | None"]):
    """Answers with the sessions to restore, or to delete for good."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close"),
        Binding("q", "dismiss(None)", "Close"),
        Binding("enter", "restore", "Restore", priority=True),
        Binding("space", "mark", "Mark"),
        Binding("asterisk", "mark_all", "Mark all"),
        Binding("v", "read", "Read"),
        Binding("slash", "filter", "Filter"),
        Binding("ctrl+k", "open_palette", "Commands", priority=True),
        Binding("colon", "open_palette", "Commands"),
    ]

    def __init__(self, place: Place, setup: Setup, show: Callable[[Row], None] | None = None) -> None:
        """:param show: shows a session that lies there; None if its sessions cannot be read."""
        super().__init__()
        self._place = place
        self._setup = setup
        self._show_session = show
        self.model = PlaceModel()
        self._reader = PlacesReader(setup, self.post_message)
        self._list = ItemList["PlaceRow"](self._draw, id="place")
        self._line = _FilterLine(placeholder="Filter", id="place-filter", compact=True)

    def compose(self) -> ComposeResult:
        with DialogBox(self._place.title, classes="place"):
            with Horizontal(id="place-head"):
                yield self._line
                yield Static(Content(""), id="place-sum")
            yield self._list
            yield Static(Content(""), id="place-facts")
            yield Static(Content("Reading…"), id="place-warning")

    def on_mount(self) -> None:
        self._line.focus()
        self._read_place()

    def on_unmount(self) -> None:
        self._reader.stop()

    @work
    async def _read_place(self) -> None:
        rows = await self._place.read(self._reader)
        self.model.load(rows)
        self.query_one(".dialog").set_class(not rows, "empty")
        self._show_keys()
        for widget in (self.query_one("#place-head"), self._list, self.query_one("#place-facts")):
            widget.display = bool(rows)
        if not rows:
            self.set_focus(None)
            self._say("", self._place.nothing)
            return
        self._show()
        # The width of the line is not known before it is laid out.
        self.call_after_refresh(self._describe_row)

    @on(DescendantFocus)
    def _show_keys(self) -> None:
        """Show the keys of the filter, or those of the list."""
        hints = ["Enter restore", "Space mark", "* all"] if self.model.rows else []
        if hints and self._list.has_focus:
            hints += ["v read"] if self._show_session is not None else []
            hints.append("/ filter")
        elif hints:
            hints.append("↓ list")
        self.set_keys("  ".join([*hints, "Esc close"]))

    def _show(self) -> None:
        """Show the rows that pass the filter."""
        self._list.show(self.model.shown)
        self._fit()
        self._describe_row()

    def _fit(self) -> None:
        room = max(1, self.size.height - _BESIDE)
        # as high as all rows, so that a filter moves nothing
        self._list.styles.height = max(1, min(len(self.model.rows), room))

    def on_resize(self) -> None:
        self._fit()
        if self.model.rows:
            self.call_after_refresh(self._describe_row)

    def _draw(self, row: PlaceRow, cells: int) -> Line:
        return place_line(row, cells, self._setup.now_ms(), is_marked=row.key in self.model.marks)

    @on(LineList.Moved)
    def _describe_row(self) -> None:
        row = self._list.picked
        self.set_text("#place-sum", self.model.summary())
        if row is None:
            self._say("", "No session matches the filter.")
        else:
            self._say(row.facts, f"! {row.warning}" if row.warning else "")

    def _say(self, facts: str, warning: str) -> None:
        cells = self._list.size.width or self.size.width
        self.set_text("#place-facts", shorten(facts, cells))
        self.query_one("#place-warning").set_class(warning.startswith("!"), "warning")
        self.set_text("#place-warning", warning)

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        self.model.filter(event.value)
        self._show()

    def on_key(self, event: Key) -> None:
        if event.character == self._place.key and self.focused is not self._line:
            event.stop()
            self.dismiss(None)

    # keys

    def action_leave(self) -> None:
        """One step back: marks, the filter, the dialog."""
        if self.model.marks:
            self.model.marks.clear()
            self._list.redraw_rows()
            self._describe_row()
        elif self._line.value:
            self._line.value = ""
        else:
            self.dismiss(None)

    def action_to_list(self, rows: int) -> None:
        """Go from the filter to the list, and on by some rows."""
        if self._list.rows:
            self._list.focus()
            self._list.move_to(min(max(self._list.cursor + rows, 0), self._list.rows - 1))

    def action_filter(self) -> None:
        """Go to the filter."""
        if self.model.rows:
            self._line.focus()

    def action_mark(self) -> None:
        """Mark the session under the cursor, and go to the next."""
        row = self._list.picked
        if row is not None:
            self.model.toggle_mark(row)
            self._list.redraw_rows()
            self._list.move_to(min(self._list.cursor + 1, self._list.rows - 1))
            self._describe_row()

    def action_mark_all(self) -> None:
        """Mark all shown sessions, or none."""
        self.model.toggle_all()
        self._list.redraw_rows()
        self._describe_row()

    def action_read(self) -> None:
        """Show the session under the cursor, where it lies."""
        picked = self._list.picked
        if picked is not None and self._show_session is not None:
            self.run_worker(self._show_read(self._reader.read_session(picked.item)))

    async def _show_read(self, read: Awaitable[Row | None]) -> None:
        row = await read
        if row is None:
            self._say("", "! It cannot be read, or has left the trash.")
        elif self._show_session is not None and self.is_active:
            self._show_session(row)

    @on(LineList.Activated)
    def action_restore(self) -> None:
        """Restore the marked sessions, or the one under the cursor."""
        rows = self.model.chosen(self._list.picked)
        if rows:
            self.dismiss(PlaceAnswer("restore", rows))

    def action_open_palette(self) -> None:
        """Open the palette of this place."""
        if not self.model.chosen(self._list.picked):
            return
        commands = [_RESTORE, _MARK_ALL] + ([_DELETE] if self._place.deletes else [])
        names = {"enter": "Enter", "asterisk": "*"}
        offers = [
            CommandOffer(command, command.help, ", ".join(names[key] for key in command.keys))
            for command in commands
        ]
        self.app.push_screen(PaletteDialog(offers, (), self._setup.now_ms()), self._picked)

    async def _picked(self, offer: Offer | None) -> None:
        if isinstance(offer, CommandOffer):
            await self.run_action(offer.command.action)

    def action_delete(self) -> None:
        """Delete the marked sessions, or the one under the cursor, for good, once that was confirmed."""
        rows = self.model.chosen(self._list.picked)
        if rows and self._place.deletes:
            self.app.push_screen(DeleteDialog(rows), lambda is_sure: self._confirmed(rows, is_sure))

    def _confirmed(self, rows: list[PlaceRow], is_sure: bool | None) -> None:
        if is_sure:
            self.dismiss(PlaceAnswer("delete", rows))


class ReadDialog(Dialog[None]):
    """Shows a session that lies in the trash, in a pane that was made for it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,v", "dismiss(None)", "Back")]

    def __init__(self, pane: Widget, lines: Widget, begin: Callable[[], None]) -> None:
        """:param pane: shows the session; ``lines`` in it gets the keys.
        :param begin: begins to read the session.
        """
        super().__init__()
        self._pane = pane
        self._lines = lines
        self._begin = begin

    def compose(self) -> ComposeResult:
        with Vertical(classes="reading"):
            yield self._pane

    def on_mount(self) -> None:
        self._lines.focus()
        self.call_after_refresh(self._begin)


class DeleteDialog(Dialog["bool | None"]):
    """Asks for the typed word before sessions are deleted for good; any other way out keeps them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Keep")]

    def __init__(self, rows: Sequence[PlaceRow]) -> None:
        super().__init__()
        self._rows = rows

    def compose(self) -> ComposeResult:
        number = len(self._rows)
        what = "This session is" if number == 1 else f"These {number:,} sessions are"
        box = DialogBox("Delete for good", "Enter delete  Esc keep")
        with box, VerticalScroll(classes="body", can_focus=False):
            yield Static(Content(f"{what} gone for good, and nothing else in the trash is touched:"))
            for line in lost_for_good(self._rows):
                yield Static(Content(f"  {line}"))
            yield Static(Content(f"Type {WORD} to go on."), classes="warning", id="delete-word")
            yield LineInput(id="delete-line", compact=True)

    def on_mount(self) -> None:
        self.query_one(LineInput).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip().casefold() == WORD:
            self.dismiss(True)
        else:
            self.set_text("#delete-word", f"Not deleted: type {WORD}, or press Esc.")
