"""Branching at an entry, compared with the real agents: the entries to summarize, and the new leaf."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leafmark import SessionManager

from app.actions.abandoned_branch import find_abandoned, transcript
from app.actions.branch_options import (
    BranchOptions,
    branch_in_place,
    branch_to_new_file,
    find_branch_options,
    write_draft,
)
from app.stores import discover, store_holding
from tests.interop.programs import assistant, tool_result, user

if TYPE_CHECKING:
    from tests.interop.programs import Program

AGENTS = pytest.mark.parametrize("agent", ["pi", "omp"])
PATHS = st.sampled_from(
    ["a.py", "b.py", "a.py:5-9", "a.py:raw", "b.py:1-5:raw", "https://x.org/a", "", None, 7]
)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["read", "write", "edit", "bash", "Read"]),
        st.sampled_from(["path", "file_path"]),
        PATHS,
    ),
    max_size=3,
)
DETAILS = st.sampled_from([None, {"readFiles": ["q.py:3", "a.py"], "modifiedFiles": ["m.py", "art://1"]}])


@st.composite
def sessions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw entries, each below an earlier one."""
    entries: list[dict[str, Any]] = []
    for at in range(draw(st.integers(1, 14))):
        kind = draw(
            st.sampled_from(
                ["user", "assistant", "assistant", "result", "note", "summary", "compaction", "label", "edit"]
            )
        )
        ids = [entry["id"] for entry in entries]
        last = ids[-1:]
        parent = draw(st.sampled_from([None, *ids, *last * 4]))
        entry: dict[str, Any] = {"type": "message", "id": f"{at:08x}", "parentId": parent}
        entry["timestamp"] = f"2026-05-01T10:00:{at:02}.000Z"
        if kind == "user":
            entry["message"] = user(f"prompt {at}")
        elif kind == "result":
            entry["message"] = tool_result("call", "done")
        elif kind == "assistant":
            calls = [
                {"type": "toolCall", "id": f"c{n}", "name": name, "arguments": {key: path}}
                for n, (name, key, path) in enumerate(draw(CALLS))
            ]
            stop = draw(st.sampled_from(["stop", "error", "aborted"]))
            entry["message"] = assistant(f"answer {at}", stopReason=stop)
            entry["message"]["content"] += [{"type": "thinking", "thinking": f"thought {at}"}, *calls]
        elif kind == "note":
            entry |= {"type": "custom_message", "customType": "x", "content": f"note {at}", "display": True}
        elif kind == "summary":
            by_extension = draw(
                st.sampled_from([{}, {"fromHook": True, "fromExtension": True}, {"fromHook": False}])
            )
            entry |= {
                "type": "branch_summary",
                "summary": f"summary {at}",
                "fromId": "root",
                "details": draw(DETAILS),
                **by_extension,
            }
        elif kind == "compaction":
            first = parent or entry["id"]
            entry |= {"type": kind, "summary": "c", "firstKeptEntryId": first, "tokensBefore": 5}
        elif kind == "edit":
            content = draw(st.sampled_from([f"edit {at}", [{"type": "text", "text": f"edit {at}"}]]))
            replacement = draw(st.sampled_from([None, {"content": content}]))
            target = draw(st.sampled_from([entry["id"], *ids, *last * 4]))
            entry |= {"type": "context_edit", "targetId": target, "replacement": replacement}
        else:
            entry |= {"type": kind, "targetId": parent or entry["id"], "label": "l"}
        entries.append(entry)
    return entries


TEXT = re.compile(r"(?:prompt|answer|thought|note|summary|edit) \d+")
"""A text of `sessions`, each of which is there once."""


@AGENTS
@settings(max_examples=150)
@given(entries=sessions())
def test_the_abandoned_entries_are_those_that_the_agent_summarizes(
    agent: str, request: pytest.FixtureRequest, entries: list[dict[str, Any]]
) -> None:
    program: Program = request.getfixturevalue(agent)
    header = {
        "type": "session",
        "version": 3,
        "id": "s",
        "timestamp": "2026-05-01T10:00:00.000Z",
        "cwd": "/w",
    }
    if agent == "omp":  # it has no context edits
        entries = [{**each, "type": each["type"].replace("context_edit", "custom")} for each in entries]
    path = program.home / "left.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *entries]))
    env = {"HOME": str(program.home)}
    ours = SessionManager.open(str(path), env=env, agents=(agent,), new=False)
    for picked, _, ids, read, changed, told, conversation in program.help("leftBehind", str(path)):
        left = find_abandoned(ours, picked)
        assert (list(left.files.read), list(left.files.changed)) == (read, changed)
        compactions = [at for at, each in enumerate(ids) if by_id(entries, each)["type"] == "compaction"]
        assert [entry.id for entry in left.entries] == (ids[compactions[-1] :] if compactions else ids)
        assert bool(left) == bool(told)
        assert bool(transcript(left)) == bool(told)
        if agent == "pi" and not compactions:
            assert TEXT.findall(transcript(left)) == TEXT.findall(conversation)


def by_id(entries: list[dict[str, Any]], wanted: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["id"] == wanted)


class Talk:
    """A session in the store of the real agent, and the agent's state of it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.env = {"HOME": str(program.home), "TMPDIR": str(program.home / "tmp")}
        work = program.home / "work"
        work.mkdir(exist_ok=True)
        manager = SessionManager.create(str(work), agent=program.agent, env=self.env)
        for number in range(3):
            manager.append_message(user(f"prompt {number}"))
            manager.append_message(assistant(f"answer {number}"))
        manager.set_name("N")
        self.path = manager.session_file or ""
        self.ids = [entry.id for entry in manager.get_entries() if entry.type == "message"]

    def ask(self, entry_id: str) -> BranchOptions:
        manager = SessionManager.open(self.path, env=self.env, new=False)
        store = store_holding(self.path, discover(self.env, str(self.program.home), "/"))
        assert store is not None
        return find_branch_options(manager, entry_id, store, self.env)

    def state(self, path: str) -> dict[str, Any]:
        """Return the state after the agent opens the file, which does not change it."""
        before = Path(path).read_bytes()
        theirs = self.program.make("open", path)
        state: dict[str, Any] = theirs.state()
        theirs.forget()
        assert Path(path).read_bytes() == before
        return state


@pytest.fixture
def talk(request: pytest.FixtureRequest, agent: str) -> Talk:
    return Talk(request.getfixturevalue(agent))


def said(state: dict[str, Any]) -> list[str]:
    messages = state["context"]["messages"]
    texts = [message.get("summary") or message["content"] for message in messages]
    return [text if isinstance(text, str) else text[0]["text"] for text in texts]


ALL = ["prompt 0", "answer 0", "prompt 1", "answer 1", "prompt 2", "answer 2"]


@AGENTS
@pytest.mark.parametrize(("picked", "kept"), [(0, 0), (1, 2), (2, 2), (3, 4), (4, 4)])
def test_the_agent_continues_from_the_new_leaf(talk: Talk, agent: str, picked: int, kept: int) -> None:
    change = branch_in_place(talk.ask(talk.ids[picked]), talk.env)
    state = talk.state(talk.path)
    assert state["leaf"] == change.after
    assert said(state) == ALL[:kept]


@AGENTS
def test_the_agent_gets_the_summary(talk: Talk, agent: str) -> None:
    branch_in_place(talk.ask(talk.ids[2]), talk.env, summary="went nowhere")
    assert said(talk.state(talk.path)) == [*ALL[:2], "went nowhere"]


@AGENTS
@pytest.mark.parametrize(("picked", "kept"), [(0, 0), (1, 2), (2, 2), (4, 4), (5, 6)])
def test_the_agent_continues_in_a_new_file(talk: Talk, agent: str, picked: int, kept: int) -> None:
    change = branch_to_new_file(talk.ask(talk.ids[picked]), talk.env)
    state = talk.state(change.after or "")
    assert said(state) == ALL[:kept]
    assert (state["name"], state["header"]["parentSession"]) == ("N", talk.path)
    assert said(talk.state(talk.path)) == ALL
    theirs = talk.program.make("open", change.after)
    theirs.call("appendMessage", user("more"))
    theirs.call("appendMessage", assistant("so"))
    if agent == "omp":
        theirs.call("flush")
    theirs.forget()
    assert said(talk.state(change.after or "")) == [*ALL[:kept], "more", "so"]


@pytest.mark.parametrize("agent", ["omp"])
def test_omp_finds_the_draft(talk: Talk, agent: str) -> None:
    question = talk.ask(talk.ids[2])
    branch_in_place(question, talk.env)
    draft = Path(write_draft(agent, talk.path, "prompt 1,\nbut better"))
    theirs = talk.program.make("open", talk.path)
    assert theirs.call("consumeDraft") == "prompt 1,\nbut better"
    theirs.forget()
    assert not draft.exists()


def leafmark(talk: Talk, *words: str) -> dict[str, Any]:
    """Return the JSON that a command with a change prints."""
    command = [sys.executable, "-m", "app", *words, "--json"]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        command,
        env={"PATH": os.environ["PATH"], **talk.env},
        cwd=root,
        capture_output=True,
        check=True,
        timeout=120,
    )
    value: dict[str, Any] = json.loads(done.stdout)
    return value


@AGENTS
@pytest.mark.parametrize("number", [0, 1, 2])
def test_after_a_branch_at_a_prompt_the_agent_continues_before_it(
    talk: Talk, agent: str, number: int
) -> None:
    prompt = talk.ids[2 * number]
    parent = None if number == 0 else talk.ids[2 * number - 1]
    done = leafmark(talk, "branch", talk.path, prompt)
    assert (done["prompt"], done["change"]["target_id"]) == (f"prompt {number}", parent)
    state = talk.state(talk.path)
    assert state["leaf"] == done["change"]["after"]
    ours = SessionManager.open(talk.path, env=talk.env, new=False)
    assert ours.build_session_context().messages == state["context"]["messages"]
    assert said(state) == ALL[: 2 * number]


@AGENTS
@pytest.mark.parametrize(
    "words", [["branch", "{path}", "{prompt}", "--new-file"], ["fork", "{path}", "--entry", "{prompt}"]]
)
@pytest.mark.parametrize("number", [0, 2])
def test_a_new_session_at_a_prompt_ends_before_it_for_the_agent(
    talk: Talk, agent: str, words: list[str], number: int
) -> None:
    named = {"path": talk.path, "prompt": talk.ids[2 * number]}
    done = leafmark(talk, *(word.format(**named) for word in words))
    state = talk.state(done["change"]["after"])
    assert said(state) == ALL[: 2 * number]
    assert said(talk.state(talk.path)) == ALL
