"""Measure mem: the peak memory of commands and of the screen on large sessions, long lines and many entries.

A peak is that of the biggest process of a command, workers included, as the kernel counts it: pages of mapped
files are a part of it.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks.measure import peak_bytes, run
from tests.benchmarks.rows import Result, mb
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.measure import Setting

AGENTS = ("pi", "claude", "codex")
BASE, SMALL_BASE = 200_000_000, 100_000_000
"""Bytes that any process may take, and those of a command in small cases, in which a fault takes less."""
PER_ENTRY = 600
"""Bytes that the screen may take for each entry."""
LONGEST = 256 << 20
"""Bytes; a longer line is not read."""

_TEXT = "the quick brown fox jumps over the lazy dog and reads what it wrote; " * 1500
_PICTURE = "iVBORw0KGgo+/AB=" * 1500
_TIME = "2026-11-01T10:00:00.000Z"


class Case(NamedTuple):
    """A session.

    :param line_mb: the size of its longest line in megabytes; 0 for no long line.
    :param lines_mb: the size of all others.
    :param texts: the number of texts in the longest line; 0 for a picture.
    :param entries: the number of short entries, in place of the lines; 0 for none.
    """

    what: str
    line_mb: int = 0
    lines_mb: int = 1
    texts: int = 0
    entries: int = 0
    agents: tuple[str, ...] = AGENTS
    base: int = BASE

    @property
    def budget(self) -> int:
        """The bytes that a command may take."""
        return self.base + self._twice_the_line

    @property
    def screen_budget(self) -> int:
        """The bytes that the screen may take."""
        return BASE + self._twice_the_line + PER_ENTRY * self.entries

    @property
    def _twice_the_line(self) -> int:
        return 2 * min(self.line_mb << 20, LONGEST)


CASES = (
    Case("500 MB of lines", lines_mb=500),
    Case("a line of 200 MB", line_mb=200),
    Case("eight texts in a line of 200 MB", line_mb=200, texts=8),
    Case("a line of 300 MB", line_mb=300),
    Case("500,000 entries", entries=500_000, agents=("pi",)),
)
SMALL_CASES = (
    Case("80 MB of lines", lines_mb=80, agents=("pi",), base=SMALL_BASE),
    Case("a line of 60 MB", line_mb=60, agents=("pi",), base=SMALL_BASE),
    Case("eight texts in a line of 60 MB", line_mb=60, texts=8, agents=("pi",), base=SMALL_BASE),
    Case("350,000 entries", entries=350_000, agents=("pi",)),
)
"""Those of `--ci`. A file with fewer entries is read into memory when it is labelled."""


def large(setting: Setting, *, small: bool) -> Iterator[Result]:
    """Measure all cases, or the small ones."""
    for case in SMALL_CASES if small else CASES:
        for agent in case.agents:
            with tempfile.TemporaryDirectory(dir=setting.folder) as home:
                for command, peak in peaks(setting, Path(home), agent, case):
                    budget = case.screen_budget if command == "screen" else case.budget
                    name = f"{agent}, {case.what}: {command}"
                    limit = budget / 1e6
                    yield Result(
                        "mem", name, mb(peak), f"budget {mb(budget)}", value=peak / 1e6, limit=limit, ci=small
                    )


def peaks(setting: Setting, home: Path, agent: str, case: Case) -> Iterator[tuple[str, int]]:
    """Commands on a session in `home`, and the peak memory of the biggest process of each in bytes."""
    env = {**setting.env, "HOME": str(home)}
    for name in ("CACHE", "STATE"):
        env[f"LEAFMARK_{name}_DIR"] = str(home / name)
    path = write_session(home, agent, case)
    commands = {
        "list": ["list"],
        "search": ["search", "lazy"],
        "search in:all": ["search", "in:all xyzzy"],
    }
    if not case.entries:
        commands["tree"] = ["tree", path]
    if case.base == BASE:
        commands |= {"search, no hit": ["search", "xyzzy"], "doctor": ["doctor"]}
    if agent == "pi":
        commands |= {"label": ["label", path, "e0", "marked"], "rename": ["rename", path, "a name"]}
    for name, arguments in commands.items():
        yield name, run(setting.leafmark(*arguments), env, success=(0, 1)).peak
    with Terminal(setting.leafmark(), env=env, cwd=str(home), size=(160, 40)) as terminal:
        # The transcript, its tree, and the beginning of that.
        for key in ("", "t", "v", "home"):
            terminal.press(*filter(None, [key]))
            terminal.settle(3, 120)
        yield "screen", peak_bytes(terminal.process.pid)
        terminal.press("ctrl+q")
        terminal.wait(20)


def write_session(home: Path, agent: str, case: Case) -> str:
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
        count = case.entries or (case.lines_mb << 20) // len(_TEXT)
        text = "a short text" if case.entries else _TEXT
        for number in range(count):
            if case.line_mb and number == 1:
                # It is written in pieces, so that this process does not take its size.
                piece, parts = (_TEXT, case.texts) if case.texts else (_PICTURE, 1)
                before, after = json.dumps(_line(agent, number, "@", is_picture=not case.texts)).split("@")
                file.write(before)
                for part in range(parts):
                    file.write('"}, {"type": "text", "text": "' if part else "")
                    for _ in range((case.line_mb << 20) // len(piece) // parts):
                        file.write(piece)
                file.write(after + "\n")
            else:
                file.write(json.dumps(_line(agent, number, text, is_picture=False)) + "\n")
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
