"""`file:` and `edited:`: sessions by the files that their tool calls touched."""

from __future__ import annotations

import json
import os
import sqlite3

import pytest

from app.index import SCHEMA
from tests import claude_lines, rollouts
from tests.cases import cases
from tests.factory import agents_session, append, chain, message, write_session

PATCH = "*** Begin Patch\n*** Update File: src/shop/auth.py\n-a\n+b\n*** Delete File: old.py\n*** End Patch"


def call(name, arguments, *, id="00000002", result=True, failed=False, **fields):
    """The entries of a call and of its result."""
    block = {"type": "toolCall", "id": f"c{id}", "name": name, "arguments": arguments}
    entries = [message(id, None, "assistant", "", 2, content=[block], stopReason="toolUse")]
    if result:
        answer = {"toolCallId": f"c{id}", "toolName": name, "isError": failed, **fields}
        entries.append(message(f"{id}r", id, "toolResult", "done", 3, **answer))
    return entries


def pi_session(home, name, *calls, cwd="/work/app"):
    lines = [*chain("a prompt", id=name, cwd=cwd), *(line for lines in calls for line in lines)]
    return write_session(home / f".pi/agent/sessions/--w--/{name}.jsonl", *lines)


def found(run, *query):
    """The ids that a list finds; those that a search finds are the same."""
    listed = json.loads(run("list", "--json", *query).out)["sessions"]
    hits = json.loads(run("search", "--json", "--limit", "1000", *query).out)["hits"]
    ids = sorted(session["session_id"] for session in listed)
    assert sorted(hit["session_id"] for hit in hits) == ids
    return ids


@pytest.fixture
def agents(home):
    """A session of each agent, in which src/shop/auth.py was edited, and README.md read in some."""
    edit = {"path": "src/shop/auth.py", "oldText": "a", "newText": "b"}
    read = call("read", {"path": "README.md"}, id="00000009")
    pi_session(home, "pi", call("edit", edit), read)
    indusagi = home / ".indusagi/agent/sessions/--w--"
    write_session(indusagi / "indusagi.jsonl", *chain("x", id="indusagi"), *call("edit", edit), *read)
    omp = [*chain("x", id="omp"), *call("edit", {"input": PATCH}), *read]
    write_session(home / ".omp/agent/sessions/-work-app/omp.jsonl", *omp)
    edited = {"file_path": "/work/app/src/shop/auth.py", "old_string": "a", "new_string": "b"}
    claude_lines.write(
        home,
        claude_lines.line("user", "u", None, "a prompt"),
        *(
            claude_lines.line(
                "assistant", own, before, [{"type": "tool_use", "id": own, "name": name, "input": arguments}]
            )
            for own, before, name, arguments in (
                ("a1", "u", "Edit", edited),
                ("a2", "a1", "Read", {"file_path": "/work/app/README.md"}),
            )
        ),
        claude_lines.line(
            "user", "r1", "a2", [{"type": "tool_result", "tool_use_id": "a1", "content": "ok"}]
        ),
        name="claude",
    )
    command = {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"], "workdir": "/work/app"}
    rollouts.write_rollout(
        home,
        rollouts.meta("codex", cwd="/work/app"),
        rollouts.said("user", "a prompt"),
        rollouts.item("function_call", name="shell", call_id="c", arguments=json.dumps(command)),
        rollouts.item("function_call_output", call_id="c", output="Exit code: 0\nSuccess"),
        name="rollout-2026-02-23T11-40-29-codex.jsonl",
    )
    block = {"type": "tool_call", "id": "c", "name": "edit", "arguments": {"path": "src/shop/auth.py"}}
    answer = {"role": "assistant", "content": [block]}
    line = {"type": "message", "id": "m2", "timestamp": "2026-02-26T14:30:14Z", "role": "assistant"}
    agent = [*agents_session("agent"), {**line, "message": answer}]
    write_session(home / ".config/agent/sessions/agent.jsonl", *agent)
    return ["agent", "claude", "codex", "indusagi", "omp", "pi"]


def test_each_agent(run, agents):
    for path in ("auth.py", "src/shop/auth.py", "src/**/*.py", "shop/au"):
        assert found(run, f"file:{path}") == found(run, f"edited:{path}") == agents
    assert found(run, "file:README.md") == ["claude", "indusagi", "omp", "pi"]
    assert found(run, "edited:README.md") == []
    assert found(run, "edited:old.py") == ["codex", "omp"]
    assert found(run, "file:/work/app/src/shop/auth.py") == [name for name in agents if name != "agent"]
    assert found(run, "agent:pi -file:old.py edited:auth.py,none.py") == ["pi"]


@cases(
    ("value", "finds"),
    [
        ("auth.py", True),
        ("AUTH", True),
        ("th.py", False),
        ("shop", True),
        ("src/shop/", True),
        ("src/auth.py", False),
        ("/work/app/src/shop/auth.py", True),
        ("/work/ap", True),
        ("/work/other", False),
        ("~/notes.md", True),
        ("/etc/hosts", True),
        ("/etc/*", True),
        ("etc/hosts", True),
        ("*.py", True),
        ("src/*.py", False),
        ("src/**/auth.*", True),
        ("**/auth.py", True),
        ("/work/app/**/*.py", True),
        ("/work/*.py", False),
        ("a?th.py", True),
        ("[a-c]uth.py", True),
        ("[!a-c]uth.py", False),
        ("[z-a]", False),
        ('"my file.txt"', True),
        ("my", True),
        ("文档/设计", True),
        ("文档/*.md", True),
        ("[id].tsx", True),
        ('"quo\\"te.txt"', True),
        ("*" * 2_000, True),
        ("?*" * 500, False),
        ("a" * 4_000, False),
        ("sub/inner.py", True),
        ("sub/../sub/inner.py", False),
    ],
)
def test_paths(home, run, value, finds):
    files = ["src/shop/auth.py", "/etc/hosts", "~/notes.md", "my file.txt", "文档/设计.md", "app/[id].tsx"]
    files += ['quo"te.txt', "./sub/x/../inner.py", "/work/app", "."]
    pi_session(home, "s", *(call("read", {"path": path}, id=f"{n:08x}") for n, path in enumerate(files)))
    assert found(run, f"file:{value}") == (["s"] if finds else [])


def test_a_pattern_of_any_file_needs_one(home, run):
    pi_session(home, "none")
    pi_session(home, "reads", call("read", {"path": "a.py"}))
    pi_session(home, "writes", call("write", {"path": "a.py"}))
    for pattern in ("*", "**"):
        assert found(run, f"file:{pattern}") == ["reads", "writes"]
        assert found(run, f"edited:{pattern}") == ["writes"]


def test_the_first_search_for_a_word_knows_the_files(home, run):
    pi_session(home, "runs", call("bash", {"command": "cat auth.py"}))
    pi_session(home, "reads", call("read", {"path": "auth.py"}))
    hits = json.loads(run("search", "--json", "auth.py").out)["hits"]
    assert [(hit["session_id"], hit["tier"]) for hit in hits] == [("reads", "files"), ("runs", "tools")]


def test_a_call_that_failed_does_not_count(home, run):
    pi_session(home, "failed", call("write", {"path": "a.py", "content": "x"}, failed=True))
    pi_session(home, "open", call("write", {"path": "a.py", "content": "x"}, result=False))
    nested = {"calls": [{"id": "1", "name": "write", "arguments": {"path": "b.py"}, "status": "error"}]}
    nested["calls"].append({"id": "2", "name": "edit", "arguments": {"path": "c.py"}, "status": "done"})
    pi_session(home, "nested", call("codemode", {"code": "x"}, nestedCalls=nested))
    assert found(run, "file:a.py") == ["open"]
    assert found(run, "file:b.py") == []
    assert found(run, "edited:c.py") == ["nested"]


def test_an_agents_words_for_a_patch_that_was_not_applied(home, run):
    rollouts.write_rollout(
        home,
        rollouts.meta(cwd="/work/app"),
        rollouts.said("user", "a prompt"),
        rollouts.item("custom_tool_call", name="apply_patch", call_id="c", input=PATCH),
        rollouts.item("custom_tool_call_output", call_id="c", output="apply_patch verification failed: no"),
    )
    assert found(run, "file:auth.py") == []


def test_what_came_is_read_and_what_is_gone_is_forgotten(home, run):
    path = pi_session(home, "s", call("write", {"path": "a.py"}, result=False))
    assert found(run, "file:a.py") == ["s"]
    failed = call("write", {}, failed=True)[1]
    append(path, failed, *call("write", {"path": "b.py"}, id="00000005"))
    assert found(run, "file:a.py") == []
    assert found(run, "file:b.py") == ["s"]
    pi_session(home, "s", call("write", {"path": "c.py"}))
    assert found(run, "file:a.py,b.py") == []
    assert found(run, "file:c.py") == ["s"]
    path.unlink()
    assert found(run, "file:c.py") == []


def cache_file(home):
    return home / f".cache/leafmark/touched-{SCHEMA}.db"


def write_garbage(path):
    path.write_bytes(b"garbage" * 10_000)


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def set_version(path):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def spoil_values(path):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sessions SET paths = X'00', size = 'x', touches = X'00'")
    connection.close()


@cases("damage", [os.unlink, write_garbage, cut, set_version, spoil_values])
def test_a_damaged_file_is_made_anew(home, run, damage):
    path = pi_session(home, "s", call("write", {"path": "a.py"}))
    assert found(run, "file:a.py") == ["s"]
    damage(cache_file(home))
    assert found(run, "file:a.py") == ["s"]
    append(path, *call("write", {"path": "b.py"}, id="00000005"))
    damage(cache_file(home))
    assert found(run, "file:b.py", "file:a.py") == ["s"]


def test_a_cache_that_cannot_be_written(home, run, monkeypatch):
    pi_session(home, "s", call("write", {"path": "a.py"}))
    (home / "file").write_text("x")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "file"))
    assert found(run, "file:a.py") == ["s"]


def test_a_session_with_very_many_files(home, run):
    calls = [
        {"type": "toolCall", "id": f"c{n}", "name": "write", "arguments": {"path": f"d{n % 100}/f{n}.py"}}
        for n in range(20_000)
    ]
    answers = [
        message(f"{n:08x}", None, "assistant", "", 2, content=calls[n : n + 1000])
        for n in range(0, len(calls), 1000)
    ]
    pi_session(home, "large", answers)
    assert found(run, "file:f19999.py") == found(run, "file:d42/f42.py") == ["large"]
    assert found(run, "file:d42/f43.py") == found(run, "file:*.pyc") == []
    assert found(run, "edited:d9?/*19999.py") == ["large"]


def test_the_file_is_reported_and_deleted(home, run):
    pi_session(home, "s", call("write", {"path": "a.py"}))
    run("list")
    assert json.loads(run("index", "--where", "--json").out)["touched_bytes"] == 0
    assert not cache_file(home).exists()
    run("list", "file:a.py")
    assert json.loads(run("index", "--where", "--json").out)["touched_bytes"] > 0
    run("index", "--rebuild")
    assert not cache_file(home).exists()


def test_a_query_without_a_path_says_what_it_takes(run, agents):
    assert "file: takes a path" in run("list", "file:").err
    assert "file:" in run("search", "files:x").err
