"""The sessions of sub-agents, which are in the artifacts folder of the session that started them.

No agent lists them, and the index does not follow them: they are read when the user asks for them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.row import Row, provisional_row, signature_of
from app.sessions.summaries.quick_summary import quick_summary
from app.stores.layout import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.stores.base import Store

MOST = 5_000
"""The most files that are read. Reading the two ends of so many takes about a second."""

# The beginning of the names of advisers' notes, which oh-my-pi does not list either.
_ADVISER_PREFIX = "__advisor"


def subagent_rows(stores: Sequence[Store], rows: Sequence[Row]) -> list[Row]:
    """Return provisional rows of the sub-agent sessions of `rows`, those of the first rows first. Raise
    nothing.

    At most `MOST` files are read, and of each only the two ends. A file that is no session or cannot be read
    is left out. `parent_session` of a result is the path of the session that started it, which may be that of
    another sub-agent.

    :param rows: sessions; it may include sub-agent sessions.
    """
    by_root = {store.root: store for store in stores}
    subagents: list[Row] = []
    visited: set[str] = set()
    for row in rows:
        store = by_root.get(row.store)
        if store is None or not _has_subagents(store, row.agent):
            continue
        for path, parent, status in _below(row.path, store.suffixes):
            if path in visited:
                continue
            if len(visited) >= MOST:
                return subagents
            visited.add(path)
            summary = quick_summary(path, (row.agent,), status.st_mtime_ns // 1_000_000)
            if summary is None:
                continue
            values = summary._replace(parent_session=parent).values()
            subagents.append(provisional_row(path, row.store, values, signature_of(status)))
    return subagents


def _has_subagents(store: Store, agent: str) -> bool:
    try:
        return store.of(agent).agent.has_subagents
    except KeyError:
        return False


def _below(path: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str, os.stat_result]]:
    """(path, path of the session that started it, status) of each session file in the artifacts of `path`."""
    # A stack and no recursion: (folder, path of the session that it belongs to, depth).
    stack = [(os.path.splitext(path)[0], path, 0)]
    while stack:
        folder, parent, depth = stack.pop()
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError:
            continue  # most sessions have no artifacts
        files = {}
        for entry in entries:
            if not entry.name.endswith(suffixes) or entry.name.startswith(_ADVISER_PREFIX):
                continue
            try:
                if entry.is_file(follow_symlinks=False):
                    files[os.path.splitext(entry.path)[0]] = entry.path
                    yield entry.path, parent, entry.stat(follow_symlinks=False)
            except OSError:
                continue  # removed meanwhile
        if depth < DEEPEST:
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            stack += [(below, files.get(below, parent), depth + 1) for below in reversed(folders)]
