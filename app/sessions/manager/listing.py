"""List the sessions of one folder or of a whole store without an index, for scripts
(formats/README.md, "List of pi").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.sessions.summaries.quick_summary import quick_summary
from app.sessions.summaries.summarise import summarise
from app.sessions.summary import Summary
from app.stores.layout import session_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Self

    from app.stores.base import Store


class SessionInfo(Summary):
    """A `Summary` and the `path` of its file."""

    path: str

    def __new__(cls, path: str, summary: Summary) -> Self:
        """Return the summary of the session at `path`."""
        info = super().__new__(cls, *summary)
        info.path = path
        return info

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the parameters of the constructor, for `copy` and `pickle`."""
        return self.path, Summary(*self)


def in_folder(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    """Return the files directly in `folder` that have one of the `suffixes`; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.name.endswith(suffixes) and _is_file(entry)]
    except OSError:
        return []


def in_store(store: Store) -> list[str]:
    """Return the session files of a store, without those of sub-agents."""
    return [os.path.join(folder, file[0]) for folder, files in session_files(store, []) for file in files]


def infos(
    paths: Iterable[str],
    agents: tuple[str, ...],
    cwd: str | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[SessionInfo]:
    """Return the sessions in those files, newest activity first, without files that are no sessions.

    :param agents: the agents that they may belong to.
    :param cwd: only the sessions of this working folder, symbolic links resolved.
    :param on_progress: called with the number of files read, and of all files.
    """
    paths = list(paths)
    folder = None if cwd is None else os.path.realpath(cwd)
    sessions = []
    for done, path in enumerate(paths, 1):
        info = _info(path, agents)
        if info is not None and _is_of_folder(info, folder):
            sessions.append(info)
        if on_progress is not None:
            on_progress(done, len(paths))
    return sorted(sessions, key=lambda info: info.modified, reverse=True)


def most_recent(paths: Iterable[str], agents: tuple[str, ...], cwd: str | None = None) -> str | None:
    """Return the session file that was written to last, None if there is none
    (formats/README.md, "List of pi").

    :param cwd: only among the sessions of this working folder.
    """
    return next((info.path for info in by_file_time(paths, agents, cwd)), None)


def with_prefix(paths: Iterable[str], agents: tuple[str, ...], prefix: str) -> list[str]:
    """Return the session files whose id begins with `prefix`; only the one whose id is `prefix` if there is
    one. None are found for an empty prefix. Only the beginnings of the files are read.

    :param agents: the agents that they may belong to.
    """
    found = []
    for path in paths if prefix else ():
        summary = quick_summary(path, agents, 0)
        if summary is not None and summary.id.startswith(prefix):
            if summary.id == prefix:
                return [path]
            found.append(path)
    return sorted(found)


def by_file_time(
    paths: Iterable[str], agents: tuple[str, ...], cwd: str | None = None
) -> Iterator[SessionInfo]:
    """Yield the sessions in those files, the one that was written to last first. Each file is read when its
    turn comes.

    :param cwd: only the sessions of this working folder.
    """
    dated = []
    for path in paths:
        try:
            dated.append((os.stat(path).st_mtime_ns, path))
        except OSError:
            continue
    folder = None if cwd is None else os.path.realpath(cwd)
    for _, path in sorted(dated, reverse=True):
        info = _info(path, agents)
        if info is not None and _is_of_folder(info, folder):
            yield info


def _is_of_folder(info: SessionInfo, folder: str | None) -> bool:
    return folder is None or (bool(info.cwd) and os.path.realpath(info.cwd) == folder)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a loop of links, or a folder that may not be read
        return False


def _info(path: str, agents: tuple[str, ...]) -> SessionInfo | None:
    try:
        mtime_ms = os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return None
    summary = summarise(path, agents, mtime_ms).summary
    return None if summary is None else SessionInfo(path, summary)
