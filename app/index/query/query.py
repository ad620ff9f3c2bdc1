"""What a query asks for, once it is read.

Imported for every search on the command line: plain classes, because `dataclasses` takes as long to import
as thousands of sessions to search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats import kinds
from app.formats.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from app.index.row import Row

    Kind = Literal["word", "phrase", "regex"]

WORD: Literal["word"] = "word"
PHRASE: Literal["phrase"] = "phrase"
REGEX: Literal["regex"] = "regex"


LONGEST_MESSAGE = 8_000
"""Characters of a message: it may name a file by its path, and paths have up to half as many."""


class QueryError(ValueError):
    """A query that cannot be run.

    position, length   which characters of it are to blame; they lie within it, and are none (length 0) only
                       where it is empty
    message            one inert line that says why: safe to draw, whatever it names
    """

    def __init__(self, message: str, position: int, length: int = 1) -> None:
        message = one_line(message, LONGEST_MESSAGE)
        super().__init__(message)
        self.message = message
        self.position = position
        self.length = length


class _Values:
    """Equal when all its slots are, and not to be changed."""

    __slots__: tuple[str, ...] = ()

    def _all(self) -> tuple[object, ...]:
        return tuple(getattr(self, slot) for slot in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Values) and type(other) is type(self) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        slots = ", ".join(f"{slot}={getattr(self, slot)!r}" for slot in self.__slots__)
        return f"{type(self).__name__}({slots})"


class Note(_Values):
    """Something to say about a query that is run all the same; message, position and length as in a
    `QueryError`.
    """

    __slots__ = ("length", "message", "position")

    def __init__(self, message: str, position: int, length: int) -> None:
        self.message = one_line(message, LONGEST_MESSAGE)
        self.position = position
        self.length = length


class Term(_Values):
    """Something to look for.

    text      composed (NFC): a word, the words of a phrase with single blanks between, or a pattern
    exact     it has a capital: case counts (smart case)
    negated   sessions where it is found are left out
    position, length   in the query
    """

    __slots__ = ("exact", "kind", "length", "negated", "position", "text")

    def __init__(
        self,
        kind: Kind,
        text: str,
        exact: bool = False,
        negated: bool = False,
        position: int = 0,
        length: int = 0,
    ) -> None:
        self.kind: Kind = kind
        self.text = text
        self.exact = exact
        self.negated = negated
        self.position = position
        self.length = length


def _never(row: Row) -> bool:
    return False


class Facts(_Values):
    """What a filter may ask that no row says.

    :param live: whether a running agent has, or may have, the session of a row open.
    :param pinned: whether the user has pinned it.
    """

    __slots__ = ("live", "pinned")

    def __init__(self, live: Callable[[Row], bool] = _never, pinned: Callable[[Row], bool] = _never) -> None:
        self.live = live
        self.pinned = pinned


class Filter(_Values):
    """A typed filter.

    test      whether a row passes it, negation included. False for a provisional row whenever `whole`
    whole     it asks what a provisional row does not say: counts, labels, models, tools, cost, damage
    position, length   in the query
    """

    __slots__ = ("field", "length", "position", "test", "whole")

    def __init__(
        self,
        field: str,
        test: Callable[[Row, Facts], bool],
        position: int = 0,
        length: int = 0,
        whole: bool = False,
    ) -> None:
        self.field = field
        self.test = test
        self.position = position
        self.length = length
        self.whole = whole


class Query(_Values):
    """All of `terms` and `filters` must hold of a session.

    kinds     in which texts terms are looked for (`formats.kinds`)
    tools     of which tools CALL and RESULT texts count; empty: of all. Folded
    everywhere   terms are also looked for in what `search.said` says: nothing narrows where to look
    """

    __slots__ = ("everywhere", "filters", "kinds", "notes", "terms", "text", "tools")

    def __init__(
        self,
        text: str = "",
        terms: tuple[Term, ...] = (),
        filters: tuple[Filter, ...] = (),
        kinds: frozenset[int] = kinds.CONVERSATION,
        tools: frozenset[str] = frozenset(),
        everywhere: bool = True,
        notes: tuple[Note, ...] = (),
    ) -> None:
        self.text = text
        self.terms = terms
        self.filters = filters
        self.kinds = kinds
        self.tools = tools
        self.everywhere = everywhere
        self.notes = notes

    @property
    def is_deep(self) -> bool:
        """Whether the files themselves have to be read: the text store does not hold all that is asked of."""
        return bool(self.terms) and not self.kinds <= kinds.CONVERSATION

    def passes(self, row: Row, facts: Facts) -> bool:
        """Whether a row passes every filter."""
        for each in self.filters:  # noqa: SIM110  # thousands of rows at every key: a generator doubles it
            if not each.test(row, facts):
                return False
        return True

    def unsure(self, row: Row) -> bool:
        """Whether `passes` may say no only because the row is provisional: a filter asks what that lacks."""
        return row.provisional and any(each.whole for each in self.filters)
