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
from app.index.search.deep.finders import escapes, exactly, odd_numbers, shortened, whatever_the_case
from app.index.search.deep.literal import required
from app.index.search.deep.unfold import becomes, plainly, signs, stands
from app.index.search.terms import Pattern, Words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.search.deep.finders import Finder
    from app.index.search.terms import Seeker

    Line = tuple[int, int]

# Runs of ASCII that stand in a file as they are, or as JSON escapes them. What folds to ";" and "`" is
# nothing that StringZilla knows of.
_ASCII = re.compile(r"[!-:<-_a-~]+")
_OTHERS = re.compile(r"[^\0-\x7f]+")
_NUMBER = re.compile(r"[0-9e+.-]+")
_INFINITY = "-infinity"
_WINDOW = 3
_SEARCHES = 16
"""So many spellings of a window, and signs of others, are looked for at most."""
# NUL characters are left out of texts, so they may stand within a word.
_BEYOND_ASCII = rb"\\u(?!00[0-7])|\\u0000"
_ESCAPED = re.compile(rb"\\u(?!00[01])|\\u0000")


class Sieve:
    """Gives the lines that may have a term. `weight`: the higher, the fewer they should be."""

    weight = 0

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


class Fine(Sieve):
    """A sieve for one run of a word.

    :param finders: one of them finds something in each of its lines.
    :param whole: what a folded line must have besides, where no character is escaped that need not be.
    """

    def __init__(self, finders: Sequence[Finder], weight: int, whole: str = "") -> None:
        self.weight = weight
        self._finders = finders
        self._whole = whole

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        ahead = [(place, finder) for finder in self._finders if (place := finder(data, start, end)) >= 0]
        while ahead:
            at = min([place for place, _ in ahead])
            begin = max(start, data.rfind(b"\n", start, at) + 1)
            stop = data.find(b"\n", at, end)
            stop = end if stop < 0 else stop
            if not self._whole or self._has_whole(data, begin, stop):
                yield begin, stop
            ahead = [
                (there, finder)
                for place, finder in ahead
                if (there := place if place > stop else finder(data, stop, end)) >= 0
            ]

    def _has_whole(self, data: bytearray, begin: int, stop: int) -> bool:
        if self._whole in fold(data[begin:stop].decode("utf-8", "replace")):
            return True
        return _ESCAPED.search(data, begin, stop) is not None


class AnyOf(Sieve):
    """The lines of any of several sieves."""

    def __init__(self, sieves: Sequence[Sieve]) -> None:
        self.weight = min(each.weight for each in sieves)
        self._sieves = sieves

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        return iter(sorted({line for each in self._sieves for line in each.lines(data, start, end)}))

    def lets_through(self, data: bytearray, start: int, end: int) -> bool:
        return any(each.lets_through(data, start, end) for each in self._sieves)


def sieve(seeker: Seeker) -> Sieve:
    """The sieve for what a seeker seeks."""
    if isinstance(seeker, Pattern):
        runs = required(seeker.term.text)
        return any_of([of_word(run.lower()) for run in runs]) if runs else Sieve()
    if isinstance(seeker, Words):
        return any_of([of_word(each) for each in seeker.spellings])
    return max(map(of_word, fold(seeker.term.text).split()), key=lambda each: each.weight)


def any_of(sieves: Sequence[Sieve]) -> Sieve:
    """One sieve for all of these."""
    return sieves[0] if len(sieves) == 1 else AnyOf(sieves)


def of_word(word: str) -> Sieve:
    """The sieve for a folded word, without white space."""
    run = max(_ASCII.findall(word), key=len, default="")
    window = "" if word.isascii() or len(run) >= 2 * _WINDOW else _window(word)
    if len(run) >= max(1, 2 * len(window)):
        return _of_ascii(run)
    return _of_window(window, word) if window else Sieve()


def _of_ascii(run: str) -> Sieve:
    finders = whatever_the_case(run.replace("\\", "\\\\").replace('"', '\\"'))
    codes = {f"{ord(each):04x}" for each in ("\0", *run, *run.upper(), *becomes(run))}
    finders.append(escapes(rb"\\u(?i:%b)" % "|".join(sorted(codes)).encode()))
    if "/" in run:
        finders.append(exactly(rb"\/"))
    if _NUMBER.fullmatch(run) or run in _INFINITY:
        finders.append(odd_numbers())
    return Fine(finders, len(run))


def _of_window(window: str, word: str) -> Sieve:
    spellings = product(*map(plainly, window))
    finders = [exactly(encoded("".join(each))) for each in spellings]
    finders += map(exactly, _signs(window))
    finders.append(escapes(_BEYOND_ASCII))
    return Fine(finders, 2 * len(window), _around(window, word))


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


def _around(window: str, word: str) -> str:
    """As much of a word around a window as no escape of JSON and no composition cuts in two."""
    at = word.index(window)
    start, end = at, at + len(window)
    while start and _is_whole(word[start - 1]):
        start -= 1
    while end < len(word) and _is_whole(word[end]):
        end += 1
    return word[start:end]


def _is_whole(char: str) -> bool:
    return char > " " and char not in '"\\/' if char.isascii() else stands(char)
