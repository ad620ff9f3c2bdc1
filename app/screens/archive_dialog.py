"""The sessions that an agent has packed away, to be brought back (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.formats.text import one_line
from app.messages.archive import ArchiveRead
from app.services.list_facts import ListFacts
from app.view.ages import age, size
from app.view.cells import fill, steady, width
from app.widgets.dialog import Dialog
from app.widgets.item_list import ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.setup import Setup
    from app.stores.archive import Archived
    from app.view.line import Line


class _Archive(ItemList["Archived"]):
    def __init__(self, now_ms: int) -> None:
        super().__init__(id="archive")
        self._now_ms = now_ms

    def draw_item(self, item: Archived, cells: int) -> Line:
        facts = f" {item.agent} {size(item.size):>5} {age(item.mtime_ms, self._now_ms):>4} "
        room = max(0, cells - width(facts))
        # without a title, its file says which one it is
        title = one_line(item.title or os.path.basename(item.path), 500)
        if item.problem:
            said = f"{one_line(item.problem, 100)}: {title}"
            return [(fill(steady(said), room), "warning"), (facts, "dim")]
        return [(fill(steady(title), room), "title"), (facts, "dim")]


class ArchiveDialog(Dialog["Archived | None"]):
    """The archives. Enter brings the session under the cursor back; the result is that one, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Back"),
        Binding("enter", "choose", "Bring it back"),
    ]

    def __init__(self, setup: Setup, failed: Callable[[BaseException], None]) -> None:
        super().__init__()
        self._list = _Archive(setup.now_ms())
        self._surroundings = ListFacts(setup, self.post_message, failed)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall") as box:
            box.border_title = Content("archive")
            yield self._list
            yield Static(Content("looking…"), classes="hint", id="said")

    def on_mount(self) -> None:
        self._list.focus()
        self._surroundings.read_archive()

    def on_unmount(self) -> None:
        self._surroundings.stop()

    @on(ArchiveRead)
    def _archive_read(self, event: ArchiveRead) -> None:
        event.stop()
        self._list.show(event.archived)
        said = "Enter brings it back   Esc back" if event.archived else "Nothing is archived.   Esc back"
        self.query_one("#said", Static).update(Content(said))

    @on(LineList.Activated)
    def action_choose(self) -> None:
        """Bring back the session under the cursor."""
        if self._list.picked is not None:
            self.dismiss(self._list.picked)
