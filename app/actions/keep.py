"""Copies of sessions, which outlive the files: keeping, restoring and dropping them (`app.stores.kept` says
where they are).

A copy is written beside its place, read back, and renamed, so that an interrupted keep leaves nothing that
counts as a copy. If a file lacks what its copy has, because it shrank or was replaced, the old copy goes to
the folder `kept-earlier` and stays there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from app.actions.safe_move import already_there
from app.actions.trash import trash, trash_file
from app.actions.unpacking import damage, make_folders, opened_file, remove_made, unpack
from app.formats.packed import CHUNK, PACKED, chunks, unpacked_size
from app.index.filter_context import expiry_of
from app.index.row import Row
from app.paths import make_own_folders
from app.sessions.errors import (
    Changed,
    DiskFull,
    NotAFile,
    NotThere,
    SessionError,
    WriteFailed,
)
from app.sessions.manager.change import Change, announce
from app.sessions.storage.file_storage import refused
from app.sessions.storage.temporary import SUFFIX, new_copy, remove, temporaries
from app.sessions.summaries.quick_summary import quick_summary
from app.small_files import rename_exclusively, sync
from app.stores import artifacts_folder
from app.stores.base import Store
from app.stores.kept import copy_path, earlier_folder, files_below, original_path
from app.stores.layout import copies
from app.stores.retention import SOON_MS, time_after_restore

_TRIES = 3
"""Attempts to copy a file that other programs keep changing."""
_LEVEL = 5
"""The effort of the compression: with 6, a copy is 2 % smaller and takes a quarter longer."""
_MOST_THREADS = 4


class Kept(NamedTuple):
    """A session that was kept.

    :param path: of its file; ``copy`` that of the copy.
    :param size: of the files in bytes, with those of the artifacts; ``copy_size`` that of their copies.
    :param written: the number of copies that were written; 0: all were up to date.
    """

    path: str
    copy: str
    size: int
    copy_size: int
    written: int


def keep(path: str, store: Store, stores: Sequence[Store], *, anew: bool = False) -> Kept:
    """Keep a compressed copy of the session at `path` and of the files in its folder of artifacts. A copy
    that is up to date stays. Links in the artifacts are not followed, and not kept.

    The session is copied first: an agent that deletes it meanwhile deletes it before its artifacts.

    :param store: where the session was found, with `Store.kept`.
    :param stores: all stores.
    :param anew: also replace copies that seem to be up to date.
    :raises NotThere: there is no such file.
    :raises NotAFile: it is none, or a link that leads out of the store.
    :raises Changed: other programs keep changing the file.
    :raises Unreadable: it cannot be read.
    :raises WriteFailed: the copy cannot be written; an older copy stays. DiskFull if there is no room.
    """
    _require_inside(path, store)
    if not store.kept:
        raise WriteFailed(path, "is not kept: the path of leafmark's state folder cannot be resolved")
    copy = copy_path(path, store.kept)
    written = int(_copy_file(path, copy, store.kept, anew=anew))
    for file, _ in _artifacts(path, stores):
        with contextlib.suppress(NotThere):
            written += _copy_file(file, copy_path(file, store.kept), store.kept, anew=anew)
    size, copy_size = sizes(copy)
    return Kept(path, copy, size, copy_size, written)


def keep_with_undo(path: str, store: Store, agent: str, session_id: str) -> Change:
    """Keep a session as `keep`.

    :param agent: the name of its agent.
    :return: the change: `after` is the copy, and `before` as well if there was one. Its undo drops a copy
        that was not there before.
    :raises SessionError: see `keep`.
    """
    copy = copy_path(path, store.kept)
    before = copy if os.path.lexists(copy) else None
    keep(path, store, [store])
    return Change("keep", path, "", before=before, after=copy, agent=agent, session_id=session_id)


def keep_all(
    sessions: Sequence[tuple[str, Store]],
    stores: Sequence[Store],
    done: Callable[[int, str, Kept | SessionError], object],
    keep_going: Callable[[], bool] = lambda: True,
) -> None:
    """Keep several sessions at a time. After one for which the disk has no room, the others are left alone.

    :param sessions: (path, store) of each.
    :param done: called with the number of sessions that are done, the path, and the result or the error.
    :param keep_going: called between two sessions; False ends it.
    """
    is_full = False

    def keep_one(session: tuple[str, Store]) -> Kept | SessionError | None:
        nonlocal is_full
        if is_full or not keep_going():
            return None
        try:
            return keep(*session, stores)
        except SessionError as error:
            is_full = is_full or isinstance(error, DiskFull)
            return error

    # Compressing leaves the lock of the interpreter to other threads.
    threads = min(_MOST_THREADS, os.cpu_count() or 1, len(sessions) or 1)
    with ThreadPoolExecutor(threads) as pool:
        try:
            results = zip(sessions, pool.map(keep_one, sessions), strict=True)
            for number, ((path, _), result) in enumerate(results, 1):
                if result is not None:
                    done(number, path, result)
        except BaseException:  # a signal does not wait for the rest
            pool.shutdown(cancel_futures=True)
            raise
    for folder in {os.path.dirname(copy_path(path, store.kept)) for path, store in sessions}:
        for leftover in temporaries(folder):
            if leftover.is_old(time.time_ns() // 1_000_000):
                remove(leftover)


def replace(
    path: str, store: Store, stores: Sequence[Store], env: Mapping[str, str], *, anyway: bool
) -> Change:
    """Keep the session at `path`, and move it and its artifacts to the trash; see `keep` and `trash`.

    :raises SessionError: it was not moved; the copies may have been written.
    """
    copy = keep(path, store, stores, anew=True).copy
    change = trash(path, env, store, anyway=anyway)
    if change.after and not is_current(copy, os.stat(change.after)):
        note = "its copy lacks what was written last, which is in the trash"
        return dataclasses.replace(change, note=note)
    return change


def due(
    rows: Sequence[Row],
    stores: Sequence[Store],
    setting: str,
    now_ms: int,
) -> list[tuple[str, Store]]:
    """(path, store) of the sessions to keep at the end of a scan: the kept ones that have changed, and those
    that the user's setting asks for: "expiring" for the ones that their agent may delete within seven days,
    "all" for all that it may ever delete. "ask" and "never" ask for none.

    :param rows: all sessions.
    """
    by_root = {store.root: store for store in stores}
    wanted, expires = dict(outdated(stores)), expiry_of(lambda: rows)
    if setting in ("expiring", "all"):
        for row in rows:
            store = by_root.get(row.store)
            expires_ms = None if row.is_gone or store is None else expires(row)
            if store is None or expires_ms is None or os.path.lexists(copy_path(row.path, store.kept)):
                continue
            if setting == "all" or expires_ms <= now_ms + SOON_MS:
                wanted[row.path] = store
    return [*wanted.items()]


def outdated(stores: Sequence[Store]) -> Iterator[tuple[str, Store]]:
    """(path, store) of the kept sessions whose files have changed since."""
    for store in stores:
        for entry in copies(store):
            path = original_path(entry.path, store.kept)
            try:
                files = [(path, os.stat(path)), *_artifacts(path, stores)]
            except OSError:
                continue  # it is gone
            if not all(is_current(copy_path(file, store.kept), status) for file, status in files):
                yield path, store


def is_current(copy: str, status: os.stat_result) -> bool:
    """Whether a copy has the time and the size of the file with this status."""
    try:
        is_same = os.lstat(copy).st_mtime_ns == status.st_mtime_ns
    except OSError:
        return False
    return is_same and unpacked_size(copy) == status.st_size & 0xFFFF_FFFF


def damaged(copy: str) -> tuple[str, str]:
    """(path, reason) of the first damaged copy of a kept session and its artifacts; two "" if there is none.

    :param copy: of the session's file.
    """
    return next(((each, reason) for each in _copies_of(copy) if (reason := damage(each))), ("", ""))


def sizes(copy: str) -> tuple[int, int]:
    """The bytes of the files of a kept session when they were copied, and those of their copies."""
    size = copy_size = 0
    for each in _copies_of(copy):
        with contextlib.suppress(OSError):  # dropped meanwhile
            copy_size += os.stat(each).st_size
            size += unpacked_size(each)
    return size, copy_size


def restore_kept(copy: str, store: Store, retention: int | None, now_ms: int) -> Change:
    """Bring the files of a kept session back, byte for byte. The copies stay.

    Their modification times are those of the files that were copied, or the present time if the agent would
    else delete them (`app.stores.retention`).

    :param copy: of the session's file.
    :param retention: see `retention_ms`.
    :return: the change: `before` is the copy, `after` the session's file. `note` says which files were there.
    :raises AlreadyThere: a file has the path of the session; nothing was changed.
    :raises NotThere: there is no such copy.
    :raises DamagedCopy: it cannot be unpacked; nothing was changed.
    :raises WriteFailed: the system refused; nothing was changed.
    """
    path = original_path(copy, store.kept)
    if os.path.lexists(path):
        raise already_there(path)
    with opened_file(copy):
        pass  # if it is missing, nothing is announced
    summary = quick_summary(copy, store.agents, 0)
    agent, session_id = (summary.agent, summary.id) if summary else (store.agent.name, "")
    change = Change(
        *("file", path, ""),
        before=copy,
        after=path,
        agent=agent,
        session_id=session_id,
        after_id=session_id,
    )
    announce(change)
    made: list[str] = []
    there = 0
    try:
        # The session is last: once it is there, it is complete.
        for each in (*_artifacts_of(copy), copy):
            target = original_path(each, store.kept)
            if each != copy and os.path.lexists(target):
                there += 1
                continue
            time_ns = time_after_restore(os.stat(each).st_mtime_ns, retention, now_ms)
            unpack(each, target, time_ns, made)
            # The copy is up to date: the file has this time now.
            os.utime(each, ns=(time_ns, time_ns))
    except (SessionError, OSError) as error:
        remove_made(made)
        if isinstance(error, SessionError):
            raise
        refused(path, error)
    if there:
        files = "1 file of its artifacts was" if there == 1 else f"{there:,} files of its artifacts were"
        return dataclasses.replace(change, note=f"{files} there already, and stayed")
    return change


def drop(copy: str, store: Store, env: Mapping[str, str]) -> Change:
    """Move the copies of a kept session to the trash. The session's own file is not touched.

    :param copy: of the session's file.
    :raises NoTrash, DiskFull, NotThere, ReadOnlyFolder: as in `trash`; nothing was moved.
    """
    summary = quick_summary(copy, store.agents, 0)
    earlier = earlier_folder(store.kept) + original_path(copy, store.kept)
    belongings = [_artifacts_folder(copy), *_numbered(earlier), os.path.splitext(earlier)[0]]
    belongings = [each for each in belongings if os.path.lexists(each)]
    session_id = summary.id if summary else ""
    return trash_file(copy, store.agent.name, env, session_id=session_id, belongings=belongings)


# inside


def _require_inside(path: str, store: Store) -> None:
    """:raises NotAFile: the path leads out of the store."""
    if not os.path.lexists(path):
        raise NotThere(path, 0, "no such file")
    root = os.path.realpath(store.root)
    if not os.path.realpath(path).startswith(os.path.join(root, "")):
        raise NotAFile(path, 0, "is a link that leads out of the folder of sessions, and is not kept")


def _artifacts(path: str, stores: Sequence[Store]) -> Iterator[tuple[str, os.stat_result]]:
    """(path, status) of the files in the folder of artifacts of a session."""
    folder = artifacts_folder(path, stores)
    if folder and not os.path.islink(folder):
        # Other files are left by a leafmark that was killed while it wrote.
        yield from (found for found in files_below(folder) if not found[0].endswith(SUFFIX))


def _artifacts_folder(copy: str) -> str:
    return os.path.splitext(copy[: -len(PACKED)])[0]


def _artifacts_of(copy: str) -> list[str]:
    """The copies of the artifacts of a kept session."""
    return [path for path, _ in files_below(_artifacts_folder(copy)) if path.endswith(PACKED)]


def _copies_of(copy: str) -> list[str]:
    return [copy, *_artifacts_of(copy)]


def _state_of(copy: str) -> tuple[int, int, int] | None:
    try:
        status = os.lstat(copy)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _copy_file(source: str, copy: str, kept: str, *, anew: bool = False) -> bool:
    """Bring the copy of a file up to date; return whether it was written."""
    for _ in range(_TRIES):
        with opened_file(source) as descriptor:
            before = os.fstat(descriptor)
            if not anew and is_current(copy, before):
                return False
            known = _state_of(copy)
            temporary = ""
            try:
                _make_own_folders(os.path.dirname(copy), kept)
                target, temporary = new_copy(os.path.dirname(copy))
                try:
                    is_whole = _pack(descriptor, before.st_size, target, temporary)
                finally:
                    os.close(target)
                if not is_whole or _has_changed(source, descriptor, before):
                    continue
                os.utime(temporary, ns=(before.st_mtime_ns, before.st_mtime_ns))
                loses = known is not None and not _is_extended(copy, descriptor)
                if _publish(temporary, copy, known, kept, keeps_old=loses):
                    return True
            except OSError as error:
                refused(copy, error)
            finally:
                with contextlib.suppress(OSError):
                    if temporary:
                        os.unlink(temporary)
    raise Changed(source)


def _has_changed(source: str, descriptor: int, before: os.stat_result) -> bool:
    """Whether what was read is no longer the beginning of the file at this path. It may have grown."""
    now = os.fstat(descriptor)
    if now.st_size < before.st_size or (
        now.st_size == before.st_size and now.st_mtime_ns != before.st_mtime_ns
    ):
        return True
    try:
        return not os.path.samestat(os.stat(source), before)
    except OSError:
        return False  # it was deleted, and was read whole


def _make_own_folders(folder: str, own: str) -> None:
    """Make a folder in the folder `own` of leafmark, which may be missing as well."""
    if not os.path.isdir(folder):
        make_own_folders(os.path.dirname(own), own)
        make_folders(folder, [])


def _pack(source: int, size: int, target: int, path: str) -> bool:
    """Write the first `size` bytes of a file compressed to `target`, and read them back.

    :return: False: the file has fewer bytes.
    :raises WriteFailed: what was read back differs.
    """
    compressor = zlib.compressobj(_LEVEL, wbits=zlib.MAX_WBITS | 16)
    offset = checksum = 0
    while offset < size:
        data = os.pread(source, min(CHUNK, size - offset), offset)
        if not data:
            return False
        offset += len(data)
        checksum = zlib.crc32(data, checksum)
        _write(target, compressor.compress(data))
    _write(target, compressor.flush())
    os.fsync(target)
    os.lseek(target, 0, os.SEEK_SET)
    read = check = 0
    for data in chunks(path, target):
        read += len(data)
        check = zlib.crc32(data, check)
    if (read, check) != (size, checksum):
        raise WriteFailed(path, "was written, and reads back differently")
    return True


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _is_extended(copy: str, source: int) -> bool:
    """Whether the file has all that an older copy has, so that the copy can be replaced. A first line of the
    same length may differ: agents write the title there in place.
    """
    position = 0
    try:
        with opened_file(copy) as descriptor:
            for old in chunks(copy, descriptor):
                new = os.pread(source, len(old), position)
                end = new.find(b"\n") if not position else -1
                if end >= 0 and end == old.find(b"\n"):
                    old, new = old[end:], new[end:]
                    position += end
                if old != new:
                    return False
                position += len(old)
    except (OSError, SessionError):
        return False  # a damaged copy stays: a user may want to read the rest of it
    return True


def _publish(
    temporary: str, copy: str, known: tuple[int, int, int] | None, kept: str, *, keeps_old: bool
) -> bool:
    """Give a new copy its name. False: another process has written or moved the copy since `known`."""
    folder = os.path.dirname(copy)
    lock = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        if _state_of(copy) != known:
            return False
        if keeps_old:
            _move_to_earlier(copy, kept)
        os.replace(temporary, copy)
    finally:
        os.close(lock)
    sync(folder)
    return True


def _move_to_earlier(copy: str, kept: str) -> None:
    path = earlier_folder(kept) + original_path(copy, kept)
    _make_own_folders(os.path.dirname(path), earlier_folder(kept))
    earlier = f"{path}.{len(_numbered(path)) + 1}{PACKED}"
    try:
        os.link(copy, earlier)
    except OSError:  # a file system without hard links
        rename_exclusively(copy, earlier)


def _numbered(path: str) -> list[str]:
    """The earlier copies of a file."""
    folder, name = os.path.split(path)
    pattern = re.compile(re.escape(name) + r"\.\d+" + re.escape(PACKED))
    try:
        return [os.path.join(folder, each) for each in sorted(os.listdir(folder)) if pattern.fullmatch(each)]
    except OSError:
        return []
