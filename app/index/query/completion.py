"""Completion of queries: names of filters, and values for the filter at the cursor.

The values come from the filter table and from the sessions: their folders, names, labels, models and tools,
and the files that they touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from app.formats.text import is_invisible
from app.formats.utf8_text import fold
from app.index.query.filter_table import FILTER_KINDS, REGEX, intended_filter
from app.index.query.tokens import as_value, single_spaced, tokens
from app.paths import home_prefix_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from app.index.query.tokens import Item, Token
    from app.index.row import Row

LONGEST_VALUE = 200
"""The most characters of a value that is offered. Longer ones do not fit into a list or a query."""

MOST_CANDIDATES = 50
"""The most candidates. Typing another letter is quicker than reading a longer list."""

MOST_PATHS = 5_000
"""The most paths of touched files that are offered, those of the newest sessions."""

_LONGEST_QUERY = 4_096  # characters; a longer query cannot be run


@dataclass(slots=True)
class Value:
    """A value that sessions have.

    text    as it is typed behind the colon, before it is quoted, with single spaces for any white space
    keys    folded; typed text is compared with each of them
    count   the number of sessions with the value
    """

    text: str
    keys: tuple[str, ...]
    count: int


class Vocabulary:
    """The values that sessions have, by filter."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, list[Value]] | None = None) -> None:
        self._values = values or {}

    def of(self, field: str) -> list[Value]:
        """The values of one filter, the most recent first; none if its values do not come from sessions."""
        return self._values.get(field, [])

    def with_tags(self, counts: Mapping[str, int]) -> Vocabulary:
        """These values and the tags of sessions, which no row has.

        :param counts: the number of sessions with each tag, in the order in which they are offered.
        """
        tags = [Value(tag, (fold(tag),), count) for tag, count in counts.items()]
        return Vocabulary(self._values | {"tag": tags})

    def with_files(self, counts: Mapping[str, int]) -> Vocabulary:
        """These values and the paths of touched files, which no row has.

        :param counts: the number of sessions with each path, in the order in which they are offered.
        """
        paths = []
        for path, count in counts.items():
            if _can_be_typed(path):
                folded = single_spaced(fold(path))
                paths.append(Value(path, tuple({folded: None, folded.rpartition("/")[2]: None}), count))
        return Vocabulary(self._values | {"file": paths, "edited": paths})

    def count(self, field: str, text: str) -> int | None:
        """The number of sessions with this exact value; None if the value does not come from sessions."""
        return next((value.count for value in self.of(field) if value.text == text), None)


def vocabulary(rows: Iterable[Row], home: str = "") -> Vocabulary:
    """The values in `rows`, collected in one pass.

    :param rows: the newest first.
    :param home: the folder that is written as `~`, as `parse` reads it; "" for none.
    """
    counts: dict[str, dict[str, int]] = {field: {} for field in FILTER_KINDS}
    for row in rows:
        for field, text in _values_of(row):
            counts[field][text] = counts[field].get(text, 0) + 1
    return Vocabulary({field: _merged(field, texts, home) for field, texts in counts.items() if texts})


def _merged(field: str, counts: dict[str, int], home: str) -> list[Value]:
    values: dict[str, Value] = {}
    for text, count in counts.items():
        value = _value(field, text, count, home)
        if not _can_be_typed(value.text):
            continue
        same = values.setdefault(value.text, value)
        if same is not value:
            # The same folder with another spelling of the home folder, or with other white space.
            same.keys = tuple(dict.fromkeys(same.keys + value.keys))
            same.count += count
    return list(values.values())


def _values_of(row: Row) -> Iterator[tuple[str, str]]:
    yield "agent", row.agent
    if row.cwd:
        yield "dir", row.cwd
    if row.name and not is_invisible(row.name):
        yield "name", single_spaced(row.name)
    for label in {single_spaced(label) for _, label in row.labels if label.strip()}:
        yield "label", label
    for model in dict.fromkeys(map(single_spaced, row.models)):
        yield "model", model
    for tool in dict.fromkeys(map(single_spaced, row.tools)):
        yield "tool", tool


def _value(field: str, text: str, count: int, home: str) -> Value:
    if field != "dir":
        return Value(text, (fold(text),), count)
    home_length = home_prefix_length(text, home)
    full = single_spaced(text)
    shown = single_spaced("~" + text[home_length:]) if home_length else full
    keys = (fold(shown),) if shown == full else (fold(shown), fold(full))
    return Value(shown, keys, count)


def _can_be_typed(text: str) -> bool:
    """Whether a query can hold the text: it is one short line of whole characters."""
    if len(text) > LONGEST_VALUE:
        return False
    if text.isprintable():
        return True
    # Joiners inside emoji are not printable, but allowed.
    return not any(
        character < " " or "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff"
        for character in text
    )


@dataclass(slots=True)
class Completion:
    """A candidate.

    start, end   the part of the query that it replaces; nothing if they are equal
    text         the replacement
    help         its meaning, in a few words. Like `text`, it is not inert if it comes from sessions
    """

    start: int
    end: int
    text: str
    help: str

    def applied(self, text: str) -> str:
        """The query `text` with this completion applied."""
        return text[: self.start] + self.text + text[self.end :]


def complete(text: str, position: int, vocabulary: Vocabulary | None = None) -> list[Completion]:
    """The candidates for the cursor at `position` of `text`, the likeliest first; at most `MOST_CANDIDATES`.

    - Between words: the names of all filters.
    - Within a word or at its end: the names that begin with the whole word, which they replace.
    - Behind the colon of an unknown filter: the name that the user may have meant.
    - In a filter's value: its values, first those that begin with the text left of the cursor, then those
      that contain it.
    - In a phrase or pattern: none.

    Any text and position are accepted.

    :param vocabulary: the values that sessions have; without it only fixed values are offered.
    """
    position = min(max(position, 0), len(text))
    if len(text) > _LONGEST_QUERY:
        return []
    # The text left of the cursor says what was typed; the whole text says where that token ends.
    typed = tokens(text[:position])
    if typed and typed[-1].shape == "word" and typed[-1].items[0].quoted:
        return []
    if not typed or typed[-1].end < position:
        between = not text[position : position + 1].strip()
        return [*_names("", position, position)] if between else []
    typed_token = typed[-1]
    token = tokens(text)[len(typed) - 1]
    if typed_token.shape == "word":
        candidates = _names_at(text, typed_token, token)
    elif typed_token.shape == "filter" and token.shape == "filter":
        candidates = _values(typed_token, token, vocabulary or Vocabulary())
    else:
        return []
    changes = (candidate for candidate in candidates if candidate.applied(text) != text)
    return list(islice(changes, MOST_CANDIDATES))


def all_filters(text: str) -> list[Completion]:
    """The names of all filters, each as a new word at the end of `text`."""
    end = len(text)
    blank = " " if text and not text[-1].isspace() else ""
    return [Completion(end, end, blank + name.text, name.help) for name in _names("", end, end)]


def filter_at(text: str, position: int) -> tuple[str, int]:
    """The filter whose value is at `position` of `text`, and where its word begins; ("", -1) if the position
    is not in the value of a filter.
    """
    typed = tokens(text[:position])
    if not typed or typed[-1].end < position or typed[-1].shape != "filter":
        return "", -1
    return typed[-1].field, typed[-1].start


def _names_at(text: str, typed_token: Token, token: Token) -> Iterator[Completion]:
    start = typed_token.items[0].start
    name, colon, _ = typed_token.items[0].text.partition(":")
    item = token.items[0]
    if colon:
        intended = intended_filter(name.lower())
        value_start = start + len(name) + 1
        if intended and not text.startswith(":", value_start):
            yield Completion(start, value_start, f"{intended}:", FILTER_KINDS[intended].hint)
    elif token.shape in ("filter", "regex"):
        # The cursor is in the name of a filter or pattern that already has its colon.
        yield from _names(text[start : item.start - 1], start, item.start)
    elif token.shape == "word" and item.start == start and not item.quoted:
        typed, colon, rest = item.text.partition(":")
        # `date::parse` is a word, and stays one with its name completed.
        if not rest.startswith(":"):
            yield from _names(typed, start, start + len(typed) + len(colon))


def _names(beginning: str, start: int, end: int) -> Iterator[Completion]:
    typed = beginning.lower()
    for kind in FILTER_KINDS.values():
        if kind.name.startswith(typed):
            yield Completion(start, end, f"{kind.name}:", kind.hint)
    if REGEX.startswith(typed):
        yield Completion(start, end, f"{REGEX}:", "a regular expression (RE2)")


def _values(typed_token: Token, token: Token, vocabulary: Vocabulary) -> Iterator[Completion]:
    field = typed_token.field
    current = token.items[len(typed_token.items) - 1]
    other_values = {single_spaced(fold(item.text)) for item in token.items if item is not current}
    typed = single_spaced(fold(typed_token.items[-1].text))
    kind = FILTER_KINDS[field]
    for value, meaning in kind.values.items():
        if value.startswith(typed) and value not in other_values:
            count = vocabulary.count(field, value)
            yield _candidate(current, value, meaning if count is None else f"{meaning}, {_sessions(count)}")
    if kind.fixed:
        return
    containing = []
    for known in vocabulary.of(field):
        if known.keys[0] in other_values:
            continue
        if any(key.startswith(typed) for key in known.keys):
            yield _candidate(current, known.text, _sessions(known.count))
        elif any(typed in key for key in known.keys):
            containing.append(known)
    for known in containing:
        yield _candidate(current, known.text, _sessions(known.count))


def _candidate(item: Item, value: str, help: str) -> Completion:
    return Completion(item.start, item.end, as_value(value), help)


def _sessions(count: int) -> str:
    return f"{count:,} session{'s' if count != 1 else ''}"
