"""The search in the transcript that is shown: the line above the transcript, the hits, and the shown hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.transcript_outline import first_from
from app.widgets.inputs import FindLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.row import Row
    from app.sessions.tree.entry_ref import EntryRef
    from app.view.transcript_outline import Hits
    from app.widgets.transcript_lines import TranscriptLines


class TranscriptFinder:
    """Runs one search at a time: for the words in the line, or for those of the search of all sessions.

    line     the line
    hits     the hits; None without a search, and until it has ended
    number   the number of the hit that is shown; -1 for none
    """

    def __init__(
        self,
        lines: TranscriptLines,
        search: Callable[..., object],
        *,
        go_to: Callable[[EntryRef, EntryRef | None], None],
        is_at: Callable[[EntryRef], bool],
        changed: Callable[[], None],
        complain: Callable[[str], None],
    ) -> None:
        """:param search: begins a search, as `TranscriptOutline.search`; `found` gets its hits.
        :param go_to: shows a hit, on the path through the second entry; None for the active path.
        :param is_at: whether the cursor is on a hit. That in a result is shown with its call.
        :param changed: shows that other words are searched for, or that their hits are known.
        :param complain: shows why a key does nothing.
        """
        self.line = FindLine(lines, id=f"{lines.id}-find")
        self._search = search
        self._go_to = go_to
        self._is_at = is_at
        self._changed = changed
        self._complain = complain
        self.hits: Hits | None = None
        self.number = -1
        # the words of the search of all sessions, while the hits are its own
        self._listed_words: tuple[str, ...] = ()
        # an entry that the searched path leads through, if it is not the active one
        self._searched: EntryRef | None = None

    @property
    def has_hits(self) -> bool:
        """Whether a search has hits in this session."""
        return self.hits is not None and bool(self.hits.all)

    @property
    def words(self) -> tuple[str, ...]:
        """The words whose hits are known, folded."""
        return self.hits.words if self.hits is not None else ()

    @property
    def hit(self) -> EntryRef | None:
        """The hit that is shown."""
        return self.hits.all[self.number] if self.hits is not None and self.number >= 0 else None

    @property
    def is_running(self) -> bool:
        """Whether the hits of the typed words are not known yet."""
        return bool(self._wanted) and (self.hits is None or self.hits.words != self._wanted)

    @property
    def _wanted(self) -> tuple[str, ...]:
        """The words in the line; none without a line."""
        return self.line.words if self.line.is_open else ()

    def open(self) -> None:
        """Show and focus the line."""
        self._listed_words = ()
        self.line.open()

    def drop(self) -> bool:
        """End the search. False if no line is shown."""
        was_open = self.line.is_open
        if was_open or self._listed_words:
            self._listed_words = ()
            self.line.close()
            self._forget_hits()
        return was_open

    def forget_listed(self) -> None:
        """Forget the hits of the search of all sessions, which has ended."""
        if self._listed_words:
            self.drop()

    def _forget_hits(self) -> None:
        self.hits, self.number = None, -1
        self._changed()

    def typed(self, row: Row | None, through: EntryRef | None) -> None:
        """Search for the words in the line: they have changed.

        :param row: the session; None for none.
        :param through: an entry that only the path that is shown leads through; None for the active path.
        """
        words = self._wanted
        if not words or row is None:
            self._forget_hits()
        elif words != self.words:
            self._search(words, through)

    def found(self, hits: Hits, entry: EntryRef | None, through: EntryRef | None) -> bool:
        """Take the hits, and go to the first one at the cursor or behind it.

        :param entry: the entry under the cursor.
        :param through: the entry by which the path that is shown is known; None for the active path.
        :return: False if they belong to an earlier search.
        """
        if hits.words != self._wanted:
            return False
        self.hits, self.number, self._searched = hits, -1, through
        if hits.here:
            self._show(self._number_from(hits, entry))
        self._changed()
        return True

    def show_listed(
        self, hits: Hits, entry: EntryRef | None, through: EntryRef | None, step: int = 0
    ) -> None:
        """Show the hits of the search of all sessions in this one, unless other words are searched here.

        :param entry: the entry under the cursor, which may be one of them.
        :param step: go to the hit behind the cursor (1) or before it (-1); 0 for neither.
        """
        if self.line.is_open:
            return
        self._listed_words, self.hits, self._searched = hits.words, hits, through
        number = self._number_from(hits, entry) if hits.all else -1
        is_there = number >= 0 and self._is_at(hits.all[number])
        self.number = number if is_there else -1
        if step and hits.all:
            self._show((number + (step if is_there or step < 0 else 0)) % len(hits.all))
        self._changed()

    @staticmethod
    def _number_from(hits: Hits, entry: EntryRef | None) -> int:
        """The number of the hit at an entry, or of the first one behind it on the path."""
        begin = entry.offset if entry is not None else 0
        at = next((number for number, hit in enumerate(hits.all) if hit.offset == begin), -1)
        return at if at >= 0 else first_from([ref.offset for ref in hits.here], begin)

    def step(self, step: int) -> None:
        """Go to the next hit (1) or the previous one (-1)."""
        if self.hits is not None and self.has_hits:
            self._show((self.number + step) % len(self.hits.all))
        else:
            self._complain("No search in this transcript" if self.hits is None else "No hits")

    def _show(self, number: int) -> None:
        if self.hits is not None:
            self.number = number
            entry = self.hits.all[number]
            self._go_to(entry, self._searched if number < len(self.hits.here) else entry)

    def keep(self) -> None:
        """Focus the transcript and keep the hits. Without words, the search ends."""
        self.line.leave()
        if not self._wanted:
            self.drop()
