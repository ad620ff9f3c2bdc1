"""Replace entries of a session, and move a session to another working folder, so that both can be undone byte
for byte (formats/README.md, "Rewriting and moving").
"""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING, Any

from app.formats.entry_types import TOOL_CALL_TYPES
from app.sessions.errors import AlreadyThere, BadValue, SessionError
from app.sessions.manager.session_file import REFERENCES
from app.sessions.storage.file_storage import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from app.sessions.manager.session_file import ReplacedLines, SessionFile

_PLACE = ("type", "id", *REFERENCES)
"""The fields of an entry that a rewrite leaves as they are: they make the tree."""

Lines = tuple[tuple[str, str, str], ...]


def replacements(file: SessionFile, entries: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the new fields of each of `entries` by its id.

    :raises UnknownEntry, AmbiguousEntry: of an id.
    :raises BadValue: an entry would get another place in the tree, or another type.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for fields in entries:
        entry = file.only_entry(fields.get("id"))
        for name in _PLACE:
            if fields.get(name) != entry.raw.get(name):
                raise BadValue(file.path, entry.line, f"a rewrite of {entry.id!r} cannot change its {name}")
        found[entry.id] = fields
    return found


def with_tool_arguments(
    file: SessionFile, tool_call_id: str, arguments: Mapping[str, Any]
) -> dict[str, Mapping[str, Any]]:
    """Return the fields of the first answer that has that tool call, with these arguments, by the entry's id;
    nothing if no answer has it.
    """
    marker = tool_call_id.encode("utf-8", "replace")
    for entry in file.entry_store.entries:
        # Most entries need not be decoded. An id with an escape in the file is found by decoding.
        if entry.type != "message" or (
            marker not in entry.source and b"\\" not in entry.source and entry.source
        ):
            continue
        message = entry.raw.get("message")
        if not isinstance(message, dict) or message.get("role") != "assistant":
            continue
        content = message.get("content")
        blocks = [*content] if isinstance(content, list) else []
        for position, block in enumerate(blocks):
            is_call = isinstance(block, dict) and block.get("type") in TOOL_CALL_TYPES
            if is_call and block.get("id") == tool_call_id:
                file.only_entry(entry.id)
                blocks[position] = {**block, "arguments": dict(arguments)}
                return {entry.id: {**entry.raw, "message": {**message, "content": blocks}}}
    return {}


def reverted(file: SessionFile, lines: Lines) -> dict[str, bytes] | None:
    """Return the lines before a change, by the id of the entry; None if an entry is gone, or its line is not
    that after the change any more.

    :param lines: as in `Change`.
    """
    found = {}
    for entry_id, before, after in lines:
        entry = file.entry_store.by_id.get(entry_id)
        if entry is None or entry.source != to_bytes(after):
            return None
        found[entry_id] = to_bytes(before)
    return found


def to_text(replaced: ReplacedLines) -> Lines:
    """Return lines as a `Change` has them."""
    return tuple(
        (entry_id, before.decode("utf-8", "surrogateescape"), after.decode("utf-8", "surrogateescape"))
        for entry_id, before, after in replaced
    )


def to_bytes(line: str) -> bytes:
    """Return a line of a `Change` as it stands in the file."""
    return line.encode("utf-8", "surrogateescape")


def move(
    file: SessionFile,
    target: str,
    header: tuple[bytes, bytes],
    artifacts: str,
    before_write: Callable[[Sequence[tuple[str, str]]], object],
) -> Sequence[tuple[str, str]]:
    """Move a session: first its folder of artifacts, then its file, then write the working folder into its
    header. If one of the three fails, everything is as it was.

    A process that is killed in between leaves a session that every agent opens. The same call, for the path
    at which the session is then, completes the move.

    :param target: the new path; it may be the old one.
    :param header: the line of the header before and after.
    :param artifacts: the folder of artifacts, "" for none.
    :param before_write: called directly before the first thing is moved, with where each thing is and where
        it goes; not while the session has no file.
    :return: what `before_write` gets.
    :raises LiveSession, WriteFailed, Changed: nothing was moved.
    """
    source = file.path
    folder = os.path.splitext(target)[0] if artifacts and target != source else ""
    moves = [(source, target)] if target != source else []
    if folder:
        moves.append((artifacts, folder))
    if file.written and target != source and _is_other_file(source, target):
        raise AlreadyThere(target, "is there already", errno.EEXIST)
    file.check()
    if file.written:
        file.refuse_danger("rewrite")
        before_write(moves)
    undo: list[Callable[[], object]] = []
    try:
        if folder:
            _move_folder(artifacts, folder)
            undo.append(lambda: os.rename(folder, artifacts))
        if target != source:
            file.rename(target)
            undo.append(lambda: file.rename(source))
        if header[0] != header[1]:
            file.rewrite(lambda _: {"": header[1]}, lambda _: None)
    except SessionError:
        for step in reversed(undo):
            with contextlib.suppress(SessionError, OSError):
                step()
        raise
    return moves


def _is_other_file(source: str, target: str) -> bool:
    """Whether something is at `target` that is not the file at `source`."""
    try:
        return not os.path.samestat(os.lstat(source), os.lstat(target))
    except OSError:
        return os.path.lexists(target)


def _move_folder(source: str, target: str) -> None:
    if os.path.lexists(target):
        raise AlreadyThere(target, "is there already", errno.EEXIST)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(source, target)
    except OSError as error:
        refused(target, error)
