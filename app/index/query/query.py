"""What a query asks for, once it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from app.formats import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.row import Row

WORD: Literal["word"] = "word"
PHRASE: Literal["phrase"] = "phrase"
REGEX: Literal["regex"] = "regex"


class QueryError(ValueError):
    """A query that cannot be run.

    position, length   which characters of it are to blame
    message            one line that says why
    """

    def __init__(self, message: str, position: int, length: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.length = length


@dataclass(frozen=True, slots=True)
class Note:
    """Something to say about a query that is run all the same; position and length as in a `QueryError`."""

    message: str
    position: int
    length: int


@dataclass(frozen=True, slots=True)
class Term:
    """Something to look for.

    text      composed (NFC): a word, the words of a phrase with single blanks between, or a pattern
    exact     it has a capital: case counts (smart case)
    negated   sessions where it is found are left out
    position, length   in the query
    """

    kind: Literal["word", "phrase", "regex"]
    text: str
    exact: bool = False
    negated: bool = False
    position: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """What a filter may ask that no row says.

    :param live: whether a running agent has, or may have, the session of a row open.
    :param pinned: whether the user has pinned it.
    """

    live: Callable[[Row], bool] = lambda row: False
    pinned: Callable[[Row], bool] = lambda row: False


@dataclass(frozen=True, slots=True)
class Filter:
    """A typed filter: `test` says whether a row passes it, negation included."""

    field: str
    test: Callable[[Row, Facts], bool]
    position: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """All of `terms` and `filters` must hold of a session.

    kinds     in which texts terms are looked for (`formats.kinds`)
    tools     of which tools CALL and RESULT texts count; empty: of all. Folded
    everywhere   terms are also looked for in name, labels, folder and id: nothing narrows where to look
    """

    text: str = ""
    terms: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    kinds: frozenset[int] = kinds.CONVERSATION
    tools: frozenset[str] = field(default_factory=frozenset)
    everywhere: bool = True
    notes: tuple[Note, ...] = ()

    @property
    def is_deep(self) -> bool:
        """Whether the files themselves have to be read: the text store does not hold all that is asked of."""
        return not self.kinds <= kinds.CONVERSATION

    def passes(self, row: Row, facts: Facts) -> bool:
        """Whether a row passes every filter."""
        return all(each.test(row, facts) for each in self.filters)
