"""The values that the sessions themselves give to filters: their folders, names, labels, models and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.formats.text import is_unseen
from app.index.query.table import SORTS
from app.index.query.tokens import spaced
from app.paths import below_home

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.index.row import Row

LONGEST = 200
"""Values of more characters are not offered: nobody reads them in a list, and a query has to hold them."""


class Value:
    """One value.

    text    as it is typed behind the colon, before it is quoted: with one blank for any white space
    keys    folded; what is typed is compared with each of them
    count   how many sessions have it
    """

    __slots__ = ("count", "keys", "text")

    def __init__(self, text: str, keys: tuple[str, ...], count: int) -> None:
        self.text = text
        self.keys = keys
        self.count = count


class Vocabulary:
    """Values by the filter that takes them."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, list[Value]] | None = None) -> None:
        self._values = values or {}

    def of(self, field: str) -> list[Value]:
        """Those of one filter, the most recent first; none for one whose values are not of sessions."""
        return self._values.get(field, [])

    def count(self, field: str, text: str) -> int | None:
        """How many sessions have that very value; None when it is not of sessions."""
        return next((value.count for value in self.of(field) if value.text == text), None)


def vocabulary(rows: Iterable[Row], home: str = "") -> Vocabulary:
    """What is in `rows`. Takes one pass over them; of use until they change.

    :param rows: the newest first.
    :param home: is written as `~`, as `parse` reads it; "" for nowhere.
    """
    counts: dict[str, dict[str, int]] = {field: {} for field in SORTS}
    for row in rows:
        for field, text in _said(row):
            of_field = counts[field]
            of_field[text] = of_field.get(text, 0) + 1
    return Vocabulary({field: _values(field, found, home) for field, found in counts.items() if found})


def _values(field: str, found: dict[str, int], home: str) -> list[Value]:
    values: dict[str, Value] = {}
    for text, count in found.items():
        value = _value(field, text, count, home)
        if not _can_be_typed(value.text):
            continue
        same = values.setdefault(value.text, value)
        if same is not value:
            # a folder below a home folder that has two spellings, or with other blanks
            same.keys = tuple(dict.fromkeys(same.keys + value.keys))
            same.count += count
    return list(values.values())


def _said(row: Row) -> Iterator[tuple[str, str]]:
    yield "agent", row.agent
    if row.cwd:
        yield "dir", row.cwd
    if row.name and not is_unseen(row.name):
        yield "name", spaced(row.name)
    for label in {spaced(label) for _, label in row.labels if label.strip()}:
        yield "label", label
    for model in dict.fromkeys(map(spaced, row.models)):
        yield "model", model
    for tool in dict.fromkeys(map(spaced, row.tools)):
        yield "tool", tool


def _value(field: str, text: str, count: int, home: str) -> Value:
    if field != "dir":
        return Value(text, (fold(text),), count)
    short = below_home(text, home)
    whole = spaced(text)
    shown = spaced("~" + text[short:]) if short else whole
    keys = (fold(shown),) if shown == whole else (fold(shown), fold(whole))
    return Value(shown, keys, count)


def _can_be_typed(text: str) -> bool:
    """Whether a query may have it: in one line, and of whole characters."""
    if len(text) > LONGEST:
        return False
    if text.isprintable():
        return True
    # Joiners inside emoji are not printable and welcome.
    return not any(
        character < " " or "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff"
        for character in text
    )
