"""What filters may ask of a session that its row does not say: whether it is live or pinned."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from app.index.query.query import Facts
from app.index.states import live_sessions
from app.stores.live import look

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.stores.base import Store


def facts_of(stores: Sequence[Store], rows: Callable[[], Sequence[Row]], now_ms: int) -> Facts:
    """The facts about the sessions of `stores` at this moment; each is looked up when it is first asked for.

    :param rows: all sessions, among which the newest of a folder are to be found (FORMATS 2.4).
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

    return Facts(lambda row: row.path in live(), lambda row: row.id in pins(row.store, row.agent))
