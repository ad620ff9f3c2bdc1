"""The system's trash: which folders it is, what lies in them and where it came from.

They are those of the freedesktop.org trash specification: one below the user's data folder, and one at the
top of each other file system. macOS has a plain folder, which does not say where a thing came from.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from app import paths
from app.small_files import read_small

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


class TrashNote(NamedTuple):
    """A note in the trash.

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
    found = [_trash_folder(os.path.join(data, "Trash"), data)]
    for top in tops:
        found.append(_trash_folder(os.path.join(top, ".Trash", str(uid)), top))
        found.append(_trash_folder(os.path.join(top, f".Trash-{uid}"), top))
    return list(dict.fromkeys(found))


def notes(folder: TrashFolder, beginning: str = "") -> Iterator[TrashNote]:
    """The notes about files and folders that are in the trash, in no order.

    :param beginning: only of those whose names in the trash begin so.
    """
    for name in _names(folder.info):
        in_trash = os.path.join(folder.files, name[: -len(SUFFIX)])
        if name.endswith(SUFFIX) and name.startswith(beginning) and os.path.lexists(in_trash):
            note = _read_note(os.path.join(folder.info, name), in_trash, folder.base)
            if note is not None:
                yield note


def find_in_trash(path: str, status: os.stat_result, env: Mapping[str, str]) -> str:
    """The path in the trash of the file or folder that was at `path`; "" if it is not found.

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
        if is_same_path(note.path, path) and _is_copy(note.in_trash, status)
    ]
    return max(copies, key=lambda note: note.when_ms).in_trash if copies else ""


def next_note_paths(path: str, env: Mapping[str, str]) -> list[str]:
    """The paths of the note that a move of `path` to the trash writes first, one for each folder that the
    move may choose.
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


def delete_stray_notes(notes: Iterable[str]) -> None:
    """Delete those of `next_note_paths` about things that did not come, because the move has failed: an empty
    one says nothing, and stands in the way of the next.
    """
    for note in notes:
        trash, name = os.path.dirname(os.path.dirname(note)), os.path.basename(note)
        if not os.path.lexists(os.path.join(trash, FILES, name.removesuffix(SUFFIX))):
            with contextlib.suppress(OSError):
                os.unlink(note)


def note_path(in_trash: str) -> str:
    """The path of the note about the file or folder at `in_trash`; "" for none."""
    folder, name = os.path.split(in_trash)
    if os.path.basename(folder) != FILES:
        return ""
    path = os.path.join(os.path.dirname(folder), INFO, name + SUFFIX)
    return path if os.path.lexists(path) else ""


def original_path(in_trash: str) -> str:
    """The old path of the file or folder at `in_trash`, as its note says; "" without a note."""
    path = note_path(in_trash)
    if not path:
        return ""
    trash = os.path.dirname(os.path.dirname(path))
    base = os.path.dirname(trash)
    if os.path.basename(base) == ".Trash" and os.path.basename(trash).isdigit():
        base = os.path.dirname(base)
    note = _read_note(path, in_trash, base)
    return "" if note is None else note.path


def is_same_path(one: str, other: str) -> bool:
    """Whether two paths name one place, links in the folders resolved; nothing need be there."""
    if one == other:
        return True
    if os.path.basename(one) != os.path.basename(other):
        return False
    return os.path.realpath(os.path.dirname(one)) == os.path.realpath(os.path.dirname(other))


def _trash_folder(trash: str, base: str) -> TrashFolder:
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


def _read_note(path: str, in_trash: str, base: str) -> TrashNote | None:
    """The note in the file at `path`; None if it names no path."""
    try:
        text = os.fsdecode(read_small(path, _LONGEST))
        when_ms = os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return None
    fields = dict(line.partition("=")[::2] for line in text.splitlines())
    place = os.fsdecode(unquote_to_bytes(os.fsencode(fields.get("Path", "").strip())))
    if not place or "\0" in place:
        return None
    when_ms = _parse_time(fields.get("DeletionDate", "")) or when_ms
    return TrashNote(os.path.normpath(os.path.join(base, place)), in_trash, when_ms)


def _parse_time(text: str) -> int:
    """A local time, as the notes have it, in milliseconds since the epoch; 0 if it is none."""
    try:
        return int(datetime.fromisoformat(text.strip()).timestamp() * 1_000)
    except (ValueError, OverflowError, OSError):
        return 0


def _is_copy(path: str, status: os.stat_result) -> bool:
    """Whether the file at `path` can be a copy of a file with that status."""
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
