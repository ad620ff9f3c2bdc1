"""Prompts of sessions that Claude Code deleted: its history of prompts outlives them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import cases
from tests.claude_lines import line, write

if TYPE_CHECKING:
    from pathlib import Path

TIME = 1_790_000_000_000


def prompt(text: Any, session: Any = "gone", **fields: Any) -> str:
    """A line of Claude Code's history."""
    whole = {"display": text, "pastedContents": {}, "timestamp": TIME, "project": "/work/app", **fields}
    return json.dumps(whole if session is None else {**whole, "sessionId": session})


def write_history(home: Path, *lines: str) -> Path:
    path = home / ".claude/history.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{each}\n" for each in lines))
    return path


def hits(run: Any, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("search", "--json", "--", *words).out)["hits"]
    return found


def test_the_prompts_of_a_deleted_session_are_found(run: Any, home: Path) -> None:
    write(home, line("user", "p1", None, "paint the house"))
    write_history(home, prompt("paint the lighthouse"), prompt("and the door", timestamp=TIME + 60_000))
    [hit] = hits(run, "lighthouse")
    assert hit == {
        "agent": "claude",
        "session_id": "gone",
        "path": str(home / ".claude/projects/-work-app/gone.jsonl"),
        "title": "deleted: paint the lighthouse",
        "deleted": True,
        "entry_id": None,
        "role": "history",
        "snippet": "paint the lighthouse",
        "on_active_path": None,
        "timestamp": None,
        "tier": "conversation",
        "missing": [],
    }
    assert {each["session_id"]: each["deleted"] for each in hits(run, "house")} == {
        "gone": True,
        "one": False,
    }
    assert "deleted: paint the lighthouse\t\thistory\t\tand the door" in run("search", "door").out
    assert [each["session_id"] for each in hits(run, "paint")] == ["one", "gone"]
    assert [each["session_id"] for each in hits(run, "paint", "in:all")] == ["one", "gone"]
    assert [each["session_id"] for each in hits(run, "paint", "-door")] == ["one"]
    assert [each["session_id"] for each in hits(run, "door", "agent:claude", "role:assistant")] == []
    assert hits(run, "door", "agent:pi") == []
    assert "searched_in_index" not in run("search", "door", "in:all").err


def test_a_deleted_session_is_found_by_what_was_typed_alone(run: Any, home: Path) -> None:
    write(home, line("user", "p1", None, "hello", cwd="/work/app"))
    write_history(home, prompt("paint the lighthouse"))
    for words in (["app"], ["agent:claude"], ["-nothing"], ["claude"], ["dir:app"]):
        assert [hit["session_id"] for hit in hits(run, *words)] == ["one"], words
    [row] = json.loads(run("list", "--json").out)["sessions"]
    assert row["session_id"] == "one"
    assert json.loads(run("stats", "--json").out)["total"]["sessions"] == 1


def test_a_session_that_is_there_is_not_shown_twice(run: Any, home: Path) -> None:
    # Claude Code 2.1.332 writes a pasted text in this way into the session.
    said = '\n\n<pasted_content id="19">\nlighthouse\nred\n</pasted_content id="19">\n\n paint'
    path = write(home, line("user", "p1", None, said), line("user", "p2", None, "the lighthouse"))
    pasted = {"1": {"id": 1, "type": "text", "content": "lighthouse\nred"}}
    lines = [
        prompt("[Pasted text #1 +1 lines] paint", "one", pastedContents=pasted),
        prompt("the lighthouse", "one"),
    ]
    write_history(home, *lines)
    found = json.loads(run("search", "lighthouse", "--every", "--json").out)["hits"]
    assert sorted((hit["entry_id"], hit["deleted"]) for hit in found) == [("p1", False), ("p2", False)]
    # A session that cannot be read, or that was not read yet, is there.
    path.write_text("nothing\n")
    assert hits(run, "lighthouse") == []
    path.unlink()
    [hit] = hits(run, "lighthouse")
    assert (hit["title"], hit["deleted"]) == ("deleted: lighthouse red paint", True)


def test_a_prompt_that_only_the_history_has_is_found_in_its_session(run: Any, home: Path) -> None:
    write(home, line("user", "p1", None, "hello"))
    write_history(home, prompt("a cancelled lighthouse", "one"))
    [hit] = hits(run, "lighthouse")
    assert (hit["session_id"], hit["role"], hit["deleted"]) == ("one", "history", False)


@cases(
    "odd",
    [
        "",
        "{",
        "[]",
        "5",
        "null",
        "[" * 100_000,
        '{"display": 5, "sessionId": "gone", "project": "/work/app"}',
        prompt("lighthouse two", None),
        prompt("lighthouse two", 5),
        prompt("lighthouse two", ""),
        prompt("lighthouse two", "../../../etc/x"),
        prompt("lighthouse two", "a\0b"),
        prompt("lighthouse two", "other", project=5),
        prompt("lighthouse two", "other", project="work/app"),
        prompt("lighthouse two", "other", project="/a\0b"),
        prompt("", "other"),
        prompt("\0", "other"),
        '{"display": "lighthouse two"}',
        '{"display": "lighthouse two", "sessionId": "other", "project": {"a": 1}}',
        '{"display": ["lighthouse two"], "sessionId": "other", "project": "/work/app"}',
    ],
)
def test_an_odd_line_is_passed_over(run: Any, home: Path, odd: str) -> None:
    write_history(home, prompt("lighthouse one"), odd)
    assert [hit["snippet"] for hit in hits(run, "lighthouse")] == ["lighthouse one"]
    assert run("doctor").code in (0, 1)


@cases(
    ("fields", "found"),
    [
        ({"pastedContents": {"1": {"type": "text", "content": "lighthouse"}}}, "see lighthouse #1 and more"),
        ({"pastedContents": {"1": {"type": "text", "contentHash": "ab"}}}, ""),
        ({"pastedContents": {"1": {"type": "image", "content": "lighthouse"}}}, ""),
        ({"pastedContents": {"1": {"type": "text", "content": 5}}}, ""),
        ({"pastedContents": {"1": "lighthouse"}}, ""),
        ({"pastedContents": ["lighthouse"]}, ""),
        ({"pastedContents": None}, ""),
    ],
)
def test_pasted_texts_are_part_of_a_prompt(run: Any, home: Path, fields: Any, found: str) -> None:
    text = "see [Pasted text #1 +3 lines] #1 and more"
    write_history(home, prompt(text, **fields))
    assert [hit["snippet"] for hit in hits(run, "lighthouse")] == ([found] if found else [])
    assert len(hits(run, "more")) == 1


def test_a_pasted_text_is_taken_once(run: Any, home: Path) -> None:
    pasted = {"1": {"type": "text", "content": "x" * 100_000}}
    write_history(home, prompt("[Pasted text #1]" * 10_000 + " lighthouse", pastedContents=pasted))
    assert len(hits(run, "lighthouse")) == 1


@cases("stamp", [None, "later", True, -5, 1e300, 10**400, [], TIME / 1000])
def test_any_time_of_a_prompt_is_taken(run: Any, home: Path, stamp: Any) -> None:
    write_history(home, prompt("lighthouse", timestamp=stamp))
    assert len(hits(run, "lighthouse")) == 1


def test_a_time_in_the_future_does_not_come_first(run: Any, home: Path) -> None:
    write(home, line("user", "p1", None, "lighthouse"))
    write_history(home, prompt("a lighthouse", timestamp=int(time.time() * 1000) + 10**10))
    assert [hit["session_id"] for hit in hits(run, "lighthouse")] == ["one", "gone"]


def test_the_history_is_beside_the_sessions(run: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_history(home, prompt("default lighthouse"))
    moved = home / "moved"
    (moved / "projects").mkdir(parents=True)
    (moved / "history.jsonl").write_text(prompt("moved lighthouse", "other") + "\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(moved))
    found = {hit["session_id"]: hit["path"] for hit in hits(run, "lighthouse")}
    assert found == {
        "gone": str(home / ".claude/projects/-work-app/gone.jsonl"),
        "other": str(moved / "projects/-work-app/other.jsonl"),
    }


def test_nothing_is_done_to_a_deleted_session(run: Any, home: Path) -> None:
    write_history(home, prompt("paint the lighthouse"))
    path = str(home / ".claude/projects/-work-app/gone.jsonl")
    for words in (["resume", "--print", "lighthouse"], ["trash", path], ["tree", path], ["context", path]):
        done = run(*words)
        assert done.code != 0, words
        assert "Traceback" not in done.err
    assert not (home / ".claude/projects").exists()
