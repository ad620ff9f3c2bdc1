"""Which sessions the list shows: the conditions of the arrangement, and the query."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from app.formats.text import is_invisible
from app.formats.utf8_text import fold
from app.index.row import Row, is_empty, is_subagent
from app.stores.tags import NOTHING, Tagging
from app.view.arrangement import Arrangement

OTHER_FOLDER, HIDDEN, EXCLUDED, SHOWN = range(4)
"""The standing of a session: in a folder outside of the scope; hidden as a sub-agent's or empty; counted, but
excluded by the agent, because it has no name or because others were chosen; in the list.
"""


class ArrangementFilter:
    """The conditions of an arrangement.

    :param here: the folders that count as "this folder".
    :param live: paths of the sessions that are live, or may be.
    :param pins: (agent, id) of the pinned sessions. A session in `live` or `pins` is not hidden as empty.
    """

    __slots__ = ("agent", "here", "hidden", "live", "named_only", "only", "only_here", "pins")

    def __init__(
        self,
        arrangement: Arrangement,
        here: Container[str],
        live: Container[str],
        pins: Container[tuple[str, str]] = (),
    ) -> None:
        self.only_here = arrangement.is_of_this_folder
        self.hidden = arrangement.hidden
        self.named_only = arrangement.named_only
        self.agent = arrangement.agent
        self.only = arrangement.only.paths if arrangement.only is not None else None
        self.here = here
        self.live = live
        self.pins = pins

    def standing(self, row: Row) -> int:
        """`OTHER_FOLDER`, `HIDDEN`, `EXCLUDED` or `SHOWN`; the last two count as sessions of the scope."""
        if self.only_here and row.cwd not in self.here:
            return OTHER_FOLDER
        is_chosen = self.only is not None and row.path in self.only
        if not (self.hidden or is_chosen) and (self._is_hidden_as_empty(row) or is_subagent(row)):
            return HIDDEN
        if self.only is not None and not is_chosen:
            return EXCLUDED
        if (self.agent and row.agent != self.agent) or (self.named_only and not is_named(row)):
            return EXCLUDED
        return SHOWN

    def _is_hidden_as_empty(self, row: Row) -> bool:
        return is_empty(row) and row.path not in self.live and (row.agent, row.id) not in self.pins


def is_named(row: Row) -> bool:
    """Whether a user has given the session a name that can be seen."""
    return not is_invisible(row.name or "")


def empty_reason(
    rows: Sequence[Row],
    arrangement: Arrangement,
    here: Container[str],
    live: Container[str],
    pins: Container[tuple[str, str]],
) -> str:
    """The first condition of an arrangement that leaves none of these sessions; see `ArrangementFilter`.

    :return: ``none`` (there are no sessions), ``here`` (none in this folder), ``only`` (none of those that
        were chosen), ``hidden`` (only sub-agents and empty ones), ``agent`` (none of this agent), ``named``
        (none with a name); "" if one is shown.
    """

    def any_shown(**fields: object) -> bool:
        conditions = ArrangementFilter(arrangement.changed(**fields), here, live, pins)
        return any(conditions.standing(row) == SHOWN for row in rows)

    if not rows:
        return "none"
    if not any_shown(only=None, hidden=True, agent="", named_only=False):
        return "here"
    if not any_shown(hidden=True, agent="", named_only=False):
        return "only"
    if not any_shown(agent="", named_only=False):
        return "hidden"
    if not any_shown(named_only=False):
        return "agent"
    return "" if any_shown() else "named"


_CONDITIONS = {"only": "only", "hidden": "hidden", "agent": "agent", "named": "named_only", "here": "scope"}
_NO_CONDITIONS = {"only": None, "hidden": True, "agent": "", "named_only": False, "scope": "all"}


def excluding_conditions(
    rows: Iterable[Row],
    arrangement: Arrangement,
    here: Container[str],
    live: Container[str],
    pins: Container[tuple[str, str]],
) -> tuple[str, ...]:
    """The conditions of an arrangement that exclude these sessions, none of which is shown; see
    `ArrangementFilter`.

    The result belongs to the session that fails the fewest conditions.

    :return: some of ``only``, ``hidden``, ``agent``, ``named`` and ``here``, in this order (`empty_reason`).
    """
    filters = {
        reason: ArrangementFilter(
            arrangement.changed(**_NO_CONDITIONS | {field: getattr(arrangement, field)}), here, live, pins
        )
        for reason, field in _CONDITIONS.items()
    }
    failed = [
        tuple(reason for reason, conditions in filters.items() if conditions.standing(row) != SHOWN)
        for row in rows
    ]
    return min(filter(None, failed), key=len, default=())


def words_of(query: str) -> list[str]:
    """The folded words of a query, in order."""
    return fold(query).split()


def searchable_texts(row: Row, folder: str, tagging: Tagging) -> list[str]:
    """The texts of a row that the words of a query are matched with: title, name, folder, id, agent, labels,
    tags and note.

    :param folder: the session's folder as the screen shows it.
    :param tagging: its tags and note.
    """
    return [
        row.title,
        row.name or "",
        row.cwd,
        folder,
        row.id,
        row.agent,
        *(label for _, label in row.labels),
        *tagging.tags,
        tagging.note,
    ]


def haystack(row: Row, folder: str, tagging: Tagging = NOTHING) -> str:
    """The `searchable_texts` as one folded text."""
    return fold("\n".join(searchable_texts(row, folder, tagging)))


def matches(folded: str, words: Sequence[str]) -> bool:
    """Whether a haystack contains all the folded words."""
    return all(word in folded for word in words)


def is_plain(query: str) -> bool:
    """Whether a query consists of words only: no filter, no phrase, no excluded word."""
    return not any(mark in query for mark in ':"') and not any(word.startswith("-") for word in query.split())


def rows_decide(query: str) -> bool:
    """Whether a session whose row matches is a match of the query.

    That holds if the query consists of words only and ignores case, as words without a capital do.
    """
    return is_plain(query) and not any(map(str.isupper, query))
