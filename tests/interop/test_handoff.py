"""Sessions that were handed over, in the real pi and the real oh-my-pi."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from leafmark import SessionManager

from app.actions import Request, hand_over
from tests.actions.handing import environment, handed, lines, without_marker
from tests.claude_lines import boundary, line, picture, summary
from tests.claude_lines import write as write_claude
from tests.factory import NOW
from tests.interop.programs import Program, Refused
from tests.interop.provider import Provider
from tests.interop.resumed import Resumed, texts_of
from tests.interop.sides import Real, RealOmp, Step, steps_text
from tests.interop.test_differential import OMPS_STEPS, PIS_STEPS
from tests.public_files import SOURCES, path_of
from tests.rollouts import event, item, meta, said, write_rollout

PUBLIC = Path(os.environ.get("LEAFMARK_PUBLIC", "/nonexistent"))
DEMO = Path(__file__).resolve().parents[2] / "app/demo/sessions"
TARGETS = pytest.mark.parametrize("target", ["pi", "omp"])
SAID = ("user", "assistant", "toolResult", "custom", "branchSummary", "compactionSummary", "bashExecution")


def conversation(messages: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """The messages, without how calls are spelled, and without the fields of summaries that one agent has."""
    return [
        (each["role"], each.get("summary"), each.get("toolCallId"), each.get("customType"), *parts(each))
        for each in messages
    ]


def parts(message: dict[str, Any]) -> list[Any]:
    content = message.get("content") or message.get("output") or []
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return [
        (block["type"], block.get("text"), block.get("thinking"), block.get("data"), block.get("id"))
        for block in blocks
    ]


@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=PIS_STEPS)
def test_a_session_of_pi_comes_back_from_oh_my_pi_as_it_was(
    steps: list[Step], pi: Program, omp: Program
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        real = Real(pi, str(home / "work"), home / "sessions")
        for each in steps:
            real.do(each)
        if not real.written or not any(entry["type"] == "message" for entry in real.state["entries"]):
            return
        when = steps_text(steps)
        there = handed(str(real.file), "omp", home).change.after
        back = handed(there or "", "pi", home).change.after
        before = state(pi, str(real.file))
        after = state(pi, str(back))
        assert without_marker(lines(back)) == lines(real.file), when
        assert without_marker(after["entries"]) == before["entries"], when
        for key in ("leaf", "name", "context"):
            assert after[key] == before[key], (key, when)
        assert {**before["labels"], after["entries"][0]["id"]: None} == after["labels"], when
        try:
            # By oh-my-pi's own rules, which read the file of pi as well.
            expected = state(omp, str(real.file))["context"]["messages"]
        except Refused:
            return
        middle = state(omp, str(there))
        assert conversation(middle["context"]["messages"]) == conversation(expected), when
        assert middle["leaf"] == before["leaf"], when
        assert {**before["labels"], middle["entries"][0]["id"]: None} == middle["labels"], when


@settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=OMPS_STEPS)
def test_pi_opens_a_session_of_oh_my_pi(steps: list[Step], pi: Program, omp: Program) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        real = RealOmp(omp, str(home / "work"), home / "sessions")
        for each in steps:
            real.do(each)
        if not real.written or not any(entry["type"] == "message" for entry in real.state["entries"]):
            return
        when = steps_text(steps)
        real.session.call("flush")
        found = state(pi, str(handed(str(real.file), "pi", home).change.after))
        assert found["name"] == real.state["name"], when
        before = {id: label for id, label in real.state["labels"].items() if label is not None}
        assert {id: label for id, label in found["labels"].items() if label is not None} == before, when
        assert prompts_of(found["entries"]) == prompts_of(real.state["entries"]), when


def state(program: Program, path: str) -> dict[str, Any]:
    """The state of an agent after it opens the file, which does not change it."""
    data = Path(path).read_bytes()
    session = program.make("open", path)
    try:
        found: dict[str, Any] = session.state()
    finally:
        session.forget()
    assert Path(path).read_bytes() == data
    return found


def a_branched_session(home: Path) -> Path:
    """A session of Claude Code with two branches, calls that were made together, a note between call and
    result, a picture, a failed answer, and thinking.
    """
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    calls = [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": given}
        for n, (name, given) in enumerate(
            [("Read", {"file_path": "a.py", "offset": 3}), ("Bash", {"command": "ls", "timeout": 5000})]
        )
    ]
    results = [
        {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"result {n}"} for n in range(2)
    ]
    one = {"message": {"role": "assistant", "id": "m", "model": "claude-x", "usage": {"input_tokens": 3}}}

    def answer(own: str, parent: str, *blocks: Any) -> str:
        return line("assistant", own, parent, message={**one["message"], "content": list(blocks)})

    return write_claude(
        home,
        line("user", "u1", None, "the first prompt"),
        answer("a1", "u1", thought),
        answer("a2", "a1", {"type": "text", "text": "I look."}),
        answer("a3", "a2", calls[0]),
        answer("a4", "a3", calls[1]),
        line("user", "r1", "a3", [results[0]]),
        line("user", "n1", "r1", "a note of a hook", isMeta=True),
        line("user", "r2", "a4", [results[1]]),
        line("assistant", "e1", "r2", "API Error: 500", isApiErrorMessage=True),
        line("user", "u2", "r2", [{"type": "text", "text": "and this"}, picture(2000)]),
        line("assistant", "b1", "u2", "one way"),
        line("user", "u3", "r2", "or this"),
        line("assistant", "b2", "u3", "another way"),
        name="branched",
    )


def a_compacted_session(home: Path) -> Path:
    """A session of Claude Code with a compaction that keeps the last turn."""
    kept = {"preservedMessages": {"anchorUuid": "s1", "uuids": ["u2", "b2"]}}
    return write_claude(
        home,
        line("user", "u1", None, "the first prompt"),
        line("assistant", "b1", "u1", "the first answer"),
        line("user", "u2", "b1", "the second prompt"),
        line("assistant", "b2", "u2", "the second answer"),
        boundary("c1", "b2", kept),
        summary("s1", "c1", "what was said"),
        line("user", "u3", "s1", "the third prompt"),
        line("assistant", "b3", "u3", "the third answer"),
        name="compacted",
    )


def a_rollout(home: Path) -> Path:
    """A session of Codex with calls that were made together, a rolled back turn and a compaction."""
    return write_rollout(
        home,
        meta(model_provider="openai"),
        said("user", "the first prompt"),
        item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}]),
        item("function_call", name="exec_command", call_id="c1", arguments='{"cmd": "ls", "workdir": "/w"}'),
        item("function_call", name="shell", call_id="c2", arguments='{"command": ["bash", "-lc", "pwd"]}'),
        item("function_call_output", call_id="c1", output="result 0"),
        item("function_call_output", call_id="c2", output="result 1"),
        said("assistant", "the first answer"),
        said("user", "a prompt that was rolled back"),
        said("assistant", "an answer that was rolled back"),
        event("thread_rolled_back", num_turns=1),
        said("user", "the second prompt"),
        said("assistant", "the second answer"),
        {
            "timestamp": "2026-02-23T11:50:00.000Z",
            "type": "compacted",
            "payload": {
                "message": "what was said",
                "replacement_history": [
                    said("user", "the first prompt")["payload"],
                    said("user", "the second prompt")["payload"],
                    said("user", "what was said")["payload"],
                ],
            },
        },
        said("user", "the third prompt"),
        said("assistant", "the third answer"),
    )


def demo(agent: str, path: str) -> Callable[[Path], Path]:
    """A session of the demo."""

    def write(home: Path) -> Path:
        folder = ".claude/projects/-w" if agent == "claude" else ".codex/sessions/2026/01/01"
        target = home / folder / Path(path).name
        target.parent.mkdir(parents=True)
        shutil.copy(DEMO / agent / path, target)
        return target

    return write


def public(name: str) -> Callable[[Path], Path]:
    """A public file."""

    def write(home: Path) -> Path:
        source = path_of(name, PUBLIC)
        if not source.is_file():
            pytest.skip(f"LEAFMARK_PUBLIC has no {name}")
        folder = ".claude/projects/-w" if SOURCES[name].agent == "claude" else ".codex/sessions/2026/01/01"
        target = home / folder / source.name
        target.parent.mkdir(parents=True)
        shutil.copy(source, target)
        return target

    return write


CORPUS = [
    pytest.param(a_branched_session, id="branched"),
    pytest.param(a_compacted_session, id="compacted"),
    pytest.param(a_rollout, id="rollout"),
    *(
        pytest.param(demo(agent, path), id=Path(path).stem)
        for agent, path in [
            ("claude", "weather-bot/36415f21-1eca-4eb5-8d86-1859f313a7a4.jsonl"),
            ("claude", "site/500f2bfa-7ae1-4be4-9278-a9f339bb35f2.jsonl"),
            ("codex", "dotfiles/backup.jsonl"),
            ("codex", "site/alt-texts.jsonl"),
        ]
    ),
    *(pytest.param(public(name), id=name, marks=pytest.mark.real) for name in SOURCES if PUBLIC.is_dir()),
]


@TARGETS
@pytest.mark.parametrize("source", CORPUS)
def test_sessions_of_claude_code_and_codex_go_on_in_another_agent(
    source: Callable[[Path], Path],
    target: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    installed: Any,
) -> None:
    program: Program = request.getfixturevalue(target)
    provider = Provider()
    try:
        agent = Resumed(target, installed, tmp_path / "agent", provider)
        path = source(tmp_path)
        before = path.read_bytes()
        manager = SessionManager.open(path, env=environment(tmp_path), new=False)
        wanted = Request(target, folder=str(agent.work))
        change = hand_over(str(path), wanted, environment(tmp_path), now_ms=NOW).change
        assert path.read_bytes() == before
        found = state(program, str(change.after))
        entries = [each.normalized | links(each) for each in manager.get_entries()]
        assert prompts_of(found["entries"]) == prompts_of(entries)
        assert found["name"] == manager.session_name
        sent = texts_of(agent.sent(str(change.after), "and then"))
        # oh-my-pi lays out summaries anew.
        squeezed = "".join("".join(sent).split())
        for text in texts_in(manager.build_session_context().messages):
            assert "".join(text.split()) in squeezed, text[:200]
        results = [each for each in manager.build_session_context().messages if each["role"] == "toolResult"]
        assert not any("No result provided" in text for text in sent) or len(results) == 0
    finally:
        provider.close()


def links(entry: Any) -> dict[str, Any]:
    return {"id": entry.id, "parentId": entry.parent_id}


def prompts_of(entries: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    """The prompts on the path to each end of the conversation."""
    by_id = {entry["id"]: entry for entry in entries}
    said = [entry for entry in entries if entry["type"] in ("message", "custom_message", "compaction")]
    above: set[str] = set()
    for entry in said:
        parent = entry["parentId"]
        while parent is not None and parent not in above:
            above.add(parent)
            parent = by_id[parent]["parentId"] if parent in by_id else None
    found = set()
    for entry in said:
        if entry["id"] in above:
            continue
        path = []
        each: dict[str, Any] | None = entry
        while each is not None:
            if each["type"] == "message" and (each["message"] or {}).get("role") == "user":
                path.append(str([part[:2] for part in parts(each["message"])]))
            each = by_id.get(each["parentId"] or "")
        found.add(tuple(path[::-1]))
    return found


def texts_in(messages: list[dict[str, Any]]) -> list[str]:
    """The texts that the source sends, without answers that failed and thinking."""
    found = []
    for message in messages:
        if message.get("stopReason") in ("error", "aborted"):
            continue
        if message.get("summary"):
            found.append(message["summary"])
        content = message.get("content") or message.get("command") or []
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        found += [block["text"] for block in blocks if block.get("type") == "text" and block["text"].strip()]
    return found
