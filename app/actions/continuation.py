"""The continuation of a session: the entries that an agent wrote after the session was trashed.

The continuation is a file at the session's old path, without a header (formats/README.md, "Writing beside a
running agent"). Its entries can be appended to the session, and taken off it again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from app.formats.json_codec import BadLine, decode
from app.formats.lines import open_file
from app.sessions.errors import HeaderlessContinuation, NotThere, ReadOnly
from app.sessions.manager.rewriting import Lines, to_bytes
from app.sessions.storage.file_storage import FileStorage, refused
from app.sessions.summaries.quick_summary import quick_summary
from app.small_files import read_small
from app.stores import agent_named

_LONGEST = 256 << 20
"""Bytes. An agent writes less after the trashing; a longer file is not taken for a continuation."""

_FIRST_LINES = (b'{"type":"session"', b'{"type":"title"')
"""How the first line of a session begins, also of one that is not complete."""


class Continuation(NamedTuple):
    """Entries without a header.

    :param entries: how many there are.
    :param missing: the lines of the entries that the session does not have yet, with their ids.
    :param problem: why they cannot be appended to the session, "" if they can.
    """

    entries: int
    missing: list[tuple[str, bytes]]
    problem: str


def read_continuation(path: str, session: str, before: Iterable[str] = ()) -> Continuation | None:
    """The continuation in the file at `path` of the session in the file `session`; None if the file is
    something else: a session of its own, or a file without entries.

    :param before: the files of what the agent wrote before; their entries are included.
    """
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        data = b"".join(read_small(each, _LONGEST) for each in (*before, path))
        lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
        entries = [(number, line, _parse_entry(line)) for number, line in lines]
        ids = {value for *_, entry in entries if entry for value in (entry["id"], entry.get("parentId"))}
        known = _read_entries(session, ids)
    except OSError:
        return None
    problem = ""
    count = 0
    missing = []
    for number, line, entry in entries:
        if line.startswith(_FIRST_LINES) or (entry is not None and entry["type"] == "session"):
            return None
        if entry is None:
            count += line.startswith(b'{"type":"')
            problem = problem or f"line {number:,} is no complete entry"
            continue
        count += 1
        if entry.get("parentId") not in known:
            problem = problem or f"the parent of line {number:,} is in neither file"
        elif known.get(entry["id"], entry) != entry:
            problem = problem or f"the session has another entry with the id of line {number:,}"
        elif entry["id"] not in known:
            missing.append((entry["id"], line + b"\n"))
        known[entry["id"]] = entry
    if data and not data.endswith(b"\n"):
        problem = problem or "its last line may not be complete"
    return Continuation(count, missing, problem) if count else None


def require_no_continuation(path: str, session: str, agent: str) -> None:
    """Pass, unless the file at `path` continues the trashed session in the file `session`.

    :raises HeaderlessContinuation: it does.
    """
    continuation = read_continuation(path, session)
    if continuation is None:
        return
    entries = "1 entry" if continuation.entries == 1 else f"{continuation.entries:,} entries"
    title = agent_named(agent).title
    reason = f"is there already: {title} went on writing after the session was trashed; "
    reason += f"this file has {entries} and no header"
    if continuation.problem:
        reason += f", and cannot be appended to the session: {continuation.problem}"
    raise HeaderlessContinuation(path, reason, continuation.problem)


def lines_to_join(continuations: Sequence[str], session: str) -> Lines:
    """The lines of a `Change` that appends the entries of these files to a session that lacks them.

    :param continuations: in the order in which they were written.
    :param session: its file, in the trash.
    :raises ReadOnly: they cannot be appended.
    :raises NotThere: one of the files is gone.
    """
    if not continuations:
        return ()
    *before, last = continuations
    continuation = read_continuation(last, session, before)
    if continuation is None:
        raise NotThere(last, 0, "is not in the trash any more")
    require_appendable(last, continuation)
    lines = [
        (entry_id, "", line.decode("utf-8", "surrogateescape")) for entry_id, line in continuation.missing
    ]
    if lines and not _ends_with(session, b"\n"):
        # An unfinished line of the session gets a newline, which belongs to the change.
        lines[0] = (*lines[0][:2], "\n" + lines[0][2])
    return tuple(lines)


def require_appendable(path: str, continuation: Continuation) -> None:
    """:raises ReadOnly: the entries cannot be appended to the session."""
    if continuation.problem:
        raise ReadOnly(path, 0, f"cannot be appended to the session: {continuation.problem}")


def append_lines(session: str, lines: Lines) -> None:
    """Append the lines of `lines_to_join` to the file of a session.

    :raises WriteFailed: the system refused; nothing was appended.
    """
    storage = FileStorage()
    signature = storage.signature(session)
    if signature is None:
        raise NotThere(session, 0, "is not in the trash any more")
    if lines:
        storage.append(session, _data(lines).removeprefix(b"\n"), signature)


def ends_with_lines(session: str, lines: Lines) -> bool:
    """Whether the file of a session still ends with these lines.

    :raises NotThere: it is gone.
    """
    try:
        return _ends_with(session, _data(lines))
    except OSError as error:
        raise NotThere(session, 0, error.strerror or "no such file") from None


def take_off_lines(session: str, lines: Lines) -> None:
    """Take the lines of `append_lines` off the end of the session's file again, if they are still there. They
    stay in the file of the continuation. The session's file gets the time of its last message.

    :raises WriteFailed: the system refused; the file is as it was.
    """
    data = _data(lines)
    try:
        if lines and _ends_with(session, data):
            os.truncate(session, os.stat(session).st_size - len(data))
            summary = quick_summary(session, (), 0)
            if summary is not None:
                os.utime(session, ns=(summary.modified * 1_000_000,) * 2)
    except FileNotFoundError:
        return
    except OSError as error:
        refused(session, error)


def _data(lines: Lines) -> bytes:
    return b"".join(to_bytes(before or after) for _, before, after in lines)


def _ends_with(path: str, data: bytes) -> bool:
    with open(open_file(path), "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - len(data), 0))
        return file.read() == data


def _read_entries(session: str, ids: Collection[object]) -> dict[object, dict[str, Any]]:
    """The entries with these ids in the file of a session.

    :raises OSError: it cannot be read.
    """
    entries: dict[object, dict[str, Any]] = {}
    with open(open_file(session), "rb") as file:
        for line in file:
            entry = _parse_entry(line)
            if entry is not None and entry["id"] in ids and entry["type"] != "session":
                entries[entry["id"]] = entry
    return entries


def _parse_entry(line: bytes) -> dict[str, Any] | None:
    try:
        value = decode(line)
    except BadLine:
        return None
    is_entry = isinstance(value.get("id"), str) and isinstance(value.get("type"), str)
    return value if is_entry and isinstance(value.get("parentId"), str | None) else None
