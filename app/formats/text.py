"""The one place where text from a session is made inert (DESIGN, invariants).

Nothing a session holds may reach a terminal as it is: an escape sequence could repaint the screen, a
bidirectional override could show a command other than the one that is run, a lone surrogate cannot be
encoded at all. Everything that is drawn goes through `inert` or `one_line` first.

This module is on the fast path of the first frame: it imports nothing.
"""

from __future__ import annotations

_REPLACEMENT = "\ufffd"
_ELLIPSIS = "…"
_ZERO_WIDTH_JOINER = "\u200d"


_table: dict[int, str] = {}


def _replacements() -> dict[int, str]:
    """What stands for each character that must not be drawn; made when the first text needs it."""
    if not _table:
        # At once: another thread may ask meanwhile.
        _table.update(_build_table())
    return _table


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
    del table[0x0A]
    return table


def inert(text: str) -> str:
    """`text`, of any number of lines, in a form that is safe to draw.

    Newlines stay (CRLF becomes one), a tab becomes four spaces, C0 controls and DEL become their visible
    pictures (U+2400 and on), line and paragraph separators become newlines, and C1 controls, bidirectional
    controls, tags, the byte order mark, noncharacters and lone surrogates become U+FFFD. Joiners and
    variation selectors stay, so emoji sequences survive. Never raises; scans the whole of `text`, so hand
    it a window of a long one.
    """
    if text.isprintable():
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if text.replace("\n", "").isprintable():
        return text
    return text.translate(_replacements())


def one_line(text: str, limit: int = 300) -> str:
    """`text` as one inert line of at most `limit` characters, white space folded to single spaces.

    A cut line ends in "…". Only a bounded prefix of `text` is looked at, whatever its length: a text that
    begins with thousands of blanks shows as "…" alone.
    """
    start = text[: limit + 1]
    if start.isprintable() and "  " not in start and start[:1] != " " and start[-1:] != " ":
        # The usual case: nothing to fold, or not before the cut.
        if len(start) <= limit:
            return start
        return start[: limit - 1].rstrip(" " + _ZERO_WIDTH_JOINER) + _ELLIPSIS if limit > 0 else ""
    window = limit * 4 + 256
    cut = len(text) > window
    folded = " ".join((text[:window] if cut else text).split())
    if not folded.isprintable():
        # Translation may lengthen nothing here: tabs and line separators went with the white space.
        folded = folded.translate(_replacements())
    if len(folded) <= limit and not cut:
        return folded
    if limit <= 0:
        return ""
    # A cut inside a joined emoji must not leave a joiner that would join with the ellipsis.
    return folded[: limit - 1].rstrip(" " + _ZERO_WIDTH_JOINER) + _ELLIPSIS
