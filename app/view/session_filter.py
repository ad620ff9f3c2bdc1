"""The filter over the session list: every word must stand in a session's title, folder, id, program or
labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.index.row import Row


def fold(text: str) -> str:
    """Text as it is compared: case and the two spellings of an accented letter do not matter."""
    if text.isascii():
        return text.lower()
    # mostly not needed before the first rows are on the terminal
    import unicodedata

    return unicodedata.normalize("NFC", text).casefold()


def words_of(query: str) -> list[str]:
    """The folded words of a query, in order."""
    return fold(query).split()


def texts(row: Row, folder: str) -> list[str]:
    """Everything that a row says of its session and that is looked at: title, name, folder, id, program and
    labels; ``folder`` is its folder as the screen shows it.
    """
    return [
        row.title,
        row.name or "",
        row.cwd,
        folder,
        row.id,
        row.agent,
        *(label for _, label in row.labels),
    ]


def haystack(row: Row, folder: str) -> str:
    """The same as one text, folded."""
    return fold("\n".join(texts(row, folder)))


def matches(folded: str, words: list[str]) -> bool:
    """Whether all the words are in the haystack."""
    return all(word in folded for word in words)


def is_plain(query: str) -> bool:
    """Whether a query is nothing but words: no filter, no phrase, nothing to leave out."""
    return not any(mark in query for mark in ':"') and not any(word.startswith("-") for word in query.split())


def rows_tell(query: str) -> bool:
    """Whether a session whose row matches is a match whatever else is found: there is nothing but words, and
    case does not count, as it does for those with a capital.
    """
    return is_plain(query) and not any(map(str.isupper, query))
