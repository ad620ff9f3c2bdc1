"""Folding backwards: as what else a character may stand in a file whose folded text has it.

The text of a file is folded before anything is looked for in it (`formats.fold`). To look for a folded word
in bytes that nobody has folded, all has to be known that folds to it.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import combining, normalize

from app.formats.fold import fold

TO_ASCII = {
    "a": "ẚ",
    "f": "ﬀﬁﬂﬃﬄ",
    "i": "İﬁﬃ",
    "k": "\u212a",
    "l": "ﬂﬄ",
    "n": "ŉ",
    "s": "ßſẞﬅﬆ",
    "t": "ﬅﬆ",
    ";": "\u037e",
    "`": "\u1fef",
}
"""What folds to something with an ASCII character in it, and is none: known without looking it up."""

_BLOCK = 0x100
_BEYOND = 0x30000
"""From here on nothing folds to anything else."""
_JAMOS = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))
"""Vowels and endings that compose with what is before them; Hangul is composed by a rule, not by a table."""
_REPLACEMENT = "\ufffd"


def becomes(run: str) -> list[str]:
    """The characters beyond ASCII that may, folded, be a part of `run`, which is folded and ASCII."""
    strange = {each for char in set(run) for each in TO_ASCII.get(char, "")}
    return sorted(each for each in strange if _fits(fold(each), run))


def _fits(part: str, run: str) -> bool:
    """Whether `part` may lie in a text so that it overlaps `run`."""
    for shift in range(1 - len(part), len(run)):
        start, end = max(0, shift), min(len(run), shift + len(part))
        if part[start - shift : end - shift] == run[start:end]:
            return True
    return False


def stands(char: str) -> bool:
    """Whether `char`, which is not ASCII, stands in folded text as it stands in the file, or as one of
    `plainly`, or else something of `signs` is in the file: it is not moved, swallowed or made up.
    """
    if char == _REPLACEMENT or "\ud800" <= char <= "\udfff" or combining(char):
        return False
    return char not in _table()[1]


def plainly(char: str) -> tuple[str, ...]:
    """The characters that fold to `char` and nothing besides, itself included."""
    others = _table()[0].get(char, ())
    return (char, *(each for each in others if fold(each) == char and not combining(each)))


def signs(char: str) -> frozenset[str]:
    """What must be in a text that has `char` when folded and none of `plainly` as it is."""
    made, _ = _table()
    plain = plainly(char)
    found = {each for each in made.get(char, ()) if each not in plain}
    for mark in normalize("NFD", char)[1:]:
        found.add(mark)
        found.update(made.get(mark, ()))
    return frozenset(found)


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """By character what else folds to something with it; and what composes with what is before it."""
    made: dict[str, list[str]] = {}
    swallowed = set(map(chr, _JAMOS))
    for first in range(0, _BEYOND, _BLOCK):
        if 0xD800 <= first < 0xE000:
            continue
        block = "".join(map(chr, range(first, first + _BLOCK)))
        if fold(block) == block and normalize("NFD", block) == block:
            continue
        for char in block:
            folded = fold(char)
            if folded != char:
                for each in folded:
                    made.setdefault(each, []).append(char)
            swallowed.update(normalize("NFD", char)[1:] if not "가" <= char <= "힣" else "")
    return {char: tuple(others) for char, others in made.items()}, frozenset(swallowed)
