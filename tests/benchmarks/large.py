"""Measure mem: the memory of commands on a large session, and on a long line."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.measure import run
from tests.benchmarks.rows import Result, mb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.measure import Setting

AGENTS = ("pi", "claude", "codex")
BASE = 200_000_000
"""Bytes that any command may take."""
LONGEST = 256 << 20
"""Bytes; a longer line is not read."""

_TEXT = "the quick brown fox jumps over the lazy dog and reads what it wrote; " * 1500
_PICTURE = "iVBORw0KGgo+/AB=" * 1500
_TIME = "2026-11-01T10:00:00.000Z"


def large(setting: Setting) -> Iterator[Result]:
    """A file of 500 MB with ordinary lines, one with a line of 200 MB, and one with a line of 300 MB."""
    for what, line_mb, lines_mb in (
        ("500 MB of lines", 0, 500),
        ("a line of 200 MB", 200, 1),
        ("300 MB", 300, 1),
    ):
        budget = budget_of(line_mb)
        for agent in AGENTS:
            with tempfile.TemporaryDirectory(dir=setting.folder) as home:
                for command, peak in peaks(setting, Path(home), agent, line_mb, lines_mb):
                    name = f"{agent}, {what}: {command}"
                    yield Result(
                        "mem", name, mb(peak), f"budget {mb(budget)}", value=peak / 1e6, limit=budget / 1e6
                    )


def budget_of(line_mb: int) -> int:
    """The bytes that a command may take beside a line of so many megabytes."""
    size = line_mb << 20
    return BASE + (2 * size if size <= LONGEST else 2 * LONGEST)


def peaks(setting: Setting, home: Path, agent: str, line_mb: int, lines_mb: int) -> Iterator[tuple[str, int]]:
    """Commands on a session in `home`, and the peak memory of the biggest process of each in bytes.

    :param line_mb: the size of its longest line, which has a picture, in megabytes; 0 for no such line.
    :param lines_mb: the size of all others.
    """
    env = {**setting.env, "HOME": str(home)}
    for name in ("CACHE", "STATE"):
        env[f"LEAFMARK_{name}_DIR"] = str(home / name)
    path = write_session(home, agent, line_mb, lines_mb)
    commands = {
        "list": ["list"],
        "search": ["search", "lazy"],
        "search, no hit": ["search", "xyzzy"],
        "search in:all": ["search", "in:all xyzzy"],
        "tree": ["tree", path],
        "doctor": ["doctor"],
    }
    if agent == "pi":
        commands |= {"label": ["label", path, "e0", "marked"], "rename": ["rename", path, "a name"]}
    for name, arguments in commands.items():
        yield name, run(setting.leafmark(*arguments), env, success=(0, 1)).peak


def write_session(home: Path, agent: str, line_mb: int, lines_mb: int) -> str:
    """Write the session, and return its path."""
    folder, name = {
        "pi": (".pi/agent/sessions/--w--", "2026-11-01T10-00-00-000Z_s.jsonl"),
        "claude": (".claude/projects/-w", "22222222-2222-4222-8222-222222222222.jsonl"),
        "codex": (
            ".codex/sessions/2026/11/01",
            "rollout-2026-11-01T10-00-00-44444444-4444-4444-8444-444444444444.jsonl",
        ),
    }[agent]
    path = home / folder / name
    os.makedirs(path.parent)
    with path.open("w") as file:
        if agent == "pi":
            header = {"type": "session", "version": 3, "id": "s", "timestamp": _TIME, "cwd": "/w"}
            file.write(json.dumps(header) + "\n")
        elif agent == "codex":
            payload = {"id": "44444444-4444-4444-8444-444444444444", "timestamp": _TIME, "cwd": "/w"}
            file.write(json.dumps({"timestamp": _TIME, "type": "session_meta", "payload": payload}) + "\n")
        count = (lines_mb << 20) // len(_TEXT)
        for number in range(count):
            if line_mb and number == 1:
                # A picture is written in pieces, so that this process does not take its size.
                before, after = json.dumps(_line(agent, number, "@", is_picture=True)).split("@")
                file.write(before)
                for _ in range((line_mb << 20) // len(_PICTURE)):
                    file.write(_PICTURE)
                file.write(after + "\n")
            else:
                file.write(json.dumps(_line(agent, number, _TEXT, is_picture=False)) + "\n")
    return str(path)


def _line(agent: str, number: int, text: str, *, is_picture: bool) -> dict[str, Any]:
    """A prompt with a text or a picture, or the answer to one."""
    is_answer = bool(number % 2) and not is_picture
    role = "assistant" if is_answer else "user"
    if agent == "codex":
        kind = "output_text" if is_answer else "input_text"
        block = {"type": kind, "text": text}
        if is_picture:
            block = {"type": "input_image", "image_url": f"data:image/png;base64,{text}"}
        item = {"type": "message", "role": role, "content": [block]}
        return {"timestamp": _TIME, "type": "response_item", "payload": item}
    content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if agent == "claude":
        if is_picture:
            source = {"type": "base64", "media_type": "image/png", "data": text}
            content = [{"type": "image", "source": source}]
        parent = f"u{number - 1}" if number else None
        place = {
            "uuid": f"u{number}",
            "parentUuid": parent,
            "sessionId": "s",
            "cwd": "/w",
            "timestamp": _TIME,
        }
        return {"type": role, **place, "message": {"role": role, "content": content, "id": f"m{number}"}}
    if is_picture:
        content = [{"type": "image", "mimeType": "image/png", "data": text}]
    parent = f"e{number - 1}" if number else None
    message = {"role": role, "content": content, "timestamp": 1_790_000_000_000 + number}
    return {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": _TIME, "message": message}
