"""The completion of the query in the search line: the one behind the cursor, and the list below the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.query.completion import all_filters, filter_at
from app.index.query.filter_table import FILTER_KINDS
from app.view.cells import width

if TYPE_CHECKING:
    from app.index.query.completion import Completion
    from app.services.session_search import Completer
    from app.widgets.completion_popup import CompletionPopup
    from app.widgets.inputs import SearchBox

SHORTEST_NAME = 2
"""Letters of a filter's name after which the rest is offered: one letter may begin any word."""


class QueryCompleter:
    """Offers completions while the query is typed. The list opens by itself in the value of a filter that has
    several candidates; a single one stands behind the cursor, as does the name of a filter.
    """

    def __init__(
        self, box: SearchBox, popup: CompletionPopup, completer: Completer, *, lists_filters: bool
    ) -> None:
        """:param lists_filters: Tab lists the filters if there is no completion."""
        self._box = box
        self._popup = popup
        self._completer = completer
        self._lists_filters = lists_filters
        # the query and the cursor that the completions are for
        self._offered_at = ("", 0)
        # where the word begins that the list completes
        self._start = 0
        # where the word begins for which the user has closed the list
        self._dismissed = -1
        popup.on_pick = self._pick

    @property
    def state(self) -> str:
        """``list`` while the list is open, ``text`` while a completion is behind the cursor, else ""."""
        if self._popup.list.is_open:
            return "list"
        return "text" if self._box.completes else ""

    def offer(self) -> None:
        """Show the completions of the word at the cursor."""
        box = self._box
        text, position = box.value, box.cursor_position
        before, self._offered_at = self._offered_at, (text, position)
        if self._popup.list.is_open and before == self._offered_at:
            self._place()  # the screen may have another size
            return
        field, start = filter_at(text, position)
        if start != self._dismissed or len(text) < len(before[0]):
            self._dismissed = -1
        candidates = self._completer.candidates(text, position)
        at_end = position == len(text)
        if field and candidates and self._dismissed < 0 and not (at_end and len(candidates) == 1):
            box.offer("")
            self._open(field, candidates, start)
            return
        self._popup.hide()
        is_long = bool(field) or len(text.rpartition(" ")[2]) >= SHORTEST_NAME
        if not (candidates and at_end and is_long):
            box.offer("")
            return
        completed = candidates[0].applied(text)
        # The name of a filter is set off: the typed word may be all that is meant.
        continues = bool(field) and completed.startswith(text)
        replaced = candidates[0].text if field else completed.split()[-1]
        box.offer(completed, completed if continues else f"{text} → {replaced}")

    def tags_changed(self) -> None:
        """The tags of sessions have changed, which are values of a filter."""
        self._completer.forget()

    def cursor_moved(self) -> None:
        """Close the list if the cursor has left its place."""
        if self._popup.list.is_open and self._offered_at != (self._box.value, self._box.cursor_position):
            self._popup.hide()

    def complete(self) -> bool:
        """Accept the marked candidate, else the completion behind the cursor, else list the filters.

        :return: False if there was no completion, and the key has another meaning.
        """
        box = self._box
        if self._offered_at != (box.value, box.cursor_position):
            # Letters that arrived together have no completion yet.
            self.offer()
        if self._popup.list.is_open:
            self._take(self._popup.list.picked)
        elif box.completes:
            box.take_offer()
            self._dismissed = filter_at(box.value, len(box.value))[1] if box.value[-1:] != ":" else -1
        elif self._lists_filters:
            self._list_filters()
        else:
            return False
        return True

    def _list_filters(self) -> None:
        box = self._box
        text, position = box.value, box.cursor_position
        candidates = self._completer.candidates(text, position) or all_filters(text)
        if len(candidates) == 1:
            self._take(candidates[0])
            return
        field, start = filter_at(text, position)
        self._open(field, candidates, start if field else candidates[0].start)

    def step(self, rows: int) -> bool:
        """Move the mark of the list. False: it is closed."""
        if not self._popup.list.is_open:
            return False
        self._popup.list.step(rows)
        self._popup.refresh()
        return True

    def take_chosen(self) -> bool:
        """Accept the candidate that the user has chosen. False: none was."""
        completions = self._popup.list
        if not (completions.is_open and completions.is_chosen):
            return False
        self._take(completions.picked)
        return True

    def dismiss(self) -> bool:
        """Close the list until another word is typed. False: it was not open."""
        if not self._popup.list.is_open:
            return False
        self._dismissed = filter_at(self._box.value, self._box.cursor_position)[1]
        self._popup.hide()
        return True

    def close(self) -> None:
        """Close the list."""
        self._popup.hide()

    def _open(self, field: str, candidates: list[Completion], start: int) -> None:
        """List candidates.

        :param field: the filter whose values they are; "" for names of filters.
        :param start: where their word begins.
        """
        title = f"{field}: {FILTER_KINDS[field].hint}" if field else "Filters"
        self._popup.list.open(title, candidates, f"{field}:" if field else "")
        self._start = start
        self._place()

    def _place(self) -> None:
        box = self._box
        x = box.cursor_screen_offset.x - width(box.value[self._start : box.cursor_position])
        self._popup.show(x - 1, box.region.bottom)

    def _take(self, candidate: Completion) -> None:
        box = self._box
        self._popup.hide()
        value = candidate.applied(box.value)
        end = candidate.start + len(candidate.text)
        # A name is followed by its values, a value by nothing.
        self._dismissed = -1 if candidate.text.endswith(":") else filter_at(value, end)[1]
        box.value = value
        box.cursor_position = end

    def _pick(self, number: int) -> None:
        self._take(self._popup.list.items[number])
        self._box.screen.set_focus(self._box)
