"""The groups of `leafmark stats` and their order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import cases
from tests.factory import write_session

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
