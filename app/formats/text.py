"""The one place where text from a session is made inert.

Nothing a session holds may reach a terminal as it is: an escape sequence could repaint the screen, a
bidirectional override could show a command other than the one that is run, a lone surrogate cannot be
encoded at all. Everything that is drawn goes through `inert` or `one_line` first.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

_REPLACEMENT = "\ufffd"
_ELLIPSIS = "…"
_ZERO_WIDTH_JOINER = "\u200d"


# Characters of different widths in different terminals. The rest of the line would be drawn in the wrong
# place.
_UNSTEADY = (
    (0x115F, 0x1160),  # Hangul fillers: drawn as nothing, in as many cells as each terminal likes
    (0x3164, 0x3164),
    (0xFFA0, 0xFFA0),
    (0x302E, 0x302F),  # Hangul tone marks: marks, and yet wide
    (0x16FF0, 0x16FF1),  # Vietnamese reading marks, likewise
    (0x3248, 0x324F),  # numbers in circles on black squares
    (0x2630, 0x2637),  # trigrams, hexagrams and counting rods: wide since Unicode 16, narrow before
    (0x268A, 0x268F),
    (0x4DC0, 0x4DFF),
    (0x1D300, 0x1D356),
    (0x1D360, 0x1D376),
    # Wide, and newer than Unicode 14, which the oldest Python knows: for many terminals not assigned.
    (0x2FFC, 0x2FFF),
    (0x31E4, 0x31E5),
    (0x31EF, 0x31EF),
    (0x16FF2, 0x16FF6),
    (0x187F8, 0x187FF),
    (0x18CFF, 0x18CFF),
    (0x18D09, 0x18D1E),
    (0x18D80, 0x18DF2),
    (0x1B132, 0x1B132),
    (0x1B155, 0x1B155),
    (0x1F6D8, 0x1F6DC),
    (0x1FA75, 0x1FA77),
    (0x1FA87, 0x1FA8F),
    (0x1FAAD, 0x1FAAF),
    (0x1FABB, 0x1FABF),
    (0x1FAC6, 0x1FACF),
    (0x1FADA, 0x1FADF),
    (0x1FAE8, 0x1FAEF),
    (0x1FAF7, 0x1FAFF),
)
# Terminals draw these as nothing, but for the two joiners that scripts and emoji need: text hides in them
# (Unicode's Default_Ignorable_Code_Point, without what has a line of its own in `_build_table`).
_IGNORED = (
    (0xAD, 0xAD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x17B4, 0x17B5),  # inherent vowels of Khmer
    (0x180E, 0x180E),  # Mongolian vowel separator
    (0x200B, 0x200B),  # zero width space
    (0x2060, 0x2064),  # word joiner and invisible operators
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical beams and slurs
)
# Variation selectors change how the character before them is drawn; without one they are nothing, too.
_SELECTORS = ((0x180B, 0x180D), (0x180F, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))


def _characters(*ranges: tuple[int, int]) -> frozenset[str]:
    return frozenset([chr(code) for first, last in ranges for code in range(first, last + 1)])


_replaced = _characters(*_UNSTEADY, *_IGNORED)
_selectors = _characters(*_SELECTORS)
# Characters that Python calls printable and that are not drawn as they are, or not everywhere.
_suspect = _replaced | _selectors
# Characters that are drawn as nothing: blanks of every kind, fillers, joiners, selectors, and the controls
# for which `inert` shows something else.
_INVISIBLE = (
    (0x09, 0x0D),
    (0x1C, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0xAD, 0xAD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),  # Braille without a dot
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE01EF),
)


class _Table(dict[int, str]):
    """The replacement of each character, which is the character itself if it may be drawn. `str.translate`
    asks for the characters of a text that is not printable.
    """

    def __missing__(self, code: int) -> str:
        # A text with such characters is rare, and mostly not among the first rows.
        import unicodedata

        char = chr(code)
        # Terminals do not agree on the width of unassigned characters.
        self[code] = shown = _REPLACEMENT if unicodedata.category(char) == "Cn" else char
        return shown


_table = _Table()
_joined: list[str] = []


def _replacements() -> dict[int, str]:
    """The replacement of each character that must not be drawn; built for the first text that needs it."""
    if 0 not in _table:
        # At once: another thread may ask meanwhile.
        _table.update(_build_table())
    return _table


def _is_plain(text: str) -> bool:
    """Whether `text` can be drawn as it is."""
    return text.isprintable() and (text.isascii() or _suspect.isdisjoint(text))


def visible_line(text: str, limit: int = 300) -> str:
    """`one_line` of a text that stands for something, as a name does: "" where nothing of it is visible."""
    shown = one_line(text, limit)
    if shown[:1].isascii():
        # A blank would have been folded.
        return shown
    return "" if is_invisible(text[: _window(limit)]) else shown


def is_invisible(text: str) -> bool:
    """Whether nothing of `text` is visible: blanks, joiners, fillers and the like, or nothing at all."""
    if text.isascii():
        return not text.strip()
    return not text.strip(_invisible_characters())


def _invisible_characters() -> str:
    if not _joined:
        _joined.append("".join([chr(code) for first, last in _INVISIBLE for code in range(first, last + 1)]))
    return _joined[0]


def _build_table() -> dict[int, str]:
    table: dict[int, str] = {}
    # Lone surrogates: no terminal encoding has them. C1: a terminal may take them for escape sequences.
    for low, high in (
        (0xD800, 0xDFFF),
        (0x80, 0x9F),
        (0x200E, 0x200F),  # left-to-right and right-to-left marks
        (0x202A, 0x202E),  # bidirectional embeddings and overrides
        (0x2066, 0x2069),  # bidirectional isolates
        (0x206A, 0x206F),  # deprecated shaping and digit controls
        (0xFFF9, 0xFFFB),  # interlinear annotation
        (0xFDD0, 0xFDEF),  # noncharacters
        (0x13439, 0x1343F),  # controls of hieroglyphs that Unicode 15 added
        (0xE0000, 0xE007F),  # tags: invisible text
    ):
        table.update(dict.fromkeys(range(low, high + 1), _REPLACEMENT))
    for plane in range(0x11):
        table[plane * 0x10000 + 0xFFFE] = _REPLACEMENT
        table[plane * 0x10000 + 0xFFFF] = _REPLACEMENT
    table[0x061C] = _REPLACEMENT  # Arabic letter mark
    table[0xFEFF] = _REPLACEMENT  # byte order mark
    for code in range(0x20):
        table[code] = chr(0x2400 + code)
    table[0x7F] = "\u2421"
    table[0x09] = "    "
    table[0x2028] = table[0x2029] = "\n"
    table[0x0A] = "\n"
    table.update(dict.fromkeys(map(ord, _replaced), _REPLACEMENT))
    return table


def _translated(text: str) -> str:
    """`text` with each character that must not be drawn replaced by one that shows it."""
    shown = text.translate(_replacements())
    if _selectors.isdisjoint(shown):
        return shown
    unseen = _invisible_characters()
    before = "\n"
    characters = []
    for character in shown:
        is_stray = character in _selectors and before in unseen
        characters.append(_REPLACEMENT if is_stray else character)
        before = character
    return "".join(characters)


def inert(text: str) -> str:
    """`text`, of any number of lines, in a form that is safe to draw.

    Newlines stay (CRLF becomes one), a tab becomes four spaces, C0 controls and DEL become their visible
    pictures (U+2400 and on), line and paragraph separators become newlines, and C1 controls, bidirectional
    controls, tags, the byte order mark, noncharacters and lone surrogates become U+FFFD; and so does what
    takes more cells in one terminal than in another: fillers, what Unicode has widened lately, what is newer
    or not assigned at all. Invisible characters do as well: zero width spaces, soft hyphens and all others
    that terminals ignore. Joiners stay, and variation selectors behind a visible character, so emoji
    sequences survive, and so do combining marks. Never raises; scans the whole of `text`, so hand it a
    window of a long one.
    """
    if _is_plain(text):
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if _is_plain(text.replace("\n", "")):
        return text
    return _translated(text)


def _window(limit: int) -> int:
    """How much of a text is looked at for a line of so many characters."""
    return limit * 4 + 256


def one_line(text: str, limit: int = 300) -> str:
    """`text` as one inert line of at most `limit` characters, white space folded to single spaces.

    A cut line ends in "…". Only a bounded prefix of `text` is looked at, whatever its length: a text that
    begins with thousands of blanks shows as "…" alone.
    """
    start = text[: limit + 1]
    if _is_plain(start) and "  " not in start and start[:1] != " " and start[-1:] != " ":
        # The usual case: nothing to fold, or not before the cut.
        if len(start) <= limit:
            return start
        return start[: limit - 1].rstrip(" " + _ZERO_WIDTH_JOINER) + _ELLIPSIS if limit > 0 else ""
    window = _window(limit)
    cut = len(text) > window
    folded = " ".join((text[:window] if cut else text).split())
    if not _is_plain(folded):
        # Translation may lengthen nothing here: tabs and line separators went with the white space.
        folded = _translated(folded)
    if len(folded) <= limit and not cut:
        return folded
    if limit <= 0:
        return ""
    # A cut inside a joined emoji must not leave a joiner that would join with the ellipsis.
    return folded[: limit - 1].rstrip(" " + _ZERO_WIDTH_JOINER) + _ELLIPSIS


def replace_surrogates(text: str) -> str:
    """`text` with lone surrogates replaced by U+FFFD, so that it can be stored and encoded."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# Python also strips the separators U+001C to U+001F and U+0085, and leaves the byte order mark.
_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def trim_name(name: str | None) -> str | None:
    """A name without white space around it; None where nothing is left."""
    return (name or "").strip(_BLANKS) or None
