"""Moving a session to the system's trash, from which it can be taken back."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from app.actions import trashcan
from app.actions.moving import move
from app.actions.removable import removable
from app.sessions.errors import DiskFull, NotThere, ReadOnlyFolder, SessionError, WriteFailed
from app.sessions.errors import NoTrash as NoTrash
from app.sessions.manager.change import Change, announce

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.stores.base import Store

_VARIABLES = ("HOME", "XDG_DATA_HOME")
"""What the trash library finds its folder by. It looks at the process, and only when it is imported."""

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
    :param store: where the session was found; the one that `env` leads to where None.
    :param anyway: also where a running agent may have it open, for all that is known
        (formats/README.md, "Detecting a running agent").
    :return: what was done; `before` is where it was, `after` where it lies now, None where nobody can say.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises NoTrash: the system has no trash for this place.
    :raises DiskFull: the trash has no room left for it.
    :raises NotThere: it is gone: another was quicker.
    :raises SessionError: it cannot be taken away, and the class says why. In all cases nothing was moved.
    """
    # Imported before: nothing may come between the last look at who has the session open and its move.
    _own_trash(env)
    with removable(path, env, store, anyway) as session:
        change = Change(
            "trash",
            session.path,
            entry_id="",
            before=session.path,
            agent=session.header.agent,
            session_id=session.header.id,
        )
        announce(change)
        now = _away(session.path, session.status, env)
        moves = [(session.path, now)]
        note = "" if now else _lost(session.path)
        if session.artifacts:
            try:
                moves.append((session.artifacts, _away(session.artifacts, os.lstat(session.artifacts), env)))
            except (SessionError, OSError) as error:
                if now:
                    _take_back(now, session.path)
                    raise _named(error, session.artifacts) from None
                note = f"its folder of artifacts stays: {error}"
    return replace(change, after=now or None, note=note, moves=tuple(moves))


def trash_file(path: str, agent: str, env: Mapping[str, str]) -> Change:
    """Move a file that is no session, but stands at the place of one, to the trash.

    :param agent: whose store it lies in.
    :param env: the environment by which the system finds its trash.
    :return: what was done, as by `trash`, but without a session's id.
    :raises NoTrash, DiskFull, NotThere, ReadOnlyFolder: as `trash`; nothing was moved.
    """
    try:
        status = os.lstat(path)
    except OSError:
        raise NotThere(path, 0, "no such file") from None
    change = Change("trash", path, entry_id="", before=path, agent=agent)
    announce(change)
    now = _away(path, status, env)
    return replace(change, after=now or None, note="" if now else _lost(path), moves=((path, now),))


def _lost(path: str) -> str:
    return f"{path}: what the system's trash calls it is not known here"


def _away(path: str, status: os.stat_result, env: Mapping[str, str]) -> str:
    """Move one thing to the trash; where it lies now, "" where that is not known."""
    notes = trashcan.next_notes(path, env)
    try:
        _send(path, env)
    except OSError as error:
        trashcan.drop_stray(notes)
        if not os.path.lexists(path):
            raise NotThere(path, 0, "no such file") from None
        folder = os.path.dirname(path)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ReadOnlyFolder(path, f"cannot be moved: {folder} may not be written") from None
        if error.errno == errno.ENAMETOOLONG:
            raise NoTrash(path, 0, "its name is too long for the system's trash") from None
        reason = ": ".join(_text(part) for part in (error.filename, error.strerror or error) if part)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            # There is a trash, once there is room: nobody is to be asked whether to delete for good.
            raise DiskFull(path, f"cannot be moved to the trash: {reason}", error.errno) from None
        raise NoTrash(path, 0, f"the system has no trash for it: {reason}") from None
    return trashcan.find(path, status, env)


def _text(part: object) -> str:
    return os.fsdecode(part) if isinstance(part, bytes) else str(part)


def _send(path: str, env: Mapping[str, str]) -> None:
    """Have the system trash what is at `path`, under that environment.

    :raises OSError: it did not.
    """
    send = _own_trash(env)
    if send is not None:
        send(path)
    else:
        _send_elsewhere(path, _variables(env))


def _own_trash(env: Mapping[str, str]) -> Callable[[str], object] | None:
    """What moves things to the trash of this process; None where that is another than that of `env`."""
    global _imported_under
    here = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    if _imported_under is None and "send2trash" not in sys.modules:
        _imported_under = here
    if not _variables(env) == here == _imported_under:
        return None
    from send2trash import send2trash

    send: Callable[[str], object] = send2trash
    return send


def _variables(env: Mapping[str, str]) -> dict[str, str]:
    """Those by which the trash under `env` is found."""
    wanted = {name: env[name] for name in _VARIABLES if env.get(name)}
    if not os.path.isabs(wanted.get("XDG_DATA_HOME", os.sep)):
        del wanted["XDG_DATA_HOME"]
    return wanted


def _send_elsewhere(path: str, variables: Mapping[str, str]) -> None:
    """The same in a process of its own: this one's trash is another."""
    from importlib.util import find_spec

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
    note = trashcan.note_of(now)
    try:
        move(now, path)
    except SessionError as error:
        reason = f"lies in the trash without its folder of artifacts, and cannot come back from {now}"
        raise WriteFailed(path, f"{reason}: {error.reason}") from None
    if note:
        os.unlink(note)


def _named(error: SessionError | OSError, path: str) -> SessionError:
    return error if isinstance(error, SessionError) else NoTrash(path, 0, str(error))
