r"""The query language of the screen and the command line, and its parser.

    query    = { token }                        white space between; all tokens must match
    token    = [ "-" ] ( filter | pattern | phrase | word )
    word     = any other text, up to the next white space
    phrase   = '"' text '"'                     the same words in a row, with any white space between them
    pattern  = "re:" ( text | '"' text '"' )    an RE2 expression, up to the next white space or in quotes
    filter   = name ":" value { "," value }     any of the values may match
    value    = text | '"' text '"'

*Terms* (words, phrases, patterns) are searched in all texts of a session and in its name, labels, tags, note,
folder, id and agent. Each term must occur somewhere in these; a word may be part of a longer word. A `-`
leaves out the sessions that contain the term. Case counts for a term with a capital and for no other. In a
pattern, only letters that stand for themselves are capitals, and `(?i)` ignores case. Marks count for a term
with letters with marks (`utf8_text.fold`). If nothing matches and such a term occurs nowhere, it is searched
without case and marks, and a note says so (`search.suggestions`).

*Filters* test the fields of a session's row; `filter_table.FILTER_KINDS` has their values. Names and values
are compared without case, and any white space in a value equals a single space. All filters must match; `-`
negates one. `cost: tokens: messages:` accept a number alone or after `> >= < <= =`, with `k` or `m` behind
it, or a range `10..20`. `date:` accepts the same with ages (`<2d`; m h d w mo y), days, months and years of
the local time zone, `today` and `yesterday`. Ranges include both ends, and either end may be missing.
`file:` and `edited:` accept paths and patterns of paths (`path_pattern.PathPattern`).

`role:`, `in:` and `tool:` limit where terms are searched; the fields of the row are then left out. `role:`
and `in:text|tools|thinking` add up. `in:all` names no place, as everything is searched without one. `tool:`
leaves only sessions that called one of its tools, and only calls and results of these tools are searched;
they are the place if no other is named. A term that is searched in these alone also matches a result without
its call. `-role:` and `-in:` remove places and keep the fields of the row.

`sort:` names the order of the sessions; the last one of a query counts.

In quotes, `\"` is a quote; a backslash stands for itself, but is doubled before a quote and at the end. In a
quoted pattern everything is as in patterns, where `\"` is a quote, too. If a phrase has no closing quote, its
words are searched instead; an open value or pattern extends to the end.

These are words, too: text that begins with `--` or `->`, a name with two colons behind it (`model::User`),
and a name that is no filter (`http://x`, `foo:bar`). If it looks like a typing error for a filter, a note
says so. A filter without a value, a lone `-` and empty quotes match everything, with a note, as they are
being typed.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from app.formats import text_kinds
from app.formats.text import one_line
from app.formats.utf8_text import fold, to_nfc
from app.index.query.filter_table import FILES, FILTER_KINDS, intended_filter
from app.index.query.filters import HIDDEN, FilterBuilder, is_unfinished
from app.index.query.query import PHRASE, REGEX, WORD, Filter, Note, Query, QueryError, Term
from app.index.query.tokens import tokens
from app.index.query.values import has_separators

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo

    from app.index.query.query import Kind
    from app.index.query.tokens import Token


MOST_CHARACTERS = 4_096
MOST_TERMS = 64
MOST_FILTERS = 64
_NEEDS_QUOTES = 'a pattern with a blank in it wants quotes: re:"a b"'


def parse(text: str, now_ms: int, *, home: str = "", zone: tzinfo | None = None) -> Query:
    """Parse a query. An empty query, or one of only unfinished tokens, matches every session.

    :param now_ms: the time from which ages and `today` count, in milliseconds since the epoch.
    :param home: the folder that `~` in `dir:` stands for.
    :param zone: the time zone in which days begin; None for the zone of this machine.
    :raises QueryError: the query cannot be run: a filter does not accept its value, a pattern is invalid or
        would match everything, or the query has control characters or more than `MOST_CHARACTERS`,
        `MOST_TERMS` or `MOST_FILTERS`. No text raises anything else.
    """
    _check_characters(text)
    parser = _Parser(text, FilterBuilder(now_ms, home, zone), _Scope())
    all_tokens = tokens(text)
    for token, following in zip_longest(all_tokens, all_tokens[1:]):
        parser.add(token, following)
    return parser.query()


def _check_characters(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        message = f"a query has at most {MOST_CHARACTERS:,} characters, this one has {len(text):,}"
        raise QueryError(message, MOST_CHARACTERS, len(text) - MOST_CHARACTERS)
    if text.isprintable():
        return
    for position, character in enumerate(text):
        # White space separates words; no text has other C0 or C1 characters, or DEL.
        if (character < " " or "\x7f" <= character <= "\x9f") and not character.isspace():
            raise QueryError(f"a query has no control characters (U+{ord(character):04X})", position)


class _Parser:
    """Builds a query from its tokens."""

    def __init__(self, text: str, builder: FilterBuilder, scope: _Scope) -> None:
        self._text = text
        self._builder = builder
        self._scope = scope
        self._terms: dict[tuple[str, str, bool], Term] = {}
        self._filters: list[Filter] = []
        self._notes: list[Note] = []
        self._hidden = False
        self._sort = ""
        self._files = False

    def add(self, token: Token, following: Token | None) -> None:
        """Add the next token; `following` is the one after it."""
        if not token.items[-1].closed:
            # The shape is still "phrase" only if no word follows the quote.
            effect = {"word": "searched as words", "phrase": "left out"}.get(token.shape)
            self._note(f"Missing closing quote; {effect or 'it goes on to the end'}", token)
        if token.shape == "word":
            self._word(token)
        elif token.shape == "phrase":
            self._phrase(token)
        elif token.shape == "regex":
            self._regex(token, following)
        else:
            self._filter(token)

    def query(self) -> Query:
        """The query of all tokens so far."""
        return Query(
            self._text,
            tuple(self._terms.values()),
            self._scope.filters(self._filters, self._terms.values()),
            self._scope.kinds(),
            self._scope.tools,
            self._scope.everywhere,
            tuple(self._notes),
            self._hidden,
            self._sort,
            self._files,
            tuple(self._builder.paths),
        )

    def _word(self, token: Token) -> None:
        text = token.items[0].text
        if not text:
            self._note("nothing stands after the -", token)
            return
        name, colon, rest = text.partition(":")
        if colon and not rest.startswith((":", "//")) and (intended := intended_filter(name.lower())):
            self._note(f"{one_line(name, 40)}: is no filter, so this is a word; {intended}: is one", token)
        self._term(WORD, to_nfc(text), token)

    def _phrase(self, token: Token) -> None:
        text = " ".join(to_nfc(token.items[0].text).split())
        if text:
            self._term(PHRASE, text, token)
        elif token.items[0].closed:
            self._note("nothing stands between the quotes", token)

    def _regex(self, token: Token, following: Token | None) -> None:
        item = token.items[0]
        if not item.text:
            self._note("re: takes a pattern", token)
            return
        # Imported here because only patterns need RE2.
        from app.index.query.regex import BadPattern, check

        pattern = to_nfc(item.text)
        start = item.start + item.quoted
        try:
            exact = check(pattern)
        except BadPattern as error:
            offset = error.position_in(item.text)
            # In `re:(foo bar)` only `(foo` is the pattern.
            message = (
                error.message if item.quoted or following is None else f"{error.message}; {_NEEDS_QUOTES}"
            )
            if offset >= 0:
                raise QueryError(message, start + offset, len(error.part)) from None
            raise QueryError(message, start, len(item.text)) from None
        if item.quoted and item.closed and self._text[item.end : item.end + 1].strip():
            self._note(r"the pattern ends at its second quote; \" is a quote in it", token)
        if not item.quoted and following is not None and following.shape == "word" and not following.negated:
            self._note(f"the pattern ends at the blank; {_NEEDS_QUOTES}", token)
        self._term(REGEX, pattern, token, exact)

    def _term(self, kind: Kind, text: str, token: Token, exact: bool | None = None) -> None:
        if exact is None:
            exact = any(map(str.isupper, text))
        term = Term(kind, text, exact, token.negated, token.start, token.length)
        self._terms.setdefault((kind, text, token.negated), term)
        if len(self._terms) > MOST_TERMS:
            raise QueryError(f"a query looks for at most {MOST_TERMS} things", token.start, token.length)

    def _filter(self, token: Token) -> None:
        items = [item for item in token.items if not is_unfinished(token.field, item)]
        if not items:
            self._note(f"{token.field}: takes {FILTER_KINDS[token.field].takes}", token)
            return
        if token.field in ("cost", "messages", "tokens", "size") and has_separators(
            [item.text for item in items]
        ):
            message = "commas stand between values: write 1000 or 1k, not 1,000"
            if any(item.text.startswith("0") for item in items[1:]):
                raise QueryError(message, items[0].start, items[-1].end - items[0].start)
            self._note(message, token)
        values, row_filter = self._builder.build(token, items)
        if token.field in ("in", "role", "tool"):
            self._scope.add(token, values)
        if token.field == "is" and not token.negated and not HIDDEN.isdisjoint(values):
            self._hidden = True
        if token.field == "sort":
            self._sort = values[0]
        self._files = self._files or token.field in FILES
        if row_filter:
            self._filters.append(row_filter)
        if len(self._filters) > MOST_FILTERS:
            raise QueryError(f"a query has at most {MOST_FILTERS} filters", token.start, token.length)

    def _note(self, message: str, token: Token) -> None:
        self._notes.append(Note(message, token.start, token.length))


_CALLS = frozenset((text_kinds.CALL, text_kinds.RESULT))
_PLACES = {
    "text": text_kinds.CONVERSATION,
    "tools": text_kinds.TOOLS,
    "thinking": frozenset((text_kinds.THINKING,)),
    "all": text_kinds.ALL,
}


class _Scope:
    """The kinds of text in which the terms of a query are searched, from its filters `in:`, `role:` and
    `tool:`.

    `in:` and `role:` name places, which add up; other texts are left out. `in:all` names none, and adds the
    texts of the kind OTHER. `tool:` leaves only calls and results of its tools, and these are the place if no
    other is named; beside it, `in:tools` does not include commands that users ran. A negated `in:` or
    `role:` removes its place, and a negated `tool:` only filters sessions.
    """

    def __init__(self) -> None:
        self._named: set[int] = set()
        self._all = False
        self._all_tools = False
        self._removed: set[int] = set()
        self._tools: set[str] = set()
        self._tool_positions: list[int] = []
        self._last_removal: Token | None = None

    def add(self, token: Token, values: list[str]) -> None:
        """Add a filter `in:`, `role:` or `tool:` with its valid values."""
        if token.field == "tool":
            if not token.negated:
                self._tools.update(map(fold, values))
                self._tool_positions.append(token.start)
            return
        for value in values:
            places = text_kinds.NAMES[value] if token.field == "role" else _PLACES[value]
            if token.negated:
                self._removed |= places
                self._last_removal = token
            elif token.field == "in" and value == "all":
                self._all = True
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
        """As in `Query`: removing places keeps the fields of the row."""
        return not self._named and not self._tools and not self._all_tools

    def filters(self, filters: list[Filter], terms: Iterable[Term]) -> tuple[Filter, ...]:
        """`filters` without a `tool:` that the search of texts answers better: a row has only the names of
        tools that were called, and a result may exist without its call.
        """
        # Several `tool:` stay, because a session must pass each of them and a text is of a single tool.
        if (
            len(self._tool_positions) == 1
            and self.kinds() <= _CALLS
            and not all(term.negated for term in terms)
        ):
            return tuple(
                [row_filter for row_filter in filters if row_filter.position != self._tool_positions[0]]
            )
        return tuple(filters)

    def _unnamed(self) -> frozenset[int]:
        """The kinds that are searched if no place is named."""
        if self._tools:
            return _CALLS
        return text_kinds.ALL if self._all else text_kinds.SEARCHED

    def kinds(self) -> frozenset[int]:
        """As in `Query`.

        :raises QueryError: no place is left.
        """
        places = frozenset(self._named)
        if self._all_tools:
            places |= _CALLS if self._tools else text_kinds.TOOLS
        remaining = (places or self._unnamed()) - self._removed
        if not remaining and self._last_removal:
            raise QueryError(
                "this leaves no text to look in", self._last_removal.start, self._last_removal.length
            )
        return remaining


_FILTER_NAME = re.compile("[a-z][a-z_-]+")


def unknown_filters(text: str) -> list[Note]:
    """The words of a query that look like filters and are none. The message of each is its name, and behind a
    blank the filter that the user may have meant, if there is one: "folder dir".
    """
    found = []
    for token in tokens(text):
        name, colon, rest = token.items[0].text.partition(":")
        if token.shape != "word" or token.items[0].quoted or not colon:
            continue
        # `std::vector`, an address, and a time or a line number are words.
        if rest.startswith((":", "//")) or rest[:1].isdigit() or not _FILTER_NAME.fullmatch(name.lower()):
            continue
        message = f"{name} {intended_filter(name.lower()) or ''}".strip()
        found.append(Note(message, token.start, token.length))
    return found
