"""Sessions for tests to change, in a temporary home folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from tests.factory import chain, entry, message, write_session
from tests.quick_trash import SUBPROCESS
from tests.sessions.manager.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def omp_path(home: Home) -> str:
    """A session of oh-my-pi with a folder of artifacts."""
    return with_artifacts(home, "omp")


@pytest.fixture
def forked_path(home: Home) -> Callable[..., str]:
    """Write a session of pi with two answers to one question; the leaf is on the second (`e`)."""

    def write(*more: dict[str, Any] | str, name: str = "s.jsonl", folder: str = "") -> str:
        root = Path(folder) if folder else home.folder / ".pi/agent/sessions/--work-app--"
        lines = [*chain("a question", "one"), message("e", "00000001", "assistant", "other", 3), *more]
        return str(write_session(root / name, *lines))

    return write


@pytest.fixture
def trash_in_subprocess(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach the trash of another home folder as the program does: in a subprocess."""
    monkeypatch.setattr("app.actions.trash.send_in_subprocess", SUBPROCESS)


def bytes_of(path: str) -> tuple[bytes, int]:
    """Return the content and the modification time of a file."""
    return Path(path).read_bytes(), Path(path).stat().st_mtime_ns


def lines_of(path: str | None) -> list[bytes]:
    """Return the lines of a file."""
    return Path(path or "").read_bytes().splitlines()


def reopened(home: Home, path: str | None) -> SessionManager:
    """Open the session again, as another program would."""
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
    "claude": (
        "s.jsonl",
        '{"type":"user","uuid":"m1","parentUuid":null,"sessionId":"s","timestamp":"2026-02-26T14:30:13Z",'
        '"cwd":"/w","message":{"role":"user","content":"q"}}',
    ),
    "codex": (
        "rollout-2026-02-26T14-30-12-s.jsonl",
        '{"timestamp":"2026-02-26T14:30:12Z","type":"session_meta","payload":{"id":"s","cwd":"/w"}}',
        '{"timestamp":"2026-02-26T14:30:13Z","type":"response_item","payload":{"type":"message","role":"user",'
        '"content":[{"type":"input_text","text":"q"}]}}',
    ),
}
"""Agent -> file name and lines of a session that leafmark only reads."""


def read_only(home: Home, agent: str) -> str:
    """Write a session that leafmark only reads into the store of its agent."""
    name, *lines = READ_ONLY[agent]
    folder = {
        "agent": ".config/agent/sessions",
        "indusagi": ".pindusagi/sessions/--w--",
        "claude": ".claude/projects/-w",
        "codex": ".codex/sessions/2026/02/26",
    }[agent]
    return str(write_session(home.folder / folder / name, *lines))


def labelled(target: str, label: str, id: str, parent: str) -> dict[str, Any]:
    """Return a label entry."""
    return entry("label", id, parent, targetId=target, label=label)


def contents(path: str) -> dict[str, tuple[bytes, int]]:
    """Return the bytes and the time of every file at or below `path`; for a link, its target."""
    files = {}
    top = Path(path)
    for path_below in sorted([top, *top.rglob("*")]):
        name = str(path_below.relative_to(top))
        status = path_below.lstat()
        if path_below.is_symlink():
            files[name] = (str(path_below.readlink()).encode(), 0)
        elif path_below.is_file():
            files[name] = (path_below.read_bytes(), status.st_mtime_ns)
        else:
            files[name] = (b"", 0)
    return files


def trash_of(home: Home) -> Path:
    """Return the trash folder of a home folder."""
    return home.folder / ".local/share/Trash"


def with_artifacts(home: Home, agent: str) -> str:
    """Write a session with a folder of artifacts: a log, a session of a sub-agent, a link."""
    path = home.answered(agent).session_file or ""
    folder = Path(path).with_suffix("")
    (folder / "local").mkdir(parents=True)
    (folder / "1.bash.log").write_text("what it said\n")
    (folder / "link").symlink_to("1.bash.log")
    write_session(folder / "sub.jsonl", *chain("task", "done", id="sub"))
    return path


def of_agent(home: Home, count: int) -> str:
    """Write a session of nickcecere/agent with `count` messages."""
    lines = [
        '{"type":"session","id":"dd4ef604-18d0-4cc6-a7c6-3427226486ec","version":1,'
        f'"timestamp":"2026-02-26T14:30:12Z","cwd":{json.dumps(str(home.folder))}}}'
    ]
    for number in range(count):
        parent = f'"parent_id":"m{number - 1}",' if number else ""
        role = "assistant" if number % 2 else "user"
        lines.append(
            f'{{"type":"message","id":"m{number}",{parent}"timestamp":"2026-02-26T14:30:12Z",'
            f'"message":{{"role":"{role}","content":[{{"type":"text","text":"{number}"}}]}}}}'
        )
    folder = home.folder / ".config/agent/sessions"
    return str(write_session(folder / "20260226-143012-dd4ef604.jsonl", *lines))


def with_backups(home: Home) -> str:
    """Write a session of oh-my-pi with a folder of artifacts and two backups; return its path."""
    path = with_artifacts(home, "omp")
    for number in ("1a2b3c4d5e6f7081", "1a2b3c4d5e6f7082"):
        write_session(Path(f"{path}.{number}.bak"), *chain(f"before {number}", "then", id="older"))
        os.utime(f"{path}.{number}.bak", (1_700_000_000, 1_700_000_000))
    return path
