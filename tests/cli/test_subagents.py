"""The tokens and the cost of sub-agents: in statistics with their session, and beside it in the facts of one
session (formats/README.md, "Artifacts of oh-my-pi", "Claude Code").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.claude_lines import line
from tests.factory import write_session
from tests.rollouts import event, meta, said, write_rollout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOKENS = ("input", "output", "cache_read", "cache_write")
OWN, FIRST, SECOND = (10, 20, 0, 0), (1000, 5000, 7000, 0), (1, 2, 3, 4)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home/.claude/projects/-work-app"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def read(leafmark: Callable[..., Any]) -> Callable[..., Any]:
    def run(*words: str) -> Any:
        done = leafmark(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def tokens(found: dict[str, Any]) -> tuple[int, ...]:
    return tuple(found["tokens"][name] for name in TOKENS)


def added(*amounts: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*amounts, strict=True)))


def write(path: Path, amounts: tuple[int, ...], own: str, model: str = "m", **fields: Any) -> None:
    """A session of Claude Code with one answer."""
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    content = [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]
    message = {"role": "assistant", "id": f"m-{own}", "model": model, "content": content}
    answered = line("assistant", f"{own}-b", f"{own}-a", message={
        **message, "usage": dict(zip(names, amounts, strict=True))
    }, **fields)  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{line('user', f'{own}-a', None, own, **fields)}\n{answered}\n")


def test_sub_agents_of_claude_code_count_with_their_session(leafmark, project, read) -> None:
    write(project / "one.jsonl", OWN, "one")
    write(project / "one/subagents/agent-a.jsonl", FIRST, "a", sessionId="one", isSidechain=True)
    # Older versions wrote them beside the sessions.
    write(project / "agent-b.jsonl", SECOND, "b", sessionId="one", isSidechain=True)
    expected = added(OWN, FIRST, SECOND)
    for by in ("day", "project", "model", "agent"):
        found = read("stats", "--by", by)
        assert (tokens(found["total"]), [tokens(row) for row in found["rows"]]) == (expected, [expected]), by
    total = found["total"]
    assert (total["sessions"], total["turns"], total["messages"], total["tool_calls"]) == (1, 1, 6, 3)
    assert [tokens(row) for row in read("list")["sessions"]] == [OWN]
    session = read("tree", "one")["session"]
    assert (tokens(session), session["subagents"]["sessions"]) == (OWN, 2)
    assert tokens(session["subagents"]) == added(FIRST, SECOND)
    assert "  own 30 tokens, with 2 sub-agents 6,033 tokens" in leafmark("tree", "one").stdout
    # A sub-agent that has changed is read again.
    write(project / "agent-b.jsonl", FIRST, "b", sessionId="one", isSidechain=True)
    assert tokens(read("stats")["total"]) == added(OWN, FIRST, FIRST)


def test_the_cost_of_a_sub_agent_is_that_of_its_model(project, read) -> None:
    write(project / "one.jsonl", OWN, "one")
    model = "claude-sonnet-4-5"
    write(project / "one/subagents/agent-a.jsonl", FIRST, "a", model, sessionId="one", isSidechain=True)
    found = {row["key"].rpartition("/")[2]: row["cost"] for row in read("stats", "--by", "model")["rows"]}
    assert found["m"] is None
    assert found[model] == read("stats")["total"]["cost"] > 0


def test_a_sub_agent_whose_session_is_gone_counts_by_itself(project, read) -> None:
    write(project / "one.jsonl", OWN, "one")
    write(project / "gone/subagents/agent-a.jsonl", FIRST, "a", sessionId="gone", isSidechain=True)
    write(project / "agent-b.jsonl", SECOND, "b", sessionId="gone too", isSidechain=True, cwd="/work/other")
    (project / "agent-c.jsonl").write_text("no session\n")
    found = read("stats", "--by", "project")
    assert {row["key"]: tokens(row) for row in found["rows"]} == {
        "/work/app": added(OWN, FIRST),
        "/work/other": SECOND,
    }
    assert (tokens(found["total"]), found["total"]["sessions"]) == (added(OWN, FIRST, SECOND), 3)
    assert tokens(read("stats", "dir:/work/other")["total"]) == SECOND
    # Their session is there again.
    write(project / "gone.jsonl", SECOND, "gone")
    assert tokens(read("stats")["total"]) == added(OWN, FIRST, SECOND, SECOND)
    assert read("tree", "gone")["session"]["subagents"]["sessions"] == 1


def test_what_a_sub_agent_repeats_of_its_session_counts_once(project, read) -> None:
    write(project / "one.jsonl", OWN, "one")
    write(project / "one/subagents/agent-a.jsonl", FIRST, "a", sessionId="one")
    own = (project / "one.jsonl").read_text()
    with (project / "one/subagents/agent-a.jsonl").open("a") as file:
        file.write(own)
    assert tokens(read("stats")["total"]) == added(OWN, FIRST)
    assert tokens(read("tree", "one")["session"]["subagents"]) == FIRST


def answer(amount: int, dollars: float) -> dict[str, Any]:
    usage = {"input": amount, "output": 1, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": dollars}}
    message = {"role": "assistant", "content": [], "model": "m", "provider": "p", "usage": usage}
    stamp = "2026-03-01T10:00:01.000Z"
    return {
        "type": "message",
        "id": f"{amount:08x}",
        "parentId": None,
        "timestamp": stamp,
        "message": message,
    }


def test_sub_agents_of_oh_my_pi_count_with_their_session(leafmark, tmp_path, read) -> None:
    folder = tmp_path / "home/.omp/agent/sessions/--w--"
    head = {"type": "session", "version": 3, "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/w"}
    write_session(folder / "x.jsonl", {**head, "id": "x"}, answer(1, 0.4))
    write_session(folder / "x/0-scout.jsonl", {**head, "id": "y"}, answer(2, 1.0))
    write_session(folder / "x/0-scout/1-deeper.jsonl", {**head, "id": "z"}, answer(3, 0.5))
    total = read("stats")["total"]
    assert (total["sessions"], total["cost"], tokens(total)) == (1, 1.9, (6, 3, 0, 0))
    session = read("tree", "x")["session"]
    assert (session["cost"], session["subagents"]["cost"]) == (0.4, 1.5)
    assert "  own $0.40, with 2 sub-agents $1.90" in leafmark("tree", "x").stdout
    assert [row["cost"] for row in read("list")["sessions"]] == [0.4]


def test_sub_agents_of_codex_are_sessions_and_facts_of_their_session(leafmark, tmp_path, read) -> None:
    def counter(total: int, last: int) -> dict[str, Any]:
        sums = {"total_token_usage": {"input_tokens": total}, "last_token_usage": {"input_tokens": last}}
        return event("token_count", info=sums)

    home = tmp_path / "home"
    one, two, three = (f"019d0000-0000-7000-8000-00000000000{number}" for number in range(3))
    write_rollout(home, meta(one), said("user", "go"), counter(100, 100), name=f"rollout-{one}.jsonl")
    for own, parent, amount in ((two, one, 7), (three, two, 5)):
        spawned = {"parent_thread_id": parent, "thread_source": "subagent"}
        lines = (counter(100, 0), said("user", own), counter(100 + amount, amount))
        write_rollout(home, meta(own, **spawned), *lines, name=f"rollout-{own}.jsonl")
    total = read("stats")["total"]
    assert (total["sessions"], tokens(total)) == (3, (112, 0, 0, 0))
    subagents = read("tree", one)["session"]["subagents"]
    assert (subagents["sessions"], tokens(subagents)) == (2, (12, 0, 0, 0))
    assert tokens(read("tree", two)["session"]) == (7, 0, 0, 0)
