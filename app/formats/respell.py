"""A line with some of its fields changed and everything else left as it was written, byte for byte.

Numbers of any size, odd escapes and unknown fields pass through untouched: an agent's entry that is carried
into another file must not lose a digit on the way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from app.formats.decode import decode
from app.formats.encode import encode
from app.formats.migrate import CURRENT_VERSION, migrate
from app.formats.skim import REFUSALS

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
GONE = object()
"""The value of a field that is to be left out."""


def respell(line: bytes, changes: Mapping[str, Any]) -> bytes:
    """`line` with the fields of `changes`: replaced where they stand, else added at the end; `GONE` ones go.

    :raises BadLine: `line` is no JSON object.
    """
    fields: dict[str, Any] = _fields(line)
    for name, value in changes.items():
        if value is GONE:
            fields.pop(name, None)
        else:
            fields[name] = value
    try:
        return msgspec.json.encode(fields)
    except (TypeError, ValueError, RecursionError):
        return b"{" + b",".join(_key(name) + b":" + _value(value) for name, value in fields.items()) + b"}"


def _fields(line: bytes) -> dict[str, Raw]:
    """The fields of an object, their values as they are written.

    :raises BadLine: `line` is no JSON object.
    """
    try:
        return _FIELDS.decode(line)
    except REFUSALS:
        decode(line)
    # JSON all the same: of any depth, with numbers of any size, with bytes that are no UTF-8.
    found: dict[str, Raw] = {}
    depth = start = 0
    name: str | None = None
    text = b""
    for token in _TOKENS.finditer(line):
        sign = token[0][:1]
        if sign == b'"':
            text = token[0]
            continue
        if name is None and depth == 1 and sign == b":":
            name, start = next(iter(decode(b"{" + text + b":0}"))), token.end()
        elif name is not None and depth == 1 and sign in b",}":
            found[name] = Raw(line[start : token.start()].strip())
            name = None
        depth += (sign in b"{[") - (sign in b"}]")
    return found


def _key(name: str) -> bytes:
    return encode({name: 0})[1:-3]


def _value(value: Any) -> bytes:
    return bytes(value) if isinstance(value, Raw) else encode({"v": value})[5:-1]


def migrated(line: bytes, version: int, index: int) -> bytes:
    """Entry number `index` of a file of `version`, as a line of version 3
    (formats/README.md, "Behaviour of SessionManager").

    :raises BadLine: `line` is no JSON object.
    """
    if version >= CURRENT_VERSION:
        return line
    before = decode(line)
    after = migrate(before, version, index)
    changes: dict[str, Any] = {name: GONE for name in before if name not in after}
    changes |= {
        name: value for name, value in after.items() if name not in before or before[name] is not value
    }
    if "message" in changes:
        role = {"role": after["message"]["role"]}
        changes["message"] = Raw(respell(bytes(_fields(line)["message"]), role))
    return respell(line, changes) if changes else line
