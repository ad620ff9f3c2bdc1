"""The file that an agent leaves which goes on writing after its session was trashed
(formats/README.md, "Writing beside a running agent").

pi opens the session's file for each entry, so it makes a new one at the old path. That file has no header,
and the parents of its entries are in the trash. The entries can be appended to the session before it is
restored, or put aside.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from app import paths
from app.actions.trash import trash_file
from app.formats.decode import BadLine, decode
from app.formats.header import find_header
from app.formats.lines import open_file
from app.sessions.errors import (
    AlreadyThere,
    HeaderlessContinuation,
    LiveSession,
    NotThere,
    ReadOnly,
    SessionError,
)
from app.sessions.manager.change import Change
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.tracked_file import now_ms
from app.sessions.storage.file_storage import FileStorage
from app.small_files import read_small
from app.stores import agent_named
from app.stores.live import IDLE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from app.actions.restore import Trashed

_LONGEST = 256 << 20
"""Bytes. What an agent wrote since is short; a longer file is taken for something else."""


class Continuation(NamedTuple):
    """Entries without a header.

    :param entries: how many there are.
    :param missing: the lines of those that the session does not have yet.
    :param problem: why they cannot be appended to the session, "" if they can.
    """

    entries: int
    missing: list[bytes]
    problem: str


def continuation_in(path: str, session: str) -> Continuation | None:
    """What the file at `path` continues of the session in the file `session`; None where it is something
    else: a session of its own, a file without entries, or entries of another session.
    """
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        data = read_small(path, _LONGEST)
        lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
        entries = [(number, line, _entry(line)) for number, line in lines]
        named = {value for *_, entry in entries if entry for value in (entry["id"], entry.get("parentId"))}
        known = _entries_of(session, named)
    except OSError:
        return None
    problem = ""
    count = 0
    missing = []
    for number, line, entry in entries:
        if entry is not None and entry["type"] == "session":
            return None
        if entry is None:
            problem = problem or f"line {number:,} is no complete entry"
            continue
        if not count and entry.get("parentId") not in known:
            return None
        count += 1
        if entry.get("parentId") not in known:
            problem = problem or f"the parent of line {number:,} is in neither file"
        elif known.get(entry["id"], entry) != entry:
            problem = problem or f"the session has another entry with the id of line {number:,}"
        elif entry["id"] not in known:
            missing.append(line + b"\n")
        known[entry["id"]] = entry
    if data and not data.endswith(b"\n"):
        problem = problem or "its last line may not be complete"
    return Continuation(count, missing, problem) if count else None


def expect_no_continuation(path: str, session: str, agent: str) -> None:
    """Pass, unless the file at `path` continues the trashed session in the file `session`.

    :raises HeaderlessContinuation: it does.
    """
    found = continuation_in(path, session)
    if found is None:
        return
    many = "1 entry" if found.entries == 1 else f"{found.entries:,} entries"
    who = agent_named(agent).title
    reason = f"is there already: {who} went on writing after the session was trashed; "
    reason += f"this file has {many} and no header"
    if found.problem:
        reason += f", and cannot be appended to the session: {found.problem}"
    raise HeaderlessContinuation(path, reason, found.problem)


def clear_place(what: Change | Trashed, env: Mapping[str, str], *, join: bool) -> Change:
    """Move the continuation of a trashed session to the trash, so that the session can be restored.

    :param what: the session, as for `restore`.
    :param env: the environment by which agents find their sessions, and the system its trash.
    :param join: append its entries to the session first, which stays in the trash. They are checked: each
        line is a complete entry, with its parent in the session or before it.
    :return: the move of the continuation.
    :raises ReadOnly: the entries cannot be appended; nothing was changed.
    :raises AlreadyThere: something else has taken the place since; nothing was changed.
    :raises LiveSession: an agent may still be writing to it, and the parents of what it writes next must not
        go; nothing was changed.
    :raises SessionError: it cannot be moved; the class says why.
    """
    session = (what.after or "") if isinstance(what, Change) else what.in_trash
    path, agent = what.path, what.agent
    _expect_idle(path, session, agent, env)
    if join:
        _append(path, session)
    elif continuation_in(path, session) is None:
        raise _another(path)
    change = trash_file(path, agent, env)
    if join and change.after:
        # The agent may have written a line in between.
        _append(change.after, session)
    return change


def _append(path: str, session: str) -> None:
    storage = FileStorage()
    signature = storage.signature(session)
    found = continuation_in(path, session)
    if found is None or signature is None:
        raise _another(path)
    if found.problem:
        raise ReadOnly(path, 0, f"cannot be appended to the session: {found.problem}")
    if found.missing:
        storage.append(session, b"".join(found.missing), signature)


def _another(path: str) -> SessionError:
    """What is raised if the file at `path` has gone, or something else has taken its place."""
    if os.path.lexists(path):
        return AlreadyThere(path, "is there already", errno.EEXIST)
    return NotThere(path, 0, "no such file")


def _expect_idle(path: str, session: str, agent: str, env: Mapping[str, str]) -> None:
    try:
        descriptor = open_file(session)
    except OSError:
        raise NotThere(path, 0, "is not in the trash any more") from None
    try:
        header = find_header(session, descriptor, (agent,))
    finally:
        os.close(descriptor)
    found = LiveGuard(env, paths.home_folder(env)).verdict(header, path, now_ms())
    if found.state != IDLE:
        reason = f"{found.reason}; it may still be writing to this file: end it first"
        raise LiveSession(path, reason, found.pid)


def _entries_of(session: str, ids: Collection[object]) -> dict[object, dict[str, Any]]:
    """Those of these ids in the file of a session.

    :raises OSError: it cannot be read.
    """
    found: dict[object, dict[str, Any]] = {}
    with open(open_file(session), "rb") as file:
        for line in file:
            entry = _entry(line)
            if entry is not None and entry["id"] in ids and entry["type"] != "session":
                found[entry["id"]] = entry
    return found


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        value = decode(line)
    except BadLine:
        return None
    is_entry = isinstance(value.get("id"), str) and isinstance(value.get("type"), str)
    return value if is_entry and isinstance(value.get("parentId"), str | None) else None
