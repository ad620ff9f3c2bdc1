"""How many terminal cells a text takes, and cutting text to cells.

The rules are those of the terminal library that draws the screen (a test compares the two), written on
``unicodedata`` alone because the first rows are on the terminal before that library is imported.

Some characters take more cells in one terminal than in another. They are counted as the library does
(`width`), a text is cut so that it fits wherever it is drawn (`most`), and `app.view.wide_glyphs` puts what
stands behind it in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
# blocks without marks, of one size each (last characters included): most rows have no others
_PLAIN = ((0x20, 0x7E, 1), (0xA0, 0x2FF, 1), (0x370, 0x482, 1), (0x4E00, 0x9FFF, 2), (0xAC00, 0xD7A3, 2))
# Hangul vowels and finals, the later ones, and the fillers
_JAMO = ((0x1160, 0x11FF), (0xD7B0, 0xD7FB), (0x3164, 0x3164), (0xFFA0, 0xFFA0))
# what leafmark draws itself, in a cell each
_OWN = "…•·─│╭╮╰╯├└❯›▸▾↑↓→←↳⑂◆★✓●◐"


class _Sizes(dict[str, int]):
    """The cells of characters, measured when they are first met."""

    def __missing__(self, char: str) -> int:
        size = self[char] = _measure(char)
        return size


_size_of = _Sizes(dict.fromkeys(_OWN, 1)).__getitem__


def char_width(char: str) -> int:
    """Cells of one character: 0 for marks and format characters, 2 for wide ones, else 1."""
    return _size_of(char)


def _measure(char: str) -> int:
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
    # mostly not needed before the first rows are on the terminal
    import unicodedata

    category = unicodedata.category(char)
    if category in ("Mn", "Mc", "Me", "Cc", "Zl", "Zp") or (category == "Cf" and code not in SIGNS):
        return 0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 2
    return 1


class _Most(dict[str, int]):
    """The most cells of characters on which terminals differ; of all others, -1."""

    def __missing__(self, char: str) -> int:
        size = self[char] = _measure_most(char)
        return size


_most_of = _Most(dict.fromkeys(_OWN, -1)).__getitem__


def _measure_most(char: str) -> int:
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
    import unicodedata

    if unicodedata.category(char) != "Mc":
        return -1
    # vowels beside their letter: the C library gives them a cell, others draw both in one
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def is_doubtful(text: str) -> bool:
    """Whether terminals differ in how many cells ``text`` takes."""
    return not text.isascii() and max(map(_most_of, set(text))) >= 0


def most(text: str) -> int:
    """Cells that ``text`` takes at most, in any terminal: blanks at its end make room for what is wider."""
    if not is_doubtful(text):
        return width(text)
    return max(width(text), sum(map(most_of_piece, text.rstrip(" "))))


def most_of_piece(piece: str) -> int:
    """Cells that a piece takes at most, in a terminal that joins nothing."""
    return sum(max(_size_of(char), _most_of(char)) for char in piece)


def width(text: str) -> int:
    """Cells that ``text`` takes; a joined emoji counts as one."""
    if text.isascii():
        return len(text)
    if JOINER not in text and EMOJI_STYLE not in text:
        return sum(map(_size_of, text))
    return sum(size for _, size in graphemes(text))


def graphemes(text: str) -> list[tuple[str, int]]:
    """Split ``text`` into pieces that must not be cut, each with its cells.

    A piece is a character with the marks behind it; what a joiner ties together is one piece, and a
    narrow symbol that asks for emoji style takes two cells.
    """
    pieces: list[tuple[str, int]] = []
    joined = False
    for char in text:
        size = _size_of(char)
        if pieces and (size == 0 or (joined and char != " ")):
            before, cells = pieces[-1]
            if char == EMOJI_STYLE and cells == 1 and not before.isascii():
                cells = 2
            pieces[-1] = (before + char, cells)
        else:
            pieces.append((char, size))
        joined = char == JOINER and pieces[-1][1] > 0
    return pieces


def steady(text: str) -> str:
    """``text`` with the same width on every terminal: terminals differ in whether they join emoji.

    Joiners, variation selectors and skin tones go, so that a family is drawn as its people; a flag becomes
    the two letters that it is made of. A row that is a cell too wide would push the border off its place.
    Soft hyphens go, too, and letters of Hangul become syllables.
    """
    if text.isascii():
        return text
    text = text.translate(_STEADY)
    if not _SYLLABIC.isdisjoint(text):
        # names of files are spelt so on some systems
        import unicodedata

        return unicodedata.normalize("NFC", text)
    return text


_SYLLABIC = frozenset(map(chr, range(0x1161, 0x1176)))
_STEADY = dict.fromkeys((0xAD, 0x200D, *range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400))) | {
    0x1F1E6 + letter: chr(ord("A") + letter) for letter in range(26)
}


def cut(text: str, cells: int) -> str:
    """The longest start of ``text`` that fits ``cells`` in any terminal, never ending inside a piece."""
    if cells < 0:
        return ""
    if text.isascii():
        return text[:cells]
    used = 0
    end = 0
    start = text[: cells + 1]
    sizes = list(map(_size_of, start))
    if 0 not in sizes and not is_doubtful(start):
        # Every character here is a piece of its own, and there is one more than can fit.
        for size in sizes:
            used += size
            if used > cells:
                break
            end += 1
        return text[:end]
    for piece, size in graphemes(text[: cells * 8 + 8]):
        used += max(size, most_of_piece(piece))
        if used > cells:
            break
        end += len(piece)
    return text[:end]


def shorten(text: str, cells: int) -> str:
    """``text`` if it fits, else its start with an ellipsis, in at most ``cells``."""
    if text.isascii() and len(text) <= cells:
        return text
    if len(text) <= cells * 8 and most(text) <= cells:
        return text
    return cut(text, cells - 1) + ELLIPSIS if cells > 0 else ""


def shorten_start(text: str, cells: int) -> str:
    """Like :func:`shorten`, keeping the end: of a path the last folders say most."""
    if most(text) <= cells:
        return text
    if cells <= 0:
        return ""
    kept: list[str] = []
    used = 1
    for piece, size in reversed(graphemes(text)):
        used += max(size, most_of_piece(piece))
        if used > cells:
            break
        kept.append(piece)
    return ELLIPSIS + "".join(reversed(kept))


def fewer(facts: str, cells: int) -> str:
    """What is joined by " · ", in at most ``cells``: whole facts left out from the end, the first cut."""
    while most(facts) > cells:
        others, separator, last = facts.rpartition(" · ")
        if not separator:
            return shorten(last, cells)
        facts = others
    return facts


def fitting(ways: Sequence[str], cells: int) -> str:
    """The first of several ways to say something that fits ``cells``, else what does of the last, as `fewer`
    has it.
    """
    return next((way for way in ways if most(way) <= cells), None) or fewer(ways[-1], cells)


def fill(text: str, cells: int) -> str:
    """``text`` shortened or padded with spaces to exactly ``cells``."""
    text = shorten(text, cells)
    return text + " " * (cells - width(text))
