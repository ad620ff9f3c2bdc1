"""Which files the tools of answers read and changed, as pi tells it in its summaries (pi 1.6.0).

pi looks at calls of `read`, `write` and `edit` alone, whatever came of them: a file that was changed is
not one that was only read. A summary of a branch that pi made carries the lists on to the next one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from app.formats.entry_types import TOOL_CALL_TYPES
from app.formats.json_codec import DECODE_ERRORS, BadLine, decode
from app.formats.nested_calls import nested_calls
from app.formats.partial_entry import Number, struct_of
from app.formats.text import replace_surrogates, valid_string_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from msgspec import Raw

    from app.formats.dialects.base import Dialect

_FILE_TOOLS = frozenset(("read", "write", "edit"))


class FileLists(NamedTuple):
    """Paths as the calls gave them, sorted; none is in both."""

    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def details(self) -> dict[str, list[str]]:
        """As the `details` of a summary, from which pi takes them up again."""
        return {"readFiles": list(self.read), "modifiedFiles": list(self.changed)}


class FileCollector:
    """Collects files from one entry after the other.

    :param dialect: how their session spells what a call reads.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._read: set[str] = set()
        self._changed: set[str] = set()

    def take(self, entry: dict[str, Any]) -> None:
        """Take in an entry as pi's version 3 spells it. Raises nothing, whatever it holds."""
        if entry.get("type") == "branch_summary":
            details = entry.get("details")
            if isinstance(details, dict) and not entry.get("fromHook") and not entry.get("fromExtension"):
                self._add(details.get("readFiles"), "read")
                self._add(details.get("modifiedFiles"), "edit")
            return
        for call in file_calls_in(entry, self._dialect):
            (self._read if call.tool == "read" else self._changed).add(call.path)

    def files(self) -> FileLists:
        """The files found so far."""
        return FileLists(tuple(sorted(self._read - self._changed)), tuple(sorted(self._changed)))

    def _add(self, paths: Any, tool: str) -> None:
        found = self._read if tool == "read" else self._changed
        for path in paths if isinstance(paths, list) else ():
            file = _file_of(tool, path, self._dialect)
            if file:
                found.add(file)


def files_of(entries: Iterable[dict[str, Any]], dialect: Dialect) -> FileLists:
    """The files that `entries` tell of; see `FileCollector`."""
    touched = FileCollector(dialect)
    for entry in entries:
        touched.take(entry)
    return touched.files()


class FileCall(NamedTuple):
    """A call that reads or changes a file.

    :param tool: "read", "write" or "edit".
    """

    tool: str
    path: str
    arguments: dict[str, Any]


def file_calls_in(entry: dict[str, Any], dialect: Dialect) -> list[FileCall]:
    """Those of `calls_in` that read or change a file. Raises nothing, whatever the entry holds."""
    found = []
    for name, arguments in calls_in(entry):
        if isinstance(arguments, dict):
            tool, path = dialect.file_call(name, arguments)
            file = _file_of(tool, path, dialect) if tool in _FILE_TOOLS else ""
            if file:
                found.append(FileCall(tool, file, arguments))
    return found


def _file_of(tool: str, path: Any, dialect: Dialect) -> str:
    return dialect.file_path(tool, replace_surrogates(path)) if isinstance(path, str) and path else ""


def calls_in(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    """The tool calls of an answer, or those that the tool of a result made: names, and arguments of whatever
    kind; none in any other entry.
    """
    if nested := nested_calls(entry):
        return [(call.name, call.arguments) for call in nested]
    return [(valid_string_of(block.get("name")), block.get("arguments")) for block in call_blocks(entry)]


def call_blocks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of an answer that call tools; none in any other entry."""
    message = entry.get("message")
    if entry.get("type") != "message" or not isinstance(message, dict) or message.get("role") != "assistant":
        return []
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") in TOOL_CALL_TYPES]


ARGUMENTS_LIMIT = 1024
_CD = re.compile(r"""cd\s+(?:"([^"]*)"|'([^']*)'|([^\s;&|"']+))\s*(?:&&|;)\s*(?=\S)""")
"""The beginning of a command that goes to a folder first."""


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
_KNOWN_TOOLS = frozenset(("read", "write", "edit", "bash", "grep", "find", "ls"))


def shortened_arguments(name: str, arguments: Raw) -> bytes:
    """`arguments`, as JSON, cut to what `call_line` looks at: a call may carry a whole file."""
    if len(memoryview(arguments)) <= ARGUMENTS_LIMIT:
        return bytes(arguments)
    if name.lower() not in _KNOWN_TOOLS:
        return bytes(memoryview(arguments)[:ARGUMENTS_LIMIT])
    found = _arguments(bytes(arguments))
    for field in ("path", "file_path", "command", "pattern"):
        value = getattr(found, field)
        if value:
            setattr(found, field, value[:ARGUMENTS_LIMIT])
    return _encode(found)


def call_line(name: str, arguments: bytes, folder: str = "") -> str:
    """For example "[read: src/auth.py:1-80]". Not inert; of bounded length.

    :param folder: that of the session: paths in it are shown without it, and so are commands that go there
        first; "" if it is not known.
    """
    tool = name.lower()
    if tool not in _KNOWN_TOOLS:
        shown = arguments[:ARGUMENTS_LIMIT].decode("utf-8", "replace").strip()
        return f"[{name}: {shown}]" if shown not in ("", "{}", "null") else f"[{name}]"
    found = _arguments(arguments)
    path = found.path or found.file_path or ""
    inside = folder.rstrip("/") + "/"
    if folder and path != inside:
        path = path.removeprefix(inside)
    if tool == "read":
        return f"[{name}: {path}{_range(found)}]"
    if tool == "bash":
        return f"[{name}: {' '.join(without_cd((found.command or '')[:ARGUMENTS_LIMIT], folder).split())}]"
    if tool == "grep":
        return f"[{name}: /{found.pattern or ''}/ in {path or '.'}]"
    if tool == "find":
        return f"[{name}: {found.pattern or ''} in {path or '.'}]"
    return f"[{name}: {path or ('.' if tool == 'ls' else '')}]"


def without_cd(command: str, folder: str) -> str:
    """A command without the `cd` to the folder of the session that it begins with.

    :param folder: absolute; "" if it is not known.
    """
    start = command.lstrip()
    match = _CD.match(start) if folder else None
    if match is None or next(filter(None, match.groups()), "").rstrip("/") != folder.rstrip("/"):
        return command
    return start[match.end() :]


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
    except DECODE_ERRORS:
        pass
    try:
        return struct_of(Arguments, decode(arguments))
    except BadLine:
        return Arguments()
