"""The lines of a file that may have a term, found in their bytes. No line that has it is left out.

Most lines are excluded without being decoded. The text of a line differs from its bytes by escapes, case and
composition. A prefilter therefore searches for a run of the word that these leave alone (without StringZilla,
for a run of ASCII), and also lets a line through if it has anything that can become a part of the run. If a
word has no such run, it lets every line through. Only the decoded and folded texts decide whether a line has
the term.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.formats.text import replace_surrogates
from app.formats.utf8_text import fold, to_utf8
from app.index.query.query import REGEX
from app.index.query.regex import required_literals
from app.index.search.grep.byte_search import (
    becomes,
    escapes,
    exactly,
    in_any_case,
    is_findable,
    knows_case,
    marked,
    odd_numbers,
    precursors,
    same_case,
    shortened,
    uncased,
    variants,
)
from app.index.search.matchers import WordMatcher

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from app.index.search.grep.byte_search import Finder
    from app.index.search.matchers import TermMatcher

    Line = tuple[int, int]

# Runs of ASCII characters that are in a file as they are, or as JSON escapes them. StringZilla does not know
# the characters that fold to ";" and "`".
_ASCII = re.compile(r"[!-:<-_a-~]+")
# The same without the characters that JSON escapes.
_PLAIN = re.compile(r"[!#-.0-:<-[\]-_a-~]+")
# ASCII with case, without "K", to which the Kelvin sign is composed.
_CASED = re.compile(r"[!-:<-JL-_a-~]+")
_BEYOND_MARKS = "\u2000"
"""From this character on, no character has marks that are folded."""
_NUMBER = re.compile(r"[0-9e+.-]+")
_INFINITY = "-infinity"


class Prefilter:
    """Lets every line through. `weight`: the higher, the fewer lines a prefilter should let through."""

    weight = 0

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        """The (start, end) of the lines that may have the term, from top to bottom.

        :param start: begins a line; `end` ends one.
        """
        while start < end:
            stop = data.find(b"\n", start, end)
            stop = end if stop < 0 else stop
            yield start, stop
            start = stop + 1

    def matches(self, data: bytearray, start: int, end: int) -> bool:
        """Whether there is such a line."""
        return next(self.lines(data, start, end), None) is not None


class RunFilter(Prefilter):
    """Lets the lines through in which a run of a word is found."""

    def __init__(
        self,
        finders: Sequence[Finder],
        odd: Sequence[Finder],
        weight: int,
        word: str = "",
        sure: bool = True,
    ) -> None:
        """One of all these finders finds something in each line that has the word.

        :param finders: they find the run as it stands in a file.
        :param odd: they find rare things that may become a part of the run; such a line is unescaped and
            folded to look for `word`.
        :param word: the folded word; "" to let a line through without looking for it.
        :param sure: a line with a match of `finders` is let through without looking for `word`.
        """
        self.weight = weight
        self._finders = [(finder, sure or not word) for finder in finders]
        self._finders += [(finder, not word) for finder in odd]
        self._word = word

    def matches(self, data: bytearray, start: int, end: int) -> bool:
        for finder, is_sure in self._finders:
            if finder(data, start, end) >= 0:
                return is_sure or super().matches(data, start, end)
        return False

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        ahead = [
            (offset, finder, is_sure)
            for finder, is_sure in self._finders
            if (offset := finder(data, start, end)) >= 0
        ]
        while ahead:
            nearest = min([offset for offset, _, _ in ahead])
            begin = max(start, data.rfind(b"\n", start, nearest) + 1)
            stop = data.find(b"\n", nearest, end)
            stop = end if stop < 0 else stop
            sure = any(is_sure and offset <= stop for offset, _, is_sure in ahead)
            if sure or self._word in fold(unescaped(data[begin:stop])):
                yield begin, stop
            ahead = [
                (after, finder, is_sure)
                for offset, finder, is_sure in ahead
                if (after := offset if offset > stop else finder(data, stop, end)) >= 0
            ]


class AnyOf(Prefilter):
    """Lets the lines of any of several prefilters through."""

    def __init__(self, prefilters: Sequence[Prefilter]) -> None:
        self._prefilters = prefilters

    def lines(self, data: bytearray, start: int, end: int) -> Iterator[Line]:
        return iter(
            sorted({line for prefilter in self._prefilters for line in prefilter.lines(data, start, end)})
        )

    def matches(self, data: bytearray, start: int, end: int) -> bool:
        return any(prefilter.matches(data, start, end) for prefilter in self._prefilters)


def prefilter_for(matcher: TermMatcher, *, finds_marks: bool = True) -> Prefilter:
    """The prefilter of a term.

    :param finds_marks: let the lines through that have a word without marks only with marks, which takes a
        hundred times as long.
    """
    finds_marks = finds_marks or matcher.marked
    if matcher.term.kind == REGEX:
        literals = required_literals(matcher.term.text)
        filters = [word_filter(literal.lower(), finds_marks=finds_marks) for literal in literals]
        return any_of(filters) if filters else Prefilter()
    if isinstance(matcher, WordMatcher):
        cased = matcher.term.text if matcher.exact else ""
        return any_of(
            [word_filter(spelling, cased, finds_marks=finds_marks) for spelling in matcher.spellings]
        )
    filters = [
        word_filter(fold(word), word if matcher.exact else "", finds_marks=finds_marks)
        for word in matcher.term.text.split()
    ]
    return max(filters, key=lambda prefilter: prefilter.weight)


def name_filter(names: Collection[str]) -> Prefilter:
    """The prefilter for folded texts that are whole values; all lines if JSON escapes any of them."""
    if not all(map(_PLAIN.fullmatch, names)):
        return Prefilter()
    return any_of(
        [
            RunFilter(
                in_any_case(f'"{name}"'),
                [escapes(_codes((*name, *name.upper(), *becomes(name)))), *marked()],
                0,
            )
            for name in sorted(names)
        ]
    )


def any_of(prefilters: Sequence[Prefilter]) -> Prefilter:
    """One prefilter that lets the lines of any of these through."""
    return prefilters[0] if len(prefilters) == 1 else AnyOf(prefilters)


def word_filter(word: str, cased: str = "", *, finds_marks: bool = True) -> Prefilter:
    """The prefilter of a folded word without white space.

    :param cased: the same word as written, if its case counts.
    :param finds_marks: see `prefilter_for`.
    """
    if _CASED.fullmatch(cased):
        return _ascii_filter(word, [exactly(_as_json(cased))], word, [])
    run = max(_ASCII.findall(word), key=len, default="")
    mixed = _mixed_run(word) if knows_case() and not word.isascii() else ""
    odd = marked() if finds_marks and any(char < _BEYOND_MARKS for char in mixed or run) else []
    if len(run) < 2 * _weight(mixed):
        return _mixed_filter(mixed, word, odd)
    return _ascii_filter(run, in_any_case(_as_json(run).decode()), word, odd) if run else Prefilter()


# -- the filters of words --


def _ascii_filter(run: str, finders: list[Finder], word: str, odd: list[Finder]) -> Prefilter:
    odd = [*odd, escapes(_codes(("\0", *run, *run.upper(), *becomes(run))))]
    if "/" in run:
        odd.append(exactly(rb"\/"))
    if _NUMBER.fullmatch(run) or run in _INFINITY:
        # The text of such a line differs from its bytes.
        finders = [*finders, odd_numbers()]
    return RunFilter(finders, odd, len(run), word)


def _mixed_filter(run: str, word: str, marks: list[Finder]) -> Prefilter:
    """The filter of a run of any findable characters, in any case."""
    ascii_ = [char for char in run if char.isascii()]
    others = {char for char in run if not char.isascii()}
    rare = {sign for char in others for sign in precursors(char)}
    plain = {variant for char in others for variant in variants(char)}
    odd = {to_utf8(variant) for char in others for variant in variants(char) if not same_case(variant, char)}
    strange = becomes("".join(ascii_))
    codes = _codes(("\0", *ascii_, *"".join(ascii_).upper(), *strange, *rare, *plain))
    needles = shortened([*odd, *map(to_utf8, rare)])
    return RunFilter(
        [uncased(run)],
        [*map(exactly, needles), escapes(codes), *marks],
        _weight(run),
        word,
        run == word,
    )


def _as_json(run: str) -> bytes:
    return run.replace("\\", "\\\\").replace('"', '\\"').encode()


def _codes(chars: Sequence[str]) -> bytes:
    """A pattern of the escapes of characters: for a pair of surrogates, the first one; for one of the usual
    combining marks, all of them, since they are searched for together.
    """
    codes = {_code(ord(char)) for char in chars}
    if any("\u0300" <= char <= "\u036f" for char in chars):
        codes.update(map(_code, range(0x300, 0x370)))
    return (r"\\u" + _any_code(codes)).encode()


def _any_code(codes: set[str]) -> str:
    """A pattern of hexadecimal codes of one length, digit by digit: most other codes differ in the first."""
    if codes == {""}:
        return ""
    parts = []
    for first in sorted({code[0] for code in codes}):
        either = first if first.isdigit() else f"[{first}{first.upper()}]"
        parts.append(either + _any_code({code[1:] for code in codes if code[0] == first}))
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _code(number: int) -> str:
    # The first code unit of UTF-16.
    return f"{number if number < 0x10000 else 0xD800 + (number - 0x10000 >> 10):04x}"


def _mixed_run(word: str) -> str:
    """The run of a word with the highest weight whose characters are findable, or ASCII that JSON does not
    escape.
    """
    runs = [""]
    for char in word:
        if _PLAIN.fullmatch(char) if char.isascii() else is_findable(char):
            runs[-1] += char
        else:
            runs.append("")
    return max(runs, key=_weight)


def _weight(run: str) -> int:
    return sum([1 if char.isascii() else 2 for char in run])


# -- the text of a line --

_BY_CODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHORT_ESCAPES = (
    ('\\"', '"'),
    ("\\/", "/"),
    ("\\n", "\n"),
    ("\\t", "\t"),
    ("\\r", "\r"),
    ("\\b", "\b"),
    ("\\f", "\f"),
)


def unescaped(line: bytes | bytearray) -> str:
    """A line of JSON with its escapes replaced, without NUL characters. Invalid UTF-8 is replaced.

    The result contains each text of the line between quotes, as decoding gives it, except for lone surrogates
    next to each other.
    """
    text = line.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    # Backslashes pair up from the left. JSON has no bare NUL.
    text = text.replace("\\\\", "\0")
    for escape, char in _SHORT_ESCAPES:
        if escape in text:
            text = text.replace(escape, char)
    if "\\u" in text:
        text = replace_surrogates(_BY_CODE.sub(_char, text))
    return text.replace("\0", "\\")


def _char(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code else ""
