"""The tests that filters make on rows."""

from __future__ import annotations

from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING

from app.formats.amounts import token_count
from app.formats.text import is_invisible, one_line
from app.formats.utf8_text import fold
from app.index.query.filter_table import FILES, FILTER_KINDS
from app.index.query.path_pattern import PathPattern
from app.index.query.query import Filter, QueryError
from app.index.query.tokens import single_spaced
from app.index.query.values import SIGNS, number_test, split_sign, time_range
from app.index.row import is_ahead, is_empty, is_subagent, problem_count
from app.paths import home_prefix_length
from app.sessions.summary import ABORTED, DONE, FAILED, INTERRUPTED, WAITING
from app.stores import AGENTS
from app.stores.retention import SOON_MS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo
    from typing import Any

    from app.index.query.query import Facts
    from app.index.query.tokens import Item, Token
    from app.index.query.values import TimeRange
    from app.index.row import Row

    Test = Callable[[Row, Facts], bool]

# Filters on fields that every row has, even a provisional one, which was read from the ends of the file only.
_ON_EVERY_ROW = frozenset(
    (
        *("agent", "dir", "name", "id", "date", "fork", "named", "open", "pinned", "tag", "size"),
        *("kept", "gone", "expiring"),
    )
)
PLACES_ONLY = ("in", "role")
"""Filters that only limit in which texts terms are searched."""
HIDDEN = frozenset(("empty", "subagent"))
"""Values of `is:` that ask for sessions which lists hide otherwise."""


class FilterBuilder:
    """Builds the filters of one query.

    :param now_ms: the time from which ages and `today` count, in milliseconds since the epoch. It also
        decides whether an unfinished last line counts as damage.
    :param home: the folder that `~` stands for; "" for none.
    :param zone: the time zone in which days begin; None for the zone of this machine.

    `paths` has the paths of the filters so far, see `Query`.
    """

    def __init__(self, now_ms: int, home: str, zone: tzinfo | None) -> None:
        self._now_ms = now_ms
        self._home = home
        self._zone = zone
        self.paths: list[tuple[PathPattern, bool]] = []

    def build(self, token: Token, items: list[Item]) -> tuple[list[str], Filter | None]:
        """The normalised values of a filter, and the filter; None if it tests nothing on rows.

        :param items: the finished values of the token, at least one. A row passes if any of them matches.
        :raises QueryError: the filter does not accept a value, at which the error points.
        """
        field = token.field
        if FILTER_KINDS[field].fixed:
            values = [_fixed_value(field, item) for item in items]
        else:
            values = [item.text for item in items]
        if field == "sort" and (token.negated or len(values) > 1):
            raise QueryError("sort: takes one order, without a -", token.start, token.length)
        if field in (*PLACES_ONLY, "sort"):
            return values, None
        tests = self._tests(field, items, values, negated=token.negated)
        whole = any((value if field in ("has", "is") else field) not in _ON_EVERY_ROW for value in values)
        test = tests[0] if len(tests) == 1 else _any(tests)
        return values, Filter(_final(test, token.negated, whole), token.start)

    def _tests(self, field: str, items: list[Item], values: list[str], *, negated: bool) -> list[Test]:
        folded, normalise = _normalised(values)
        if field == "agent":
            return [lambda row, facts: row.agent in values]
        if field == "dir":
            return [_cached(attrgetter("cwd"), self._folder(folded, normalise))]
        if field == "name":
            return [lambda row, facts: row.name is not None and _contains(folded, normalise(row.name))]
        if field == "id":
            beginnings = tuple(folded)
            return [lambda row, facts: normalise(row.id).startswith(beginnings)]
        if field == "tag":
            beginnings = tuple(value.removeprefix("#") for value in folded)
            return [lambda row, facts: any(normalise(tag).startswith(beginnings) for tag in facts.tags(row))]
        if field == "label":
            return [
                _cached(
                    attrgetter("labels"),
                    lambda labels: any(_contains(folded, normalise(text)) for _, text in labels),
                )
            ]
        if field == "model":
            return [
                _cached(
                    attrgetter("models"),
                    lambda models: any(_contains(folded, normalise(name)) for name in models),
                )
            ]
        if field == "tool":
            wanted = frozenset(folded)
            return [_cached(attrgetter("tools"), lambda tools: not wanted.isdisjoint(map(normalise, tools)))]
        if field in ("has", "is"):
            return [self._property(value) for value in values]
        if field in FILES:
            patterns = [self._pattern(item) for item in items]
            if not negated:
                self.paths += [(pattern, field == "edited") for pattern in patterns]
            return [_path_test(pattern, only_changed=field == "edited") for pattern in patterns]
        if field == "date":
            return [_within(self._times(item), self._now_ms) for item in items]
        return [_number(field, item) for item in items]

    def _folder(self, folded: list[str], normalise: Callable[[str], str]) -> Callable[[str], bool]:
        """The test whether a folder contains one of the values, or begins with it if the value begins with
        `~`. `normalise` folds the folder as the values are folded.
        """
        home = self._home.rstrip("/")
        prefixes = tuple(
            (value if value != "~" else "~/") for value in folded if home and _is_below_home(value)
        )
        parts = [value for value in folded if not (home and _is_below_home(value))]

        def test(cwd: str) -> bool:
            if cwd and _contains(parts, normalise(cwd) + "/"):
                return True
            home_length = home_prefix_length(cwd, home) if prefixes else 0
            return home_length > 0 and f"~{normalise(cwd[home_length:])}/".startswith(prefixes)

        return test

    def _pattern(self, item: Item) -> PathPattern:
        # Imported here because only patterns and paths need it.
        from app.index.query.regex import BadPattern

        try:
            return PathPattern(item.text, self._home)
        except BadPattern as error:
            raise QueryError(error.message, item.start, item.end - item.start) from None

    def _times(self, item: Item) -> TimeRange:
        times = time_range(fold(item.text), self._now_ms, self._zone)
        if times is None:
            raise _wrong_value("date", item)
        return times

    def _property(self, value: str) -> Test:
        if value == "damaged":
            now_ms = self._now_ms
            return lambda row, facts: bool(row.refused) or problem_count(row, now_ms) > 0
        if value == "expiring":
            soon = self._now_ms + SOON_MS
            return lambda row, facts: (expires := facts.expires(row)) is not None and expires <= soon
        return _PROPERTIES[value]


def is_unfinished(field: str, item: Item) -> bool:
    """Whether a value is only being typed: it is empty, or only the sign before a number."""
    if not item.text.strip():
        return True
    return field in ("date", "cost", "tokens", "messages", "size") and item.text in SIGNS


def _wrong_value(field: str, item: Item) -> QueryError:
    """The error about a value that a filter does not accept."""
    kind = FILTER_KINDS[field]
    message = f'"{one_line(item.text, 40)}" {kind.refusal or f"is none of {kind.takes}"}'
    return QueryError(message, item.start, item.end - item.start)


def _fixed_value(field: str, item: Item) -> str:
    value = fold(item.text)
    if field == "agent":
        value = next((agent.name for agent in AGENTS if value in (agent.name, agent.title)), value)
    value = FILTER_KINDS[field].renamed.get(value, value)
    if value not in FILTER_KINDS[field].values:
        raise _wrong_value(field, item)
    return value


def _number(field: str, item: Item) -> Test:
    test = number_test(item.text)
    if test is None:
        raise _wrong_value(field, item)
    if field == "messages":
        return lambda row, facts: test(row.message_count)
    if field == "size":
        return lambda row, facts: test(row.size)
    if field == "tokens":
        return lambda row, facts: test(token_count(row.tokens))
    # Users type dollars and cents.
    digits = 2 if split_sign(item.text)[0] == "=" and ".." not in item.text else None

    def costs(row: Row, facts: Facts) -> bool:
        dollars = facts.prices.spending(row.cost, row.unpriced).known
        return dollars is not None and test(dollars if digits is None else round(dollars, digits))

    return costs


_PROPERTIES: dict[str, Test] = {
    "branch": lambda row, facts: row.branch_count > 1,
    "label": lambda row, facts: bool(row.labels),
    "fork": lambda row, facts: bool(row.parent_session),
    "error": lambda row, facts: row.errors > 0,
    "image": lambda row, facts: row.images > 0,
    "waiting": lambda row, facts: row.ending == WAITING,
    "failed": lambda row, facts: row.ending == FAILED,
    "aborted": lambda row, facts: row.ending == ABORTED,
    # An agent that has the session open is at work.
    "interrupted": lambda row, facts: row.ending == INTERRUPTED and not facts.live(row),
    "done": lambda row, facts: row.ending == DONE,
    "open": lambda row, facts: bool(facts.live(row)),
    "empty": lambda row, facts: is_empty(row),
    "subagent": lambda row, facts: is_subagent(row),
    "named": lambda row, facts: not is_invisible(row.name or ""),
    "pinned": lambda row, facts: bool(facts.pinned(row)),
    "kept": lambda row, facts: facts.kept(row),
    "gone": lambda row, facts: row.is_gone,
}


def _normalised(values: list[str]) -> tuple[list[str], Callable[[str], str]]:
    """The folded values, and the function that folds the fields in which they are searched. If a value has
    white space, all white space is a single space in both.
    """
    if not any(character.isspace() for value in values for character in value):
        return [fold(value) for value in values], fold
    return [_folded_spaced(value) for value in values], _folded_spaced


def _folded_spaced(text: str) -> str:
    return single_spaced(fold(text))


def _is_below_home(folder: str) -> bool:
    return folder == "~" or folder.startswith("~/")


def _contains(parts: list[str], folded: str) -> bool:
    for part in parts:  # noqa: SIM110  # called for thousands of names at every key
        if part in folded:
            return True
    return False


def _within(times: TimeRange, now_ms: int) -> Test:
    begin, end = times
    if begin <= now_ms and end == inf:
        # A session whose time is far ahead of the clock is none of the last two days.
        return lambda row, facts: begin <= row.newest and not is_ahead(row, now_ms)
    return lambda row, facts: begin <= row.newest < end


def _cached(get: Callable[[Row], Any], test: Callable[[Any], bool]) -> Test:
    """A test on a field in which few rows differ: each value is tested once."""
    results: dict[Any, bool] = {}

    def cached_test(row: Row, facts: Facts) -> bool:
        value = get(row)
        result = results.get(value)
        if result is None:
            result = results[value] = test(value)
        return result

    return cached_test


def _path_test(pattern: PathPattern, *, only_changed: bool) -> Test:
    def test(row: Row, facts: Facts) -> bool:
        touched = facts.touched(row)
        return touched is not None and pattern.is_in(
            touched.cwd, touched.changed if only_changed else touched.all
        )

    return test


def _any(tests: list[Test]) -> Test:
    return lambda row, facts: any(test(row, facts) for test in tests)


def _final(test: Test, negated: bool, whole: bool) -> Test:
    """The test with negation; a provisional row fails if it may lack the field (`whole`)."""
    if whole:
        return lambda row, facts: not row.provisional and test(row, facts) is not negated
    return (lambda row, facts: not test(row, facts)) if negated else test
