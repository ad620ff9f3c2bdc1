"""The folder `kept` in leafmark's state folder, which has the copies of sessions. Below it stand the paths of
the files, each with `.gz` at its end, so that `gunzip` opens a copy without leafmark:
`kept/home/me/.claude/projects/-work/ID.jsonl.gz`. A copy has the modification time of its file.

A walk over the sessions loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from app.formats.packed import PACKED

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "kept"
"""The folder in leafmark's state folder."""


def kept_folder(state_folder: str) -> str:
    """The folder of all copies; it need not exist."""
    return os.path.join(state_folder, FOLDER)


def earlier_folder(kept: str) -> str:
    """The folder of the copies that have something which their files have no longer. They have the same
    paths below it, with a number before `.gz`.
    """
    return f"{kept}-earlier"


def copy_path(path: str, kept: str) -> str:
    """The path of the copy of the file at `path`, which need not exist.

    :param path: absolute.
    :param kept: the folder of all copies.
    """
    return f"{kept}{path}{PACKED}"


def original_path(copy: str, kept: str) -> str:
    """The path of the file that the copy at `copy` is of; "" if that is no path of a copy below `kept`."""
    if not kept or not copy.startswith(kept + os.sep) or not copy.endswith(PACKED):
        return ""
    return copy[len(kept) : -len(PACKED)]


def is_copy_of(copy: str, path: str) -> bool:
    """Whether `copy` is the path of a copy of the file at `path`, wherever the folder of all copies is."""
    return path != "" and copy.endswith(path + PACKED)


def is_copy(path: str) -> bool:
    """Whether the session at `path` is a copy: no agent compresses sessions that it lists."""
    return path.endswith(PACKED)


def files_below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """(path, status) of each file in a folder at any depth; see `all_below`."""
    return (found for found in all_below(folder) if stat.S_ISREG(found[1].st_mode))


def all_below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """(path, status) of all that is in a folder at any depth. Links are not followed; a folder that cannot be
    read is empty.
    """
    waiting = [folder]
    while waiting:
        for entry in entries_of(waiting.pop()):
            try:
                yield entry.path, entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
            except OSError:
                continue  # removed meanwhile


def entries_of(folder: str) -> list[os.DirEntry[str]]:
    """The entries of a folder; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []
