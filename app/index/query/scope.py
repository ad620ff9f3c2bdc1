"""In which texts terms are looked for: what `in:`, `role:` and `tool:` come to together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats import kinds
from app.formats.fold import fold
from app.index.query.query import QueryError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.index.query.query import Filter, Term
    from app.index.query.tokens import Token

_CALLS = frozenset((kinds.CALL, kinds.RESULT))
_PLACES = {"tools": kinds.TOOLS, "thinking": frozenset((kinds.THINKING,)), "all": kinds.ALL}


class Scope:
    """Gathers the places of a query.

    `in:` and `role:` name places, which add up; all else is left out. `in:all` names none: it says where to
    look when nothing else does, in everything instead of the conversation. `tool:` leaves of tool calls and
    results only those of its tools, and these are the place when no other is named; beside it, `in:tools`
    does not mean what users ran themselves. Negated, `in:` and
    `role:` take their place away, and `tool:` is a filter of sessions only.
    """

    def __init__(self, all_text: bool) -> None:
        self._base = kinds.ALL if all_text else kinds.CONVERSATION
        self._named: set[int] = set()
        self._all_tools = False
        self._without: set[int] = set()
        self._tools: set[str] = set()
        self._asked: list[int] = []
        self._last: Token | None = None

    def add(self, token: Token, values: list[str]) -> None:
        """Take in one filter `in:`, `role:` or `tool:`, whose values are known to be good."""
        if token.field == "tool":
            if not token.negated:
                self._tools.update(map(fold, values))
                self._asked.append(token.start)
            return
        for value in values:
            places = kinds.NAMES[value] if token.field == "role" else _PLACES[value]
            if token.negated:
                self._without |= places
                self._last = token
            elif token.field == "in" and value == "all":
                self._base = kinds.ALL
            elif token.field == "in" and value == "tools":
                self._all_tools = True
            else:
                self._named |= places

    @property
    def tools(self) -> frozenset[str]:
        """As in `Query`."""
        return frozenset(self._tools)

    @property
    def everywhere(self) -> bool:
        """As in `Query`: what only takes places away leaves names, labels and so on."""
        return not self._named and not self._tools and not self._all_tools

    def filters(self, filters: list[Filter], terms: Iterable[Term]) -> tuple[Filter, ...]:
        """`filters` without a `tool:` that the texts answer: a row knows which tools are called, and a result
        may be there without its call.
        """
        # A session passes each of several, and a text is of one.
        if len(self._asked) == 1 and self.kinds() <= _CALLS and not all(term.negated for term in terms):
            return tuple([each for each in filters if each.position != self._asked[0]])
        return tuple(filters)

    def kinds(self) -> frozenset[int]:
        """As in `Query`.

        :raises QueryError: nothing is left.
        """
        places = frozenset(self._named)
        if self._all_tools:
            places |= _CALLS if self._tools else kinds.TOOLS
        left = (places or (_CALLS if self._tools else self._base)) - self._without
        if not left and self._last:
            raise QueryError("this leaves no text to look in", self._last.start, self._last.length)
        return left
