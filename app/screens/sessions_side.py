"""The list of sessions and the line in which it is searched: the browser's left side, and the selector's."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.message import Message

from app.commands import key_of, named
from app.screens.answering_side import AnsweringSide
from app.view.arrangement import turned
from app.view.bars import list_facts
from app.view.empty_states import nothing_found, nothing_matches, nothing_shown, searching_for
from app.widgets.bindings import bindings_of
from app.widgets.search_box import SearchBox
from app.widgets.session_list import SessionListView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

    from app.index.index import Index
    from app.setup import Setup
    from app.view.arrangement import Arrangement
    from app.view.session_list import SessionList


class SessionsSide(AnsweringSide):
    """Says what is shown and why nothing is, and has the keys of both."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("side")]

    class Chosen(Message):
        """Enter in the line of a selector."""

    class Left(Message):
        """Escape in the line of a selector."""

    class TabPressed(Message):
        """Tab in the line, where there is nothing to complete."""

    class TrashAsked(Message):
        """A key that deletes was pressed where there is nothing to edit."""

    def __init__(
        self,
        model: SessionList,
        setup: Setup,
        index: Callable[[], Index | None],
        failed: Callable[[BaseException], None],
        *,
        id: str,
        selects: bool = False,
    ) -> None:
        """See `SearchingSide`.

        :param selects: the line is always there, and Enter in it chooses.
        """
        super().__init__(model, setup, index, failed, id=id)
        self.list.once_known = self.once_known
        self.selects = selects
        self._home = setup.home
        self._nowhere: Sequence[tuple[str, str, str]] | None = None

    def on_mount(self) -> None:
        if self.selects:
            self.box.add_class("shown")

    # what is said

    def changed(self) -> None:
        # in the same picture as the list
        self.sessions_changed(self._nowhere)
        super().changed()

    def sessions_changed(self, nowhere: Sequence[tuple[str, str, str]] | None = None) -> None:
        """Say how many there are and how they are shown, or why there is nothing to see.

        :param nowhere: where it was looked, once that is done (see `CatalogLoaded`).
        """
        self._nowhere = nowhere
        model = self.model
        if nowhere is None and not model.known:
            nowhere = model.nowhere
        self.scanned = nowhere is not None
        if not model.known and nowhere is not None:
            self.list.show_notice(nothing_found(nowhere, self._home))
        elif not model.lines:
            why, keys = model.empty(), self._ways_out()
            if why == "query" and not self.is_answered:
                said = searching_for(self.box.value)
            elif why == "query":
                so_far = self.is_due or not self.scanned
                said = nothing_matches(
                    self.box.value, model.left_out(), keys, so_far=so_far, leaves_tools=self.leaves_tools
                )
            else:
                said = nothing_shown(why, keys)
            self.list.show_notice(said)
        else:
            self.list.show_notice([])
        begins = self._is_first and not self.scanned
        facts = list_facts(model, searches=self.is_searching, answered=self.is_answered, begins=begins)
        title, *shorter = model.arrangement.titles(tools=self.everywhere)
        self.say(facts, title, tuple(shorter))
        self.go_on()

    def _ways_out(self) -> dict[str, str]:
        """For each reason why something is not shown the keys that show it as well, from here."""
        keys = {why: self._keys_of(id) for why, id in _WAY_OUT.items()}
        types = self.box.has_focus
        if self.model.arrangement.scope != "here":
            del keys["here"]
        elif self.selects:
            # as in pi; unless the key completes what is typed
            keys["here"] = key_of("pane.next", typing=types)
            if types and self.box.completing_key == "tab" and keys["here"] == key_of("filter.complete"):
                del keys["here"]
        return keys

    def _keys_of(self, id: str) -> str:
        key = key_of(id)
        if not key or not self.box.has_focus or named(id).pane == "side":
            return key
        # in the line it is a letter
        to_list = key_of("pane.previous", typing=True) if self.selects else key_of("filter.keep")
        return f"{to_list}, then {key}" if to_list else ""

    def on_descendant_focus(self) -> None:
        if not self.model.lines:
            self.sessions_changed(self._nowhere)

    # the keys of the line

    @on(SearchBox.Stepped)
    def _stepped(self, event: SearchBox.Stepped) -> None:
        self.list.step(event.rows, event.pages)

    @on(SearchBox.MarkAsked)
    def _mark_asked(self) -> None:
        self.list.action_mark_or_fold()

    @on(SearchBox.TabPressed)
    def _tab_pressed(self, event: SearchBox.TabPressed) -> None:
        event.stop()
        # what was typed in one go has not been offered anything yet
        self.offer_completion()
        if self.box.completing_key == "tab":
            self.box.take_offer()
        else:
            self.post_message(self.TabPressed())

    @on(SearchBox.Offered)
    def _offered(self) -> None:
        self.changed()

    @on(SearchBox.Kept)
    def _kept(self) -> None:
        if self.selects:
            self.post_message(self.Chosen())
            return
        self.screen.set_focus(self.list)
        if not self.box.value:
            self.box.remove_class("shown")

    @on(SearchBox.Dropped)
    def _dropped(self) -> None:
        if self.selects:
            self.post_message(self.Left())
        else:
            self.drop()

    def drop(self) -> None:
        """Show all sessions again, and in the browser give the list the keys."""
        self.box.value = ""
        # at once: who drops it to go to a session looks for it in the list right away
        self.list.set_query("")
        self._answered = ""
        if not self.selects:
            self.screen.set_focus(self.list)
            self.box.remove_class("shown")

    def action_edit_or_trash(self) -> None:
        """Delete the last word of what is searched for; where there is none, ask to trash."""
        if self.box.value:
            self.box.action_delete_left_word()
        else:
            self.post_message(self.TrashAsked())

    # how the sessions are shown

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show the sessions in another way; the cursor stays on its session where that is still shown."""
        before = self.model.arrangement
        self.drop_asked()
        self.list.show_arrangement(arrangement)
        if before.order != arrangement.order and "relevance" in (before.order, arrangement.order):
            self.look_again()
        self.changed()

    def turn(self, what: str) -> None:
        """Go on to the next way in which something can be shown.

        :param what: a field of `Arrangement`.
        """
        now = self.model.arrangement
        agents = sorted({row.agent for row in self.model.rows()}) if what == "agent" else ()
        self.show_arrangement(turned(now, what, agents))

    @on(SessionListView.MarksChanged)
    def _marks_changed(self) -> None:
        self.changed()


_WAY_OUT = {
    "here": "list.scope",
    "named": "list.named",
    "agent": "list.agent",
    "hidden": "list.hidden",
    "tools": "search.everywhere",
}
"""Why nothing is shown -> the command that shows more."""
