"""Many JSON strings folded at once: a store has hundreds of thousands of texts, most of
them short, and to make a `str` of each would take longer than to fold them.
"""

from __future__ import annotations

from codecs import escape_decode
from typing import TYPE_CHECKING

from app.formats.bytes_in import find, split
from app.formats.content import string_of
from app.formats.fold import encoded, fold, fold_utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUOTE = ord('"')
_ESCAPE = ord("\\")
_SEVERAL_BYTES = 4 << 10
"""Where one string has escapes, so many bytes are looked through with it: that takes no longer than to find
out where the next one is.
"""


def folded(strings: Sequence[bytes]) -> Sequence[bytes]:
    """Each of the `strings`, folded, as UTF-8 and without NUL characters.

    :param strings: JSON that was found whole, though not read: what is no string gives nothing, what is no
        UTF-8 and lone surrogates are U+FFFD.
    """
    # Between two quotes NUL stands in no JSON. Where there are no escapes, JSON is the text already.
    data = b"\0".join(strings)
    if _ESCAPE in data:
        data = _unescaped(data)
    found = fold_utf8(data)
    if found and found[0] == found[-1] == _QUOTE:
        if len(strings) == 1 and 0 not in found:
            return [found[1:-1]]
        parts = split(found[1:-1], b'"\0"')
        if len(parts) == len(strings):
            return parts
    return [_folded(one) for one in strings]


def _unescaped(data: bytes) -> bytes:
    """The same JSON strings, a NUL between two, with plain text for escapes; in quotes as before."""
    parts: list[bytes] = []
    done = 0
    while (at := data.find(_ESCAPE, done)) >= 0:
        begin = data.rfind(0, done, at) + 1
        end = data.find(0, max(at, begin + _SEVERAL_BYTES))
        if end < 0:
            end = len(data)
        parts += (data[done:begin], _plain(data[begin:end]))
        done = end
    parts.append(data[done:])
    return b"".join(parts)


def _plain(strings: bytes) -> bytes:
    """`_unescaped`, of strings many of which have escapes."""
    if find(strings, rb"\u", 0) < 0 and find(strings, rb"\/", 0) < 0:
        # The others mean in Python what they mean in JSON.
        return escape_decode(strings)[0]
    return b"\0".join(
        [b'"%b"' % _text(one).encode() if _ESCAPE in one else one for one in strings.split(b"\0")]
    )


def _text(string: bytes) -> str:
    return string_of(string).replace("\0", "")


def _folded(string: bytes) -> bytes:
    text = _text(string)
    found = fold_utf8(text.encode())
    return encoded(fold(text)) if found is None else found
