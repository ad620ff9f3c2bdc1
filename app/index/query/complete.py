"""What can be typed next: names of filters, and values for the one at the cursor."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.index.query.table import REGEX, SORTS, alike
from app.index.query.tokens import as_value, spaced, tokens
from app.index.query.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.query.tokens import Item, Token

MOST = 50
"""So many candidates at most: a longer list is not read, one types on instead."""

_LONGEST = 4_096  # what no query may be is not completed


class Completion:
    """One candidate.

    start, end   what of the query it replaces; nothing where they are equal
    text         what is put there
    help         what it means, in a few words. Not inert where it comes out of sessions, as `text` is not
    """

    __slots__ = ("end", "help", "start", "text")

    def __init__(self, start: int, end: int, text: str, help: str) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.help = help

    def applied(self, text: str) -> str:
        """The query with it."""
        return text[: self.start] + self.text + text[self.end :]

    def __repr__(self) -> str:
        return f"Completion({self.start}, {self.end}, {self.text!r})"


def complete(text: str, position: int, vocabulary: Vocabulary | None = None) -> list[Completion]:
    """The candidates for the cursor at `position` of `text`, the likeliest first; at most `MOST`.

    Between words these are the names of all filters; at the end of a word, or within it, those that begin as
    the whole of it does, and take its place; behind a colon the name that the one before it is taken for; in
    a filter's value what it takes, first what begins with what is left of the cursor, then what has it in it.
    There are none in a phrase or pattern. Raises nothing, whatever the text and position.

    :param vocabulary: the values that sessions have; without it only what is fixed is offered.
    """
    position = min(max(position, 0), len(text))
    if len(text) > _LONGEST:
        return []
    # What is left of the cursor is read by itself: that is what was typed; the rest says where it ends.
    typed = tokens(text[:position])
    if typed and typed[-1].shape == "word" and typed[-1].items[0].quoted:
        return []
    if not typed or typed[-1].end < position:
        between = not text[position : position + 1].strip()
        return [*_names("", position, position)] if between else []
    left = typed[-1]
    whole = tokens(text)[len(typed) - 1]
    if left.shape == "word":
        found = _names_at(text, left, whole)
    elif left.shape == "filter" and whole.shape == "filter":
        found = _values(left, whole, vocabulary or Vocabulary())
    else:
        return []
    stands = (candidate for candidate in found if candidate.applied(text) != text)
    return list(islice(stands, MOST))


def _names_at(text: str, left: Token, whole: Token) -> Iterator[Completion]:
    start = left.items[0].start
    name, colon, _ = left.items[0].text.partition(":")
    there = whole.items[0]
    if colon:
        meant = alike(name.lower())
        if meant and not text.startswith(":", start + len(name) + 1):
            behind = start + len(name) + 1
            yield Completion(start, behind, f"{meant}:", SORTS[meant].takes)
    elif whole.shape in ("filter", "regex"):
        # The cursor is in the name of what has its colon already.
        yield from _names(text[start : there.start - 1], start, there.start)
    elif whole.shape == "word" and there.start == start and not there.quoted:
        typed, colon, rest = there.text.partition(":")
        # `date::parse` is a word, with its name completed as well
        if not rest.startswith(":"):
            yield from _names(typed, start, start + len(typed) + len(colon))


def _names(beginning: str, start: int, end: int) -> Iterator[Completion]:
    typed = beginning.lower()
    for sort in SORTS.values():
        if sort.name.startswith(typed):
            yield Completion(start, end, f"{sort.name}:", sort.takes)
    if REGEX.startswith(typed):
        yield Completion(start, end, f"{REGEX}:", "a regular expression (RE2)")


def _values(left: Token, whole: Token, vocabulary: Vocabulary) -> Iterator[Completion]:
    field = left.field
    at = len(left.items) - 1
    here = whole.items[at]
    others = {spaced(fold(item.text)) for item in whole.items if item is not here}
    typed = spaced(fold(left.items[-1].text))
    sort = SORTS[field]
    for value, meaning in sort.values.items():
        if value.startswith(typed) and value not in others:
            count = vocabulary.count(field, value)
            yield _candidate(here, value, meaning if count is None else f"{meaning}, {_sessions(count)}")
    if sort.fixed:
        return
    within = []
    for given in vocabulary.of(field):
        if given.keys[0] in others:
            continue
        if any(key.startswith(typed) for key in given.keys):
            yield _candidate(here, given.text, _sessions(given.count))
        elif any(typed in key for key in given.keys):
            within.append(given)
    for given in within:
        yield _candidate(here, given.text, _sessions(given.count))


def _candidate(here: Item, value: str, help: str) -> Completion:
    return Completion(here.start, here.end, as_value(value), help)


def _sessions(count: int) -> str:
    return f"{count:,} session{'s' if count != 1 else ''}"
