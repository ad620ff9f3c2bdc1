"""Which lines of a file may have a term, seen from their bytes: never one too few.

Most lines are told apart from the few that have a word without being decoded. What a line says differs from
its bytes by escapes, by case and by composition, so of a word only a run is looked for that these leave
alone; and a line counts, too, when it has anything that might become a part of the run. Where a word has no
such run, all lines count. Whether a line has the term is told by its decoded and folded pieces alone.
"""

from __future__ import annotations

import re
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from app.formats.fold import encoded, fold
from app.index.query.query import REGEX
from app.index.search.grep.byte_search import required
from app.index.search.grep.finders import (
    escapes,
    exactly,
    knows_case,
    odd_numbers,
    same_case,
    shortened,
    uncased,
    whatever_the_case,
)
from app.index.search.grep.unescape import unescaped
from app.index.search.grep.unfold import becomes, plainly, signs, stands
from app.index.search.term_matcher import Words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from app.index.search.grep.finders import Finder
    from app.index.search.term_matcher import TermMatcher

    Line = tuple[int, int]

# Runs of ASCII that stand in a file as they are, or as JSON escapes them. What folds to ";" and "`" is
# nothing that StringZilla knows of.
_ASCII = re.compile(r"[!-:<-_a-~]+")
# The same without what JSON escapes.
_PLAIN = re.compile(r"[!#-.0-:<-[\]-_a-~]+")
# As case has it, without what is composed to it: Kelvin's sign.
_CASED = re.compile(r"[!-:<-JL-_a-~]+")
_OTHERS = re.compile(r"[^\0-\x7f]+")
_NUMBER = re.compile(r"[0-9e+.-]+")
_INFINITY = "-infinity"
_WINDOW = 3
_SEARCHES = 16
"""So many spellings of a window, and signs of others, are looked for at most."""


class Prefilter:
    """Gives the lines that may have a term. `weight`: the higher, the fewer they should be.

    finders   one of them finds something in each of these lines; none where all lines count
    """

    weight = 0
    finders: Sequence[Finder] = ()

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        """Where these lines begin and end, from top to bottom; `start` and `end` are a line's, too."""
        at = start
        while at < end:
            stop = data.find(b"\n", at, end)
            stop = end if stop < 0 else stop
            yield at, stop
            at = stop + 1

    def lets_through(self, data: bytearray, start: int, end: int) -> bool:
        """Whether there is such a line."""
        return next(self.lines(data, start, end), None) is not None


class Fine(Prefilter):
    """A sieve for one run of a word.

    :param finders: what they find is the run, as it stands there.
    :param odd: what they find may become a part of it: seldom there, and looked at more closely. One of all
        these finds something in each line that has the word.
    :param word: the word, to look for more closely; "" where that cannot be done.
    :param sure: what `finders` find is not looked at more closely.
    """

    def __init__(
        self,
        finders: Sequence[Finder],
        odd: Sequence[Finder],
        weight: int,
        word: str = "",
        sure: bool = True,
    ) -> None:
        self.weight = weight
        self.finders = (*finders, *odd)
        self._finders = [(each, sure or not word) for each in finders] + [(each, not word) for each in odd]
        self._word = word

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        ahead = [
            (place, finder, is_it)
            for finder, is_it in self._finders
            if (place := finder(data, start, end)) >= 0
        ]
        while ahead:
            at = min([place for place, _, _ in ahead])
            begin = max(start, data.rfind(b"\n", start, at) + 1)
            stop = data.find(b"\n", at, end)
            stop = end if stop < 0 else stop
            sure = any(is_it and place <= stop for place, _, is_it in ahead)
            if sure or self._has_word(data, begin, stop):
                yield begin, stop
            ahead = [
                (there, finder, is_it)
                for place, finder, is_it in ahead
                if (there := place if place > stop else finder(data, stop, end)) >= 0
            ]

    def _has_word(self, data: bytearray, begin: int, stop: int) -> bool:
        return self._word in fold(unescaped(data[begin:stop]))


class AnyOf(Prefilter):
    """The lines of any of several sieves."""

    def __init__(self, sieves: Sequence[Prefilter]) -> None:
        self.weight = min(each.weight for each in sieves)
        if all(each.finders for each in sieves):
            self.finders = tuple(finder for each in sieves for finder in each.finders)
        self._sieves = sieves

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        return iter(sorted({line for each in self._sieves for line in each.lines(data, start, end)}))

    def lets_through(self, data: bytearray, start: int, end: int) -> bool:
        return any(each.lets_through(data, start, end) for each in self._sieves)


def sieve(seeker: TermMatcher) -> Prefilter:
    """The sieve for what a seeker seeks."""
    if seeker.term.kind == REGEX:
        runs = required(seeker.term.text)
        return any_of([of_word(run.lower()) for run in runs]) if runs else Prefilter()
    if isinstance(seeker, Words):
        cased = seeker.term.text if seeker.exact else ""
        return any_of([of_word(each, cased) for each in seeker.spellings])
    words = seeker.term.text.split()
    sieves = [of_word(fold(word), word if seeker.exact else "") for word in words]
    return max(sieves, key=lambda each: each.weight)


def of_names(names: Collection[str]) -> Prefilter:
    """The sieve for folded texts of which JSON escapes nothing, each the whole of a value."""
    if not all(map(_PLAIN.fullmatch, names)):
        return Prefilter()
    return any_of(
        [
            Fine(whatever_the_case(f'"{name}"'), [escapes(_codes((*name, *name.upper(), *becomes(name))))], 0)
            for name in sorted(names)
        ]
    )


def any_of(sieves: Sequence[Prefilter]) -> Prefilter:
    """One sieve for all of these."""
    return sieves[0] if len(sieves) == 1 else AnyOf(sieves)


def of_word(word: str, cased: str = "") -> Prefilter:
    """The sieve for a folded word, without white space.

    :param cased: the same word where case counts.
    """
    if _CASED.fullmatch(cased):
        return _of_ascii(word, [exactly(_written(cased))], word)
    run = max(_ASCII.findall(word), key=len, default="")
    if not word.isascii() and knows_case():
        mixed = _mixed(word)
        if len(run) < 2 * _weight(mixed):
            return _of_mixed(mixed, word)
    window = "" if word.isascii() or len(run) >= 2 * _WINDOW else _window(word)
    if len(run) >= max(1, 2 * len(window)):
        return _of_ascii(run, whatever_the_case(_written(run).decode()), word)
    return _of_window(window, word) if window else Prefilter()


def _of_ascii(run: str, found: list[Finder], word: str) -> Prefilter:
    odd = [escapes(_codes(("\0", *run, *run.upper(), *becomes(run))))]
    if "/" in run:
        odd.append(exactly(rb"\/"))
    if _NUMBER.fullmatch(run) or run in _INFINITY:
        # What such a line says is not to be seen in it.
        found = [*found, odd_numbers()]
    return Fine(found, odd, len(run), word)


def _of_mixed(run: str, word: str) -> Prefilter:
    """For a run of any characters that stand for themselves, whatever their case."""
    ascii_ = [char for char in run if char.isascii()]
    others = {char for char in run if not char.isascii()}
    rare = {sign for char in others for sign in signs(char)}
    plain = {each for char in others for each in plainly(char)}
    odd = {encoded(each) for char in others for each in plainly(char) if not same_case(each, char)}
    strange = becomes("".join(ascii_))
    codes = _codes(("\0", *ascii_, *"".join(ascii_).upper(), *strange, *rare, *plain))
    searched = shortened([*odd, *map(encoded, rare)])
    return Fine([uncased(run)], [*map(exactly, searched), escapes(codes)], _weight(run), word, run == word)


def _of_window(window: str, word: str) -> Prefilter:
    spellings = list(product(*map(plainly, window)))
    found = [exactly(encoded("".join(each))) for each in spellings]
    codes = _codes(("\0", *(sign for char in window for sign in (*signs(char), *plainly(char)))))
    odd = [*map(exactly, _signs(window)), escapes(codes)]
    return Fine(found, odd, 2 * len(window), word, window == word)


def _written(run: str) -> bytes:
    return run.replace("\\", "\\\\").replace('"', '\\"').encode()


def escaped(chars: Sequence[str]) -> Finder:
    """Finds these characters where they are escaped by their number."""
    return escapes(_codes(chars))


def _codes(chars: Sequence[str]) -> bytes:
    """The escapes of characters; of a pair of surrogates, the first one. Of one of the usual combining marks,
    those of all: they are looked for together.
    """
    codes = {_code(ord(each)) for each in chars}
    if any("\u0300" <= each <= "\u036f" for each in chars):
        codes.update(map(_code, range(0x300, 0x370)))
    return (r"\\u" + _any_code(codes)).encode()


def _any_code(codes: set[str]) -> str:
    """A pattern for these, which are of one length: digit by digit, since most others differ in the first."""
    if codes == {""}:
        return ""
    parts = []
    for first in sorted({code[0] for code in codes}):
        either = first if first.isdigit() else f"[{first}{first.upper()}]"
        parts.append(either + _any_code({code[1:] for code in codes if code[0] == first}))
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _code(number: int) -> str:
    # What UTF-16 has; but to import that codec takes as long as to look through some files.
    return f"{number if number < 0x10000 else 0xD800 + (number - 0x10000 >> 10):04x}"


def _mixed(word: str) -> str:
    """The weightiest characters of a word that stand for themselves one after the other, or become another
    only where a sign tells.
    """
    runs = [""]
    for char in word:
        if _PLAIN.fullmatch(char) if char.isascii() else stands(char):
            runs[-1] += char
        else:
            runs.append("")
    return max(runs, key=_weight)


def _weight(run: str) -> int:
    return sum([1 if char.isascii() else 2 for char in run])


def _window(word: str) -> str:
    """The longest characters of a word, none of ASCII, that can be looked for as they are spelt; of several
    the ones with the fewest spellings.
    """
    found = {"": 0}
    for run in _OTHERS.findall(word):
        for start in range(len(run)):
            for end in range(start + 1, min(len(run), start + _WINDOW) + 1):
                window = run[start:end]
                if not stands(window[-1]):
                    break
                searches = prod([len(plainly(char)) for char in window]) + len(_signs(window))
                if searches <= _SEARCHES:
                    found[window] = searches
    return max(found, key=lambda window: (len(window), -found[window]))


def _signs(window: str) -> list[bytes]:
    return shortened(encoded(sign) for char in window for sign in signs(char))
