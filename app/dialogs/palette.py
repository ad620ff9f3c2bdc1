"""The command palette: one line for each command that works now, then sessions and labels that match."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding

from app.commands import Command
from app.formats.text import one_line
from app.view.cells import pad, stable_width, width
from app.view.formatting import age_or_date
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.inputs import LineInput
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widgets import Input

    from app.index.row import Row
    from app.view.line import Line

MOST_SESSIONS = MOST_LABELS = 5
LEAST_LETTERS = 2
"""Letters after which sessions and labels are searched as well."""
_BESIDE = 8
"""Lines of the screen above and below the list."""


class CommandOffer(NamedTuple):
    """A command of the palette, with its description and the names of its keys."""

    command: Command
    description: str
    keys: str


class Place(NamedTuple):
    """A session of the palette, or one of its labelled entries.

    label      the label, raw; "" for the session itself
    entry_id   the id of the labelled entry
    """

    row: Row
    label: str = ""
    entry_id: str = ""


Offer = CommandOffer | Place


def matching_places(rows: Sequence[Row], typed: str) -> list[Place]:
    """The newest sessions and labels that contain a text, labels first.

    :param typed: any text; its case does not count.
    """
    wanted = typed.strip().casefold()
    if len(wanted) < LEAST_LETTERS:
        return []
    newest = sorted(rows, key=lambda row: (-row.modified, row.path))
    labels = [
        Place(row, label, entry_id)
        for row in newest
        for entry_id, label in row.labels
        if wanted in label.casefold()
    ]
    sessions = [Place(row) for row in newest if wanted in row.title.casefold()]
    return labels[:MOST_LABELS] + sessions[:MOST_SESSIONS]


class PaletteDialog(Dialog["Offer | None"]):
    """Answers with the offer that was chosen. The typed text selects commands by name and description."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+k", "dismiss(None)", "Close"),
        Binding("down", "step(1)", "Down"),
        Binding("up", "step(-1)", "Up"),
        Binding("pagedown", "page(1)", "Page down"),
        Binding("pageup", "page(-1)", "Page up"),
    ]

    def __init__(self, commands: Sequence[CommandOffer], rows: Sequence[Row], now_ms: int) -> None:
        """:param commands: those that work now, in the order in which an empty line shows them.
        :param rows: all sessions.
        :param now_ms: the time from which ages are counted, in milliseconds.
        """
        super().__init__()
        self._commands = commands
        self._rows = rows
        self._now_ms = now_ms
        # None is the line between commands and places, or alone the message that nothing matches
        self._list = ItemList["Offer | None"](self._draw, id="palette-list")

    def compose(self) -> ComposeResult:
        with DialogBox("Commands", "Enter run  ↑ ↓ choose  Esc close"):
            yield LineInput(placeholder="Command, session or label", id="palette-line", compact=True)
            yield self._list

    def on_mount(self) -> None:
        self._list.can_focus = False
        self.query_one(LineInput).focus()
        self._show("")

    def _show(self, typed: str) -> None:
        scores = [(match_score(typed, offer.command, offer.description), offer) for offer in self._commands]
        found = sorted((pair for pair in scores if pair[0]), key=lambda pair: -pair[0])
        commands = [offer for _, offer in found] if typed.strip() else self._commands
        places = matching_places(self._rows, typed)
        between = [None] if bool(commands) == bool(places) else []
        self._list.show([*commands, *between, *places])
        self._list.fit(self.size.height - _BESIDE)

    def on_resize(self) -> None:
        if self.is_mounted:
            self._show(self.query_one(LineInput).value)

    def _draw(self, offer: Offer | None, cells: int) -> Line:
        if offer is None:
            is_alone = len(self._list.items) == 1
            return [("No command, session or label matches", "dim") if is_alone else ("─" * cells, "border")]
        if isinstance(offer, CommandOffer):
            keys = f" {offer.keys}" if offer.keys else ""
            room = max(0, cells - width(keys))
            return [(pad(stable_width(offer.description), room), "text"), (keys, "key")]
        facts = f" {age_or_date(offer.row.newest, self._now_ms):>4}"
        title = stable_width(one_line(offer.row.title, 500))
        if not offer.label:
            return [(pad(f"  {title}", max(0, cells - width(facts))), "title"), (facts, "dim")]
        label = f"◆ {stable_width(one_line(offer.label, 200))}  "
        room = max(0, cells - width(label) - width(facts))
        return [(label, "label"), (pad(title, room), "dim"), (facts, "dim")]

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show(event.value)

    def action_step(self, rows: int) -> None:
        """Move the cursor by rows."""
        self._list.step(rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self._list.step(0, pages)

    @on(LineList.Activated)
    @on(LineInput.Submitted)
    def _chosen(self) -> None:
        if self._list.picked is not None:
            self.dismiss(self._list.picked)


_WORD = re.compile(r"\w+")
ALIASES = {
    "session.delete": "delete remove trash",
    "session.pin": "star favourite bookmark",
    "session.fork": "duplicate copy branch",
    "session.resume": "open continue",
    "session.rename": "name title",
    "session.new": "create",
    "entry.go_on": "branch rewind",
    "entry.label": "tag bookmark",
    "label.list": "tags bookmarks",
    "change.undo": "revert",
    "history.show": "journal log changes",
    "trash.show": "bin deleted recover",
    "list.hidden": "hidden",
    "list.order": "sort order",
    "theme.choose": "colours colors dark light contrast",
    "index.rescan": "refresh reload",
    "help.show": "keys shortcuts",
    "app.quit": "exit",
}
"""Other names of commands, which users of similar programs know."""


def match_score(typed: str, command: Command, description: str) -> int:
    """How well a command matches the typed text; greater is better, 0 if at most single letters match.

    The label and the id of a command count more than the words in them, and these more than its description.

    :param description: the description of the command.
    """
    query = " ".join(typed.casefold().split())
    names = (command.label.casefold(), command.id)
    verb = command.id.rpartition(".")[2]
    words = [
        word for name in names for word in (*_WORD.findall(name), *_WORD.findall(name.replace("_", " ")))
    ] + ALIASES.get(command.id, "").split()
    grades = (
        query in names,
        query in (verb, verb.replace("_", " ")),
        query in words,
        any(word.startswith(query) for word in (*names, *words)),
        any(query in name for name in names),
        description.casefold().startswith(query),
        all(word in f"{names} {description.casefold()}" for word in query.split()),
    )
    return next((len(grades) - place for place, holds in enumerate(grades) if query and holds), 0)
