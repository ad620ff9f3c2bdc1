"""What each filter asks of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.formats.text import is_unseen, one_line
from app.index.query import dates
from app.index.query.amounts import SIGNS, amount, comparison
from app.index.query.query import Filter, QueryError
from app.index.query.table import SORTS
from app.index.query.tokens import spaced
from app.index.row import problem_count
from app.paths import below_home
from app.stores import AGENTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo
    from typing import Any

    from app.index.query.query import Facts
    from app.index.query.tokens import Item, Token
    from app.index.row import Row

    Test = Callable[[Row, Facts], bool]

# Every row says these, even one of which only the ends of the file were read.
_KNOWN = frozenset(("agent", "dir", "name", "id", "date", "fork", "live", "named", "pinned"))
PLACES_ONLY = ("in", "role")
"""These only say in which texts to look."""


class Builder:
    """Makes the filters of one query.

    :param now_ms: what ages and `today` count from, and whether an unfinished line is damage yet.
    :param home: what `~` stands for; "" leaves it as it is.
    :param zone: where days begin; None is the time zone of this machine.
    """

    def __init__(self, now_ms: int, home: str, zone: tzinfo | None) -> None:
        self._now_ms = now_ms
        self._home = home
        self._zone = zone

    def build(self, token: Token, items: list[Item]) -> tuple[list[str], Filter | None]:
        """The values of a filter as they are meant, and the filter, None where it asks nothing of rows.

        :param items: those of the token's values that are there; at least one. Any of them may hold.
        :raises QueryError: a value is none of those that the filter takes; it points at it.
        """
        field = token.field
        if SORTS[field].fixed:
            values = [_chosen(field, item) for item in items]
        else:
            values = [item.text for item in items]
        if field in PLACES_ONLY:
            return values, None
        tests = self._tests(field, items, values)
        whole = any((value if field in ("has", "is") else field) not in _KNOWN for value in values)
        test = tests[0] if len(tests) == 1 else _any(tests)
        return values, Filter(field, _final(test, token.negated, whole), token.start, token.length, whole)

    def _tests(self, field: str, items: list[Item], values: list[str]) -> list[Test]:
        folded, read = _alike(values)
        if field == "agent":
            return [lambda row, facts: row.agent in values]
        if field == "dir":
            return [_once_for_each(_cwd, self._folder(folded, read))]
        if field == "name":
            return [lambda row, facts: row.name is not None and _holds(folded, read(row.name))]
        if field == "id":
            beginnings = tuple(folded)
            return [lambda row, facts: read(row.id).startswith(beginnings)]
        if field == "label":
            return [_once_for_each(_labels, lambda all: any(_holds(folded, read(each)) for _, each in all))]
        if field == "model":
            return [
                _once_for_each(_models, lambda models: any(_holds(folded, read(each)) for each in models))
            ]
        if field == "tool":
            wanted = frozenset(folded)
            return [_once_for_each(_tools, lambda tools: not wanted.isdisjoint(map(read, tools)))]
        if field in ("has", "is"):
            return [self._property(value) for value in values]
        if field == "date":
            return [_within(self._span(item)) for item in items]
        return [_amount(field, item) for item in items]

    def _folder(self, folded: list[str], read: Callable[[str], str]) -> Callable[[str], bool]:
        """Whether any of these values is part of a folder; where it begins with the home folder, its
        beginning. `read` folds the folder as the values are folded.
        """
        home = self._home.rstrip("/")
        short = tuple((each if each != "~" else "~/") for each in folded if home and _is_short(each))
        parts = [each for each in folded if not (home and _is_short(each))]

        def holds(cwd: str) -> bool:
            if cwd and _holds(parts, read(cwd) + "/"):
                return True
            below = below_home(cwd, home) if short else 0
            return below > 0 and f"~{read(cwd[below:])}/".startswith(short)

        return holds

    def _span(self, item: Item) -> dates.Span:
        found = dates.span(fold(item.text), self._now_ms, self._zone)
        if found is None:
            raise wrong("date", item)
        return found

    def _property(self, value: str) -> Test:
        if value == "damaged":
            now_ms = self._now_ms
            return lambda row, facts: bool(row.refused) or problem_count(row, now_ms) > 0
        return _PROPERTIES[value]


def unfinished(field: str, item: Item) -> bool:
    """Whether a value has just been begun: there is nothing of it, or only the sign before a number."""
    if not item.text.strip():
        return True
    return field in ("date", "cost", "tokens", "messages") and item.text in SIGNS


def wrong(field: str, item: Item) -> QueryError:
    """The complaint about a value that a filter does not take."""
    sort = SORTS[field]
    said = f"{field}: takes {sort.takes}, not {one_line(item.text, 40)}"
    return QueryError(said, item.start, item.end - item.start)


def _chosen(field: str, item: Item) -> str:
    value = fold(item.text)
    if field == "agent":
        value = next((agent.name for agent in AGENTS if value in (agent.name, agent.title)), value)
    if value not in SORTS[field].values:
        raise wrong(field, item)
    return value


def _amount(field: str, item: Item) -> Test:
    found = amount(item.text)
    if found is None:
        raise wrong(field, item)
    if field == "messages":
        return lambda row, facts: found(row.message_count)
    if field == "tokens":
        return lambda row, facts: found(sum(row.tokens))
    if comparison(item.text)[0] == "=" and ".." not in item.text:
        return lambda row, facts: found(round(row.cost, 2))  # nobody types 0.0312549
    return lambda row, facts: found(row.cost)


_PROPERTIES: dict[str, Test] = {
    "branch": lambda row, facts: row.branch_count > 1,
    "label": lambda row, facts: bool(row.labels),
    "fork": lambda row, facts: bool(row.parent_session),
    "error": lambda row, facts: row.errors > 0,
    "image": lambda row, facts: row.images > 0,
    "live": lambda row, facts: bool(facts.live(row)),
    "named": lambda row, facts: not is_unseen(row.name or ""),
    "pinned": lambda row, facts: bool(facts.pinned(row)),
}


def _alike(values: list[str]) -> tuple[list[str], Callable[[str], str]]:
    """The values folded, and what folds the texts that they are looked for in. Whatever blanks are between
    words, as in a phrase, and as on the screen: there each is one.
    """
    if not any(character.isspace() for value in values for character in value):
        return [fold(value) for value in values], fold
    return [_spaced(value) for value in values], _spaced


def _spaced(text: str) -> str:
    return spaced(fold(text))


def _is_short(folder: str) -> bool:
    return folder == "~" or folder.startswith("~/")


def _cwd(row: Row) -> str:
    return row.cwd


def _models(row: Row) -> tuple[str, ...]:
    return row.models


def _tools(row: Row) -> tuple[str, ...]:
    return row.tools


def _labels(row: Row) -> tuple[tuple[str, str], ...]:
    return row.labels


def _holds(parts: list[str], folded: str) -> bool:
    for part in parts:  # noqa: SIM110  # asked of thousands of names at every key
        if part in folded:
            return True
    return False


def _within(span: dates.Span) -> Test:
    begin, end = span
    return lambda row, facts: begin <= row.modified < end


def _once_for_each(of: Callable[[Row], Any], test: Callable[[Any], bool]) -> Test:
    """What is asked of a value that few rows differ in is asked once for each value, not for each row."""
    known: dict[Any, bool] = {}

    def tested(row: Row, facts: Facts) -> bool:
        value = of(row)
        said = known.get(value)
        if said is None:
            said = known[value] = test(value)
        return said

    return tested


def _any(tests: list[Test]) -> Test:
    return lambda row, facts: any(test(row, facts) for test in tests)


def _final(test: Test, negated: bool, whole: bool) -> Test:
    """With what holds of every filter: a provisional row does not pass on what it does not say."""
    if whole:
        return lambda row, facts: not row.provisional and test(row, facts) is not negated
    return (lambda row, facts: not test(row, facts)) if negated else test
