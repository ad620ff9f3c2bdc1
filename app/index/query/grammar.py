r"""The language in which sessions are looked for, on the screen and on the command line.

    query    = { token }                        blanks between; all tokens must hold
    token    = [ "-" ] ( filter | pattern | phrase | word )
    word     = what is none of the others, up to the next blank
    phrase   = '"' text '"'                     the same words in a row, whatever blanks are between them
    pattern  = "re:" ( text | '"' text '"' )    an RE2 expression, up to the next blank or in quotes
    filter   = name ":" value { "," value }     any of the values may hold
    value    = text | '"' text '"'

*Terms* (words, phrases, patterns) are looked for in what was said in a session and in its name, labels,
folder, id and program: each has to be found somewhere in it, a word in the middle of a longer one as well. A
`-` leaves out the sessions in which it is found. Case counts for a term with a capital in it and no other (of
a pattern, only letters that stand for themselves are capitals, and `(?i)` makes none count); where nothing
matches and such a term is nowhere, it is looked for without case, and that is said (`search.spellings`).

*Filters* ask what the list knows of a session; what they take is in `table.SORTS`. Their names and values
are compared without case, and any white space in a value is as good as one blank. Several filters must all
hold, `-` turns one round. `cost: tokens: messages:` take a number alone or after `> >= < <= =`, with `k` or
`m` behind it, or a range `10..20`; `date:` takes the same of ages (`<2d`; m h d w mo y), days, months and
years of the local time zone, `today` and `yesterday`. Ranges take in both ends, and either may be missing.

`role:`, `in:` and `tool:` say where terms are looked for; names, labels and so on are then left out.
`role:` and `in:tools|thinking` add up. `in:all` is everything there is, where nothing else names a place.
`tool:` leaves the sessions that called one of its tools, counts of calls and results only theirs, and these
are the place where no other is named; a term that is looked for in these alone is found in a result without
its call, too. `-role:` and `-in:` take places away and leave names and labels be.

In quotes `\"` is a quote; a backslash is itself, but before a quote and at the end it is doubled. In a quoted
pattern everything is as in patterns, where `\"` is a quote too. Where nothing closes a phrase, its quote is
none and what follows are words; an open value or pattern goes on to the end.

Words are also: what begins with `--` or `->`, a name with two colons behind it (`model::User`), and a name
that is no filter (`http://x`, `foo:bar`). One that looks like a slip for a filter is a word with a note.
A filter without a value, a lone `-` and empty quotes ask nothing, with a note: they are being typed.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from app.formats.fold import composed
from app.formats.text import one_line
from app.index.query.amounts import split_by_commas
from app.index.query.filters import Builder, unfinished
from app.index.query.query import PHRASE, REGEX, WORD, Filter, Note, Query, QueryError, Term
from app.index.query.scope import Scope
from app.index.query.table import SORTS, alike
from app.index.query.tokens import tokens

if TYPE_CHECKING:
    from datetime import tzinfo

    from app.index.query.query import Kind
    from app.index.query.tokens import Token

MOST_CHARACTERS = 4_096
MOST_TERMS = 64
MOST_FILTERS = 64
WANTS_QUOTES = 'a pattern with a blank in it wants quotes: re:"a b"'


def parse(
    text: str, now_ms: int, *, home: str = "", all_text: bool = False, zone: tzinfo | None = None
) -> Query:
    """What `text` asks for. An empty one, and one of only what is still being typed, asks for every session.

    :param now_ms: what ages and `today` count from, in milliseconds since the epoch.
    :param home: the folder that `~` in `dir:` stands for.
    :param all_text: terms are looked for in everything where the query itself names no place (`in:all`).
    :param zone: where days begin; None is the time zone of this machine.
    :raises QueryError: the query cannot be run: a filter does not take its value, a pattern is none or would
        match everything, it has control characters in it, more than `MOST_CHARACTERS`, `MOST_TERMS` or
        `MOST_FILTERS`. Nothing else is raised, whatever the text.
    """
    _refuse(text)
    reader = _Reader(text, Builder(now_ms, home, zone), Scope(all_text))
    found = tokens(text)
    for token, then in zip_longest(found, found[1:]):
        reader.read(token, then)
    return reader.query()


def _refuse(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        message = f"a query has at most {MOST_CHARACTERS:,} characters, this one has {len(text):,}"
        raise QueryError(message, MOST_CHARACTERS, len(text) - MOST_CHARACTERS)
    if text.isprintable():
        return
    for at, character in enumerate(text):
        # What `str.isspace` takes is between words; of the rest, C0, DEL and C1 are in no text.
        if (character < " " or "\x7f" <= character <= "\x9f") and not character.isspace():
            raise QueryError(f"a query has no control characters (U+{ord(character):04X})", at)


class _Reader:
    """Gathers what the tokens of one query say."""

    def __init__(self, text: str, builder: Builder, scope: Scope) -> None:
        self._text = text
        self._builder = builder
        self._scope = scope
        self._terms: dict[tuple[str, str, bool], Term] = {}
        self._filters: list[Filter] = []
        self._notes: list[Note] = []

    def read(self, token: Token, then: Token | None) -> None:
        """Take in the next token; `then` is the one behind it."""
        if not token.items[-1].closed:
            # A phrase is one of which nothing follows.
            how = {"word": "what follows are words", "phrase": "it is left out"}.get(token.shape)
            self._note(f"the quote is not closed: {how or 'it goes on to the end'}", token)
        if token.shape == "word":
            self._word(token)
        elif token.shape == "phrase":
            self._phrase(token)
        elif token.shape == "regex":
            self._regex(token, then)
        else:
            self._filter(token)

    def query(self) -> Query:
        """All of it."""
        return Query(
            self._text,
            tuple(self._terms.values()),
            self._scope.filters(self._filters, self._terms.values()),
            self._scope.kinds(),
            self._scope.tools,
            self._scope.everywhere,
            tuple(self._notes),
        )

    def _word(self, token: Token) -> None:
        text = token.items[0].text
        if not text:
            self._note("nothing stands after the -", token)
            return
        name, colon, rest = text.partition(":")
        if colon and not rest.startswith((":", "//")) and (meant := alike(name.lower())):
            said = f"{one_line(name, 40)}: is no filter, so this is a word; {meant}: is one"
            self._note(said, token)
        self._term(WORD, composed(text), token)

    def _phrase(self, token: Token) -> None:
        text = " ".join(composed(token.items[0].text).split())
        if text:
            self._term(PHRASE, text, token)
        elif token.items[0].closed:
            self._note("nothing stands between the quotes", token)

    def _regex(self, token: Token, then: Token | None) -> None:
        item = token.items[0]
        if not item.text:
            self._note("re: takes a pattern", token)
            return
        # Only here: what patterns need is imported for them alone.
        from app.index.query.regex import BadPattern, check

        pattern = composed(item.text)
        start = item.start + item.quoted
        try:
            exact = check(pattern)
        except BadPattern as bad:
            found = bad.place_in(item.text)
            # Of `re:(foo bar)` only `(foo` is the pattern.
            said = bad.message if item.quoted or then is None else f"{bad.message}; {WANTS_QUOTES}"
            if found >= 0:
                raise QueryError(said, start + found, len(bad.part)) from None
            raise QueryError(said, start, len(item.text)) from None
        if item.quoted and item.closed and self._text[item.end : item.end + 1].strip():
            self._note(r"the pattern ends at its second quote; \" is a quote in it", token)
        if not item.quoted and then is not None and then.shape == "word" and not then.negated:
            self._note(f"the pattern ends at the blank; {WANTS_QUOTES}", token)
        self._term(REGEX, pattern, token, exact)

    def _term(self, kind: Kind, text: str, token: Token, exact: bool | None = None) -> None:
        if exact is None:
            exact = any(map(str.isupper, text))
        term = Term(kind, text, exact, token.negated, token.start, token.length)
        self._terms.setdefault((kind, text, token.negated), term)
        if len(self._terms) > MOST_TERMS:
            raise QueryError(f"a query looks for at most {MOST_TERMS} things", token.start, token.length)

    def _filter(self, token: Token) -> None:
        items = [item for item in token.items if not unfinished(token.field, item)]
        if not items:
            self._note(f"{token.field}: takes {SORTS[token.field].takes}", token)
            return
        if token.field in ("cost", "messages", "tokens") and split_by_commas([item.text for item in items]):
            said = "commas stand between values: write 1000 or 1k, not 1,000"
            if any(item.text.startswith("0") for item in items[1:]):
                raise QueryError(said, items[0].start, items[-1].end - items[0].start)
            self._note(said, token)
        values, made = self._builder.build(token, items)
        if token.field in ("in", "role", "tool"):
            self._scope.add(token, values)
        if made:
            self._filters.append(made)
        if len(self._filters) > MOST_FILTERS:
            raise QueryError(f"a query has at most {MOST_FILTERS} filters", token.start, token.length)

    def _note(self, message: str, token: Token) -> None:
        self._notes.append(Note(message, token.start, token.length))
