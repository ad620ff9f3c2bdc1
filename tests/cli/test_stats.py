"""The groups of `leafmark stats` and their order."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import cases
from tests.claude_lines import line
from tests.factory import append, write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def stats(tmp_path: Path, leafmark: Callable[..., Any]) -> Callable[..., list[dict[str, Any]]]:
    """The rows of `leafmark stats` over three sessions: the first costs most, the second has most tokens, and
    the third most prompts and time.
    """
    folder = tmp_path / "home/.pi/agent/sessions/--w--"
    for number, (name, dollars, amount, prompts) in enumerate(
        (("dear", 3.0, 10, 1), ("large", 1.0, 900, 1), ("long", 0.0, 20, 4))
    ):
        stamp = f"2026-03-0{number + 1}T10:{{:02}}:00.000Z"
        head = {"type": "session", "version": 3, "id": name, "timestamp": stamp.format(0), "cwd": "/w"}
        usage = {"input": amount, "output": 1, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": dollars}}
        calls = [
            {"type": "toolCall", "id": f"{each}{at}", "name": each, "arguments": {}}
            for at, each in enumerate(("Bash", "bash", "bash") if number else ("BASH", "read"))
        ]
        answer = {"role": "assistant", "content": calls, "model": "m", "provider": "p", "usage": usage}
        messages = [{"role": "user", "content": f"{name} {at}"} for at in range(prompts)]
        lines = [
            {
                "type": "message",
                "id": f"{number}{at}",
                "parentId": None,
                "timestamp": stamp.format(at),
                "message": each,
            }
            for at, each in enumerate([*messages, answer])
        ]
        write_session(folder / f"{name}.jsonl", head, *lines)

    def read(*words: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(leafmark("stats", *words, "--json").stdout)["rows"]
        return rows

    return read


@cases(
    ("sort", "expected"),
    [
        ((), ["dear", "large", "long"]),
        (("--sort", "cost"), ["dear", "large", "long"]),
        (("--sort", "tokens"), ["large", "long", "dear"]),
        (("--sort", "time"), ["long", "dear", "large"]),
        (("--sort", "prompts"), ["long", "dear", "large"]),
    ],
)
def test_sessions_are_rows_in_the_order_that_the_user_chose(stats, sort, expected) -> None:
    rows = stats("--by", "session", *sort)
    assert [row["session_id"] for row in rows] == expected
    assert [row["title"] for row in rows] == [f"{name} 0" for name in expected]
    assert all(row["key"].endswith(f"/{row['session_id']}.jsonl") and row["agent"] == "pi" for row in rows)


def test_days_are_sorted_too(stats) -> None:
    assert [row["key"][-2:] for row in stats("--sort", "tokens")] == ["02", "03", "01"]
    assert [row["key"][-2:] for row in stats()] == ["01", "02", "03"]


def test_the_names_of_a_tool_in_another_case_are_one_row(stats) -> None:
    rows = stats("--by", "tool")
    assert [(row["key"], row["tool_calls"], row["sessions"]) for row in rows] == [
        ("bash", 7, 3),
        ("read", 1, 1),
    ]


def test_another_order_is_refused(leafmark) -> None:
    done = leafmark("stats", "--sort", "size")
    assert (done.returncode, "size" in done.stderr) == (2, True)


def test_the_figures_of_unchanged_sessions_are_those_that_a_new_cache_gives(
    stats, leafmark, tmp_path
) -> None:
    folder = tmp_path / "home/.pi/agent/sessions/--w--"
    orphan = tmp_path / "home/.claude/projects/-w/gone/subagents/agent-a.jsonl"
    early = line("user", "b", None, "early", sessionId="gone", timestamp="2126-05-01T10:00:00.000Z")
    torn = (folder / "large.jsonl").read_text() + '{"type": "mess'
    for number, change in enumerate(
        (
            lambda: None,
            lambda: write_session(folder / "no.jsonl", "no session"),
            lambda: write_session(folder / "other.jsonl", "no session, either"),
            lambda: (folder / "no.jsonl").unlink(),
            lambda: shutil.copy(folder / "dear.jsonl", folder / "other.jsonl"),
            lambda: append(folder / "long.jsonl", {"type": "message"}),
            lambda: (folder / "large.jsonl").write_text(torn),
            lambda: write_session(orphan, line("user", "a", None, "hello", sessionId="gone")),
            lambda: write_session(orphan, early),
            lambda: orphan.unlink(),
            lambda: (folder / "dear.jsonl").unlink(),
        )
    ):
        change()
        for by in ("day", "agent", "model", "project", "session", "tool"):
            empty = {"LEAFMARK_CACHE_DIR": str(tmp_path / f"empty-{number}-{by}")}
            expected = leafmark("stats", "--by", by, **empty)
            for _ in range(2):
                found = leafmark("stats", "--by", by)
                assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr), (number, by)


def test_the_figures_of_unchanged_sessions_need_no_rows(stats, leafmark, tmp_path) -> None:
    expected = stats("--by", "model")
    (catalog,) = (tmp_path / "home/.cache/leafmark").glob("catalog-*.db")
    with closing(sqlite3.connect(catalog)) as connection:
        connection.execute("UPDATE sessions SET row = x'00'")
        connection.commit()
    assert stats("--by", "model") == expected
    assert "damaged" not in leafmark("stats").stderr
    assert "damaged" in leafmark("stats", "--by", "project").stderr
