"""The width of text in terminal cells, and cutting text to a width.

The rules are those of Textual (a test compares the two), implemented on ``unicodedata`` alone because the
first rows are drawn before Textual is imported.

The width of some characters differs between terminals. `width` counts as Textual does, `max_width` counts the
widest drawing so that a cut text fits in every terminal, and `app.view.wide_glyphs` puts the text behind such
a character into its place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

JOINER = "\u200d"
TEXT_STYLE, EMOJI_STYLE = "\ufe0e", "\ufe0f"
ELLIPSIS = "…"
# format characters that are drawn: the soft hyphen and the Arabic and Syriac number and verse signs
SIGNS = frozenset((0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD))
# wide since Unicode 16, which is newer than the tables of Python 3.11
WIDE_SINCE_UNICODE_16 = (
    (0x2630, 0x2637),
    (0x268A, 0x268F),
    (0x4DC0, 0x4DFF),
    (0x1D300, 0x1D356),
    (0x1D360, 0x1D376),
)
# blocks without marks, each with characters of one width: first, last (included), width. Most rows have no
# other characters.
_PLAIN = ((0x20, 0x7E, 1), (0xA0, 0x2FF, 1), (0x370, 0x482, 1), (0x4E00, 0x9FFF, 2), (0xAC00, 0xD7A3, 2))
# Hangul vowels and finals, those of later versions, and the fillers
_JAMO = ((0x1160, 0x11FF), (0xD7B0, 0xD7FB), (0x3164, 0x3164), (0xFFA0, 0xFFA0))


@cache
def char_width(char: str) -> int:
    """Cells of one character: 0 for marks and format characters, 2 for wide ones, else 1."""
    code = ord(char)
    for first, last, size in _PLAIN:
        if first <= code <= last:
            return size
    if any(first <= code <= last for first, last in _JAMO):
        return 0  # vowels and finals of a Hangul syllable are drawn inside its first letter
    if 0x1F3FB <= code <= 0x1F3FF:
        return 0  # a skin tone colours the emoji before it
    if any(first <= code <= last for first, last in WIDE_SINCE_UNICODE_16):
        return 2
    category = unicodedata.category(char)
    if category in ("Mn", "Mc", "Me", "Cc", "Zl", "Zp") or (category == "Cf" and code not in SIGNS):
        return 0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 2
    return 1


@cache
def _max_char_width(char: str) -> int:
    """Widest drawing of a character whose width differs between terminals; -1 for other characters."""
    code = ord(char)
    if char in (JOINER, TEXT_STYLE):
        return 0
    if char == EMOJI_STYLE or code in SIGNS:
        return 1
    if any(first <= code <= last for first, last, _ in _PLAIN):
        return -1
    if 0x1F3FB <= code <= 0x1F3FF or 0x1F1E6 <= code <= 0x1F1FF:
        return 2  # a colour of its own; a letter of a flag
    if any(first <= code <= last for first, last in (*_JAMO, *WIDE_SINCE_UNICODE_16, (0x3248, 0x324F))):
        return 2
    if unicodedata.category(char) != "Mc":
        return -1
    # a vowel beside its letter: the C library gives it a cell of its own, other terminals draw both in one
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def has_uncertain_width(text: str) -> bool:
    """Whether terminals differ in the width of ``text``."""
    return not text.isascii() and max(map(_max_char_width, set(text))) >= 0


def max_width(text: str) -> int:
    """The width of ``text`` in the terminal that draws it widest. Blanks at its end make room for wide
    characters.
    """
    if not has_uncertain_width(text):
        return width(text)
    return max(width(text), sum(map(max_piece_width, text.rstrip(" "))))


def max_piece_width(piece: str) -> int:
    """The width of a grapheme in a terminal that joins nothing."""
    return sum(max(char_width(char), _max_char_width(char)) for char in piece)


def width(text: str) -> int:
    """The width of ``text``; a joined emoji counts as one grapheme."""
    if text.isascii():
        return len(text)
    if JOINER not in text and EMOJI_STYLE not in text:
        return sum(map(char_width, text))
    return sum(size for _, size in graphemes(text))


def graphemes(text: str) -> list[tuple[str, int]]:
    """Split ``text`` into graphemes, each with its width.

    A grapheme is a character with the marks behind it. Joined characters are one grapheme, and a narrow
    symbol in emoji style takes two cells.
    """
    pieces: list[tuple[str, int]] = []
    joined = False
    for char in text:
        size = char_width(char)
        if pieces and (size == 0 or (joined and char != " ")):
            before, cells = pieces[-1]
            if char == EMOJI_STYLE and cells == 1 and not before.isascii():
                cells = 2
            pieces[-1] = (before + char, cells)
        else:
            pieces.append((char, size))
        joined = char == JOINER and pieces[-1][1] > 0
    return pieces


def stable_width(text: str) -> str:
    """``text`` with the same width in every terminal: terminals differ in whether they join emoji.

    Joiners, variation selectors and skin tones are removed, so that a family is drawn as its members, and a
    flag becomes its two letters. A row that is a cell too wide would move the border. Soft hyphens are
    removed, too, and letters of Hangul are composed to syllables.
    """
    if text.isascii():
        return text
    text = text.translate(_STABLE)
    if not _SYLLABIC.isdisjoint(text):
        # some systems decompose the names of files
        return unicodedata.normalize("NFC", text)
    return text


_SYLLABIC = frozenset(map(chr, range(0x1161, 0x1176)))
_STABLE = dict.fromkeys((0xAD, 0x200D, *range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400))) | {
    0x1F1E6 + letter: chr(ord("A") + letter) for letter in range(26)
}


def cut(text: str, cells: int) -> str:
    """The longest start of ``text`` that fits ``cells`` in any terminal; it never ends inside a grapheme."""
    if cells < 0:
        return ""
    if text.isascii():
        return text[:cells]
    used = 0
    end = 0
    start = text[: cells + 1]
    sizes = list(map(char_width, start))
    if 0 not in sizes and not has_uncertain_width(start):
        # each character is a grapheme, and there is one more than can fit
        for size in sizes:
            used += size
            if used > cells:
                break
            end += 1
        return text[:end]
    for piece, size in graphemes(text[: cells * 8 + 8]):
        used += max(size, max_piece_width(piece))
        if used > cells:
            break
        end += len(piece)
    return text[:end]


def shorten(text: str, cells: int) -> str:
    """``text`` if it fits, else its start with an ellipsis, in at most ``cells``."""
    if text.isascii() and len(text) <= cells:
        return text
    if len(text) <= cells * 8 and max_width(text) <= cells:
        return text
    return cut(text, cells - 1) + ELLIPSIS if cells > 0 else ""


def shorten_start(text: str, cells: int) -> str:
    """Like `shorten`, but it keeps the end: the last folders of a path matter most."""
    if max_width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    pieces: list[str] = []
    used = 1
    for piece, size in reversed(graphemes(text)):
        used += max(size, max_piece_width(piece))
        if used > cells:
            break
        pieces.append(piece)
    return ELLIPSIS + "".join(reversed(pieces))


def fit_facts(facts: str, cells: int) -> str:
    """Facts joined by " · ", in at most ``cells``: the last are left out whole, a single one is cut."""
    while max_width(facts) > cells:
        others, separator, last = facts.rpartition(" · ")
        if not separator:
            return shorten(last, cells)
        facts = others
    return facts


def first_fitting(texts: Sequence[str], cells: int) -> str:
    """The first of several texts that fits ``cells``, else the last one as `fit_facts` shortens it."""
    return next((text for text in texts if max_width(text) <= cells), None) or fit_facts(texts[-1], cells)


def pad(text: str, cells: int) -> str:
    """``text`` shortened or padded with spaces to exactly ``cells``."""
    text = shorten(text, cells)
    return text + " " * (cells - width(text))
