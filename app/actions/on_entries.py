"""The actions on an entry as they are done to a row of the list, see `on_rows`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.actions.go_on import Question
    from app.index.row import Row
    from app.sessions.manager.change import Change
    from app.stores.base import Store

    Env = Mapping[str, str]


def label(row: Row, store: Store, env: Env, state_folder: str, *, entry: str, text: str) -> Change:
    """See `actions.label.label`."""
    from app.actions.label import label

    return label(row.path, entry, text, env, store, exact=True)


def fork(row: Row, store: Store, env: Env, state_folder: str, *, entry: str, to: str | None = None) -> Change:
    """See `actions.fork.fork`. The new session ends with the entry itself."""
    from app.actions.fork import fork

    return fork(row.path, env, entry=entry, to=to, store=store, exact=True, keep=True)


def in_place(
    row: Row,
    store: Store,
    env: Env,
    state_folder: str,
    *,
    question: Question,
    summary: str,
    draft: str,
) -> Change:
    """See `actions.go_on.in_place`."""
    from app.actions.go_on import in_place

    return in_place(question, env, store, summary, draft)


def new_file(
    row: Row, store: Store, env: Env, state_folder: str, *, question: Question, to: str | None
) -> Change:
    """See `actions.go_on.new_file`."""
    from app.actions.go_on import new_file

    return new_file(question, env, store, to)
