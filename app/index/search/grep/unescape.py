"""The texts of a line of JSON without decoding it: each stands in it as one run."""

from __future__ import annotations

import re

_BY_NUMBER = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHORT = (
    ('\\"', '"'),
    ("\\/", "/"),
    ("\\n", "\n"),
    ("\\t", "\t"),
    ("\\r", "\r"),
    ("\\b", "\b"),
    ("\\f", "\f"),
)


def unescaped(line: bytes | bytearray) -> str:
    """`line` with what its escapes stand for, and without NUL characters. Bad UTF-8 is replaced.

    A line that holds JSON has each of its texts somewhere in this, between quotes; as they are read, but for
    lone surrogates next to each other.
    """
    text = line.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    # Backslashes pair up from the left. NUL stands in no JSON as it is.
    text = text.replace("\\\\", "\0")
    for escape, char in _SHORT:
        if escape in text:
            text = text.replace(escape, char)
    if "\\u" in text:
        # Who only glances at files needs nothing of what decodes them.
        from app.formats.skim import clean

        text = clean(_BY_NUMBER.sub(_char, text))
    return text.replace("\0", "\\")


def _char(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code else ""
