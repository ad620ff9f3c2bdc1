"""A parsed query: the terms to search for, the filters on sessions, and where terms are searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.formats.prices import LIST_PRICES
from app.formats.text import one_line
from app.formats.text_kinds import CONVERSATION, SEARCHED
from app.formats.utf8_text import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.prices import Prices
    from app.index.query.path_pattern import PathPattern, TouchedPaths
    from app.index.row import Row

Kind = Literal["word", "phrase", "regex"]

WORD: Literal["word"] = "word"
PHRASE: Literal["phrase"] = "phrase"
REGEX: Literal["regex"] = "regex"

LONGEST_MESSAGE = 8_000
"""The most characters of a message. It may contain a path, which has up to half as many characters."""


class QueryError(ValueError):
    """A query that cannot be run.

    position, length   the characters of the query that are to blame; they lie within it, and `length` is 0
                       only for an empty query
    message            the reason in one inert line, which is safe to draw whatever it names
    """

    def __init__(self, message: str, position: int, length: int = 1) -> None:
        message = one_line(message, LONGEST_MESSAGE)
        super().__init__(message)
        self.message = message
        self.position = position
        self.length = length


@dataclass(slots=True, frozen=True)
class Note:
    """A remark about a query that can be run. The fields are those of `QueryError`."""

    message: str
    position: int
    length: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", one_line(self.message, LONGEST_MESSAGE))


@dataclass(slots=True, frozen=True)
class Term:
    """A word, phrase or pattern to search for.

    text      in NFC: a word, the words of a phrase with single spaces between them, or a pattern
    exact     the term has a capital, so case counts (smart case)
    negated   sessions that contain the term are left out
    position, length   in the query
    """

    kind: Kind
    text: str
    exact: bool = False
    negated: bool = False
    position: int = 0
    length: int = 0


@dataclass(slots=True, frozen=True)
class Facts:
    """Facts about a session that filters ask for and that its row does not hold.

    live     whether a running agent has, or may have, the session open
    pinned   whether the user has pinned the session
    tags     the tags of the session
    prices   the prices of tokens without a cost
    kept     whether leafmark keeps a copy of the session
    expires  the time from which on the agent may delete the session, in milliseconds since the epoch; None
             for never
    touched  the files that the session touched; None if they are not known yet
    """

    live: Callable[[Row], bool] = lambda row: False
    pinned: Callable[[Row], bool] = lambda row: False
    tags: Callable[[Row], Sequence[str]] = lambda row: ()
    prices: Prices = LIST_PRICES
    kept: Callable[[Row], bool] = lambda row: row.is_gone
    expires: Callable[[Row], int | None] = lambda row: None
    touched: Callable[[Row], TouchedPaths | None] = lambda row: None


@dataclass(slots=True, frozen=True)
class Filter:
    """A filter on sessions.

    test       whether a row passes, negation included; always False for a provisional row if the filter
               needs fields that such a row lacks: counts, labels, models, tools, cost, damage
    position   in the query
    """

    test: Callable[[Row, Facts], bool]
    position: int


@dataclass(slots=True, frozen=True)
class Query:
    """A session matches if it matches all `terms` and passes all `filters`.

    kinds        the kinds of text in which terms are searched (`formats.text_kinds`)
    tools        the folded names of the tools whose CALL and RESULT texts are searched; empty for all tools
    everywhere   terms are also searched in the fields of the row, because the query names no place
    notes        remarks about the query
    hidden       a filter asks for sub-agents or empty sessions, which lists hide otherwise
    sort         the order of the sessions (`index.sorting.SORTS`); "" if the query names none
    files        a filter asks for touched files (`index.touched_files`)
    paths        the paths that such filters name, each with whether the file has to be changed; without those
                 of filters with a `-`
    """

    text: str = ""
    terms: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    kinds: frozenset[int] = SEARCHED
    tools: frozenset[str] = frozenset()
    everywhere: bool = True
    notes: tuple[Note, ...] = ()
    hidden: bool = False
    sort: str = ""
    files: bool = False
    paths: tuple[tuple[PathPattern, bool], ...] = ()

    @property
    def needs_files(self) -> bool:
        """Whether terms are searched in some kind of text that only the session files have."""
        return bool(self.terms) and not self.kinds <= CONVERSATION

    def passes(self, row: Row, facts: Facts) -> bool:
        """Whether a row passes every filter."""
        for row_filter in self.filters:  # noqa: SIM110  # a generator doubles the time for thousands of rows
            if not row_filter.test(row, facts):
                return False
        return True

    @property
    def words(self) -> tuple[str, ...]:
        """The folded words of all terms that must match, for highlighting; patterns have none."""
        return tuple(
            word
            for term in self.terms
            if not term.negated and term.kind != REGEX
            for word in fold(term.text).split()
        )
