"""Make rows and session files for tests."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from leafmark import Row

from app.index import FIELDS

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_780_000_000_000
MINUTE = 60_000

DEFAULTS: dict[str, Any] = {
    "store": "/store",
    "agent": "pi",
    "dialect": "pi",
    "cwd": "/work/app",
    "name": None,
    "title": "a session",
    "title_source": "prompt",
    "first_message": "",
    "last_prompt": "",
    "created": NOW - 60 * MINUTE,
    "modified": NOW - 5 * MINUTE,
    "message_count": 3,
    "entry_count": 5,
    "leaf_count": 1,
    "branch_count": 1,
    "labels": (),
    "leaf_id": "00000001",
    "parent_session": None,
    "models": (),
    "tools": (),
    "tokens": (0, 0, 0, 0),
    "cost": 0.0,
    "errors": 0,
    "images": 0,
    "problems": 0,
    "torn": False,
    "linear": True,
    "ending": "done",
    "spawned": False,
    "folders": (),
    "continued_in": "",
    "first_id": "",
    "own_prompt": "",
    "is_behind": False,
    "unpriced": (),
    "ino": 1,
    "size": 100,
    "mtime_ns": (NOW - 5 * MINUTE) * 1_000_000,
    "ctime_ns": 0,
    "ahead_ms": None,
    "grew_ms": None,
    "refused": None,
    "refused_line": 0,
}


def make_row(id: str = "s1", **fields: Any) -> Row:
    """Return a row; a field that is not passed has its default."""
    values = {**DEFAULTS, "id": id, "path": f"/store/{id}.jsonl", **fields}
    if "name" in fields and "title" not in fields:
        values["title"] = fields["name"] or "a session"
        values["title_source"] = "name" if fields["name"] else "prompt"
    return Row(tuple(values[field] for field in FIELDS))


def header(id: str = "s1", cwd: str = "/work/app", **more: Any) -> dict[str, Any]:
    """Return the first line of a pi session."""
    return {"type": "session", "version": 3, "id": id, "timestamp": stamp(0), "cwd": cwd, **more}


def stamp(minutes: float) -> str:
    """Return an ISO time, `minutes` after a fixed start."""
    seconds = 36_000 + minutes * 60
    return f"2026-05-01T{int(seconds // 3600):02}:{int(seconds // 60 % 60):02}:{int(seconds % 60):02}.000Z"


def message(id: str, parent: str | None, role: str, text: str, at: float = 1, **more: Any) -> dict[str, Any]:
    """Return a message entry with one block of text."""
    body = {"role": role, "content": [{"type": "text", "text": text}], **more}
    return {"type": "message", "id": id, "parentId": parent, "timestamp": stamp(at), "message": body}


def entry(type: str, id: str, parent: str | None, at: float = 1, **more: Any) -> dict[str, Any]:
    """Return an entry of another type."""
    return {"type": type, "id": id, "parentId": parent, "timestamp": stamp(at), **more}


def write_session(path: Path, *lines: dict[str, Any] | str) -> Path:
    """Write a session file of these lines; a string is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    spelled = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("".join(line + "\n" for line in spelled), encoding="utf-8")
    return path


def append(path: Path, *lines: dict[str, Any]) -> None:
    """Append all lines with one write, as an agent does."""
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


def chain(*texts: str, id: str = "s1", cwd: str = "/work/app") -> list[dict[str, Any]]:
    """Return the lines of a conversation without branches: a header, then messages, user first."""
    lines = [header(id, cwd)]
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        lines.append(
            message(f"{number + 1:08x}", f"{number:08x}" if number else None, role, text, number + 1)
        )
    return lines


# The tables of oh-my-pi 18.2.3.
def agents_session(id: str = "a3f7c901-x") -> list[dict[str, Any]]:
    """Return the lines of a session of nickcecere/agent: its header, and one prompt with the id m1."""
    prompt = {"role": "user", "content": [{"type": "text", "text": "a prompt"}]}
    return [
        {"type": "session", "id": id, "version": 1, "timestamp": "2026-02-26T14:30:12Z", "cwd": "/w"},
        {
            "type": "message",
            "id": "m1",
            "timestamp": "2026-02-26T14:30:13Z",
            "role": "user",
            "message": prompt,
        },
    ]


OMP_TABLES = """
CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL, cwd TEXT, session_id TEXT);
CREATE INDEX idx_history_created_at ON history(created_at DESC);
CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history', content_rowid='id');
CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN
    INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt); END;
CREATE TABLE session_titles (session_id TEXT PRIMARY KEY, title TEXT NOT NULL, updated_at INTEGER NOT NULL);
PRAGMA user_version = 1;
"""
ADD = "INSERT INTO history (prompt, created_at, cwd, session_id) VALUES (?, ?, ?, ?)"


def write_history(path: Path, *prompts: tuple[str, str | None]) -> Path:
    """Add (prompt, session id) pairs to a history of oh-my-pi, which is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(OMP_TABLES)
        for prompt, session_id in prompts:
            (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM history").fetchone()
            connection.execute(ADD, (prompt, 1_771_237_230 + last, "/work/app", session_id))
    return path
