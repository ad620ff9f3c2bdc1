"""Fixtures: an empty home folder, and sessions in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from tests.factory import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

USER = {"role": "user", "content": "a question", "timestamp": 1}
ANSWER = {
    "role": "assistant",
    "content": [{"type": "text", "text": "an answer"}],
    "provider": "anthropic",
    "model": "claude",
    "timestamp": 2,
}


def content(path: str | None) -> bytes:
    """Return the bytes of a session's file."""
    return Path(path or "").read_bytes()


class Home:
    """A home folder that is empty until a test writes to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {"HOME": str(folder)}
        self.work = str(folder / "work")

    def create(self, agent: str = "pi", **more: Any) -> SessionManager:
        return SessionManager.create(self.work, agent=agent, env=self.env, **more)

    def open(self, path: str | Path) -> SessionManager:
        return SessionManager.open(str(path), env=self.env)

    def answered(self, agent: str = "pi") -> SessionManager:
        """Make a session with one question and its answer, so that it is on disk."""
        manager = self.create(agent)
        manager.append_message(USER)
        manager.append_message(ANSWER)
        return manager


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def session(home: Home) -> Callable[..., SessionManager]:
    """Return a function that writes its lines to a file and opens that."""

    def made(*lines: dict[str, Any] | str, name: str = "s.jsonl") -> SessionManager:
        return home.open(write_session(home.folder / "loose" / name, *lines))

    return made
