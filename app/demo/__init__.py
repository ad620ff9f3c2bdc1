"""Example sessions of all agents, to try leafmark without sessions of your own.

Everything is written below one folder: `home` is like a home folder, and `work` contains the projects.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.demo import async_handlers, projects, read_only, shop
from app.demo.builder import Session
from app.demo.session_files import (
    CODEX_NAMES,
    dump,
    file_name,
    folder_name,
    lines,
    session_root,
    store_roots,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

GONE = "old-api"
"""The project whose folder is not created: its sessions cannot be resumed, and the screen has to say so."""


def sessions() -> list[Session]:
    """All example sessions, before their times are set (`Session.place`)."""
    return [
        *shop.sessions(),
        *async_handlers.sessions(),
        *projects.blog(),
        *projects.file_sync(),
        *projects.dotfiles(),
        *projects.weather_bot(),
        *projects.old_api(),
        *read_only.sessions(),
    ]


def write_demo(folder: str, now_ms: int) -> list[tuple[str, str]]:
    """Write the example sessions. The same `folder` and `now_ms` give the same bytes and modification times.

    :param folder: is created if necessary.
    :param now_ms: the time at which the sessions seem to be written, in milliseconds UTC.
    :return: the stores as (agent, folder) pairs, for `app.stores.named`.
    :raises OSError: a file cannot be written.
    """
    folder = os.path.abspath(folder)
    home = os.path.join(folder, "home")
    all_sessions = sessions()
    for session in _with_sub_agents(all_sessions):
        session.place(now_ms)
    for session in all_sessions:
        if session.project != GONE:
            os.makedirs(os.path.join(folder, "work", session.project), exist_ok=True)
        _write(session, home, folder)
    named = [session for session in all_sessions if read_only.codex_names(session)]
    names = b"".join(dump(line) for session in named for line in read_only.codex_names(session))
    _write_file(os.path.join(home, *CODEX_NAMES), names, max(map(_end_time, named)))
    return store_roots(home)


def _with_sub_agents(all_sessions: Iterable[Session]) -> Iterable[Session]:
    for session in all_sessions:
        yield session
        yield from (artifact for artifact in session.artifacts.values() if isinstance(artifact, Session))


def _write(session: Session, home: str, folder: str) -> None:
    """Write the file of a session and its artifacts."""

    def cwd_of(any_session: Session) -> str:
        return os.path.join(folder, "work", any_session.project)

    def path_of(any_session: Session) -> str:
        folder_of_project = folder_name(any_session, cwd_of(any_session))
        return os.path.join(session_root(home, any_session), folder_of_project, file_name(any_session))

    path = path_of(session)
    _write_file(path, b"".join(lines(session, cwd_of(session), path_of)), _end_time(session))
    stem = os.path.splitext(path)[0]
    for name, content in session.artifacts.items():
        if isinstance(content, Session):
            data = b"".join(lines(content, cwd_of(session), path_of))
            _write_file(os.path.join(stem, name), data, _end_time(content))
        else:
            _write_file(os.path.join(stem, name), content.encode(), _end_time(session))


def _end_time(session: Session) -> int:
    return max((entry.time for entry in session.entries), default=session.start)


def _write_file(path: str, data: bytes, at_ms: int) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, ns=(at_ms * 1_000_000, at_ms * 1_000_000))
