"""A query cut into its words, phrases, patterns and filters, each with its place in the text.

Nothing is judged here: whatever is typed is cut into something, so that a half typed query can be completed
and coloured as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.query.table import NAMES, REGEX

if TYPE_CHECKING:
    from typing import Literal

    Shape = Literal["word", "phrase", "regex", "filter"]

PLAIN_DASHES = ("--", "->")
"""What begins with one of these is a word: people look for `--flag` and `->`."""


class Item:
    """A piece of text as it is meant, and where it stands.

    text        without the quotes around it, and what is escaped in them
    start, end  in the query, quotes included
    quoted      a quote stands before it; `closed`: that is closed again
    """

    __slots__ = ("closed", "end", "quoted", "start", "text")

    def __init__(self, text: str, start: int, end: int, *, quoted: bool = False, closed: bool = True) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.quoted = quoted
        self.closed = closed


class Token:
    """One word, phrase, pattern or filter.

    start, end   in the query, the `-` before it included
    field        the filter's name; "" for what is no filter
    items        of a filter its values, at least one; of all else the one text there is
    """

    __slots__ = ("end", "field", "items", "negated", "shape", "start")

    def __init__(
        self, shape: Shape, start: int, items: list[Item], *, negated: bool, field: str = ""
    ) -> None:
        self.shape: Shape = shape
        self.start = start
        self.end = items[-1].end
        self.items = items
        self.negated = negated
        self.field = field

    @property
    def length(self) -> int:
        """How many characters of the query it takes."""
        return self.end - self.start


def tokens(text: str) -> list[Token]:
    """The tokens of any text, in order. Raises nothing."""
    found: list[Token] = []
    at = _skip_blanks(text, 0)
    while at < len(text):
        token = _token(text, at)
        if token.shape == "phrase" and not token.items[0].closed:
            return found + (_plain(text, token) or [token])
        found.append(token)
        at = _skip_blanks(text, token.end)
    return found


def quote(text: str) -> str:
    """`text` as a phrase or a quoted value: what is between the quotes is read as `text` again."""
    written = []
    backslashes = 0
    for character in text:
        if character == '"':
            written.append("\\" * (backslashes + 1))
        backslashes = backslashes + 1 if character == "\\" else 0
        written.append(character)
    return '"' + "".join(written) + "\\" * backslashes + '"'


def as_value(text: str) -> str:
    """`text` as it is typed behind a filter's colon: quoted where that is needed."""
    plain = text and not text.startswith(('"', ":")) and "," not in text and not any(map(str.isspace, text))
    return text if plain else quote(text)


def spaced(text: str) -> str:
    """`text` with one blank for any white space in it: to a value the one is as good as the other."""
    if text.isprintable() and "  " not in text:
        return text
    # Without `re`, which is loaded for nothing else of this. What a word begins or ends with is asked for.
    begins, ends = text[:1].isspace(), text[-1:].isspace()
    return " " * begins + " ".join(text.split()) + " " * ends


def _token(text: str, start: int) -> Token:
    negated = text[start] == "-" and not text.startswith(PLAIN_DASHES, start)
    at = start + negated
    if text[at : at + 1] == '"':
        return Token("phrase", start, [_quoted(text, at)], negated=negated)
    end = _word_end(text, at)
    name, colon, rest = text[at:end].partition(":")
    # `std::vector` and `model::User` are words, whatever stands before the colons.
    if colon and not rest.startswith(":"):
        called = name.lower()
        behind = at + len(name) + 1
        if called == REGEX:
            return Token("regex", start, [_pattern(text, behind)], negated=negated)
        field = NAMES.get(called)
        if field:
            return Token("filter", start, _values(text, behind), negated=negated, field=field)
    return Token("word", start, [Item(text[at:end], at, end)], negated=negated)


def _plain(text: str, phrase: Token) -> list[Token]:
    """The words behind a quote that nothing closes, which is none then: what follows it is plain text. Only
    the first of them stands for the quote.
    """
    words: list[Token] = []
    at = _skip_blanks(text, phrase.items[0].start + 1)
    while at < len(text):
        end = _word_end(text, at)
        # what is escaped before a quote is so here as well
        meant = _quoted(f'"{text[at:end]}', 0).text
        words.append(Token("word", at, [Item(meant, at, end, quoted=True)], negated=False))
        at = _skip_blanks(text, end)
    if words:
        first = words[0]
        first.start, first.negated, first.items[0].closed = phrase.start, phrase.negated, False
    return words


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _word_end(text: str, at: int, stop: str = "") -> int:
    while at < len(text) and text[at] != stop and not text[at].isspace():
        at += 1
    return at


def _quoted(text: str, start: int) -> Item:
    """What the quote at `start` begins. A backslash is one like any other, unless a quote follows it: then
    `\\"` is a quote that does not end it, and `\\\\"` a backslash at its end.
    """
    parts = []
    at = start + 1
    while (end := text.find('"', at)) >= 0:
        backslashes = 0
        while end - backslashes > at and text[end - backslashes - 1] == "\\":
            backslashes += 1
        parts.append(text[at : end - backslashes] + "\\" * (backslashes // 2))
        at = end + 1
        if not backslashes % 2:
            return Item("".join(parts), start, at, quoted=True)
        parts.append('"')
    parts.append(text[at:])
    return Item("".join(parts), start, len(text), quoted=True, closed=False)


def _pattern(text: str, start: int) -> Item:
    """A pattern, up to the next blank or, quoted, to the first quote that the pattern itself does not escape.
    It stays as it is typed: in a pattern, too, `\\"` is a quote.
    """
    if text[start : start + 1] != '"':
        end = _word_end(text, start)
        return Item(text[start:end], start, end)
    at = start + 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    if at >= len(text):
        return Item(text[start + 1 :], start, len(text), quoted=True, closed=False)
    return Item(text[start + 1 : at], start, at + 1, quoted=True)


def _values(text: str, at: int) -> list[Item]:
    """The values of a filter, with commas between; the last may be empty, while it is being typed."""
    items = []
    while True:
        if text[at : at + 1] == '"':
            item = _quoted(text, at)
            end = _word_end(text, item.end, ",")
            item.text += text[item.end : end]
            item.end = end
        else:
            end = _word_end(text, at, ",")
            item = Item(text[at:end], at, end)
        items.append(item)
        if text[end : end + 1] != ",":
            return items
        at = end + 1
