"""What has capitals, as it stands in a file: most lines that lack it are told apart without being decoded.

A line's texts differ from its bytes by escapes and by composition, so of a word only a run is looked for that
these leave alone; and a line counts, too, when it has anything that might become a part of the run.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING

from app.formats.fold import composed, encoded, fold
from app.index.search.grep.finders import exactly, shortened
from app.index.search.grep.prefilter import escaped
from app.index.search.grep.unfold import plainly, signs, stands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.index.search.grep.finders import Finder
    from app.index.search.raw_lines import RawLines
    from app.index.text.mmap_reader import Source

# What stands in a line of JSON as it is. Not "K", ";" and "`": other characters are composed to these.
_RAW = re.compile(r"[A-JL-Za-z0-9_.,:()=+*-]")
_SPELLINGS = 16
"""A run that other characters are composed to has no more spellings than this."""

_PLACES = 8
"""A line in which a run stands more often is decoded."""
_AROUND = 16
# What surrounds it in the line surrounds it in the text, up to the end of the text or to an escape.
_BEFORE = re.compile(rb"[ !#-\[\]-~]*\Z")
_BEHIND = re.compile(rb"[ !#-\[\]-~]*")
_QUOTE, _BACKSLASH, _ESCAPE = b'"', b"\\", b"\\u"


class Cased:
    """A run of a term. `finders`: one of them finds something in each line with a text that has it."""

    def __init__(self, run: str, spellings: Sequence[str], odd: Iterable[str]) -> None:
        """:param spellings: of the run, itself included.
        :param odd: characters that others are composed of.
        """
        signs = sorted(odd)
        self._run = run.encode() if run.isascii() else b""
        self.finders: list[Finder] = [
            *[exactly(encoded(each)) for each in spellings],
            *map(exactly, shortened(map(encoded, signs))),
            escaped(("\0", *{char for each in spellings for char in each}, *signs)),
        ]

    @cached_property
    def lines(self) -> RawLines:
        """What looks for the lines that have it."""
        from app.index.search.raw_lines import RawLines

        return RawLines(self.finders)

    def is_in(self, line: bytes) -> bool:
        """Whether one of `finders` finds something in a line."""
        return any(finder(line, 0, len(line)) >= 0 for finder in self.finders)

    def may_be_in(self, line: bytes, source: Source, begin: int, end: int) -> bool:
        """Whether a text may have the term, going by `line`, which it is in.

        The line may have it in another text, or in the name of a field. But what is around it in the line is
        around it in its text.

        :param begin: where the text is folded, up to `end`.
        """
        run = self._run
        if not run or _ESCAPE in line:
            return True
        start = 0
        for _ in range(_PLACES):
            at = line.find(run, start)
            if at < 0:
                return False
            start = at + len(run)
            if source.find(_around(line, at, start).lower(), begin, end) >= 0:
                return True
        return True


def _around(line: bytes, at: int, end: int) -> bytes:
    """What is from `at` to `end` with what is around it in its text."""
    before = _BEFORE.search(line, max(0, at - _AROUND), at)
    behind = _BEHIND.match(line, end, end + _AROUND + 1)
    assert before
    assert behind
    start, stop = before.start(), behind.end()
    if start < at and line[max(0, start - 1) : start] == _BACKSLASH:
        # Not a letter: it is what is escaped.
        start += 1
    if stop > end and line[stop : stop + 1] != _QUOTE:
        # What follows may be composed with it.
        stop -= 1
    return line[start:stop]


def cased(words: Sequence[str]) -> Cased | None:
    """The run by which lines are told apart that may have all of `words`, case and all: if it can be had, one
    with a capital, else lines that have the word otherwise have it, too. None where there is no run at all.
    """
    runs = [run for word in words for run in _runs(composed(word)) if run]
    if not runs:
        return None
    run = max(runs, key=lambda run: (run != fold(run), len(encoded(run))))
    options = [_options(char) for char in run]
    spellings = ["".join(each) for each in product(*options)]
    return Cased(run, spellings, {sign for char in run for sign in _signs(char)})


def _runs(word: str) -> Iterator[str]:
    """The longest runs of characters that can be looked for."""
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
    """The characters that are composed to `char` alone, itself included; none where it may not stand in a
    line for itself.
    """
    if char.isascii():
        return (char,) if _RAW.match(char) else ()
    folded = fold(char)
    if len(folded) != 1 or folded.isascii() or not stands(folded):
        return ()
    return tuple(each for each in plainly(folded) if composed(each) == char)


def _signs(char: str) -> Iterable[str]:
    """What must be in a text that has `char` composed, and none of its `_options`."""
    return () if char.isascii() else signs(fold(char))
