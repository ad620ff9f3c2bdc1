"""The left side of the browser: the list of sessions, and the line in which it is searched."""

from __future__ import annotations

from textual import on
from textual.message import Message

from app.formats.text import inert, one_line
from app.messages import SearchFound
from app.services.searching import Searching
from app.view.folders import tilde
from app.view.session_filter import is_plain
from app.widgets.pane import Pane
from app.widgets.search_box import SearchBox
from app.widgets.session_list import SessionListView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from app.index.index import Index
    from app.setup import Setup
    from app.view.session_list import SessionList

_SEARCHING = "…"


class SessionsSide(Pane):
    """Shows what matches the query in its line: of the rows at once, of what was said when it is found."""

    class Changed(Message):
        """Other sessions are shown."""

    def __init__(
        self,
        model: SessionList,
        setup: Setup,
        index: Callable[[], Index | None],
        failed: Callable[[BaseException], None],
        *,
        id: str,
    ) -> None:
        """:param index: what is searched; None while there is nothing to search yet: `look_again` then.
        :param failed: gets what goes wrong in a thread; called in that thread.
        """
        super().__init__("sessions", id=id)
        self.list = SessionListView(model, setup.now_ms(), id="sessions")
        self.box = SearchBox(id="filter")
        self._home = setup.home
        self._model = model
        self._search_said = ""
        self._searching = Searching(index, self.post_message, failed)

    def compose(self) -> ComposeResult:
        yield self.box
        yield self.list

    def on_unmount(self) -> None:
        self._searching.stop()

    # what is said

    def sessions_changed(self, nowhere: Sequence[tuple[str, str, str]] | None = None) -> None:
        """Say how many match, or why there is nothing to see.

        :param nowhere: where it was looked, once that is done (see `CatalogLoaded`).
        """
        model = self._model
        if not model.total and nowhere is not None:
            self.list.show_notice(_nothing_found(nowhere, self._home))
        elif not model.lines and model.is_filtered:
            self.list.show_notice(
                [f"No session matches “{one_line(self.box.value, 60)}”.", "Esc drops the filter."]
            )
        else:
            self.list.show_notice([])
        counts = f"{model.matched:,} of {model.total:,}" if model.is_filtered else ""
        self.say(" ".join(filter(None, (counts, self._search_said))))

    # the search

    def prepare(self) -> None:
        """Have the search ready before anybody types."""
        self._searching.prepare()

    def open_box(self) -> None:
        """Show the line and give it the keys."""
        self.prepare()
        self.box.add_class("shown")
        self.screen.set_focus(self.box)

    @property
    def is_searching(self) -> bool:
        """Whether more may be found."""
        return self._search_said == _SEARCHING

    def look_again(self) -> None:
        """Sessions have changed: what was found may be more now, or less."""
        if self.box.value:
            self._searching.ask(self.box.value)

    @on(SearchBox.Changed)
    def _typed(self, event: SearchBox.Changed) -> None:
        query = event.value
        if query != self.box.value:
            return  # of what is pasted, or typed while a page is drawn, the whole is looked for at once
        if is_plain(query):
            self.list.set_query(query)
        self._search_said = _SEARCHING if query.strip() else ""
        self._searching.ask(query)
        self.post_message(self.Changed())

    @on(SearchFound)
    def _found(self, event: SearchFound) -> None:
        if event.query != self.box.value:
            return
        if event.refused:
            # the rows stay as they are
            self._search_said = one_line(event.refused, 200)
        else:
            self.list.set_found(event.paths, list(event.words), is_plain=is_plain(event.query))
            self._search_said = one_line("; ".join(event.notes), 200) if event.done else _SEARCHING
        self.post_message(self.Changed())

    @on(SearchBox.Stepped)
    def _stepped(self, event: SearchBox.Stepped) -> None:
        self.list.move_to(self.list.cursor + event.step)

    @on(SearchBox.Kept)
    def _kept(self) -> None:
        self.screen.set_focus(self.list)
        if not self.box.value:
            self.box.remove_class("shown")

    @on(SearchBox.Dropped)
    def drop(self) -> None:
        """Show all sessions again, and give the list the keys."""
        self.box.value = ""
        self.screen.set_focus(self.list)
        self.box.remove_class("shown")


def _nothing_found(places: Sequence[tuple[str, str, str]], home: str) -> list[str]:
    """What an empty screen says: where it looked, and what to do."""
    lines = [
        "No sessions found.",
        "",
        "F6 opens example sessions in a throw-away folder.",
        "",
        "leafmark looked in:",
    ]
    for agents, folder, state in places:
        lines.append(f"{agents}: {inert(tilde(folder, home))}, {inert(state)}")
    return [*lines, "", "--store AGENT=FOLDER adds a folder."]
