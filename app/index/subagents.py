"""The sessions of sub-agents, which are in the artifacts folder of the session that started them; those of
older versions of Claude Code lie among the sessions.

No agent lists them, and the index does not follow them: they are read when the user asks for them, and for
statistics.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from app.formats.amounts import finite, finite_int
from app.formats.packed import PACKED, stem_of
from app.formats.prices import NO_COST
from app.index.row import Row, provisional_row, signature_of
from app.stores.kept import is_copy
from app.stores.layout import DEEPEST, listed_folders

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from app.formats.prices import Prices, Spending
    from app.index.row import Outline, Signature
    from app.stores.base import Store

Session = TypeVar("Session", "Row", "Outline")

MOST = 5_000
"""The most files that are read. Reading the two ends of so many takes about a second."""

_SESSION_ID = re.compile(rb'"sessionId":\s*"([^"]+)"')
_ID_WITHIN = 64 << 10
"""Bytes of a file in which the id of the session is looked for that a sub-agent belongs to."""

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
    # Imported here: statistics need no decoder.
    from app.sessions.summaries.quick_summary import quick_summary

    by_root = {store.root: store for store in stores}
    subagents: list[Row] = []
    visited: set[str] = set()
    for row in rows:
        store = by_root.get(row.store)
        if store is None or not _has_subagents(store, row.agent):
            continue
        for path, parent, status in _below(row.path, _suffixes(store)):
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


class Subagent(NamedTuple):
    """The file of a sub-agent's session. It has the fields of a `Row` by which copies are looked for.

    parent_session   the path of the session that started it, also by way of other sub-agents
    """

    path: str
    parent_session: str
    agent: str
    size: int
    signature: Signature
    id: str = ""
    created: int = 0

    @property
    def dialect(self) -> str:
        """The name of the agent, which is that of its dialect."""
        return self.agent


def with_subagents(
    stores: Sequence[Store], rows: Sequence[Session]
) -> tuple[list[Session | Row], list[Subagent]]:
    """The sessions, with rows of the sub-agents whose session is gone; and the files of the other sub-agents.
    Raise nothing.

    :param rows: all sessions of the stores. Sub-agents that have rows, as those of Codex, are not found
        again.
    """
    sessions: list[Session | Row] = list(rows)
    subagents: dict[str, Subagent] = {}
    found = {name for store in stores for name in store.agents if _has_subagents(store, name)}
    owners = {stem_of(row.path): row for row in rows if row.agent in found}
    copies = [row.path for row in rows if is_copy(row.path)]
    for store in stores:
        agents = [name for name in store.agents if name in found]
        for folder in _folders(store, copies) if agents else ():
            for path, stem, status in _in_folder(store, folder, owners):
                row = owners.get(stem)
                signature = signature_of(status)
                if row is not None:
                    subagents[path] = Subagent(path, row.path, row.agent, status.st_size, signature)
                elif len(sessions) < len(rows) + MOST:
                    # Imported here: most runs find none, and need no decoder.
                    from app.sessions.summaries.quick_summary import quick_summary

                    summary = quick_summary(path, tuple(agents), status.st_mtime_ns // 1_000_000)
                    if summary is not None:
                        sessions.append(provisional_row(path, store.root, summary.values(), signature))
    return sessions, list(subagents.values())


def _folders(store: Store, copies: Iterable[str]) -> list[str]:
    """The folders of a store with sessions, and those of the copies of its sessions that are gone."""
    gone = {os.path.dirname(path) for path in copies if store.may_list(path)}
    return [*listed_folders(store), *gone]


def _in_folder(
    store: Store, folder: str, owners: Collection[str]
) -> Iterator[tuple[str, str, os.stat_result]]:
    """(path, path of its session without the suffix, status) of each sub-agent in a folder with sessions.

    :param owners: the paths of the sessions without their suffixes.
    """
    suffixes, inner = _suffixes(store), store.inner_files
    # Other folders in the root are those of projects, and the folder of a copy is not read for its file.
    only_owned = folder == store.root or (store.kept != "" and folder.startswith(store.kept))
    try:
        with os.scandir(folder) as scanned:
            for entry in scanned:
                if entry.is_dir(follow_symlinks=False):
                    if entry.path in owners or not only_owned:
                        for path, _, status in _below(entry.path + suffixes[0], suffixes):
                            yield path, entry.path, status
                elif inner and entry.name.startswith(inner) and entry.name.endswith(suffixes):
                    status = entry.stat(follow_symlinks=False)
                    yield entry.path, os.path.join(folder, _session_of(entry.path)), status
    except OSError:
        return


def _session_of(path: str) -> str:
    """The id of the session that a sub-agent among the sessions belongs to; "" if it cannot be read."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        found = _SESSION_ID.search(file.read(_ID_WITHIN))
        return found[1].decode("utf-8", "replace") if found else ""
    return ""


class SubagentTotals(NamedTuple):
    """The number of sub-agents, and their tokens (input, output, cache read, cache write) and cost."""

    number: int = 0
    tokens: tuple[int, int, int, int] = (0, 0, 0, 0)
    cost: Spending = NO_COST


NO_SUBAGENTS = SubagentTotals()


def subagent_totals(
    path: str, agent: str, session_id: str, stores: Sequence[Store], rows: Sequence[Row], prices: Prices
) -> SubagentTotals:
    """The totals of the sub-agents of a session, and of theirs, without entries that the session has too.
    Raise nothing; a file that cannot be read counts nothing.

    :param path, agent, session_id: of the session.
    :param rows: all sessions, or none for an agent whose sub-agents lie elsewhere (`Agent.lists_subagents`).
    :param prices: those of tokens without a cost.
    """
    # Imported here: it needs the decoders.
    from app.formats.errors import NotASession
    from app.sessions.summaries.figures_reader import read_figures

    found: dict[str, str] = {}
    stem = stem_of(path)
    for store in stores:
        if store.may_list(path) and _has_subagents(store, agent):
            inside = _in_folder(store, os.path.dirname(path), (stem,))
            found = {each: agent for each, owner, _ in inside if owner == stem}
    ids = {session_id}
    waiting = [row for row in rows if row.spawned and row.path != path]
    while children := [row for row in waiting if row.parent_session in ids]:
        ids = {row.id for row in children}
        found |= {row.path: row.agent for row in children}
        waiting = [row for row in waiting if row.path not in found]
    if not found:
        return NO_SUBAGENTS
    number, sums, cost = 0, [0.0] * 4, NO_COST
    try:
        own = {entry.key for entry in read_figures(path, (agent,))}
    except (NotASession, OSError):
        own = set()
    for each, its_agent in found.items():
        try:
            entries = read_figures(each, (its_agent,))
        except (NotASession, OSError):
            continue
        number += 1
        for entry in entries:
            if entry.key not in own:
                amounts = (entry.input, entry.output, entry.cache_read, entry.cache_write)
                sums = [one + other for one, other in zip(sums, amounts, strict=True)]
                cost = cost.and_(prices.spending(finite(entry.cost), entry.unpriced))
    sent, received, read, written = map(finite_int, sums)
    return SubagentTotals(number, (sent, received, read, written), cost)


def _suffixes(store: Store) -> tuple[str, ...]:
    """The suffixes of the session files of a store, and of their copies."""
    return (*store.suffixes, *(suffix + PACKED for suffix in store.suffixes))


def _has_subagents(store: Store, agent: str) -> bool:
    try:
        return store.of(agent).agent.has_subagents
    except KeyError:
        return False


def _below(path: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str, os.stat_result]]:
    """(path, path of the session that started it, status) of each session file in the artifacts of `path`."""
    # A stack and no recursion: (folder, path of the session that it belongs to, depth).
    stack = [(stem_of(path), path, 0)]
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
                    files[stem_of(entry.path)] = entry.path
                    yield entry.path, parent, entry.stat(follow_symlinks=False)
            except OSError:
                continue  # removed meanwhile
        if depth < DEEPEST:
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            stack += [(below, files.get(below, parent), depth + 1) for below in reversed(folders)]
