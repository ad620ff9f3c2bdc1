"""The sessions of sub-agents, which lie in the folder of artifacts of the session that started them. No
agent lists them, and the index does not follow them: they are looked for when
somebody asks.
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
"""So many files are read at most, by their ends: about as many as a second is enough for."""

# oh-my-pi passes over the notes of its advisers itself.
_NO_AGENTS = "__advisor"


def subagent_rows(stores: Sequence[Store], rows: Sequence[Row]) -> list[Row]:
    """Provisional rows of the sessions of sub-agents of `rows`; `MOST` at most, of the first rows first.
    There may be such rows among `rows` already.

    `parent_session` is the path of the session that started it: that of a sub-agent for those of its own.
    Only the ends of each file are read. Raises nothing; what is no session, or cannot be read, is left out.
    """
    by_root = {store.root: store for store in stores}
    found: list[Row] = []
    looked_at: set[str] = set()
    for row in rows:
        store = by_root.get(row.store)
        if store is None or not _has_subagents(store, row.agent):
            continue
        for path, parent, status in _below(row.path, store.suffixes):
            if path in looked_at:
                continue
            if len(looked_at) >= MOST:
                return found
            looked_at.add(path)
            told = quick_summary(path, (row.agent,), status.st_mtime_ns // 1_000_000)
            if told is None:
                continue
            told.parent_session = parent
            found.append(provisional_row(path, row.store, told.values(), signature_of(status)))
    return found


def _has_subagents(store: Store, agent: str) -> bool:
    try:
        return store.of(agent).agent.has_subagents
    except KeyError:
        return False


def _below(path: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str, os.stat_result]]:
    """(path, that of the session it belongs to, status) of each session's file in the artifacts of `path`."""
    waiting = [(os.path.splitext(path)[0], path, 0)]
    while waiting:
        folder, parent, depth = waiting.pop()
        try:
            with os.scandir(folder) as opened:
                entries = sorted(opened, key=lambda entry: entry.name)
        except OSError:
            continue  # most sessions have none
        files = {}
        for entry in entries:
            if not entry.name.endswith(suffixes) or entry.name.startswith(_NO_AGENTS):
                continue
            try:
                if entry.is_file(follow_symlinks=False):
                    files[os.path.splitext(entry.path)[0]] = entry.path
                    yield entry.path, parent, entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it vanished
        if depth < DEEPEST:
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            waiting += [(below, files.get(below, parent), depth + 1) for below in reversed(folders)]
