"""The folders of the system's trash, the files in them and their old paths.

The folders are those of the freedesktop.org trash specification: one below the user's data folder, and one at
the top of each other file system. macOS has plain folders without notes about the old paths.
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

    files   the folder of the trashed files
    info    the folder of the notes about them; "" if the system has none
    base    the folder to which the paths in the notes are relative
    """

    files: str
    info: str
    base: str


class TrashNote(NamedTuple):
    """A note in the trash about a file or folder.

    path       its old path
    in_trash   its path in the trash
    when_ms    when it was trashed, milliseconds since the epoch
    """

    path: str
    in_trash: str
    when_ms: int


def data_folder(env: Mapping[str, str]) -> str:
    """The user's data folder, which has the trash; the specification says to ignore a relative one."""
    folder = env.get("XDG_DATA_HOME", "")
    return folder if os.path.isabs(folder) else os.path.join(paths.home_folder(env), ".local", "share")


def folders(env: Mapping[str, str], sources: Iterable[str]) -> list[TrashFolder]:
    """The trash folders for files in the folders `sources`; they need not exist."""
    uid = os.getuid()
    tops = dict.fromkeys(_mount_point(folder) for folder in sources)
    if sys.platform == "darwin":
        bins = [os.path.join(paths.home_folder(env), ".Trash")]
        bins += [os.path.join(top, ".Trashes", str(uid)) for top in tops]
        return [TrashFolder(path, "", "") for path in bins]
    data = data_folder(env)
    result = [_trash_folder(os.path.join(data, "Trash"), data)]
    for top in tops:
        result.append(_trash_folder(os.path.join(top, ".Trash", str(uid)), top))
        result.append(_trash_folder(os.path.join(top, f".Trash-{uid}"), top))
    return list(dict.fromkeys(result))


def notes(folder: TrashFolder, beginning: str = "") -> Iterator[TrashNote]:
    """The notes about files and folders that are in the trash, in no order.

    :param beginning: with which their names in the trash begin.
    """
    for name in _names(folder.info):
        in_trash = os.path.join(folder.files, name[: -len(SUFFIX)])
        if name.endswith(SUFFIX) and name.startswith(beginning) and os.path.lexists(in_trash):
            note = _read_note(os.path.join(folder.info, name), in_trash, folder.base)
            if note is not None:
                yield note


def find_in_trash(path: str, status: os.stat_result, env: Mapping[str, str]) -> str:
    """The path in the trash of the file or folder that was at `path`; "" if it is not found.

    :param status: its status before it was trashed, by which it is recognised.
    """
    trash_folders = folders(env, [os.path.dirname(path)])
    # Its own name first, which it mostly keeps: looking at all files of a large trash takes long.
    for folder in trash_folders:
        in_trash = os.path.join(folder.files, os.path.basename(path))
        try:
            if os.path.samestat(os.lstat(in_trash), status):
                return in_trash
        except OSError:
            continue
    for folder in trash_folders:
        try:
            with os.scandir(folder.files) as entries:
                for entry in entries:
                    if entry.inode() == status.st_ino and os.path.samestat(os.lstat(entry.path), status):
                        return entry.path
        except OSError:
            continue
    # A copy on another file system has another inode number.
    beginning = os.path.splitext(os.path.basename(path))[0]
    copies = [
        note
        for folder in trash_folders
        for note in notes(folder, beginning)
        if is_same_path(note.path, path) and _is_copy(note.in_trash, status)
    ]
    return max(copies, key=lambda note: note.when_ms).in_trash if copies else ""


def next_note_paths(path: str, env: Mapping[str, str]) -> list[str]:
    """The paths of the note that the trash library writes before it moves `path`, one for each trash folder
    that it may choose.
    """
    stem, ending = os.path.splitext(os.path.basename(path))
    note_paths = []
    for folder in folders(env, [os.path.dirname(path)]):
        name, number = stem + ending, 0
        while folder.info and (
            os.path.lexists(os.path.join(folder.files, name))
            or os.path.lexists(os.path.join(folder.info, name + SUFFIX))
        ):
            number += 1
            name = f"{stem} {number}{ending}"
        if folder.info:
            note_paths.append(os.path.join(folder.info, name + SUFFIX))
    return note_paths


def delete_stray_notes(note_paths: Iterable[str]) -> None:
    """After a failed move, delete the notes at these paths that are about no file in the trash. Such a note
    would keep the name from being used again.

    :param note_paths: see `next_note_paths`.
    """
    for note in note_paths:
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


def delete_note(in_trash: str) -> None:
    """Delete the note about a file or folder that was at `in_trash`, if there is one."""
    path = note_path(in_trash)
    with contextlib.suppress(OSError):  # a note about a missing file does no harm
        if path:
            os.unlink(path)


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
    """Whether two paths are the same when links in their folders are resolved; neither need exist."""
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
    original = os.fsdecode(unquote_to_bytes(os.fsencode(fields.get("Path", "").strip())))
    if not original or "\0" in original:
        return None
    when_ms = _parse_time(fields.get("DeletionDate", "")) or when_ms
    return TrashNote(os.path.normpath(os.path.join(base, original)), in_trash, when_ms)


def _parse_time(text: str) -> int:
    """The local time in a note, in milliseconds since the epoch; 0 if it is invalid."""
    try:
        return int(datetime.fromisoformat(text.strip()).timestamp() * 1_000)
    except (ValueError, OverflowError, OSError):
        return 0


def _is_copy(path: str, status: os.stat_result) -> bool:
    """Whether the file at `path` can be a copy of a file with that status."""
    try:
        copy = os.lstat(path)
    except OSError:
        return False
    if stat.S_IFMT(copy.st_mode) != stat.S_IFMT(status.st_mode):
        return False
    if not stat.S_ISREG(status.st_mode):
        return True
    has_same_time = copy.st_mtime_ns // 1_000_000 == status.st_mtime_ns // 1_000_000
    return copy.st_size == status.st_size and has_same_time
