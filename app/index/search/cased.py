"""The lines of a file that may have a term with capitals. Most others are excluded without being decoded.

The texts of a line differ from its bytes by escapes and by composition. The filter therefore searches for a
run of a word that these leave alone, and also lets a line through if it has anything that can become a part
of the run.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING

from app.formats.utf8_text import fold, to_nfc, to_utf8
from app.index.query.query import REGEX
from app.index.search.grep.byte_search import exactly, is_findable, precursors, shortened, variants
from app.index.search.grep.prefilter import escaped
from app.index.search.raw_lines import RawLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.index.search.grep.byte_search import Finder
    from app.index.search.matchers import TermMatcher
    from app.index.text.mmap_reader import Source

# Characters that JSON does not escape, without "K", ";" and "`": other characters are composed to these.
_RAW = re.compile(r"[A-JL-Za-z0-9_.,:()=+*-]")
_SPELLINGS = 16
"""The most spellings of a run; other characters are composed to it."""

_MAX_MATCHES = 8
"""A line with more matches of a run is decoded."""
_AROUND = 16
# The surroundings of a match in the line are those in the text, up to an escape or the end of the text.
_BEFORE = re.compile(rb"[ !#-\[\]-~]*\Z")
_BEHIND = re.compile(rb"[ !#-\[\]-~]*")
_QUOTE, _BACKSLASH, _ESCAPE = b'"', b"\\", b"\\u"


class Cased:
    """A filter by a run of a term. `finders`: one of them finds something in each line that has the term."""

    def __init__(self, run: str, spellings: Sequence[str], odd: Iterable[str]) -> None:
        """:param spellings: of the run, itself included.
        :param odd: characters that are composed to a part of the run.
        """
        odd = sorted(odd)
        self._run = run.encode() if run.isascii() else b""
        self.finders: list[Finder] = [
            *[exactly(to_utf8(spelling)) for spelling in spellings],
            *map(exactly, shortened(map(to_utf8, odd))),
            escaped(("\0", *{char for spelling in spellings for char in spelling}, *odd)),
        ]

    @cached_property
    def lines(self) -> RawLines:
        """Finds these lines in a file."""
        return RawLines(self.finders)

    def is_in(self, line: bytes) -> bool:
        """Whether one of `finders` finds something in a line."""
        return any(finder(line, 0, len(line)) >= 0 for finder in self.finders)

    def may_be_in(self, line: bytes, source: Source, begin: int, end: int) -> bool:
        """Whether a text of `line` may have the term.

        The line may have it in another text, or in the name of a field. The characters around it in the line
        are around it in its text, too.

        :param begin: the folded text is in `source`, from `begin` to `end`.
        """
        run = self._run
        if not run or _ESCAPE in line:
            return True
        start = 0
        for _ in range(_MAX_MATCHES):
            position = line.find(run, start)
            if position < 0:
                return False
            start = position + len(run)
            if source.find(_around(line, position, start).lower(), begin, end) >= 0:
                return True
        return True


def _around(line: bytes, position: int, end: int) -> bytes:
    """The bytes from `position` to `end`, with those around them that are in the same text."""
    before = _BEFORE.search(line, max(0, position - _AROUND), position)
    behind = _BEHIND.match(line, end, end + _AROUND + 1)
    assert before
    assert behind
    start, stop = before.start(), behind.end()
    if start < position and line[max(0, start - 1) : start] == _BACKSLASH:
        # The first character belongs to an escape.
        start += 1
    if stop > end and line[stop : stop + 1] != _QUOTE:
        # The next character may be composed with the last one.
        stop -= 1
    return line[start:stop]


def case_filter(matcher: TermMatcher) -> Cased | None:
    """The filter of the lines that may have an exact term; None if the term is not exact, is a pattern, or
    has no run.
    """
    if not matcher.exact or matcher.term.kind == REGEX:
        return None
    return cased(matcher.term.text.split())


def cased(words: Sequence[str]) -> Cased | None:
    """The filter of the lines that may have all of `words` in their case; None if they have no run.

    A run with a capital is preferred: lines with the word in another case have any other run as well.
    """
    runs = [run for word in words for run in _runs(to_nfc(word)) if run]
    if not runs:
        return None
    run = max(runs, key=lambda run: (run != fold(run), len(to_utf8(run))))
    options = [_options(char) for char in run]
    spellings = ["".join(spelling) for spelling in product(*options)]
    return Cased(run, spellings, {odd for char in run for odd in _precursors(char)})


def _runs(word: str) -> Iterator[str]:
    """The longest runs of characters that can be searched for."""
    start, spellings = 0, 1
    for end, char in enumerate(word):
        options = len(_options(char))
        spellings *= options
        if not 0 < spellings <= _SPELLINGS:
            yield word[start:end]
            start, spellings = (end, options) if options else (end + 1, 1)
    yield word[start:]


@lru_cache(maxsize=256)
def _options(char: str) -> tuple[str, ...]:
    """The characters that are composed to `char` alone, itself included; none if a line may have another
    form of it.
    """
    if char.isascii():
        return (char,) if _RAW.match(char) else ()
    folded = fold(char)
    if len(folded) != 1 or folded.isascii() or not is_findable(folded):
        return ()
    return tuple(variant for variant in variants(folded) if to_nfc(variant) == char)


def _precursors(char: str) -> Iterable[str]:
    """The characters one of which a text has if it has `char` when composed, and none of its `_options`."""
    return () if char.isascii() else precursors(fold(char))
