"""The one place where text from a session is made inert.

No text from a session may reach a terminal unchanged. An escape sequence could repaint the screen, a
bidirectional override could show another command than the one that is run, and a lone surrogate cannot be
encoded. Everything that is drawn goes through `inert` or `one_line` first.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

_REPLACEMENT = "\ufffd"
_ELLIPSIS = "…"
_ZERO_WIDTH_JOINER = "\u200d"


# Terminals draw these characters in different widths, so the rest of the line would be in the wrong place.
_UNSTEADY = (
    (0x115F, 0x1160),  # Hangul fillers: nothing is drawn, in a number of cells that terminals do not agree on
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
    # Wide characters that are newer than Unicode 14, the version of the oldest Python. Many terminals do not
    # know them.
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
# Terminals draw nothing for these characters, so that a text can be hidden in them. The list is Unicode's
# Default_Ignorable_Code_Point without the two joiners, which scripts and emoji need, and without the
# characters that have a line of their own in `_build_table`.
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
# Variation selectors change how the character before them is drawn. Without one, nothing is drawn for them.
_SELECTORS = ((0x180B, 0x180D), (0x180F, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))


def _characters(*ranges: tuple[int, int]) -> frozenset[str]:
    return frozenset([chr(code) for first, last in ranges for code in range(first, last + 1)])


_replaced = _characters(*_UNSTEADY, *_IGNORED)
_selectors = _characters(*_SELECTORS)
# Characters that are printable for Python, but that some terminals draw in another way.
_suspect = _replaced | _selectors
# Characters for which nothing is drawn: blanks of every kind, fillers, joiners, selectors, and the controls
# that `inert` replaces.
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
        # Imported here: few texts have such characters, and the first frame waits for this module.
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
        # All entries are added at once, because another thread may look for one meanwhile.
        _table.update(_build_table())
    return _table


def _is_plain(text: str) -> bool:
    """Whether `text` can be drawn unchanged."""
    return text.isprintable() and (text.isascii() or _suspect.isdisjoint(text))


def visible_line(text: str, limit: int = 300) -> str:
    """`one_line` of a name or title; "" if nothing of the text is visible."""
    shown = one_line(text, limit)
    if shown[:1].isascii():
        # A blank would have been folded.
        return shown
    return "" if is_invisible(text[: _window(limit)]) else shown


def is_invisible(text: str) -> bool:
    """Whether `text` is empty or has only characters for which nothing is drawn, such as blanks."""
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
    """`text`, of any number of lines, in a form that is safe to draw. Nothing is raised.

    - Newlines stay. CRLF and line and paragraph separators become newlines, and a tab becomes four spaces.
    - C0 controls and DEL become their visible pictures (from U+2400 on).
    - C1 controls, bidirectional controls, tags, the byte order mark, noncharacters and lone surrogates become
      U+FFFD. The same holds for characters whose width differs between terminals (fillers, and characters
      that Unicode has widened or assigned lately, or not assigned), and for invisible characters such as the
      zero width space and the soft hyphen.
    - Combining marks, joiners, and variation selectors behind a visible character stay, so that emoji
      sequences are kept.

    The whole text is read, so give it only a part of a long one.
    """
    if _is_plain(text):
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if _is_plain(text.replace("\n", "")):
        return text
    return _translated(text)


def _window(limit: int) -> int:
    """The number of characters of a text that are read to make a line of at most `limit` characters."""
    return limit * 4 + 256


def one_line(text: str, limit: int = 300) -> str:
    """`text` as one inert line of at most `limit` characters, white space folded to single spaces.

    A cut line ends in "…". Only the beginning of a long text is read, so a text that begins with thousands of
    blanks becomes "…" alone.
    """
    start = text[: limit + 1]
    if _is_plain(start) and "  " not in start and start[:1] != " " and start[-1:] != " ":
        # In most texts there is nothing to fold before the cut.
        if len(start) <= limit:
            return start
        return start[: limit - 1].rstrip(" " + _ZERO_WIDTH_JOINER) + _ELLIPSIS if limit > 0 else ""
    window = _window(limit)
    cut = len(text) > window
    folded = " ".join((text[:window] if cut else text).split())
    if not _is_plain(folded):
        # The translation makes no text longer, because tabs and line separators were folded with the blanks.
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


def string_of(value: object) -> str:
    """A value of a session file if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def valid_string_of(value: object) -> str:
    """The same with lone surrogates replaced."""
    return replace_surrogates(value) if isinstance(value, str) else ""


# Python also strips the separators U+001C to U+001F and U+0085, and leaves the byte order mark.
_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def trim_name(name: str | None) -> str | None:
    """A name without white space around it; None if nothing is left."""
    return (name or "").strip(_BLANKS) or None
