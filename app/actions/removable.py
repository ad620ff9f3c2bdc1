"""A session that is about to be taken away: no running agent has it, and no second leafmark takes it as well
(formats/README.md, "Writing beside a running agent").
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from app import paths
from app.formats.header import find_header
from app.sessions.errors import Changed, LiveSession, NotAFile, NotThere, Unreadable
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.tracked_file import now_ms
from app.stores import agent_named, artifacts_folder, discover, store_holding
from app.stores.locks import Busy

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.formats.header import Header
    from app.stores.base import Store

_TRIES = 3


class Removable:
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
def removable(path: str, env: Mapping[str, str], store: Store | None, anyway: bool) -> Iterator[Removable]:
    """The session at `path`, held while it is taken away.

    :param store: where it was found; the one that `env` leads to where None.
    :param anyway: also where a running agent may have it open, for all that is known.
    :raises NotThere: it is gone: another was quicker.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises Changed: somebody has just written to it.
    :raises NotASession: the file is something else.
    :raises Unreadable: it cannot be read.
    """
    try:
        path = paths.absolute(path)
    except paths.Nowhere:
        raise NotThere(path, 0, paths.GONE) from None
    home = paths.home_folder(env)
    stores = [store] if store is not None else discover(env, home, paths.here() or os.sep)
    holding = store or store_holding(path, stores)
    with _held(path) as descriptor:
        try:
            header = find_header(path, descriptor, () if holding is None else holding.agents)
            status = os.lstat(path)
        except OSError as error:
            raise _unreadable(path, error) from None
        LiveGuard(env, home).check("trash", header, path, now_ms(), only_live=anyway)
        every = [*stores, *discover(env, home, paths.here() or os.sep)]
        session = Removable(path, status, header, artifacts_folder(path, every))
        with _without_writers(header.agent, path):
            # Directly before it goes, and with a look of its own: an agent may have begun meanwhile.
            LiveGuard(env, home).check("trash", header, path, now_ms(), only_live=anyway)
            _expect_same(path, status)
            yield session


@contextlib.contextmanager
def _without_writers(agent: str, path: str) -> Iterator[None]:
    """The lock of the agent's own programs, where they have one: none of them writes meanwhile.

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
            pass  # a system without such locks: what was seen of the processes has to do
        yield


def _expect_same(path: str, before: os.stat_result) -> None:
    """Nobody has written since."""
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
def _held(path: str) -> Iterator[int]:
    """A descriptor of the file, locked as the one writer locks it: until the end it is the file at `path`."""
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
