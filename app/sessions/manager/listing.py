"""The sessions of one folder or of a whole store, without an index: for scripts
(formats/README.md, "Behaviour of SessionManager").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.sessions.summary import Summary
from app.sessions.tally.summarise import summarise
from app.stores.layout import session_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from app.stores.base import Store


class SessionInfo(Summary):
    """A `Summary` and the `path` of its file."""

    __slots__ = ("path",)

    def __init__(self, path: str, summary: Summary) -> None:
        super().__init__(*summary.values())
        self.path = path


def in_folder(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    """The files directly in `folder` whose names are those of sessions; none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.name.endswith(suffixes) and _is_file(entry)]
    except OSError:
        return []


def in_store(store: Store) -> list[str]:
    """The session files of a store, sub-agents' left out."""
    return [os.path.join(folder, file[0]) for folder, files in session_files(store, []) for file in files]


def infos(
    paths: Iterable[str],
    agents: tuple[str, ...],
    cwd: str | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[SessionInfo]:
    """The sessions in those files, newest activity first; files that are none are left out.

    :param cwd: only the sessions of this working folder, symbolic links resolved.
    :param on_progress: called with how many of how many files have been read.
    """
    paths = list(paths)
    wanted = None if cwd is None else os.path.realpath(cwd)
    found = []
    for done, path in enumerate(paths, 1):
        info = _info(path, agents)
        if info is not None and (wanted is None or (info.cwd and os.path.realpath(info.cwd) == wanted)):
            found.append(info)
        if on_progress is not None:
            on_progress(done, len(paths))
    return sorted(found, key=lambda info: info.modified, reverse=True)


def most_recent(paths: Iterable[str], agents: tuple[str, ...], cwd: str | None = None) -> str | None:
    """The session file that was written to last
    (formats/README.md, "Behaviour of SessionManager"), None where there is
    none.

    :param cwd: only among the sessions of this working folder.
    """
    return next((info.path for info in by_file_time(paths, agents, cwd)), None)


def by_file_time(
    paths: Iterable[str], agents: tuple[str, ...], cwd: str | None = None
) -> Iterator[SessionInfo]:
    """The sessions in those files, the one that was written to last first; each is read when it is asked for.

    :param cwd: only the sessions of this working folder.
    """
    dated = []
    for path in paths:
        try:
            dated.append((os.stat(path).st_mtime_ns, path))
        except OSError:
            continue
    wanted = None if cwd is None else os.path.realpath(cwd)
    for _, path in sorted(dated, reverse=True):
        info = _info(path, agents)
        if info is not None and (wanted is None or (info.cwd and os.path.realpath(info.cwd) == wanted)):
            yield info


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads round in a circle, or where we may not look
        return False


def _info(path: str, agents: tuple[str, ...]) -> SessionInfo | None:
    try:
        mtime_ms = os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return None
    summary = summarise(path, agents, mtime_ms).summary
    return None if summary is None else SessionInfo(path, summary)
