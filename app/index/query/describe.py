"""The language in a table, for help and README: the filters as the parser knows them, and what is not one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.query.table import SORTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    Line = tuple[str, str, str]

_TERMS: tuple[Line, ...] = (
    ("word", "found anywhere in a session, in the middle of longer words too; all words must be", "frobnic"),
    ("phrase", "these words in a row", '"off by one"'),
    ("re:", "a regular expression (RE2), in quotes if it has blanks", r"re:https?://\S+"),
    ("-", "before any of these: sessions without it", "-draft -agent:omp"),
)

CASE = "Case counts for a word, phrase or pattern with a capital in it."


def table() -> list[Line]:
    """(what, its meaning and what it takes, an example) of all that can be typed, in the order of help."""
    filters = [(f"{sort.name}:", f"{sort.meaning}: {sort.takes}", sort.example) for sort in SORTS.values()]
    return [*_TERMS, *filters]


def as_text(columns: int = 80) -> str:
    """The table as lines of at most `columns` characters (but never narrower than 40), without an end of line
    at the end.
    """
    import textwrap

    lines: list[str] = []
    names = max(len(what) for what, _, _ in table()) + 2
    room = max(columns, 40) - 2 - names
    for what, meaning, example in table():
        wrapped = [*textwrap.wrap(meaning, room), example]
        lines += [f"  {name:<{names}}{text}" for name, text in zip(_then_blank(what), wrapped, strict=False)]
    return "\n".join([*lines, "", *textwrap.wrap(CASE, max(columns, 40))])


def _then_blank(first: str) -> Iterator[str]:
    yield first
    while True:
        yield ""
