"""Which sessions the list shows: conditions of the arrangement, and words that match rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Sequence

from app.formats.text import is_invisible
from app.index.row import Row, is_empty, is_subagent
from app.view.arrangement import Arrangement

OTHER_FOLDER, HIDDEN, EXCLUDED, SHOWN = range(4)
"""The standing of a session: in a folder outside of the scope; hidden as a sub-agent's or empty; counted, but
excluded by the agent or because it has no name; in the list.
"""


class ArrangementFilter:
    """The conditions of an arrangement.

    :param here: the folders that count as "this folder".
    :param live: paths of the sessions that are live, or may be.
    """

    __slots__ = ("agent", "here", "hidden", "live", "named_only", "only_here")

    def __init__(self, arrangement: Arrangement, here: Container[str], live: Container[str]) -> None:
        self.only_here = arrangement.scope == "here"
        self.hidden = arrangement.hidden
        self.named_only = arrangement.named_only
        self.agent = arrangement.agent
        self.here = here
        self.live = live

    def standing(self, row: Row) -> int:
        """`OTHER_FOLDER`, `HIDDEN`, `EXCLUDED` or `SHOWN`; the last two count as sessions of the scope."""
        if self.only_here and row.cwd not in self.here:
            return OTHER_FOLDER
        if not self.hidden and (
            (not row.message_count and is_empty(row) and row.path not in self.live)
            or (row.parent_session and is_subagent(row))
        ):
            return HIDDEN
        if (self.agent and row.agent != self.agent) or (self.named_only and not is_named(row)):
            return EXCLUDED
        return SHOWN


def is_named(row: Row) -> bool:
    """Whether a user has given the session a name that can be seen."""
    return not is_invisible(row.name or "")


def empty_reason(
    rows: Sequence[Row], arrangement: Arrangement, here: Container[str], live: Container[str]
) -> str:
    """The first condition of an arrangement that leaves none of these sessions.

    :return: ``none`` (there are no sessions), ``here`` (none in this folder), ``hidden`` (only sub-agents and
        empty ones), ``agent`` (none of this agent), ``named`` (none with a name); "" if one is shown.
    """

    def any_shown(**fields: object) -> bool:
        conditions = ArrangementFilter(arrangement.changed(**fields), here, live)
        return any(conditions.standing(row) == SHOWN for row in rows)

    if not rows:
        return "none"
    if not any_shown(hidden=True, agent="", named_only=False):
        return "here"
    if not any_shown(agent="", named_only=False):
        return "hidden"
    if not any_shown(named_only=False):
        return "agent"
    return "" if any_shown() else "named"


_CONDITIONS = {"hidden": "hidden", "agent": "agent", "named": "named_only", "here": "scope"}
_NO_CONDITIONS = {"hidden": True, "agent": "", "named_only": False, "scope": "all"}


def excluding_conditions(
    rows: Iterable[Row], arrangement: Arrangement, here: Container[str], live: Container[str]
) -> tuple[str, ...]:
    """The conditions of an arrangement that exclude these sessions, none of which is shown.

    The result belongs to the session that fails the fewest conditions.

    :return: some of ``hidden``, ``agent``, ``named`` and ``here``, in this order; see `empty_reason`.
    """
    filters = {
        reason: ArrangementFilter(
            arrangement.changed(**_NO_CONDITIONS | {field: getattr(arrangement, field)}), here, live
        )
        for reason, field in _CONDITIONS.items()
    }
    failed = [
        tuple(reason for reason, conditions in filters.items() if conditions.standing(row) != SHOWN)
        for row in rows
    ]
    return min(filter(None, failed), key=len, default=())


# words


def fold(text: str) -> str:
    """Text for comparison: without differences of case and of the spelling of accented letters."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def words_of(query: str) -> list[str]:
    """The folded words of a query, in order."""
    return fold(query).split()


def searchable_texts(row: Row, folder: str) -> list[str]:
    """The texts of a row that the words of a query are matched with: title, name, folder, id, agent and
    labels.

    :param folder: the session's folder as the screen shows it.
    """
    return [
        row.title,
        row.name or "",
        row.cwd,
        folder,
        row.id,
        row.agent,
        *(label for _, label in row.labels),
    ]


def haystack(row: Row, folder: str) -> str:
    """The `searchable_texts` as one folded text."""
    return fold("\n".join(searchable_texts(row, folder)))


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
