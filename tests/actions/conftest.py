"""Sessions to be changed, in a home folder of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.sessions import SessionManager
from tests.factory import chain, entry, message, write_session
from tests.sessions.manager.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def forked_path(home: Home) -> Callable[..., str]:
    """Write a session of pi with two answers to one question; the leaf is on the second (`e`)."""

    def write(*more: dict[str, Any] | str, name: str = "s.jsonl", folder: str = "") -> str:
        root = Path(folder) if folder else home.folder / ".pi/agent/sessions/--work-app--"
        lines = [*chain("a question", "one"), message("e", "00000001", "assistant", "other", 3), *more]
        return str(write_session(root / name, *lines))

    return write


def bytes_of(path: str) -> tuple[bytes, int]:
    """A file's content and its time: what a refused change leaves alone."""
    return Path(path).read_bytes(), Path(path).stat().st_mtime_ns


def lines_of(path: str | None) -> list[bytes]:
    """The lines of a file."""
    return Path(path or "").read_bytes().splitlines()


def reopened(home: Home, path: str | None) -> SessionManager:
    """The session as the next program finds it."""
    return SessionManager.open(path or "", env=home.env, new=False)


READ_ONLY = {
    "agent": (
        "20260226-143012-aaaaaaaa.jsonl",
        '{"type":"session","id":"s","version":1,"timestamp":"2026-02-26T14:30:12Z","cwd":"/w"}',
        '{"type":"message","id":"m1","timestamp":"2026-02-26T14:30:13Z","message":{"role":"user","content":[]}}',
    ),
    "indusagi": (
        "s.ndjson",
        '{"schema":"indus/transcript@1","kind":"head","sessionId":"s","leaf":"m1"}',
        '{"schema":"indus/transcript@1","kind":"entry","id":"m1","prev":null,"role":"user","message":"q","at":1}',
    ),
    "pi": (
        "s.jsonl",
        '{"v":4,"kind":"header","id":"s","storageVersion":1,"createdAt":1,"cwd":"/w"}',
    ),
}
"""Agent -> file name and lines of a format that takes no entries from us."""


def read_only(home: Home, agent: str) -> str:
    """A session that is only read here, in its agent's store."""
    name, *lines = READ_ONLY[agent]
    folder = {
        "agent": ".config/agent/sessions",
        "indusagi": ".pindusagi/sessions/--w--",
        "pi": ".pi/agent/sessions/--w--",
    }[agent]
    return str(write_session(home.folder / folder / name, *lines))


def labelled(target: str, label: str, id: str, parent: str) -> dict[str, Any]:
    """A label entry."""
    return entry("label", id, parent, targetId=target, label=label)
