"""The system's trash: which folders it is, what lies in them and where it came from.

They are those of the freedesktop.org trash specification: one below the user's data folder, and one at the
top of each other file system. macOS has a plain folder, which does not say where a thing came from.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from typing import TYPE_CHECKING, NamedTuple

from app import paths
from app.small_files import read_small

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FILES, INFO, SUFFIX = "files", "info", ".trashinfo"

_LONGEST = 64 << 10


class TrashFolder(NamedTuple):
    """One folder of the trash.

    files   where what was trashed lies
    info    where notes about it lie, "" where none are kept
    base    what the paths in the notes are relative to
    """

    files: str
    info: str
    base: str


class Note(NamedTuple):
    """What a note in the trash says.

    path       where the thing was
    in_trash   where it lies
    when_ms    when it was trashed, milliseconds since the epoch
    """

    path: str
    in_trash: str
    when_ms: int


def data_folder(env: Mapping[str, str]) -> str:
    """The user's data folder, below which the trash is; the specification passes over a relative one."""
    folder = env.get("XDG_DATA_HOME", "")
    return folder if os.path.isabs(folder) else os.path.join(paths.home_folder(env), ".local", "share")


def folders(env: Mapping[str, str], paths: Iterable[str]) -> list[TrashFolder]:
    """The trash folders that things from `paths` may be in; they need not exist."""
    uid = os.getuid() if hasattr(os, "getuid") else 0
    tops = dict.fromkeys(_mount_point(path) for path in paths)
    if sys.platform == "darwin":
        bins = [os.path.join(paths.home_folder(env), ".Trash")]
        bins += [os.path.join(top, ".Trashes", str(uid)) for top in tops]
        return [TrashFolder(path, "", "") for path in bins]
    data = data_folder(env)
    found = [_folder(os.path.join(data, "Trash"), data)]
    for top in tops:
        found.append(_folder(os.path.join(top, ".Trash", str(uid)), top))
        found.append(_folder(os.path.join(top, f".Trash-{uid}"), top))
    return list(dict.fromkeys(found))


def notes(folder: TrashFolder, beginning: str = "") -> Iterator[Note]:
    """What the trash says of the things in it that are there, in no order.

    :param beginning: only of those whose names in the trash begin so.
    """
    for name in _names(folder.info):
        in_trash = os.path.join(folder.files, name[: -len(SUFFIX)])
        if name.endswith(SUFFIX) and name.startswith(beginning) and os.path.lexists(in_trash):
            note = _read(os.path.join(folder.info, name), in_trash, folder.base)
            if note is not None:
                yield note


def find(path: str, status: os.stat_result, env: Mapping[str, str]) -> str:
    """Where the thing lies in the trash that was at `path`; "" where it is not found.

    :param status: of the thing itself, before it was trashed: it is known again by it.
    """
    places = folders(env, [os.path.dirname(path)])
    # Mostly it has its own name there. To look at all that the trash has takes long where much is trashed.
    for folder in places:
        in_trash = os.path.join(folder.files, os.path.basename(path))
        try:
            if os.path.samestat(os.lstat(in_trash), status):
                return in_trash
        except OSError:
            continue
    for folder in places:
        try:
            with os.scandir(folder.files) as entries:
                for entry in entries:
                    if entry.inode() == status.st_ino and os.path.samestat(os.lstat(entry.path), status):
                        return entry.path
        except OSError:
            continue
    # A copy on another file system has a number of its own there.
    beginning = os.path.splitext(os.path.basename(path))[0]
    copies = [
        note
        for folder in places
        for note in notes(folder, beginning)
        if is_same_place(note.path, path) and _is_copy(note.in_trash, status)
    ]
    return max(copies, key=lambda note: note.when_ms).in_trash if copies else ""


def next_notes(path: str, env: Mapping[str, str]) -> list[str]:
    """Where the note about the thing at `path` will be that a move to the trash writes first, in each of the
    folders that it may choose.
    """
    stem, ending = os.path.splitext(os.path.basename(path))
    found = []
    for folder in folders(env, [os.path.dirname(path)]):
        name, number = stem + ending, 0
        while folder.info and (
            os.path.lexists(os.path.join(folder.files, name))
            or os.path.lexists(os.path.join(folder.info, name + SUFFIX))
        ):
            number += 1
            name = f"{stem} {number}{ending}"
        if folder.info:
            found.append(os.path.join(folder.info, name + SUFFIX))
    return found


def drop_stray(notes: Iterable[str]) -> None:
    """Delete those of `next_notes` about things that did not come, because the move has failed: an empty one
    says nothing, and stands in the way of the next.
    """
    for note in notes:
        trash, name = os.path.dirname(os.path.dirname(note)), os.path.basename(note)
        if not os.path.lexists(os.path.join(trash, FILES, name.removesuffix(SUFFIX))):
            with contextlib.suppress(OSError):
                os.unlink(note)


def note_of(in_trash: str) -> str:
    """The file that says where the thing at `in_trash` was; "" where there is none."""
    folder, name = os.path.split(in_trash)
    if os.path.basename(folder) != FILES:
        return ""
    path = os.path.join(os.path.dirname(folder), INFO, name + SUFFIX)
    return path if os.path.lexists(path) else ""


def place_of(in_trash: str) -> str:
    """Where the thing at `in_trash` was, as its note says; "" where there is none."""
    path = note_of(in_trash)
    if not path:
        return ""
    trash = os.path.dirname(os.path.dirname(path))
    base = os.path.dirname(trash)
    if os.path.basename(base) == ".Trash" and os.path.basename(trash).isdigit():
        base = os.path.dirname(base)
    note = _read(path, in_trash, base)
    return "" if note is None else note.path


def is_same_place(one: str, other: str) -> bool:
    """Whether two paths name one place, links in the folders resolved; nothing need be there."""
    if one == other:
        return True
    if os.path.basename(one) != os.path.basename(other):
        return False
    return os.path.realpath(os.path.dirname(one)) == os.path.realpath(os.path.dirname(other))


def _folder(trash: str, base: str) -> TrashFolder:
    return TrashFolder(os.path.join(trash, FILES), os.path.join(trash, INFO), base)


def _mount_point(path: str) -> str:
    path = os.path.realpath(path)
    while not os.path.ismount(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder) if folder else []
    except OSError:
        return []


def _read(path: str, in_trash: str, base: str) -> Note | None:
    """The note in the file at `path`; None where it says no place."""
    from urllib.parse import unquote_to_bytes

    try:
        text = os.fsdecode(read_small(path, _LONGEST))
        when_ms = os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return None
    fields = dict(line.partition("=")[::2] for line in text.splitlines())
    place = os.fsdecode(unquote_to_bytes(os.fsencode(fields.get("Path", "").strip())))
    if not place or "\0" in place:
        return None
    when_ms = _time(fields.get("DeletionDate", "")) or when_ms
    return Note(os.path.normpath(os.path.join(base, place)), in_trash, when_ms)


def _time(text: str) -> int:
    """A time of the place where one is, as the notes have it; 0 where it is none."""
    from datetime import datetime

    try:
        return int(datetime.fromisoformat(text.strip()).timestamp() * 1_000)
    except (ValueError, OverflowError, OSError):
        return 0


def _is_copy(path: str, status: os.stat_result) -> bool:
    """Whether what is at `path` can be a copy of what had that status."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    if stat.S_IFMT(found.st_mode) != stat.S_IFMT(status.st_mode):
        return False
    if not stat.S_ISREG(status.st_mode):
        return True
    same_time = found.st_mtime_ns // 1_000_000 == status.st_mtime_ns // 1_000_000
    return found.st_size == status.st_size and same_time
