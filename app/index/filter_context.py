"""The facts for filters that no row contains: whether a session is live or pinned, its tags, the files that
it touched, and when its agent may delete it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from app.formats.prices import LIST_PRICES
from app.index.live_sessions import live_sessions
from app.index.query.query import Facts
from app.stores.kept import copy_path
from app.stores.live import look
from app.stores.pins import read_own_pins
from app.stores.retention import retention_ms
from app.stores.tags import NOTHING, read_taggings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.prices import Prices
    from app.index.row import Row
    from app.index.touched_files import TouchedFiles
    from app.stores.base import Store
    from app.stores.tags import Taggings


def facts_of(
    stores: Sequence[Store],
    rows: Callable[[], Sequence[Row]],
    now_ms: int,
    state_folder: str = "",
    prices: Prices = LIST_PRICES,
    touched: TouchedFiles | None = None,
) -> Facts:
    """Return the facts about the sessions of `stores` at this moment; each is looked up at its first use.

    :param rows: returns all sessions, among which the newest of each folder is looked up
        (formats/README.md, "Detecting a running agent").
    :param state_folder: leafmark's state folder, with the tags, and the pins of sessions whose agents have
        no pins; "" for none.
    :param prices: those of tokens without a cost.
    :param touched: the files that sessions touched; None if no filter asks for them.
    """
    by_root = {store.root: store for store in stores}

    @cache
    def live() -> frozenset[str]:
        return frozenset(live_sessions(rows(), look(stores), now_ms))

    @cache
    def pins(root: str, agent: str) -> frozenset[str]:
        try:
            store = by_root[root].of(agent)
        except KeyError:
            return frozenset()
        return store.agent.pins(store)

    @cache
    def own_pins() -> frozenset[tuple[str, str]]:
        return read_own_pins(state_folder) if state_folder else frozenset()

    def pinned(row: Row) -> bool:
        return row.id in pins(row.store, row.agent) or (row.agent, row.id) in own_pins()

    @cache
    def taggings() -> Taggings:
        return read_taggings(state_folder) if state_folder else {}

    def tags(row: Row) -> Sequence[str]:
        return taggings().get((row.agent, row.id), NOTHING).tags

    facts = Facts(lambda row: row.path in live(), pinned, tags, prices, kept_in(stores), expiry_of(rows))
    return facts if touched is None else replace(facts, touched=touched.lookup())


def kept_in(stores: Sequence[Store]) -> Callable[[Row], bool]:
    """The function that says whether leafmark keeps a copy of a session."""
    kept = {store.root: store.kept for store in stores}

    def is_kept(row: Row) -> bool:
        folder = kept.get(row.store)
        return row.is_gone or (bool(folder) and os.path.lexists(copy_path(row.path, folder or "")))

    return is_kept


def expiry_of(rows: Callable[[], Sequence[Row]]) -> Callable[[Row], int | None]:
    """The function that says from when on the agent of a session may delete it, in milliseconds since the
    epoch; None for never. Settings are read at the first use of each agent and store.

    :param rows: returns all sessions, in whose folders the agents may be started.
    """

    @cache
    def retention(root: str, agent: str) -> int | None:
        return retention_ms(root, agent, {row.cwd for row in rows() if row.cwd and row.agent == agent})

    def expires(row: Row) -> int | None:
        kept_ms = None if row.is_gone else retention(row.store, row.agent)
        return None if kept_ms is None else row.mtime_ns // 1_000_000 + kept_ms

    return expires
