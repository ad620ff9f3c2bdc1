"""Restoring sessions from the system's trash.

An agent that goes on writing after its session was trashed leaves a continuation
(formats/README.md, "Writing beside a running agent"). pi opens the session's file for each entry, so it makes
a new file at the old path. That file has no header, and the parents of its entries are in the trash. The
entries can be appended to the session before it is restored, or the file can be trashed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from app import paths
from app.actions import trash_folder
from app.actions.journal import Journal
from app.actions.journal_entries import trash_moves
from app.actions.safe_move import already_there, move
from app.actions.trash import trash_file
from app.formats.header import find_header
from app.formats.json_codec import BadLine, decode
from app.formats.lines import open_file
from app.sessions.errors import (
    AlreadyThere,
    HeaderlessContinuation,
    LiveSession,
    NotThere,
    ReadOnly,
    SessionError,
)
from app.sessions.manager.change import Change, announce
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.session_file import now_ms
from app.sessions.storage.file_storage import FileStorage
from app.sessions.summaries.quick_summary import quick_summary
from app.small_files import read_small
from app.stores import agent_named, store_holding
from app.stores.base import Store
from app.stores.live import IDLE

TOGETHER_MS = 10_000
"""Milliseconds: the longest time between the trashing of a session and of its artifacts, by any program."""


@dataclass(frozen=True, slots=True)
class TrashedSession:
    """A session in the trash.

    :param path: its old path; ``in_trash``: its path in the trash.
    :param title: its name, else its first prompt; raw.
    :param when_ms: when it was trashed, milliseconds since the epoch.
    :param artifacts: the path of its folder of artifacts in the trash, "" for none.
    :param cwd: its working folder, "" if that is unknown.
    :param size: of its file, in bytes.
    :param by_leafmark: leafmark trashed it; otherwise another program did.
    """

    path: str
    in_trash: str
    agent: str
    session_id: str
    title: str
    when_ms: int
    artifacts: str = ""
    cwd: str = ""
    size: int = 0
    by_leafmark: bool = False

    @property
    def change(self) -> Change:
        """The move that put it there, as far as it is known."""
        moves = [(self.path, self.in_trash)]
        if self.artifacts:
            moves.append((os.path.splitext(self.path)[0], self.artifacts))
        return Change(
            "trash",
            self.path,
            entry_id="",
            before=self.path,
            after=self.in_trash,
            agent=self.agent,
            session_id=self.session_id,
            moves=tuple(moves),
        )


def restore(trashed: Change) -> Change:
    """Move a session from the trash back to where it was, byte for byte and with its times, and its folder of
    artifacts with it.

    :param trashed: the move to the trash, as `trash` returned it or of a session of `list_trashed`.
    :return: the change: `before` is the path in the trash, `after` the path of the session.
    :raises NotThere: it is not in the trash any more.
    :raises AlreadyThere: its path is taken; nothing was moved. HeaderlessContinuation if the file there is
        what the session's agent wrote after the session was trashed.
    :raises WriteFailed: the system refused; nothing was moved.
    """
    moved = trashed.moves or ((trashed.before or trashed.path, trashed.after or ""),)
    (path, in_trash), *belongings = moved
    if not in_trash or not os.path.lexists(in_trash) or _is_other_session(trashed, in_trash):
        raise NotThere(path, 0, "is not in the trash any more")
    note = ""
    moves = [(in_trash, path)]
    for folder, lying in belongings:
        if lying and os.path.lexists(lying) and not _came_from_elsewhere(lying, folder):
            moves.insert(0, (lying, folder))
        else:
            note = f"{folder}: the session's folder of artifacts is not in the trash any more"
    try:
        _require_free(moves)
    except AlreadyThere as error:
        if error.path == path:
            require_no_continuation(path, in_trash, trashed.agent)
        raise
    change = Change(
        "restore",
        path,
        entry_id="",
        before=in_trash,
        after=path,
        agent=trashed.agent,
        session_id=trashed.session_id,
        note=note,
        moves=tuple(moves[::-1]),
    )
    announce(change)
    done: list[tuple[str, str]] = []
    # The session file is last: once it is there, the session is complete.
    for source, target in moves:
        try:
            move(source, target)
        except SessionError:
            for done_source, done_target in reversed(done):
                with contextlib.suppress(SessionError):
                    move(done_target, done_source)
            raise
        done.append((source, target))
    for source, _ in done:
        trash_folder.delete_note(source)
    return change


def find_trashed(change: Change, env: Mapping[str, str]) -> Change | None:
    """The move to the trash that was announced as `change`, with the path in the trash; None if the session
    is not there.

    :param env: the environment by which the system finds its trash.
    """
    artifacts = os.path.splitext(change.path)[0]
    notes: dict[str, list[trash_folder.TrashNote]] = {change.path: [], artifacts: []}
    for folder in trash_folder.folders(env, [os.path.dirname(change.path)]):
        for note in trash_folder.notes(folder, os.path.basename(artifacts)):
            for path, notes_of_path in notes.items():
                if trash_folder.is_same_path(note.path, path):
                    notes_of_path.append(note)
        in_trash = os.path.join(folder.files, os.path.basename(change.path))
        if not folder.info and os.path.isfile(in_trash):
            notes[change.path].append(trash_folder.TrashNote(change.path, in_trash, 0))
    sessions = [note for note in notes[change.path] if _read_id(note.in_trash, change) == change.session_id]
    if not sessions:
        return None
    session = max(sessions, key=lambda note: note.when_ms)
    moves = [(change.path, session.in_trash)]
    artifacts_in_trash = _find_artifacts(session, notes[artifacts])
    if artifacts_in_trash:
        moves.append((artifacts, artifacts_in_trash))
    return replace(change, after=session.in_trash, moves=tuple(moves))


def list_trashed(env: Mapping[str, str], stores: Sequence[Store], state_folder: str) -> list[TrashedSession]:
    """The sessions of `stores` in the trash, moved there by any program, and all other sessions that leafmark
    trashed; newest first.

    Only the two ends of each file are read.

    :param env: the environment by which the system finds its trash.
    :param state_folder: of leafmark's journal, which knows the sessions that leafmark trashed itself, also by
        an undo.
    """
    moves = trash_moves(Journal(state_folder).entries())
    journal = {change.after or "": (at_ms, change) for at_ms, change in moves}
    notes = [
        note
        for folder in trash_folder.folders(env, [store.root for store in stores])
        for note in trash_folder.notes(folder)
    ]
    noted = {note.in_trash for note in notes}
    for in_trash, (at_ms, change) in journal.items():
        if os.path.lexists(in_trash) and in_trash not in noted and not _is_other_session(change, in_trash):
            notes.append(trash_folder.TrashNote(change.path, in_trash, at_ms))
    belongings: dict[str, list[trash_folder.TrashNote]] = {}
    for note in notes:
        belongings.setdefault(note.path, []).append(note)
    store_of_folder: dict[str, Store | None] = {}
    trashed = []
    for note in notes:
        folder = os.path.dirname(note.path)
        if folder not in store_of_folder:
            # The path of a file that does not exist, so that no link in its place is followed.
            store_of_folder[folder] = store_holding(os.path.join(folder, "session"), stores)
        store = store_of_folder[folder]
        _, known = journal.get(note.in_trash, (0, None))
        if known and not trash_folder.is_same_path(known.path, note.path):
            # The journal's session has gone from the trash, and another file has its name there.
            known = None
        if known or (store is not None and note.path.endswith(store.suffixes)):
            session = _describe_trashed(note, store, known, belongings)
            if session is not None:
                trashed.append(session)
    return sorted(trashed, key=lambda session: (-session.when_ms, session.path))


def is_still_there(session: TrashedSession) -> bool:
    """Whether the session still lies where it was listed, and is the same."""
    return os.path.lexists(session.in_trash) and not _is_other_session(session.change, session.in_trash)


def _is_other_session(trashed: Change, in_trash: str) -> bool:
    """Whether another session has the path in the trash by now, because the trash was emptied."""
    if _came_from_elsewhere(in_trash, trashed.path):
        return True
    summary = quick_summary(in_trash, (trashed.agent,) if trashed.agent else (), 0)
    return summary is not None and summary.id != trashed.session_id


def title_in_trash(change: Change) -> str:
    """The raw title of the session that a change moved to the trash; "" if it is not there."""
    if change.kind != "trash" or not change.after:
        return ""
    summary = quick_summary(change.after, (change.agent,) if change.agent else (), 0)
    return summary.title if summary is not None and summary.id == change.session_id else ""


def _read_id(in_trash: str, change: Change) -> str:
    """The id of the session in a file, "" if the file is no session."""
    summary = quick_summary(in_trash, (change.agent,) if change.agent else (), 0)
    return "" if summary is None else summary.id


def _came_from_elsewhere(in_trash: str, path: str) -> bool:
    """Whether the note about a trashed file gives another old path than `path`."""
    original = trash_folder.original_path(in_trash)
    return original != "" and not trash_folder.is_same_path(original, path)


def _require_free(moves: Iterable[tuple[str, str]]) -> None:
    """Pass if the target of each (source, target) is free, or is the source itself.

    :raises AlreadyThere: something else is there.
    """
    for source, target in moves:
        with contextlib.suppress(OSError):
            if not os.path.samestat(os.lstat(target), os.lstat(source)):
                raise already_there(target)


def _describe_trashed(
    note: trash_folder.TrashNote,
    store: Store | None,
    change: Change | None,
    notes: Mapping[str, Sequence[trash_folder.TrashNote]],
) -> TrashedSession | None:
    """One session in the trash; None if it is no file.

    :param store: where it was found, None if unknown.
    :param change: its move in the journal, None for none.
    :param notes: the notes about everything in the trash, by old path; one may be about its artifacts.
    """
    try:
        status = os.lstat(note.in_trash)
    except OSError:
        return None
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        return None
    agents = store.agents if store else ()
    summary = quick_summary(note.in_trash, agents, status.st_mtime_ns // 1_000_000)
    belongings = () if change is None else change.moves[1:]
    artifacts = next(
        (now for was, now in belongings if os.path.lexists(now) and not _came_from_elsewhere(now, was)), ""
    ) or _find_artifacts(note, notes.get(os.path.splitext(note.path)[0], ()))
    if summary is None:
        agent = change.agent if change else next(iter(agents), "")
        session_id = change.session_id if change else ""
        title = os.path.basename(note.path)
    else:
        agent, session_id, title = summary.agent, summary.id, summary.title
    return TrashedSession(
        note.path,
        note.in_trash,
        agent,
        session_id,
        title,
        note.when_ms,
        artifacts,
        "" if summary is None else summary.cwd,
        status.st_size,
        change is not None,
    )


def _find_artifacts(session: trash_folder.TrashNote, notes: Iterable[trash_folder.TrashNote]) -> str:
    """The path in the trash of the folder of artifacts that was trashed with the session, "" for none.

    :param notes: those whose old path is that of the folder.
    """
    candidates = [
        (abs(note.when_ms - session.when_ms), note.in_trash) for note in notes if os.path.isdir(note.in_trash)
    ]
    difference_ms, path = min(candidates, default=(TOGETHER_MS + 1, ""))
    return path if difference_ms <= TOGETHER_MS else ""


_LONGEST = 256 << 20
"""Bytes. An agent writes less after the trashing; a longer file is not taken for a continuation."""


class Continuation(NamedTuple):
    """Entries without a header.

    :param entries: how many there are.
    :param missing: the lines of the entries that the session does not have yet.
    :param problem: why they cannot be appended to the session, "" if they can.
    """

    entries: int
    missing: list[bytes]
    problem: str


def read_continuation(path: str, session: str) -> Continuation | None:
    """The continuation in the file at `path` of the session in the file `session`; None if the file is
    something else: a session of its own, a file without entries, or entries of another session.
    """
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        data = read_small(path, _LONGEST)
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


def trash_continuation(trashed: Change, env: Mapping[str, str], *, join: bool) -> Change:
    """Move the continuation of a trashed session to the trash, so that the session can be restored.

    :param trashed: the move of the session to the trash, as for `restore`.
    :param env: the environment by which agents find their sessions, and the system its trash.
    :param join: append its entries to the session first, which stays in the trash. They are checked: each
        line is a complete entry, with its parent in the session or before it.
    :return: the move of the continuation.
    :raises ReadOnly: the entries cannot be appended; nothing was changed.
    :raises AlreadyThere: something else has taken the place since; nothing was changed.
    :raises LiveSession: an agent may still be writing to it, and would lose the parents of its next entries;
        nothing was changed.
    :raises SessionError: it cannot be moved; the class says why.
    """
    session, path, agent = trashed.after or "", trashed.path, trashed.agent
    _require_idle(path, session, agent, env)
    if join:
        _append(path, session)
    elif read_continuation(path, session) is None:
        raise _place_taken(path)
    change = trash_file(path, agent, env)
    if join and change.after:
        # The agent may have written a line between the two steps.
        _append(change.after, session)
    return change


def _append(path: str, session: str) -> None:
    storage = FileStorage()
    signature = storage.signature(session)
    continuation = read_continuation(path, session)
    if continuation is None or signature is None:
        raise _place_taken(path)
    if continuation.problem:
        raise ReadOnly(path, 0, f"cannot be appended to the session: {continuation.problem}")
    if continuation.missing:
        storage.append(session, b"".join(continuation.missing), signature)


def _place_taken(path: str) -> SessionError:
    """The error to raise if the file at `path` has gone, or another file has taken its place."""
    if os.path.lexists(path):
        return AlreadyThere(path, "is there already", errno.EEXIST)
    return NotThere(path, 0, "no such file")


def _require_idle(path: str, session: str, agent: str, env: Mapping[str, str]) -> None:
    try:
        descriptor = open_file(session)
    except OSError:
        raise NotThere(path, 0, "is not in the trash any more") from None
    try:
        header = find_header(session, descriptor, (agent,))
    finally:
        os.close(descriptor)
    verdict = LiveGuard(env, paths.home_folder(env)).verdict(header, path, now_ms())
    if verdict.state != IDLE:
        reason = f"{verdict.reason}; it may still be writing to this file: end it first"
        raise LiveSession(path, reason, verdict.pid)


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
