"""A hit in a session: where it is, and the second line of the session's row, which says why it is a hit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.sessions.tree.entry_ref import EntryRef
from app.view.cells import shorten
from app.view.line import Line, excerpt, fit_line, line_width, mark_pieces

MOST_HITS = 999
"""A higher number of hits in a session is not counted exactly."""
_LEAST_EXCERPT = 16
_FIELDS = {
    "name": "matches its name",
    "folder": "matches its folder",
    "program": "matches its agent",
    "id": "matches its id",
    "header": "matches its header",
}
_WITH_TEXT = frozenset(("id", "header"))
"""The fields whose text is not in the row."""


class HitExcerpt(NamedTuple):
    """The reason why a session is a hit of a query.

    query    the query
    where    the part of the session that matches, see `app.index.search.metadata_fields.Where`
    text     an inert line with a match
    ranges   the (start, end) of the matches in it, in characters
    place    the branch of the entry, inert; "" on the active path, or if it is not known
    hits     the number of entries of the session that match; 0 if none does
    """

    query: str
    where: str
    text: str
    ranges: Sequence[tuple[int, int]]
    place: str = ""
    hits: int = 0


class HitPlace(NamedTuple):
    """The entry of a session's hit.

    entry_id   the id of the entry; None if it has none, or if no entry matched
    offset     the offset of the entry's line in the file; -1 if no text of an entry matched
    words      the texts to highlight in the session, folded
    where      for example "branch 2 of 3, not on the active path", or a prompt that the session itself does
               not have; "" if the session has one branch, or if the branch is not known
    again      the same hit was there before, without `where`
    snippet    one inert line around the hit; ``ranges``: the (start, end) of the matches in it
    offsets    all hits of the session, by the offsets of their lines, in the order of the file
    """

    path: str
    query: str
    entry_id: str | None
    offset: int
    words: Sequence[str]
    where: str
    again: bool = False
    snippet: str = ""
    ranges: tuple[tuple[int, int], ...] = ()
    offsets: tuple[int, ...] = ()

    @property
    def entry(self) -> EntryRef | None:
        """The entry; None if none matched, so that the cursor can go nowhere."""
        return EntryRef(self.entry_id, self.offset) if self.is_entry else None

    @property
    def is_entry(self) -> bool:
        """Whether an entry matched."""
        return self.offset >= 0 or self.entry_id is not None


def hit_line(found: HitExcerpt | None, cells: int, indent: int, folder: str = "") -> Line:
    """The line in exactly `cells` cells: the excerpt, the folder, the place, and the number of hits.

    :param found: None if the reason is not known yet.
    :param indent: the cells before the excerpt.
    :param folder: the folder of the session, inert; "" if the list says it elsewhere.
    """
    if found is None:
        return fit_line([], cells)
    number = f"{min(found.hits, MOST_HITS):,}{'+' if found.hits > MOST_HITS else ''}"
    words = f"{number} hit{'' if found.hits == 1 else 's'}" if found.hits else ""
    left: Line = [(" " * indent, "text")]
    for facts in ((folder, found.place, words), (folder, found.place), (folder,), ()):
        right = " · ".join(filter(None, facts))
        shown: Line = [(f"  {right} ", "dim")] if right else [(" ", "text")]
        room = cells - indent - line_width(shown)
        if room >= _LEAST_EXCERPT or not right:
            break
    left += _reason(found, max(0, room))
    gap = max(0, cells - line_width(left) - line_width(shown))
    return fit_line([*left, (" " * gap, "text"), *shown], cells)


def _reason(found: HitExcerpt, cells: int) -> Line:
    head: Line = []
    if found.where == "label":
        head = [("◆ ", "labels")]
    elif found.where == "history":
        head = [("in the prompt history: ", "dim")]
    elif found.where in _FIELDS:
        words = _FIELDS[found.where]
        if found.where not in _WITH_TEXT:
            return [(shorten(words, cells), "dim")]
        head = [(f"{words}: ", "dim")]
    room = cells - line_width(head)
    if room < 1:
        return head
    text, ranges = excerpt(found.text, found.ranges, room)
    return [*head, *mark_pieces(text, ranges)]
