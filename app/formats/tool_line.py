"""A tool call as one short text: what was read, run or looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from app.formats.decode import BadLine, decode
from app.formats.skim import REFUSALS, Number, skim_fields

if TYPE_CHECKING:
    from msgspec import Raw

ARGUMENTS_LIMIT = 1024
_OTHER_LIMIT = 40
_COMMAND_LIMIT = 50


class Arguments(Struct, gc=False, omit_defaults=True):
    """The arguments that well-known tools share; another type reads as absent."""

    path: str | None = None
    file_path: str | None = None
    command: str | None = None
    pattern: str | None = None
    offset: Number = None
    limit: Number = None


_decode = msgspec.json.Decoder(Arguments).decode
_encode = msgspec.json.Encoder().encode
_KNOWN = frozenset(("read", "write", "edit", "bash", "grep", "find", "ls"))


def shortened_arguments(name: str, arguments: Raw) -> bytes:
    """`arguments`, as JSON, cut to what `tool_line` looks at: a call may carry a whole file."""
    if len(memoryview(arguments)) <= ARGUMENTS_LIMIT:
        return bytes(arguments)
    if name.lower() not in _KNOWN:
        return bytes(memoryview(arguments)[:ARGUMENTS_LIMIT])
    found = _arguments(bytes(arguments))
    for field in ("path", "file_path", "command", "pattern"):
        value = getattr(found, field)
        if value:
            setattr(found, field, value[:ARGUMENTS_LIMIT])
    return _encode(found)


def tool_line(name: str, arguments: bytes) -> str:
    """For example "[read: src/auth.py:1-80]". Not inert; of bounded length."""
    tool = name.lower()
    if tool not in _KNOWN:
        shown = arguments.decode("utf-8", "replace").strip()
        return f"[{name}: {shown[:_OTHER_LIMIT]}]" if shown not in ("", "{}", "null") else f"[{name}]"
    found = _arguments(arguments)
    path = found.path or found.file_path or ""
    if tool == "read":
        return f"[{name}: {path}{_range(found)}]"
    if tool == "bash":
        command = " ".join((found.command or "")[:ARGUMENTS_LIMIT].split())
        more = "..." if len(command) > _COMMAND_LIMIT else ""
        return f"[{name}: {command[:_COMMAND_LIMIT]}{more}]"
    if tool == "grep":
        return f"[{name}: /{found.pattern or ''}/ in {path or '.'}]"
    if tool == "find":
        return f"[{name}: {found.pattern or ''} in {path or '.'}]"
    return f"[{name}: {path or ('.' if tool == 'ls' else '')}]"


def _range(found: Arguments) -> str:
    if found.offset is None and found.limit is None:
        return ""
    start = 1 if found.offset is None else found.offset
    if found.limit is None:
        return f":{start:g}"
    return f":{start:g}-{start + found.limit - 1:g}"


def _arguments(arguments: bytes) -> Arguments:
    try:
        return _decode(arguments)
    except REFUSALS:
        pass
    try:
        return skim_fields(Arguments, decode(arguments))
    except BadLine:
        return Arguments()
