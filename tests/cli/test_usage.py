"""The tokens and costs of sessions in the commands: usage of tool results and of answers in several lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.index import session_row
from app.index.statistics import DAY, statistics
from app.sessions import Branches, open_tree, summarise
from app.sessions.summaries import figures_of, read_figures
from app.stores import Tagging
from app.view import branch_text, facts_of, session_facts, total_lines
from app.view.project_overview import project_overview, project_rows
from tests import claude_lines
from tests.cases import cases
from tests.factory import NOW, entry, header, message, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Row


def usage(sent: int, received: int, dollars: float, read: int = 0) -> dict[str, Any]:
    """The usage of a line of pi."""
    counts = {"input": sent, "output": received, "cacheRead": read, "cacheWrite": 0}
    return {**counts, "totalTokens": sent + received + read, "cost": {"total": dollars}}


NESTED = {
    "calls": [
        {
            "id": "c1/1",
            "name": "bash",
            "arguments": {"command": "ls quay"},
            "status": "ok",
            "durationMs": 2400,
        },
        {"id": "c1/2", "name": "read", "arguments": {"path": "a.py"}, "status": "error", "error": "no pier"},
        {"id": "c1/3", "name": "write", "argumentsBytes": 9000, "status": "unfinished"},
    ],
    "complete": False,
}


def pi_session() -> list[dict[str, Any]]:
    """A session of pi in which models cost 0.40, and a tool and a summary 1.50."""
    call = {"type": "toolCall", "id": "c1", "name": "codemode", "arguments": {}}
    answer = message("b", "a", "assistant", "on it", 2, provider="p", model="m", usage=usage(10, 5, 0.4, 7))
    answer["message"]["content"].append(call)
    result = message("c", "b", "toolResult", "done", 3, toolName="codemode", toolCallId="c1")
    result["message"] |= {"usage": usage(100, 50, 1.0), "nestedCalls": NESTED}
    summary = entry("branch_summary", "d", "c", 4, fromId="a", summary="it was", usage=usage(1, 2, 0.5))
    return [header(), message("a", None, "user", "hello"), answer, result, summary]


def put(home: Path, lines: list[dict[str, Any]], name: str = "s1") -> Path:
    """Write a session of pi into a home folder."""
    return write_session(
        home / ".pi/agent/sessions/--work-app--" / f"2026-05-01T10-00-00-000Z_{name}.jsonl", *lines
    )


def row_of(path: str, agent: str = "pi") -> Row:
    """The row of a session."""
    summary = summarise(path, (agent,), 0).summary
    assert summary is not None
    return session_row(path, "/", summary.values(), (0, 0, 0, 0))


def figures(leafmark: Any, *words: str) -> dict[str, Any]:
    """The rows of `leafmark stats --json` by their keys, and the total as "total"."""
    found = json.loads(leafmark("stats", "--json", *words).stdout)
    return {row["key"]: row for row in [*found["rows"], found["total"]]}


@pytest.mark.parametrize("wrong", [{}, {"provider": 5}], ids=["decoded together", "decoded one by one"])
def test_usage_of_tool_results_and_summaries_counts_as_in_pi(leafmark, tmp_path, wrong) -> None:
    lines = pi_session()
    lines[1]["message"] |= wrong
    put(tmp_path / "home", lines)
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["cost"] == pytest.approx(1.9)
    assert row["tokens"] == {"input": 111, "output": 57, "cache_read": 7, "cache_write": 0}
    by_model = figures(leafmark, "--by", "model")
    assert {key: group["cost"] for key, group in by_model.items()} == pytest.approx(
        {"p/m": 0.4, "tools": 1.5, "total": 1.9}
    )
    assert by_model["tools"]["tokens"] == {"input": 101, "output": 52, "cache_read": 0, "cache_write": 0}
    assert (by_model["p/m"]["messages"], by_model["tools"]["messages"]) == (3, 0)
    assert figures(leafmark, "--by", "day")["2026-05-01"]["cost"] == pytest.approx(1.9)


@pytest.mark.parametrize("wrong", [{}, {"provider": 5}], ids=["decoded together", "decoded one by one"])
def test_the_calls_of_a_tool_are_found(leafmark, tmp_path, wrong) -> None:
    lines = pi_session()
    lines[1]["message"] |= wrong
    put(tmp_path / "home", lines)
    for query in ("tool:bash", "tool:codemode"):
        found = json.loads(leafmark("list", "--json", query).stdout)["sessions"]
        assert [each["session_id"] for each in found] == ["s1"], query
    for query, number in (("tool:bash quay", 1), ("tool:read pier", 1), ("tool:bash pier", 0)):
        assert len(leafmark("search", query).stdout.splitlines()) == number, query


@cases(
    "nested",
    [5, [], {"calls": 5}, {"calls": [5, {}, {"name": 5}, {"name": ""}]}, {"calls": {}}, "x"],
    one_folder=True,
)
def test_calls_of_a_tool_that_are_damaged_are_left_out(leafmark, tmp_path, nested) -> None:
    lines = pi_session()
    lines[3]["message"] |= {"nestedCalls": nested}
    put(tmp_path / "home", lines)
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert (row["cost"], row["problems"]) == (pytest.approx(1.9), 0)


def claude_answer(own: str, parent: str, *counts: int) -> str:
    """A line of an answer with the id m-1: its input, output, cache read and cache write."""
    fields = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    told = {
        "role": "assistant",
        "id": "m-1",
        "model": "claude-x",
        "usage": dict(zip(fields, counts, strict=True)),
    }
    told["content"] = [{"type": "text", "text": f"part {own}"}]
    return claude_lines.line("assistant", own, parent, message=told)


@cases("last", [(10, 9, 4, 3), (8, 2, 1, 0), (0, 0, 0, 0)], one_folder=True)
def test_the_last_usage_of_an_answer_counts(leafmark, tmp_path, last) -> None:
    lines = [claude_lines.line("user", "u", None, "hello")]
    lines += [claude_answer("a", "u", 10, 5, 4, 3), claude_answer("b", "a", 9, 9, 9, 9)]
    claude_lines.write(tmp_path / "home", *lines, claude_answer("c", "b", *last))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert tuple(row["tokens"].values()) == last
    assert tuple(figures(leafmark)["total"]["tokens"].values()) == last


def test_tokens_are_input_and_output_everywhere(leafmark, tmp_path) -> None:
    path = str(put(tmp_path / "home", pi_session()))
    assert leafmark("list", "--format", "{tokens} {cached}").stdout == "168 7\n"
    assert leafmark("list", "tokens:=168", "--format", "{tokens}").stdout == "168\n"
    assert leafmark("list", "tokens:>168").returncode == 1
    tree = open_tree(path)
    (branch,) = Branches(tree).all()
    assert "168 tokens · $1.90" in branch_text(branch)
    assert facts_of(tree.read(tree.entries[1])).tokens == 15
    row = row_of(path)
    facts = dict(session_facts(row, Tagging(), home="/", now_ms=NOW))
    assert facts["Tokens"] == "168: 111 in, 57 out; cached: 7 read, 0 written"
    assert "168 tokens" in " ".join(line.words for line in project_rows(project_overview([row]), NOW))
    assert "tokens: 111 in, 57 out, 7 cached" in total_lines(
        statistics([(row, figures_of(read_figures(path, ("pi",))))], DAY).total
    )
