"""Texts of a session as a document has them: without escape sequences and controls."""

from __future__ import annotations

import re

_SEQUENCE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
_REPLACEMENT = "\ufffd"
_TABLE: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_TABLE[0x7F] = "\u2421"
for _first, _last in (
    (0x80, 0x9F),  # C1 controls
    (0x200E, 0x200F),  # marks of direction
    (0x202A, 0x202E),  # bidirectional embeddings and overrides
    (0x2066, 0x206F),  # isolates, deprecated controls
    (0xD800, 0xDFFF),  # surrogates
    (0xE0000, 0xE007F),  # tags: invisible text
    (0xFFFE, 0xFFFF),
):
    _TABLE.update(dict.fromkeys(range(_first, _last + 1), _REPLACEMENT))
_TABLE[0x061C] = _TABLE[0xFEFF] = _REPLACEMENT
_SUSPECT = re.compile(f"[{''.join(map(re.escape, map(chr, _TABLE)))}]")


def clean_text(text: str) -> str:
    """`text` without escape sequences of terminals, with LF alone between lines, and with a visible sign for
    each control character, bidirectional control and lone surrogate.
    """
    if "\x1b" in text:
        text = _SEQUENCE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Nearly all texts are printable but for these two. The table takes ten times as long.
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return text.translate(_TABLE) if _SUSPECT.search(text) else text


def clean_line(text: str, limit: int) -> str:
    """`clean_text` in one line of at most `limit` characters."""
    return line_of(clean_text(text[: 4 * limit + 200]), limit) if text else ""


def line_of(text: str, limit: int) -> str:
    """A text that is clean already, in one line of at most `limit` characters."""
    line = " ".join(text[: 4 * limit + 200].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
