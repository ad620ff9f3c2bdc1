"""The tokens of a query: its words, phrases, patterns and filters, each with its position in the text.

Any text has tokens and none is rejected here, so that a half-typed query can be completed and coloured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.index.query.filter_table import FILES, NAMES, REGEX

Shape = Literal["word", "phrase", "regex", "filter"]

PLAIN_DASHES = ("--", "->")
"""Text that begins with one of these is a word, because users search for `--flag` and `->`."""


@dataclass(slots=True)
class Item:
    """The text of a token, or one value of a filter.

    text        without its quotes and escapes
    start, end  in the query, quotes included
    quoted      whether it begins with a quote
    closed      whether that quote has its closing quote
    """

    text: str
    start: int
    end: int
    quoted: bool = False
    closed: bool = True


class Token:
    """One word, phrase, pattern or filter.

    start, end   in the query, with the `-` before it
    field        the name of a filter; "" for other tokens
    items        the values of a filter, at least one; the single text of another token
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
        """The number of characters in the query."""
        return self.end - self.start


def tokens(text: str) -> list[Token]:
    """The tokens of any text, in order."""
    result: list[Token] = []
    position = _skip_white_space(text, 0)
    while position < len(text):
        token = _token(text, position)
        if token.shape == "phrase" and not token.items[0].closed:
            return result + (_plain_words(text, token) or [token])
        result.append(token)
        position = _skip_white_space(text, token.end)
    return result


def asks_for_files(text: str) -> bool:
    """Whether a filter of a query is one on the files that a session touched."""
    return any(token.field in FILES for token in tokens(text))


def quote(text: str) -> str:
    """`text` as a phrase or a quoted value, which is parsed as `text` again."""
    written = []
    backslashes = 0
    for character in text:
        if character == '"':
            written.append("\\" * (backslashes + 1))
        backslashes = backslashes + 1 if character == "\\" else 0
        written.append(character)
    return '"' + "".join(written) + "\\" * backslashes + '"'


def as_value(text: str) -> str:
    """`text` as it is typed behind the colon of a filter: quoted if necessary."""
    plain = text and not text.startswith(('"', ":")) and "," not in text and not any(map(str.isspace, text))
    return text if plain else quote(text)


def single_spaced(text: str) -> str:
    """`text` with a single space for any white space, because values match any white space."""
    if text.isprintable() and "  " not in text:
        return text
    # A space at the beginning or end is part of the value.
    return " " * text[:1].isspace() + " ".join(text.split()) + " " * text[-1:].isspace()


def _token(text: str, start: int) -> Token:
    negated = text[start] == "-" and not text.startswith(PLAIN_DASHES, start)
    begin = start + negated
    if text[begin : begin + 1] == '"':
        return Token("phrase", start, [_quoted(text, begin)], negated=negated)
    end = _word_end(text, begin)
    name, colon, rest = text[begin:end].partition(":")
    # `std::vector` and `model::User` are words, whatever name is before the colons.
    if colon and not rest.startswith(":"):
        value_start = begin + len(name) + 1
        if name.lower() == REGEX:
            return Token("regex", start, [_pattern(text, value_start)], negated=negated)
        field = NAMES.get(name.lower())
        if field:
            return Token("filter", start, _values(text, value_start), negated=negated, field=field)
    return Token("word", start, [Item(text[begin:end], begin, end)], negated=negated)


def _plain_words(text: str, phrase: Token) -> list[Token]:
    """The words after a quote without a closing quote. The first word includes the quote."""
    words: list[Token] = []
    position = _skip_white_space(text, phrase.items[0].start + 1)
    while position < len(text):
        end = _word_end(text, position)
        # Escaped quotes are allowed here as well.
        word = _quoted(f'"{text[position:end]}', 0).text
        words.append(Token("word", position, [Item(word, position, end, quoted=True)], negated=False))
        position = _skip_white_space(text, end)
    if words:
        first = words[0]
        first.start, first.negated, first.items[0].closed = phrase.start, phrase.negated, False
    return words


def _skip_white_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _word_end(text: str, position: int, stop: str = "") -> int:
    while position < len(text) and text[position] != stop and not text[position].isspace():
        position += 1
    return position


def _quoted(text: str, start: int) -> Item:
    """The quoted text that begins with the quote at `start`. A backslash is an ordinary character unless a
    quote follows it: `\\"` is a quote within the text, and `\\\\"` a backslash at its end.
    """
    parts = []
    position = start + 1
    while (end := text.find('"', position)) >= 0:
        backslashes = 0
        while end - backslashes > position and text[end - backslashes - 1] == "\\":
            backslashes += 1
        parts.append(text[position : end - backslashes] + "\\" * (backslashes // 2))
        position = end + 1
        if not backslashes % 2:
            return Item("".join(parts), start, position, quoted=True)
        parts.append('"')
    parts.append(text[position:])
    return Item("".join(parts), start, len(text), quoted=True, closed=False)


def _pattern(text: str, start: int) -> Item:
    """The pattern at `start`, up to the next white space or, if it is quoted, up to the first quote that the
    pattern does not escape. Its text is not changed, because `\\"` means a quote in a pattern, too.
    """
    if text[start : start + 1] != '"':
        end = _word_end(text, start)
        return Item(text[start:end], start, end)
    position = start + 1
    while position < len(text) and text[position] != '"':
        position += 2 if text[position] == "\\" else 1
    if position >= len(text):
        return Item(text[start + 1 :], start, len(text), quoted=True, closed=False)
    return Item(text[start + 1 : position], start, position + 1, quoted=True)


def _values(text: str, start: int) -> list[Item]:
    """The comma-separated values of a filter; the last may be empty while it is being typed."""
    items = []
    while True:
        if text[start : start + 1] == '"':
            item = _quoted(text, start)
            end = _word_end(text, item.end, ",")
            item.text += text[item.end : end]
            item.end = end
        else:
            end = _word_end(text, start, ",")
            item = Item(text[start:end], start, end)
        items.append(item)
        if text[end : end + 1] != ",":
            return items
        start = end + 1
