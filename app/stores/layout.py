"""Lists the session files of a store as the agents do (formats/README.md, "Files of pi").

Sessions are the files with the agent's suffix directly in the root (in custom folders) and in its direct
subfolders (one for each working folder), or as many levels below as the agent's `depth` says. This module
reads only directory entries, never files.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from app.formats.packed import PACKED
from app.stores.kept import entries_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.stores.base import Store

Complaint = tuple[str, str]
File = tuple["os.DirEntry[str]", os.stat_result]


class _Names(NamedTuple):
    """The suffixes of session files, how the names of other files begin, and the suffixes of session files
    that cannot be read.
    """

    suffixes: tuple[str, ...]
    inner: tuple[str, ...]
    unread: tuple[str, ...]


DEEPEST = 8
"""Levels below the root in which `deeper` looks; artifacts of sub-agents of sub-agents are less deep."""


def session_files(store: Store, complaints: list[Complaint]) -> Iterator[tuple[str, list[File]]]:
    """Yield (folder, session files in it) for each folder of the store that the agents list, in no order.

    A missing folder has no files and causes no complaint (see `Store.problem`). Files that vanish meanwhile
    are skipped. Links are followed, and each real folder is read once, so that circular links end.

    :param complaints: gets (path, reason) for each file or folder that is skipped.
    """
    suffixes, depth = store.suffixes, store.depth
    names = _Names(suffixes, store.inner_files, store.unread_suffixes)
    folders: list[os.DirEntry[str]] = []
    links: list[os.DirEntry[str]] = []
    files: list[os.DirEntry[str]] = []
    entries = _entries(store.root, complaints)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry)
        elif entry.is_symlink() and _is_folder(entry):
            links.append(entry)
        else:
            files.append(entry)
    yield store.root, _with_status(files, names, complaints)
    inside = folders + _new_folders(store.root, folders, links, complaints)
    artifacts = _artifacts(entries, suffixes)
    for folder in inside:
        if folder.name in artifacts:
            continue
        if folder.name.endswith(suffixes) and not folder.name.startswith("-"):
            # A name that begins with "-" is a working folder whose own name ends with the suffix.
            complaints.append((folder.path, "a folder, not a file"))
        inside_folder = _entries(folder.path, complaints)
        yield folder.path, _with_status(inside_folder, names, complaints)
        if depth > 1:
            yield from _below(inside_folder, depth - 1, names, complaints)


def _below(
    entries: list[os.DirEntry[str]], depth: int, names: _Names, complaints: list[Complaint]
) -> Iterator[tuple[str, list[File]]]:
    """The same of the folders among `entries`, up to `depth` levels down, without links to folders."""
    waiting = [(entry, depth) for entry in entries if entry.is_dir(follow_symlinks=False)]
    while waiting:
        folder, depth = waiting.pop()
        inside = _entries(folder.path, complaints)
        yield folder.path, _with_status(inside, names, complaints)
        if depth > 1:
            waiting += [(entry, depth - 1) for entry in inside if entry.is_dir(follow_symlinks=False)]


def listed_folders(store: Store) -> list[str]:
    """The root and the folders below it in which sessions may lie; the root alone if it cannot be read."""
    found = [store.root]
    level = [store.root]
    for number in range(store.depth):
        below = [entry for folder in level for entry in _entries(folder, [])]
        # Links are followed directly below the root, as by `session_files`.
        level = [entry.path for entry in below if _is_folder(entry, follow=not number)]
        found += level
    return found


def copies(store: Store) -> Iterator[os.DirEntry[str]]:
    """The copies of sessions of a store, by their names alone and in no order. A folder that cannot be read
    has none.
    """
    if not store.kept:
        return
    ends = tuple(suffix + PACKED for suffix in store.suffixes)
    inner = store.inner_files
    level = [store.kept + store.root]
    for depth in range(store.depth + 1):
        below: list[str] = []
        for folder in level:
            for entry in entries_of(folder):
                if entry.name.endswith(ends):
                    if not (inner and entry.name.startswith(inner)):
                        yield entry
                elif depth < store.depth and entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
        level = below


def deeper(store: Store) -> Iterator[Complaint]:
    """Yield (path, reason) for files that look like sessions where no agent lists them (for `doctor`)."""
    suffixes = store.suffixes
    unread: list[Complaint] = []
    waiting = [(store.root, 0, "")]
    while waiting:
        folder, depth, owner = waiting.pop()
        entries = _entries(folder, unread)
        artifacts = _artifacts(entries, suffixes)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    inner = owner or artifacts.get(entry.name, "")
                    waiting.append((entry.path, depth + 1, inner))
            elif entry.name.endswith(suffixes) and (owner or depth > store.depth):
                yield entry.path, f"belongs to {owner}" if owner else "deeper than the agents look"


def reason(error: OSError) -> str:
    """Why a folder or file cannot be read, in a few words for the user."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return "not readable"
    if error.errno == errno.ELOOP:
        return "a link that leads back to itself"
    return error.strerror or str(error)


def hides_nothing(why: str) -> bool:
    """Whether a file that was skipped for this reason is certainly no session: it is a link or a folder in an
    odd place. A file that cannot be read may be a session.
    """
    return why.startswith(("a ", "not a "))


def _entries(folder: str, complaints: list[Complaint]) -> list[os.DirEntry[str]]:
    """The entries of a folder; none, with a complaint, if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        complaints.append((folder, "not a folder"))
    except OSError as error:
        complaints.append((folder, reason(error)))
    return []


def _with_status(entries: list[os.DirEntry[str]], names: _Names, complaints: list[Complaint]) -> list[File]:
    """The session files among `entries`, with links followed. Other files with the suffix get a complaint,
    and vanished files none.
    """
    suffixes, inner, unread = names
    files = []
    # This runs for thousands of files before a list is printed.
    for entry in entries:
        if not entry.name.endswith(suffixes) or (inner and entry.name.startswith(inner)):
            if unread and entry.name.endswith(unread):
                complaints.append((entry.path, "compressed, and leafmark does not read compressed sessions"))
            continue
        try:
            status = entry.stat()
        except FileNotFoundError:
            if entry.is_symlink():
                complaints.append((entry.path, "a link that leads nowhere"))
            continue
        except OSError as error:
            complaints.append((entry.path, reason(error)))
            continue
        if stat.S_ISREG(status.st_mode):
            files.append((entry, status))
        else:
            what = "a folder, not a file" if entry.is_dir() else "not a regular file"
            complaints.append((entry.path, what))
    return files


def _artifacts(entries: list[os.DirEntry[str]], suffixes: tuple[str, ...]) -> dict[str, str]:
    """Name of an artifacts folder -> the name of its session file
    (formats/README.md, "Artifacts of oh-my-pi").
    """
    return {
        entry.name[: -len(suffix)]: entry.name
        for entry in entries
        for suffix in suffixes
        if entry.name.endswith(suffix) and not entry.is_dir(follow_symlinks=False)
    }


def _is_folder(entry: os.DirEntry[str], *, follow: bool = True) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def _new_folders(
    root: str,
    folders: list[os.DirEntry[str]],
    links: list[os.DirEntry[str]],
    complaints: list[Complaint],
) -> list[os.DirEntry[str]]:
    """The linked folders without the root, its own folders, and second links to the same folder."""
    if not links:
        return []
    status = os.stat(root)
    known = {(status.st_dev, folder.inode()) for folder in folders}
    known.add((status.st_dev, status.st_ino))
    new_folders = []
    for link in links:
        try:
            status = link.stat()
        except OSError:
            continue
        key = (status.st_dev, status.st_ino)
        if key not in known:
            known.add(key)
            new_folders.append(link)
        else:
            complaints.append((link.path, "a link to a folder that is listed already"))
    return new_folders
