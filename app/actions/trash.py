"""Moving a session to the system's trash, or deleting it where there is no trash."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import NamedTuple

from app import paths
from app.actions import trash_folder
from app.actions.continuation import take_off_lines
from app.actions.safe_move import move
from app.formats.header import Header, find_header
from app.sessions.errors import (
    Changed,
    DiskFull,
    LiveSession,
    NotAFile,
    NoTrash,
    NotThere,
    ReadOnlyFolder,
    SessionError,
    Unreadable,
    WriteFailed,
)
from app.sessions.manager.change import Change, announce
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.rewriting import Lines
from app.sessions.manager.session_file import now_ms
from app.sessions.storage.file_storage import refuse_copy, refused
from app.stores import agent_named, artifacts_folder, backups, discover, store_holding
from app.stores.base import Store
from app.stores.locks import Busy

_VARIABLES = ("HOME", "XDG_DATA_HOME")
"""The variables by which the trash library finds its folder, once, when it is imported."""

_CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from send2trash import send2trash
try:
    send2trash(sys.argv[2])
except OSError as error:
    name = error.filename or ""
    name = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
    print(error.errno or 0, file=sys.stderr)
    sys.exit(": ".join(part for part in (name, error.strerror or str(error)) if part))
"""

_imported_under: dict[str, str] | None = None


def trash(
    path: str, env: Mapping[str, str], store: Store | None = None, *, anyway: bool = False, joined: Lines = ()
) -> Change:
    """Move the session at `path` to the trash, and with it its folder of artifacts and its backups, one of
    which the agent would else take for the session.

    :param env: the environment by which agents find their sessions, and the system its trash.
    :param store: where the session was found; None for the one that `env` leads to.
    :param anyway: also if a running agent only may have it open (formats/README.md, "Detecting a running
        agent").
    :param joined: lines that a restore appended; they are taken off the session in the trash.
    :return: the change; `before` is the old path, `after` the path in the trash, None if it is unknown.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises NoTrash: the system has no trash for files of this folder.
    :raises DiskFull: the trash has no room left for it.
    :raises NotThere: it does not exist any more.
    :raises SessionError: it cannot be moved, and the class says why. In all cases nothing was moved.
    """
    # The import takes time, which must not pass between the last check for running agents and the move.
    own_sender(env)
    with claim_session(path, env, store, anyway) as session:
        change = Change(
            "trash",
            session.path,
            entry_id="",
            before=session.path,
            agent=session.header.agent,
            session_id=session.header.id,
            lines=tuple((entry_id, line, "") for entry_id, _, line in joined),
        )
        announce(change)
        moves, note = _move_all(session.path, session.status, session.belongings, env)
        in_trash = moves[0][1]
        if in_trash:
            take_off_lines(in_trash, change.lines)
    return replace(change, after=in_trash or None, note=note, moves=tuple(moves))


def _move_all(
    path: str, status: os.stat_result, belongings: Sequence[str], env: Mapping[str, str]
) -> tuple[list[tuple[str, str]], str]:
    """Move a file, and then what belongs to it, to the trash: all or nothing, if the place in the trash is
    known.

    :return: the moves, and a note about what stays, "" for none.
    """
    in_trash = move_to_trash(path, status, env)
    moves = [(path, in_trash)]
    note = "" if in_trash else f"{path}: what the system's trash calls it is not known here"
    for belonging in belongings:
        try:
            moves.append((belonging, move_to_trash(belonging, os.lstat(belonging), env)))
        except (SessionError, OSError) as error:
            if in_trash:
                for was, now in reversed(moves):
                    _move_back(now, was)
                if isinstance(error, SessionError):
                    raise
                raise NoTrash(belonging, 0, str(error)) from None
            note = f"{belonging_of(path, belonging)} stays: {error}"
    return moves, note


def trash_file(
    path: str, agent: str, env: Mapping[str, str], *, session_id: str = "", belongings: Sequence[str] = ()
) -> Change:
    """Move a file that no agent can have open to the trash: one that is no session, but has the path of one,
    or leafmark's copy of a session.

    :param agent: the owner of the store.
    :param env: the environment by which the system finds its trash.
    :param session_id: of the session; "" if it is none.
    :param belongings: files and folders that go with it.
    :return: the change, as by `trash`.
    :raises NoTrash, DiskFull, NotThere, ReadOnlyFolder: as in `trash`; nothing was moved.
    """
    try:
        status = os.lstat(path)
    except OSError:
        raise NotThere(path, 0, "no such file") from None
    change = Change("trash", path, entry_id="", before=path, agent=agent, session_id=session_id)
    announce(change)
    moves, note = _move_all(path, status, belongings, env)
    return replace(change, after=moves[0][1] or None, note=note, moves=tuple(moves))


def move_to_trash(path: str, status: os.stat_result, env: Mapping[str, str]) -> str:
    """Move a file or folder to the trash; return its path there, "" if that is unknown."""
    note_paths = trash_folder.next_note_paths(path, env)
    try:
        send_to_system(path, env)
    except OSError as error:
        trash_folder.delete_stray_notes(note_paths)
        if not os.path.lexists(path):
            raise NotThere(path, 0, "no such file") from None
        folder = os.path.dirname(path)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ReadOnlyFolder(path, f"cannot be moved: {folder} may not be written") from None
        if error.errno == errno.ENAMETOOLONG:
            raise NoTrash(path, 0, "its name is too long for the system's trash") from None
        reason = ": ".join(_text(part) for part in (error.filename, error.strerror or error) if part)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            # Not `NoTrash`, after which the user is asked whether to delete the session for good.
            raise DiskFull(path, f"cannot be moved to the trash: {reason}", error.errno) from None
        raise NoTrash(path, 0, f"the system has no trash for it: {reason}") from None
    return trash_folder.find_in_trash(path, status, env)


def _text(part: object) -> str:
    return os.fsdecode(part) if isinstance(part, bytes) else str(part)


def send_to_system(path: str, env: Mapping[str, str]) -> None:
    """Have the system move the file or folder at `path` to the trash of `env`. All moves to the trash go
    through this function, so that another trash can take its place.

    :raises OSError: it failed.
    """
    send = own_sender(env)
    if send is not None:
        send(path)
    else:
        send_in_subprocess(path, _variables(env))


def own_sender(env: Mapping[str, str]) -> Callable[[str], object] | None:
    """The function that moves files to this process's trash; None if the trash of `env` is another one."""
    global _imported_under
    own = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    if _imported_under is None and "send2trash" not in sys.modules:
        _imported_under = own
    if not _variables(env) == own == _imported_under:
        return None
    from send2trash import send2trash  # it reads the variables when it is imported

    send: Callable[[str], object] = send2trash
    return send


def _variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables of `env` by which its trash is found."""
    variables = {name: env[name] for name in _VARIABLES if env.get(name)}
    if not os.path.isabs(variables.get("XDG_DATA_HOME", os.sep)):
        del variables["XDG_DATA_HOME"]
    return variables


def send_in_subprocess(path: str, variables: Mapping[str, str]) -> None:
    """Move the file or folder to the trash in a subprocess, because this process has another trash."""
    spec = find_spec("send2trash")
    library = os.path.dirname(os.path.dirname(spec.origin)) if spec and spec.origin else ""
    env = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
    # -P: nothing is imported from the current folder.
    process = subprocess.run(
        [sys.executable, "-P", "-c", _CHILD, library, path],
        env={**env, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if process.returncode:
        lines = process.stderr.decode("utf-8", "replace").strip().splitlines()
        number = int(lines[-2]) if len(lines) > 1 and lines[-2].isdecimal() else 0
        raise OSError(number, lines[-1] if lines else f"ended with {process.returncode}")


def belonging_of(session: str, path: str) -> str:
    """The words for the file or folder at `path`, which belongs to the session."""
    return "its folder of artifacts" if path == os.path.splitext(session)[0] else "its backup"


def _move_back(in_trash: str, path: str) -> None:
    """Move a session, or what belongs to it, from the trash back to `path`, and delete the note about it.

    :raises WriteFailed: it cannot be moved back.
    """
    try:
        move(in_trash, path)
    except SessionError as error:
        reason = f"lies in the trash without all that belongs to it, and cannot come back from {in_trash}"
        raise WriteFailed(path, f"{reason}: {error.reason}") from None
    trash_folder.delete_note(in_trash)


_TRIES = 3
"""Attempts to lock a file that other programs keep replacing."""


class ClaimedSession(NamedTuple):
    """A session that is locked, see `claim_session`.

    path        the session's file, absolute
    status      of the file, or of the link at its path
    header      the session's header
    belongings  its folder of artifacts, if it has one, and its backups
    """

    path: str
    status: os.stat_result
    header: Header
    belongings: tuple[str, ...]


@contextlib.contextmanager
def claim_session(
    path: str, env: Mapping[str, str], store: Store | None, anyway: bool
) -> Iterator[ClaimedSession]:
    """Lock the session at `path` in the body of a `with`, to move or delete it.

    :param store: where it was found; None for the one that `env` leads to.
    :param anyway: also if a running agent only may have it open.
    :raises NotThere: it does not exist any more.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises Changed: it was written to since it was locked.
    :raises NotASession: the file is something else.
    :raises Unreadable: it cannot be read.
    """
    try:
        path = paths.absolute(path)
    except paths.CurrentFolderGone:
        raise NotThere(path, 0, paths.FOLDER_GONE) from None
    refuse_copy(path)
    home = paths.home_folder(env)
    stores = [store] if store is not None else discover(env, home, paths.current_folder() or os.sep)
    holding = store or store_holding(path, stores)
    with _lock_file(path) as descriptor:
        try:
            header = find_header(path, descriptor, () if holding is None else holding.agents)
            status = os.lstat(path)
        except OSError as error:
            raise _unreadable(path, error) from None
        LiveGuard(env, home).check("trash", header, path, now_ms(), only_live=anyway)
        every = [*stores, *discover(env, home, paths.current_folder() or os.sep)]
        belongings = (artifacts_folder(path, every), *backups(path))
        session = ClaimedSession(path, status, header, tuple(filter(None, belongings)))
        with _lock_writers(header.agent, path):
            # Checked again directly before the move: an agent may have started meanwhile.
            LiveGuard(env, home).check("trash", header, path, now_ms(), only_live=anyway)
            _require_unchanged(path, status)
            yield session


@contextlib.contextmanager
def _lock_writers(agent: str, path: str) -> Iterator[None]:
    """Hold the lock of the agent's own programs, if they have one, so that none of them writes meanwhile.

    :raises LiveSession: one of them is writing.
    """
    lock = agent_named(agent).writers_lock(path)
    with contextlib.ExitStack() as locks:
        try:
            if lock is not None:
                locks.enter_context(lock)
        except Busy:
            raise LiveSession(path, f"another {agent} is writing it just now", None) from None
        except OSError:
            pass  # a system without such locks: only the processes are checked
        yield


def _require_unchanged(path: str, before: os.stat_result) -> None:
    """Pass if the file was not changed since it had the status `before`.

    :raises Changed: it was.
    """
    try:
        now = os.lstat(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    if not os.path.samestat(now, before) or (now.st_size, now.st_mtime_ns) != (
        before.st_size,
        before.st_mtime_ns,
    ):
        raise Changed(path)


@contextlib.contextmanager
def _lock_file(path: str) -> Iterator[int]:
    """Open the file at `path` and lock it as `FileStorage` does; the result is its descriptor. No leafmark
    replaces the file in the body of the `with`.
    """
    for _ in range(_TRIES):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise NotAFile(
                    path, 0, "is a folder" if stat.S_ISDIR(status.st_mode) else "is no regular file"
                )
            with contextlib.suppress(OSError):  # some network file systems have no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            try:
                is_current = os.path.samestat(os.stat(path), status)
            except OSError as error:
                raise _unreadable(path, error) from None
            if is_current:
                yield descriptor
                return
        finally:
            os.close(descriptor)
    raise Changed(path)


def _unreadable(path: str, error: OSError | ValueError) -> Unreadable:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NotThere(path, 0, "no such file")
    return Unreadable(path, 0, f"cannot be read: {getattr(error, 'strerror', None) or error}")


def delete_for_good(
    path: str, env: Mapping[str, str], store: Store | None = None, *, anyway: bool = False
) -> Change:
    """Delete the session at `path`, its folder of artifacts and its backups for good. Ask the user first, and
    only if `trash` raised `NoTrash`.

    :param env: the environment by which agents find their sessions.
    :param store: where the session was found; None for the one that `env` leads to.
    :param anyway: also if a running agent only may have it open (formats/README.md, "Detecting a running
        agent").
    :return: the change; `note` says if something that belongs to it could not be deleted.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises NotThere: it does not exist any more.
    :raises SessionError: nothing was deleted; the class says why.
    """
    note = ""
    with claim_session(path, env, store, anyway) as session:
        moves = [(session.path, "")]
        try:
            os.unlink(session.path)
        except FileNotFoundError:
            raise NotThere(session.path, 0, "no such file") from None
        except OSError as error:
            refused(session.path, error)
        for belonging in session.belongings:
            try:
                delete_belonging(belonging)
                moves.append((belonging, ""))
            except OSError as error:
                note = f"{belonging}: cannot be deleted: {error.strerror or error}"
    return Change(
        "delete",
        session.path,
        entry_id="",
        before=session.path,
        agent=session.header.agent,
        session_id=session.header.id,
        note=note,
        moves=tuple(moves),
    )


def delete_belonging(path: str) -> None:
    """Delete a folder or a file, or the link in its place.

    :raises OSError: the system refused.
    """
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)  # the target of a link may not belong to the session
