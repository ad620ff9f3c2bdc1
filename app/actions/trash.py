"""Moving a session to the system's trash, or deleting it where there is no trash."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec

from app import paths
from app.actions import trash_folder
from app.actions.safe_move import move
from app.formats.header import Header, find_header
from app.sessions.errors import (
    Changed,
    DiskFull,
    LiveSession,
    NotAFile,
    NotThere,
    ReadOnlyFolder,
    SessionError,
    Unreadable,
    WriteFailed,
)
from app.sessions.errors import NoTrash as NoTrash
from app.sessions.manager.change import Change, announce
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.session_file import now_ms
from app.sessions.storage.file_storage import refused
from app.stores import agent_named, artifacts_folder, discover, store_holding
from app.stores.base import Store
from app.stores.locks import Busy

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

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


def trash(path: str, env: Mapping[str, str], store: Store | None = None, *, anyway: bool = False) -> Change:
    """Move the session at `path` to the trash, and its folder of artifacts with it.

    :param env: the environment by which agents find their sessions, and the system its trash.
    :param store: where the session was found; None for the one that `env` leads to.
    :param anyway: also if a running agent may have it open, without certainty
        (formats/README.md, "Detecting a running agent").
    :return: the change; `before` is the old path, `after` the path in the trash, None if it is unknown.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises NoTrash: the system has no trash for this place.
    :raises DiskFull: the trash has no room left for it.
    :raises NotThere: it is gone: another process was quicker.
    :raises SessionError: it cannot be moved, and the class says why. In all cases nothing was moved.
    """
    # Imported first: nothing may come between the last check of who has the session open and its move.
    _own_send(env)
    with claim_session(path, env, store, anyway) as session:
        change = Change(
            "trash",
            session.path,
            entry_id="",
            before=session.path,
            agent=session.header.agent,
            session_id=session.header.id,
        )
        announce(change)
        now = _move_to_trash(session.path, session.status, env)
        moves = [(session.path, now)]
        note = "" if now else _unknown_place(session.path)
        if session.artifacts:
            try:
                moves.append(
                    (session.artifacts, _move_to_trash(session.artifacts, os.lstat(session.artifacts), env))
                )
            except (SessionError, OSError) as error:
                if now:
                    _take_back(now, session.path)
                    raise _named(error, session.artifacts) from None
                note = f"its folder of artifacts stays: {error}"
    return replace(change, after=now or None, note=note, moves=tuple(moves))


def trash_file(path: str, agent: str, env: Mapping[str, str]) -> Change:
    """Move a file that has the path of a session, but is none, to the trash.

    :param agent: the owner of the store.
    :param env: the environment by which the system finds its trash.
    :return: the change, as by `trash`, but without a session's id.
    :raises NoTrash, DiskFull, NotThere, ReadOnlyFolder: as in `trash`; nothing was moved.
    """
    try:
        status = os.lstat(path)
    except OSError:
        raise NotThere(path, 0, "no such file") from None
    change = Change("trash", path, entry_id="", before=path, agent=agent)
    announce(change)
    now = _move_to_trash(path, status, env)
    return replace(change, after=now or None, note="" if now else _unknown_place(path), moves=((path, now),))


def _unknown_place(path: str) -> str:
    return f"{path}: what the system's trash calls it is not known here"


def _move_to_trash(path: str, status: os.stat_result, env: Mapping[str, str]) -> str:
    """Move a file or folder to the trash; its path there, "" if it is unknown."""
    notes = trash_folder.next_note_paths(path, env)
    try:
        _send(path, env)
    except OSError as error:
        trash_folder.delete_stray_notes(notes)
        if not os.path.lexists(path):
            raise NotThere(path, 0, "no such file") from None
        folder = os.path.dirname(path)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ReadOnlyFolder(path, f"cannot be moved: {folder} may not be written") from None
        if error.errno == errno.ENAMETOOLONG:
            raise NoTrash(path, 0, "its name is too long for the system's trash") from None
        reason = ": ".join(_text(part) for part in (error.filename, error.strerror or error) if part)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            # There is a trash, once it has room: do not offer to delete for good.
            raise DiskFull(path, f"cannot be moved to the trash: {reason}", error.errno) from None
        raise NoTrash(path, 0, f"the system has no trash for it: {reason}") from None
    return trash_folder.find_in_trash(path, status, env)


def _text(part: object) -> str:
    return os.fsdecode(part) if isinstance(part, bytes) else str(part)


def _send(path: str, env: Mapping[str, str]) -> None:
    """Have the system trash the file or folder at `path`, under that environment.

    :raises OSError: it did not.
    """
    send = _own_send(env)
    if send is not None:
        send(path)
    else:
        _send_in_subprocess(path, _variables(env))


def _own_send(env: Mapping[str, str]) -> Callable[[str], object] | None:
    """The function that moves files to this process's trash; None if the trash of `env` is another one."""
    global _imported_under
    here = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    if _imported_under is None and "send2trash" not in sys.modules:
        _imported_under = here
    if not _variables(env) == here == _imported_under:
        return None
    from send2trash import send2trash  # it reads its variables when it is imported

    send: Callable[[str], object] = send2trash
    return send


def _variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables of `env` by which its trash is found."""
    wanted = {name: env[name] for name in _VARIABLES if env.get(name)}
    if not os.path.isabs(wanted.get("XDG_DATA_HOME", os.sep)):
        del wanted["XDG_DATA_HOME"]
    return wanted


def _send_in_subprocess(path: str, variables: Mapping[str, str]) -> None:
    """Trash it in a subprocess, because this process's trash is another one."""
    found = find_spec("send2trash")
    library = os.path.dirname(os.path.dirname(found.origin)) if found and found.origin else ""
    env = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
    # -P: nothing is imported from the folder that we happen to be in.
    done = subprocess.run(
        [sys.executable, "-P", "-c", _CHILD, library, path],
        env={**env, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        number = int(lines[-2]) if len(lines) > 1 and lines[-2].isdecimal() else 0
        raise OSError(number, lines[-1] if lines else f"ended with {done.returncode}")


def _take_back(now: str, path: str) -> None:
    note = trash_folder.note_path(now)
    try:
        move(now, path)
    except SessionError as error:
        reason = f"lies in the trash without its folder of artifacts, and cannot come back from {now}"
        raise WriteFailed(path, f"{reason}: {error.reason}") from None
    if note:
        os.unlink(note)


def _named(error: SessionError | OSError, path: str) -> SessionError:
    return error if isinstance(error, SessionError) else NoTrash(path, 0, str(error))


_TRIES = 3


class ClaimedSession:
    """The session's file and what belongs to it.

    path        its file, absolute
    status      of the file, or of the link that it is
    header      who it is
    artifacts   its folder of artifacts, "" where it has none
    """

    __slots__ = ("artifacts", "header", "path", "status")

    def __init__(self, path: str, status: os.stat_result, header: Header, artifacts: str) -> None:
        self.path = path
        self.status = status
        self.header = header
        self.artifacts = artifacts


@contextlib.contextmanager
def claim_session(
    path: str, env: Mapping[str, str], store: Store | None, anyway: bool
) -> Iterator[ClaimedSession]:
    """The session at `path`, locked while it is moved or deleted.

    :param store: where it was found; None for the one that `env` leads to.
    :param anyway: also if a running agent may have it open, without certainty.
    :raises NotThere: it is gone: another process was quicker.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises Changed: it was written to just now.
    :raises NotASession: the file is something else.
    :raises Unreadable: it cannot be read.
    """
    try:
        path = paths.absolute(path)
    except paths.CurrentFolderGone:
        raise NotThere(path, 0, paths.FOLDER_GONE) from None
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
        session = ClaimedSession(path, status, header, artifacts_folder(path, every))
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
    with contextlib.ExitStack() as held:
        try:
            if lock is not None:
                held.enter_context(lock)
        except Busy:
            raise LiveSession(path, f"another {agent} is writing it just now", None) from None
        except OSError:
            pass  # a system without such locks: the check of the processes has to suffice
        yield


def _require_unchanged(path: str, before: os.stat_result) -> None:
    """Pass if the file was not written since.

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
    """A descriptor of the file, locked as `FileStorage` locks it: until the end it is the file at `path`."""
    for _ in range(_TRIES):
        try:
            descriptor = os.open(
                path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            )
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise NotAFile(
                    path, 0, "is a folder" if stat.S_ISDIR(status.st_mode) else "is no regular file"
                )
            if fcntl is not None:
                with contextlib.suppress(OSError):  # some network file systems have no locks
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
            try:
                there = os.path.samestat(os.stat(path), status)
            except OSError as error:
                raise _unreadable(path, error) from None
            if there:
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
    """Delete the session at `path` and its folder of artifacts for good. Ask the user first, and only if
    `trash` raised `NoTrash`.

    :param env: the environment by which agents find their sessions.
    :param store: where the session was found; None for the one that `env` leads to.
    :param anyway: also if a running agent may have it open, without certainty
        (formats/README.md, "Detecting a running agent").
    :return: the change; `note` says if the folder of artifacts could not be deleted.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises NotThere: it is gone: another process was quicker.
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
        if session.artifacts:
            try:
                _delete_folder(session.artifacts)
                moves.append((session.artifacts, ""))
            except OSError as error:
                note = f"{session.artifacts}: cannot be deleted: {error.strerror or error}"
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


def _delete_folder(folder: str) -> None:
    if os.path.islink(folder):
        os.unlink(folder)  # the target of the link lies elsewhere, and may not belong to the session
    else:
        shutil.rmtree(folder)
