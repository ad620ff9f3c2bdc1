"""Restoring sessions from the system's trash.

An agent that goes on writing after its session was trashed leaves a continuation
(`app.actions.continuation`). pi opens the session's file for each entry, so it makes a new file at the old
path. That file has no header, and the parents of its entries are in the trash. The entries can be appended to
the session before it is restored, or the file can be trashed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app import paths
from app.actions import trash_folder
from app.actions.continuation import (
    append_lines,
    lines_to_join,
    read_continuation,
    require_appendable,
    require_no_continuation,
    take_off_lines,
)
from app.actions.journal import Journal
from app.actions.journal_entries import trash_moves
from app.actions.safe_move import already_there, move
from app.actions.trash import belonging_of, trash_file
from app.formats.header import find_header
from app.formats.lines import open_file
from app.sessions.errors import (
    AlreadyThere,
    HeaderlessContinuation,
    LiveSession,
    NotThere,
    SessionError,
)
from app.sessions.manager.change import Change, announce
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.session_file import now_ms
from app.sessions.summaries.quick_summary import quick_summary
from app.stores import session_of_backup, store_holding
from app.stores.base import Store
from app.stores.kept import files_below, is_copy
from app.stores.live import IDLE
from app.stores.retention import retention_of_file, time_after_restore

TOGETHER_MS = 10_000
"""Milliseconds: the longest time between the trashing of a session and of its artifacts, by any program."""


@dataclass(frozen=True, slots=True)
class TrashedSession:
    """A session in the trash.

    :param path: its old path; ``in_trash``: its path in the trash.
    :param title: its name, else its first prompt; raw.
    :param when_ms: when it was trashed, milliseconds since the epoch.
    :param belongings: its folder of artifacts and its backups: the old path of each, and the path in the
        trash.
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
    belongings: tuple[tuple[str, str], ...] = ()
    cwd: str = ""
    size: int = 0
    by_leafmark: bool = False

    @property
    def artifacts(self) -> str:
        """The path of its folder of artifacts in the trash, "" for none."""
        return dict(self.belongings).get(os.path.splitext(self.path)[0], "")

    @property
    def change(self) -> Change:
        """The move that put it there, as far as it is known."""
        return Change(
            "trash",
            self.path,
            entry_id="",
            before=self.path,
            after=self.in_trash,
            agent=self.agent,
            session_id=self.session_id,
            moves=((self.path, self.in_trash), *self.belongings),
        )


def restore(trashed: Change, joined: Sequence[str] = ()) -> Change:
    """Move a session from the trash back to where it was, byte for byte and with its times, and with it all
    that was trashed with it. If its agent deletes sessions that old (`app.stores.retention`), its times
    become the present one.

    :param trashed: the move to the trash, as `trash` returned it or of a session of `list_trashed`. Lines
        that it took off are appended again.
    :param joined: files in the trash whose entries are appended to the session, in their order; see
        `app.actions.continuation`.
    :return: the change: `before` is the path in the trash, `after` the path of the session.
    :raises NotThere: it is not in the trash any more.
    :raises AlreadyThere: its path is taken; nothing was moved. HeaderlessContinuation if the file there is
        what the session's agent wrote after the session was trashed.
    :raises ReadOnly: the entries of `joined` cannot be appended; nothing was moved.
    :raises WriteFailed: the system refused; nothing was moved.
    """
    moved = trashed.moves or ((trashed.before or trashed.path, trashed.after or ""),)
    (path, in_trash), *belongings = moved
    if not in_trash or not os.path.lexists(in_trash) or _is_other_session(trashed, in_trash):
        raise NotThere(path, 0, "is not in the trash any more")
    note = ""
    moves = [(in_trash, path)]
    for belonging, lying in belongings:
        if lying and os.path.lexists(lying) and not _came_from_elsewhere(lying, belonging):
            moves.insert(0, (lying, belonging))
        else:
            note = f"{belonging}: {belonging_of(path, belonging)} is not in the trash any more"
    try:
        _require_free(moves)
    except AlreadyThere as error:
        if error.path == path:
            require_no_continuation(path, in_trash, trashed.agent)
        raise
    lines = lines_to_join(joined, in_trash) or tuple(
        (entry_id, "", line) for entry_id, line, after in trashed.lines if not after
    )
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
        lines=lines,
    )
    announce(change)
    append_lines(in_trash, lines)
    _renew_times(moves, path, trashed.agent)
    done: list[tuple[str, str]] = []
    # The session file is last: once it is there, the session is complete.
    for source, target in moves:
        try:
            move(source, target)
        except SessionError:
            for done_source, done_target in reversed(done):
                with contextlib.suppress(SessionError):
                    move(done_target, done_source)
            with contextlib.suppress(SessionError):
                take_off_lines(in_trash, lines)
            raise
        done.append((source, target))
    for source, _ in done:
        trash_folder.delete_note(source)
    return change


def _renew_times(moves: Sequence[tuple[str, str]], path: str, agent: str) -> None:
    """Give the files of a session that is about to be restored the present time, if its agent would else
    delete them at its next start.

    :param moves: where each file or folder is and goes; the session's file is last.
    """
    if is_copy(path):
        return
    summary = quick_summary(moves[-1][0], (agent,) if agent else (), 0)
    retention = retention_of_file(path, agent, summary.cwd if summary else "")
    if retention is None:
        return
    for source, _ in moves:
        files = files_below(source) if os.path.isdir(source) else [(source, os.lstat(source))]
        for file, status in files:
            time_ns = time_after_restore(status.st_mtime_ns, retention, now_ms())
            if time_ns != status.st_mtime_ns and not stat.S_ISLNK(status.st_mode):
                with contextlib.suppress(OSError):  # the file of another user
                    os.utime(file, ns=(time_ns, time_ns))


def find_trashed(change: Change, env: Mapping[str, str]) -> Change | None:
    """The move to the trash that was announced as `change`, with the path in the trash; None if the session
    is not there.

    :param env: the environment by which the system finds its trash.
    """
    folder, name = os.path.split(change.path)
    notes: list[trash_folder.TrashNote] = []
    for trash in trash_folder.folders(env, [folder]):
        for note in trash_folder.notes(trash, os.path.splitext(name)[0]):
            path = os.path.join(folder, os.path.basename(note.path))
            if trash_folder.is_same_path(note.path, path):
                notes.append(note._replace(path=path))
        in_trash = os.path.join(trash.files, name)
        if not trash.info and os.path.isfile(in_trash):
            notes.append(trash_folder.TrashNote(change.path, in_trash, 0))
    sessions = [
        note
        for note in notes
        if note.path == change.path and _read_id(note.in_trash, change) == change.session_id
    ]
    if not sessions:
        return None
    session = max(sessions, key=lambda note: note.when_ms)
    belongings = _find_belongings(session, _by_session(notes))
    moves = ((change.path, session.in_trash), *belongings.items())
    return replace(change, after=session.in_trash, moves=moves)


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
    belongings = _by_session(notes)
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
    belongings: Mapping[str, Sequence[trash_folder.TrashNote]],
) -> TrashedSession | None:
    """One session in the trash; None if it is no file.

    :param store: where it was found, None if unknown.
    :param change: its move in the journal, None for none.
    :param belongings: see `_by_session`.
    """
    try:
        status = os.lstat(note.in_trash)
    except OSError:
        return None
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        return None
    agents = store.agents if store else ()
    summary = quick_summary(note.in_trash, agents, status.st_mtime_ns // 1_000_000)
    known = {
        was: now
        for was, now in (() if change is None else change.moves[1:])
        if os.path.lexists(now) and not _came_from_elsewhere(now, was)
    }
    found = _find_belongings(note, belongings) | known
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
        tuple(found.items()),
        "" if summary is None else summary.cwd,
        status.st_size,
        change is not None,
    )


def _by_session(notes: Iterable[trash_folder.TrashNote]) -> dict[str, list[trash_folder.TrashNote]]:
    """The notes by old path; those about backups by the path of their session."""
    result: dict[str, list[trash_folder.TrashNote]] = {}
    for note in notes:
        result.setdefault(session_of_backup(note.path) or note.path, []).append(note)
    return result


def _find_belongings(
    session: trash_folder.TrashNote, notes: Mapping[str, Sequence[trash_folder.TrashNote]]
) -> dict[str, str]:
    """The artifacts and the backups that were trashed with the session: old path -> path in the trash.

    :param notes: see `_by_session`.
    """
    artifacts = os.path.splitext(session.path)[0]
    together = [
        (abs(note.when_ms - session.when_ms), note)
        for note in (*notes.get(artifacts, ()), *notes.get(session.path, ()))
        if note.path != session.path and os.path.isdir(note.in_trash) == (note.path == artifacts)
    ]
    # The last of several with one path is the one that was trashed at the nearest time.
    nearest = sorted((pair for pair in together if pair[0] <= TOGETHER_MS), reverse=True)
    return dict(sorted({note.path: note.in_trash for _, note in nearest}.items()))


def recover(trashed: Change, env: Mapping[str, str], *, join: bool) -> Iterator[Change]:
    """Restore a session whose agent went on writing after it was trashed, in two steps: the continuation is
    moved to the trash, and the session is restored. Both changes are yielded as soon as they are made.

    If the session cannot be restored, the continuation is moved back, which is a change as well.

    :param trashed: the move of the session to the trash, as for `restore`.
    :param env: the environment by which agents find their sessions, and the system its trash.
    :param join: append the entries of the continuation to the session.
    :raises SessionError: as `trash_continuation` and `restore`.
    """
    aside: list[Change] = []
    while True:
        written = [each.after or "" for each in aside]
        aside.append(trash_continuation(trashed, env, join=join, before=written))
        yield aside[-1]
        try:
            change = restore(trashed, [*written, aside[-1].after or ""] if join else ())
        except HeaderlessContinuation:
            # The agent wrote once more in between.
            if len(aside) == _TRIES:
                raise
        except SessionError:
            for each in reversed(aside):
                yield restore(each)
            raise
        else:
            yield change
            return


_TRIES = 3
"""Continuations that are moved to the trash, if the agent writes another one each time."""


def trash_continuation(
    trashed: Change, env: Mapping[str, str], *, join: bool, before: Sequence[str] = ()
) -> Change:
    """Move the continuation of a trashed session to the trash, so that the session can be restored.

    :param trashed: the move of the session to the trash, as for `restore`.
    :param env: the environment by which agents find their sessions, and the system its trash.
    :param join: its entries are to be appended to the session. They are checked: each line is a complete
        entry, with its parent in the session or before it.
    :param before: the continuations that are in the trash already.
    :return: the move of the continuation.
    :raises ReadOnly: the entries cannot be appended; nothing was changed.
    :raises AlreadyThere: something else has taken the place since; nothing was changed.
    :raises LiveSession: an agent may still be writing to it, and would lose the parents of its next entries;
        nothing was changed.
    :raises SessionError: it cannot be moved; the class says why.
    """
    session, path, agent = trashed.after or "", trashed.path, trashed.agent
    _require_idle(path, session, agent, env)
    continuation = read_continuation(path, session, before)
    if continuation is None:
        raise _place_taken(path)
    if join:
        require_appendable(path, continuation)
    return trash_file(path, agent, env)


def _place_taken(path: str) -> SessionError:
    """The error to raise if the file at `path` has gone, or another file has taken its place."""
    if os.path.lexists(path):
        return AlreadyThere(path, "is there already", errno.EEXIST)
    return NotThere(path, 0, "no such file")


def _require_idle(path: str, session: str, agent: str, env: Mapping[str, str]) -> None:
    """Pass if no agent may be writing to the continuation at `path` of the session in the file `session`.

    :raises LiveSession: one may; it is named.
    """
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
