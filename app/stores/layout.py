"""Which files of a store are sessions, as the agents themselves list them (formats/README.md, "pi").

Sessions are the files with the agent's suffix directly in the root (custom folders are flat) and in its
direct sub-folders (one for each working folder). Only directory entries are read here, never contents.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.stores.base import Store

Complaint = tuple[str, str]
File = tuple["os.DirEntry[str]", os.stat_result]

# How far `deeper` looks below the root; artifacts of sub-agents of sub-agents end long before.
DEEPEST = 8

_KIND = 0o170000  # the bits of a file's mode that tell what it is


def session_files(store: Store, complaints: list[Complaint]) -> Iterator[tuple[str, list[File]]]:
    """Yield each folder of the store that is listed, with the session files in it, in no order.

    Appends (path, reason) to `complaints` for what was passed over.
    A folder that is not there has no files and is no complaint (`Store.problem` tells). Files that vanish
    meanwhile are passed over in silence. Links are followed; each real folder is read once, so links that
    lead back end there.
    """
    suffixes = store.suffixes
    folders: list[os.DirEntry[str]] = []
    links: list[os.DirEntry[str]] = []
    files: list[os.DirEntry[str]] = []
    entries = _entries(store.root, complaints)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry)
        elif entry.is_symlink() and _leads_to_folder(entry):
            links.append(entry)
        else:
            files.append(entry)
    yield store.root, _with_status(files, suffixes, complaints)
    inside = folders + _new_folders(store.root, folders, links, complaints)
    artifacts = _artifacts(entries, suffixes)
    for folder in inside:
        if folder.name in artifacts:
            continue
        if folder.name.endswith(suffixes) and not folder.name.startswith("-"):
            # A name with "-" first is the agents' spelling of a working folder that happens to end so.
            complaints.append((folder.path, "a folder, not a file"))
        yield folder.path, _with_status(_entries(folder.path, complaints), suffixes, complaints)


def deeper(store: Store) -> Iterator[Complaint]:
    """Yield (path, reason) of what looks like a session but lies where no agent lists it (for `doctor`)."""
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
            elif entry.name.endswith(suffixes) and (owner or depth > 1):
                yield entry.path, f"belongs to {owner}" if owner else "deeper than the agents look"


def reason(error: OSError) -> str:
    """Why a folder or file cannot be read, in the words of this program."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return "not readable"
    if error.errno == errno.ELOOP:
        return "a link that leads back to itself"
    return error.strerror or str(error)


def hides_nothing(why: str) -> bool:
    """Whether what was passed over for that reason is no session, however it is looked at: a link or a folder
    in an odd place. What cannot be read may be one.
    """
    return why.startswith(("a ", "not a "))


def _entries(folder: str, complaints: list[Complaint]) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing, with a complaint, when it cannot be read."""
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


def _with_status(
    entries: list[os.DirEntry[str]], suffixes: tuple[str, ...], complaints: list[Complaint]
) -> list[File]:
    """The session files among `entries`, links followed; complaints about what only looks like one, nothing
    about what vanished.
    """
    files = []
    # Thousands of files pass here before a list is printed: no call for each but the system's.
    for entry in entries:
        if not entry.name.endswith(suffixes):
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
        if status.st_mode & _KIND == stat.S_IFREG:
            files.append((entry, status))
        else:
            what = "a folder, not a file" if entry.is_dir() else "not a regular file"
            complaints.append((entry.path, what))
    return files


def _artifacts(entries: list[os.DirEntry[str]], suffixes: tuple[str, ...]) -> dict[str, str]:
    """Names of folders that belong to a session beside them
    (formats/README.md, "oh-my-pi") -> its file name.
    """
    return {
        entry.name[: -len(suffix)]: entry.name
        for entry in entries
        for suffix in suffixes
        if entry.name.endswith(suffix) and not entry.is_dir(follow_symlinks=False)
    }


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _new_folders(
    root: str,
    folders: list[os.DirEntry[str]],
    links: list[os.DirEntry[str]],
    complaints: list[Complaint],
) -> list[os.DirEntry[str]]:
    """The linked folders that are neither the root, nor one of its folders, nor linked twice."""
    if not links:
        return []
    status = os.stat(root)
    seen = {(status.st_dev, folder.inode()) for folder in folders}
    seen.add((status.st_dev, status.st_ino))
    fresh = []
    for link in links:
        try:
            status = link.stat()
        except OSError:
            continue
        key = (status.st_dev, status.st_ino)
        if key not in seen:
            seen.add(key)
            fresh.append(link)
        else:
            complaints.append((link.path, "a link to a folder that is listed already"))
    return fresh
