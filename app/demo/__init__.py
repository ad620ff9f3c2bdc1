"""Example sessions of all four agents, for a look at the program without any of one's own.

Everything is written below one folder: `home` is laid out like a home folder, `work` holds the projects.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.demo import async_handlers, dotfiles, old_api, shop, site, tidepool, weather
from app.demo.builder import Session
from app.demo.places import file_name, folder_name, session_root, store_roots
from app.demo.spell import lines

if TYPE_CHECKING:
    from collections.abc import Iterable

# The project whose folder is not made: its sessions cannot be resumed, and the screen has to say so.
GONE = "old-api"


def sessions() -> list[Session]:
    """All example sessions, not yet placed in time."""
    found: list[Session] = []
    for module in (shop, async_handlers, site, tidepool, dotfiles, weather, old_api):
        found += module.sessions()
    return found


def write_demo(folder: str, now_ms: int) -> list[tuple[str, str]]:
    """Write the example sessions below `folder` (made if need be) as if it were `now_ms` (milliseconds
    UTC).

    Gives the stores as (agent, folder) pairs, for `app.stores.named`. The same `folder` and `now_ms` give
    the same bytes and modification times. OSError when something cannot be written.
    """
    folder = os.path.abspath(folder)
    home = os.path.join(folder, "home")
    made = sessions()
    for session in _with_sub_agents(made):
        session.place(now_ms)
    for session in made:
        if session.project != GONE:
            os.makedirs(os.path.join(folder, "work", session.project), exist_ok=True)
        _write(session, home, folder)
    return store_roots(home)


def _with_sub_agents(made: Iterable[Session]) -> Iterable[Session]:
    for session in made:
        yield session
        yield from (each for each in session.artifacts.values() if isinstance(each, Session))


def _write(session: Session, home: str, folder: str) -> None:
    """One session's file and what lies beside it."""

    def cwd_of(one: Session) -> str:
        return os.path.join(folder, "work", one.project)

    def path_of(one: Session) -> str:
        return os.path.join(session_root(home, one), folder_name(one, cwd_of(one)), file_name(one))

    path = path_of(session)
    _put(path, b"".join(lines(session, cwd_of(session), path_of)), _ended(session))
    stem = os.path.splitext(path)[0]
    for name, content in session.artifacts.items():
        if isinstance(content, Session):
            data = b"".join(lines(content, cwd_of(session), path_of))
            _put(os.path.join(stem, name), data, _ended(content))
        else:
            _put(os.path.join(stem, name), content.encode(), _ended(session))


def _ended(session: Session) -> int:
    return max((entry.time for entry in session.entries), default=session.start)


def _put(path: str, data: bytes, at_ms: int) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, ns=(at_ms * 1_000_000, at_ms * 1_000_000))
