"""The disk space of sessions: of their files, artifacts and sub-agents, of leafmark's copies, and of the rest
of the folders of sessions. All bytes are those that `du` counts: blocks of the disk, links themselves, and a
file with several names once.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from app.formats.packed import CHUNK, PACKED, stem_of, unpacked_size
from app.stores.kept import all_below, copy_path, earlier_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from app.index.row import Row
    from app.stores.base import Store

PROJECT, SESSION = "project", "session"
GROUPS = (PROJECT, SESSION)
"""By what disk space may be grouped."""

_FORKED = b'"forkedFrom":{'
"""The mark of a line of Claude Code that was copied from another session (formats/README.md)."""
_BLOCK = 512
"""Bytes of a block, as systems count blocks of files."""
_BLOCKS = 4_096
"""Bytes by which the space of a file grows."""


@dataclass(slots=True)
class Usage:
    """The disk space of some sessions, in bytes.

    sessions   their number
    files      of their files
    artifacts  of their folders of artifacts, without sub-agents
    subagents  of the sessions of their sub-agents
    kept       of leafmark's copies of them
    saved      by which the copies are smaller than what they are copies of
    repeated   of the beginnings of the files that repeat the session which they are forks of
    """

    sessions: int = 0
    files: int = 0
    artifacts: int = 0
    subagents: int = 0
    kept: int = 0
    saved: int = 0
    repeated: int = 0

    @property
    def total(self) -> int:
        """All of it; `repeated` is a part of `files`, and what is saved takes no space."""
        return self.files + self.artifacts + self.subagents + self.kept

    def add(self, other: Usage) -> None:
        """Add the disk space of other sessions."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


class DiskUsage:
    """The disk space of all sessions.

    sessions   path of a row -> its disk space
    blobs      of the images that agents keep outside of the sessions
    rest       of everything else in the folders of sessions
    kept_rest  of copies that belong to no session of a known folder, and of the folders of copies
    index      of leafmark's index
    """

    def __init__(
        self,
        rows: Sequence[Row],
        stores: Sequence[Store],
        env: Mapping[str, str],
        home: str,
        here: str,
        cache_folder: str,
    ) -> None:
        """:param rows: all sessions of the stores.
        :param env: the environment by which agents find their files; ``here`` the current folder.
        """
        self.sessions = {row.path: Usage(sessions=1) for row in rows}
        self.blobs = self.rest = self.kept_rest = 0
        self._seen: set[tuple[int, int]] = set()
        self._owners = {stem_of(row.path): self.sessions[row.path] for row in rows}
        self._inner = tuple({prefix for store in stores for prefix in store.inner_files})
        self._suffixes = tuple({suffix for store in stores for suffix in store.suffixes})
        roots = sorted({store.root for store in stores})
        for root in roots:
            if not any(root.startswith(other + os.sep) for other in roots):
                self._add_store(root)
        self._add_kept(rows, stores)
        agents = [store.agent for listed in stores for store in (listed, *listed.twins)]
        blob_folders = {agent.blob_folder(env, home, here) for agent in agents} - {""}
        self.blobs = sum(self._size(*found) for folder in sorted(blob_folders) for found in _walk(folder))
        self.index = sum(self._size(*found) for found in _walk(cache_folder))
        by_id = {row.id: row for row in rows}
        by_path = {row.path: row for row in rows}
        for row in rows:
            named = row.parent_session or ""
            parent = by_path.get(named) or by_id.get(named)
            if parent is not None and parent is not row and not row.is_gone:
                self.sessions[row.path].repeated = repeated_bytes(row.path, parent.path)

    def of(self, rows: Iterable[Row]) -> Usage:
        """The disk space of some sessions together."""
        usage = Usage()
        for row in rows:
            usage.add(self.sessions[row.path])
        return usage

    def groups(self, rows: Iterable[Row], group_by: str) -> list[tuple[str, list[Row], Usage]]:
        """(name, sessions, disk space) of each project, or of each session by its path; the largest first."""
        name_of: Callable[[Row], str] = (
            (lambda row: row.cwd) if group_by == PROJECT else (lambda row: row.path)
        )
        members: dict[str, list[Row]] = {}
        for row in rows:
            members.setdefault(name_of(row), []).append(row)
        found = [(name, of_it, self.of(of_it)) for name, of_it in members.items()]
        return sorted(found, key=lambda group: (-group[2].total, group[0]))

    @property
    def rest_of_all(self) -> dict[str, int]:
        """The bytes that belong to no session."""
        return {"blobs": self.blobs, "rest": self.rest, "kept_rest": self.kept_rest, "index": self.index}

    @property
    def total(self) -> int:
        """Everything."""
        return sum(usage.total for usage in self.sessions.values()) + sum(self.rest_of_all.values())

    def _size(self, path: str, status: os.stat_result) -> int:
        """The bytes of a file; 0 if it was counted by another name."""
        if status.st_nlink > 1:
            key = (status.st_dev, status.st_ino)
            if key in self._seen:
                return 0
            self._seen.add(key)
        return status.st_blocks * _BLOCK

    def _add_store(self, root: str) -> None:
        for path, status in _walk(root):
            size = self._size(path, status)
            usage = self.sessions.get(path)
            if usage is not None:
                usage.files += size
                continue
            owner = _above(path, root, self._owners)
            if owner is None:
                self.rest += size
            elif path.endswith(self._suffixes):
                owner.subagents += size
            else:
                owner.artifacts += size

    def _add_kept(self, rows: Sequence[Row], stores: Sequence[Store]) -> None:
        kept = next((store.kept for store in stores if store.kept), "")
        if not kept:
            return
        copies = {copy_path(row.original_path, kept): self.sessions[row.path] for row in rows}
        owners = {stem_of(path): usage for path, usage in copies.items()}
        for path, status in _walk(kept):
            size = self._size(path, status)
            usage = copies.get(path) or _above(path, kept, owners)
            if usage is None:
                self.kept_rest += size
                continue
            usage.kept += size
            if path.endswith(PACKED):
                blocks = -(-unpacked_size(path) // _BLOCKS)
                usage.saved += max(0, blocks * _BLOCKS - size)
        self.kept_rest += sum(self._size(*found) for found in _walk(earlier_folder(kept)))


def _above(path: str, root: str, owners: Mapping[str, Usage]) -> Usage | None:
    """The session in whose folder of artifacts the file or folder at `path` is."""
    while len(path) > len(root):
        if path in owners:
            return owners[path]
        path = os.path.dirname(path)
    return None


def repeated_bytes(path: str, parent: str) -> int:
    """The bytes at the beginning of a session's file, behind its first line, that its parent has there too,
    and those of the lines that say so themselves, as in forks of Claude Code. 0 if a file cannot be read.
    """
    try:
        with open(path, "rb") as file, open(parent, "rb") as other:
            is_marked = _FORKED in file.read(CHUNK)
            file.seek(0)
            if is_marked:
                return sum(len(line) for line in file if _FORKED in line)
            file.readline(CHUNK)
            other.readline(CHUNK)
            count = 0
            while (line := file.readline(CHUNK)) and line == other.readline(CHUNK):
                count += len(line)
            return count
    except OSError:
        return 0


def _walk(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """(path, status) of a folder, and of all that is in it; links are not followed."""
    try:
        yield root, os.lstat(root)
    except (OSError, ValueError):
        return
    yield from all_below(root)
