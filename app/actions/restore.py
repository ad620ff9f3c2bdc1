"""Taking a session back out of the system's trash, and what there is to take back."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.actions import trashcan
from app.actions.continuation import expect_no_continuation
from app.actions.journal import Journal
from app.actions.moving import move, occupied
from app.sessions.errors import AlreadyThere, NotThere, SessionError
from app.sessions.manager.change import Change, announce
from app.sessions.tally.ends import provisional
from app.stores import store_holding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.stores.base import Store

TOGETHER_MS = 10_000
"""A session and its folder of artifacts were trashed so shortly after each other, whoever did it."""


@dataclass(frozen=True, slots=True)
class Trashed:
    """A session in the trash.

    :param path: where it was; ``in_trash`` where it lies.
    :param title: its name, else its first prompt; raw.
    :param when_ms: when it was trashed, milliseconds since the epoch.
    :param artifacts: where its folder of artifacts lies in the trash, "" where none does.
    """

    path: str
    in_trash: str
    agent: str
    session_id: str
    title: str
    when_ms: int
    artifacts: str = ""


def restore(what: Change | Trashed) -> Change:
    """Move a session from the trash back to where it was, byte for byte and with its times, and its folder of
    artifacts with it.

    :param what: of `trashed`, or what `trash` returned.
    :return: what was done: `before` is where it lay in the trash, `after` where it is.
    :raises NotThere: it is not in the trash any more.
    :raises AlreadyThere: something has come to its place since; nothing was moved. HeaderlessContinuation
        where that is what the session's agent wrote after the session was trashed.
    :raises WriteFailed: the system refused; nothing was moved.
    """
    (path, in_trash), *belongings = _moves(what)
    if not in_trash or not os.path.lexists(in_trash) or _is_another(what, in_trash):
        raise NotThere(path, 0, "is not in the trash any more")
    note = ""
    moves = [(in_trash, path)]
    for folder, now in belongings:
        if now and os.path.lexists(now) and not _was_elsewhere(now, folder):
            moves.insert(0, (now, folder))
        else:
            note = f"{folder}: the session's folder of artifacts is not in the trash any more"
    try:
        _expect_free(moves)
    except AlreadyThere as error:
        if error.path == path:
            expect_no_continuation(path, in_trash, what.agent)
        raise
    change = Change(
        "restore",
        path,
        entry_id="",
        before=in_trash,
        after=path,
        agent=what.agent,
        session_id=what.session_id,
        note=note,
        moves=tuple(moves[::-1]),
    )
    announce(change)
    done: list[tuple[str, str]] = []
    # The file last: once it is there, the session is whole.
    for now, place in moves:
        try:
            move(now, place)
        except SessionError:
            for back, taken in reversed(done):
                with contextlib.suppress(SessionError):
                    move(taken, back)
            raise
        done.append((now, place))
    for now, _ in done:
        said = trashcan.note_of(now)
        if said:
            with contextlib.suppress(OSError):  # it says where nothing is: nobody minds
                os.unlink(said)
    return change


def found_in_trash(change: Change, env: Mapping[str, str]) -> Change | None:
    """The move to the trash that was to be `change`, as it was made; None where the session is not there.

    :param env: the environment by which the system finds its trash.
    """
    artifacts = os.path.splitext(change.path)[0]
    found: dict[str, list[trashcan.Note]] = {change.path: [], artifacts: []}
    for folder in trashcan.folders(env, [os.path.dirname(change.path)]):
        for note in trashcan.notes(folder, os.path.basename(artifacts)):
            for place, notes in found.items():
                if trashcan.is_same_place(note.path, place):
                    notes.append(note)
        in_trash = os.path.join(folder.files, os.path.basename(change.path))
        if not folder.info and os.path.isfile(in_trash):
            found[change.path].append(trashcan.Note(change.path, in_trash, 0))
    sessions = [note for note in found[change.path] if _id_of(note.in_trash, change) == change.session_id]
    if not sessions:
        return None
    session = max(sessions, key=lambda note: note.when_ms)
    moves = [(change.path, session.in_trash)]
    folder_now = _artifacts(session, found[artifacts])
    if folder_now:
        moves.append((artifacts, folder_now))
    return replace(change, after=session.in_trash, moves=tuple(moves))


def trashed(env: Mapping[str, str], stores: Sequence[Store], state_folder: str) -> list[Trashed]:
    """The sessions of `stores` that are in the trash, whoever put them there, and all others that leafmark
    put there; newest first.

    Of each, no more than the ends of its file are read.

    :param env: the environment by which the system finds its trash.
    :param state_folder: where leafmark's journal is: what it trashed itself is known by that as well, also
        when it did so by taking something back.
    """
    journal = {change.after or "": (at_ms, change) for at_ms, change in Journal(state_folder).trashed()}
    notes = [
        note
        for folder in trashcan.folders(env, [store.root for store in stores])
        for note in trashcan.notes(folder)
    ]
    noted = {note.in_trash for note in notes}
    for in_trash, (at_ms, change) in journal.items():
        if os.path.lexists(in_trash) and in_trash not in noted and not _is_another(change, in_trash):
            notes.append(trashcan.Note(change.path, in_trash, at_ms))
    belongings: dict[str, list[trashcan.Note]] = {}
    for note in notes:
        belongings.setdefault(note.path, []).append(note)
    holding: dict[str, Store | None] = {}
    found = []
    for note in notes:
        folder = os.path.dirname(note.path)
        if folder not in holding:
            # The file is not there, and links in its place are nobody's business.
            holding[folder] = store_holding(os.path.join(folder, "session"), stores)
        store = holding[folder]
        _, known = journal.get(note.in_trash, (0, None))
        if known and not trashcan.is_same_place(known.path, note.path):
            known = None  # that one is gone from the trash, and another has its name there
        if known or (store is not None and note.path.endswith(store.suffixes)):
            one = _trashed(note, store, known, belongings)
            if one is not None:
                found.append(one)
    return sorted(found, key=lambda one: (-one.when_ms, one.path))


def _moves(what: Change | Trashed) -> Sequence[tuple[str, str]]:
    if isinstance(what, Change):
        return what.moves or ((what.before or what.path, what.after or ""),)
    moves = [(what.path, what.in_trash)]
    if what.artifacts:
        moves.append((os.path.splitext(what.path)[0], what.artifacts))
    return moves


def _is_another(what: Change | Trashed, in_trash: str) -> bool:
    """Whether the trash was emptied since, and what lies there now has only got the name."""
    if _was_elsewhere(in_trash, what.path):
        return True
    found = provisional(in_trash, (what.agent,) if what.agent else (), 0)
    return found is not None and found.id != what.session_id


def _id_of(in_trash: str, change: Change) -> str:
    """The id of the session in a file, "" where it is none."""
    told = provisional(in_trash, (change.agent,) if change.agent else (), 0)
    return "" if told is None else told.id


def _was_elsewhere(in_trash: str, path: str) -> bool:
    place = trashcan.place_of(in_trash)
    return place != "" and not trashcan.is_same_place(place, path)


def _expect_free(moves: Iterable[tuple[str, str]]) -> None:
    for now, place in moves:
        with contextlib.suppress(OSError):
            if not os.path.samestat(os.lstat(place), os.lstat(now)):
                raise occupied(place)


def _trashed(
    note: trashcan.Note,
    store: Store | None,
    change: Change | None,
    notes: Mapping[str, Sequence[trashcan.Note]],
) -> Trashed | None:
    """One session in the trash; None for what is no file.

    :param store: where it was found, None where that is not known.
    :param change: what the journal says of it, None for nothing.
    :param notes: of all that is in the trash by where it was, to find its artifacts by.
    """
    try:
        status = os.lstat(note.in_trash)
    except OSError:
        return None
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        return None
    agents = store.agents if store else ()
    summary = provisional(note.in_trash, agents, status.st_mtime_ns // 1_000_000)
    belongings = () if change is None else change.moves[1:]
    artifacts = next(
        (now for was, now in belongings if os.path.lexists(now) and not _was_elsewhere(now, was)), ""
    ) or _artifacts(note, notes.get(os.path.splitext(note.path)[0], ()))
    if summary is None:
        agent = change.agent if change else next(iter(agents), "")
        session_id = change.session_id if change else ""
        title = os.path.basename(note.path)
    else:
        agent, session_id, title = summary.agent, summary.id, summary.title
    return Trashed(note.path, note.in_trash, agent, session_id, title, note.when_ms, artifacts)


def _artifacts(session: trashcan.Note, notes: Iterable[trashcan.Note]) -> str:
    """Which of `notes` is of the folder of artifacts that was trashed with the session: where that lies, ""
    where none is.
    """
    found = [
        (abs(note.when_ms - session.when_ms), note.in_trash) for note in notes if os.path.isdir(note.in_trash)
    ]
    apart, path = min(found, default=(TOGETHER_MS + 1, ""))
    return path if apart <= TOGETHER_MS else ""
