"""leafmark's files in the real agents, and theirs here: the same entries, leaf, labels, name and tree.

The real agents repair and migrate the files that they open: they always get a copy.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from leafmark import SessionManager

from app.demo import write_demo
from app.formats import parse_time
from app.sessions import open_tree, summarise
from app.stores import named, session_files
from tests.interop.programs import UNDEFINED, Program, Session, assistant, tool_result, user
from tests.interop.views import View, differences, of_program, of_tree

NOW = 1_795_000_000_000

Demo = dict[str, list[tuple[str, Path]]]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Return the example sessions of the version 3 family, (agent of the store, file), by the agent that can
    open them.
    """
    folder = tmp_path_factory.mktemp("demo")
    found: Demo = {"pi": [], "omp": []}
    for store in named(write_demo(str(folder), NOW), {}, "/nonexistent", "/nonexistent"):
        agent = store.agent.name
        for _, inside in session_files(store, []):
            for entry, _ in inside:
                if entry.path.endswith(".jsonl") and agent in ("pi", "omp", "indusagi"):
                    found["omp" if agent == "omp" else "pi"].append((agent, Path(entry.path)))
    return found


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_the_demo_reads_the_same_in_the_real_agent(
    agent: str, demo: Demo, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    program: Program = request.getfixturevalue(agent)
    wrong = []
    for store, file in demo[agent]:
        copy = tmp_path / file.name
        shutil.copyfile(file, copy)
        here = of_tree(open_tree(str(file), (store,)))
        there = program.make("open", str(copy))
        left_out = ["context"]
        if store == "indusagi":
            left_out.append(
                "name"
            )  # pi honours a cleared name, indusagi does not (formats/README.md, "indusagi")
        wrong += [f"{file.name}: {sentence}" for sentence in compare(there, here, *left_out)]
        there.forget()
    assert len(demo[agent]) > 4
    assert wrong == []


def compare(there: Session, here: View, *left_out: str) -> list[str]:
    """Return the differences between the real agent and `here`."""
    return differences(of_program(there.state()), here, *left_out)


def pis_file(pi: Program, folder: Path) -> Session:
    """Make a session with everything that pi's SessionManager can write."""
    session = pi.make("create", "/work/app", str(folder))
    call = session.call
    call("appendModelChange", "acme", "small-1")
    call("appendThinkingLevelChange", "high")
    first = call("appendMessage", user("Why is the test slow?"))
    call("appendMessage", assistant("I look at it.", "call-1"))
    result = call("appendMessage", tool_result("call-1", "def test(): ..."))
    answer = call("appendMessage", assistant("It sleeps."))
    call("appendLabelChange", answer, "found it")
    call("appendLabelChange", first, "to be cleared")
    call("appendSessionInfo", "Slow\r\ntest")
    call("appendLabelChange", first, UNDEFINED)
    call("appendCustomEntry", "note", {"n": 1})
    call("branch", result)
    call("appendMessage", user("Then mock the clock."))
    call("appendMessage", assistant("Done."))
    call("branchWithSummary", first, "We mocked the clock.", {"files": ["a.py"]}, True)
    call("appendCustomMessageEntry", "hint", "Mind the fixtures.", True, {"from": "extension"})
    call("appendCompaction", "All about the slow test.", first, 4200, {"readFiles": []})
    call("appendMessage", user("And now? 🙂 \u202e"))
    call("appendUsage", "summary", "acme", "small-1", assistant("")["usage"])
    call("resetLeaf")
    call("appendMessage", user("From the start."))
    return session


def summary_agrees(state: dict[str, Any], agent: str) -> None:
    """Check that the row of the list agrees with the real agent."""
    row = summarise(state["file"], (agent,), 0).summary
    assert row is not None
    entries = state["entries"]
    named_as_parent = {entry["parentId"] for entry in entries}
    assert row.id == state["id"]
    assert row.cwd == state["header"]["cwd"]
    assert row.created == parse_time(state["header"]["timestamp"])
    assert row.name == state["name"]
    assert row.entry_count == len(entries)
    assert row.message_count == sum(entry["type"] == "message" for entry in entries)
    assert row.leaf_count == sum(entry["id"] not in named_as_parent for entry in entries)
    assert row.leaf_id == state["leaf"]
    assert dict(row.labels) == {id: label for id, label in state["labels"].items() if label is not None}
    assert row.parent_session == state["header"].get("parentSession")
    assert (row.problems, row.torn) == (0, False)


def test_a_session_of_pi_reads_the_same_here(pi: Program, tmp_path: Path) -> None:
    state = pis_file(pi, tmp_path).state()
    assert differences(of_program(state), of_tree(open_tree(state["file"], ("pi",))), "context") == []
    summary_agrees(state, "pi")
    [listed] = pi.list("list", "/work/app", str(tmp_path))
    row = summarise(state["file"], ("pi",), 0).summary
    assert row is not None
    assert listed["messageCount"] == row.message_count
    assert listed["firstMessage"] == row.first_message
    assert listed["name"] == row.name == "Slow test"
    assert parse_time(listed["modified"]) == row.modified


def test_pi_counts_the_entries_that_the_library_counts(pi: Program, tmp_path: Path) -> None:
    theirs = pis_file(pi, tmp_path)
    ours = SessionManager.open(theirs.state()["file"], env={"HOME": str(tmp_path)})
    assert ours.get_entry_count() == theirs.call("getEntryCount") == len(ours.get_entries())


def omps_file(omp: Program, folder: Path) -> Session:
    """Make a session with everything that omp's SessionManager can write."""
    work = folder / "work"
    work.mkdir(parents=True)
    session = omp.make("create", str(work), str(folder))
    call = session.call
    call("appendModelChange", "acme/small-1")
    call("appendModelChange", "acme/tiny-1", "smol")
    call("appendThinkingLevelChange", "high", "auto")
    first = call("appendMessage", user("Why is the test slow?"))
    call("appendMessage", assistant("I look at it.", "call-1"))
    result = call("appendMessage", tool_result("call-1", "def test(): ..."))
    answer = call("appendMessage", assistant("It sleeps."))
    call("appendLabelChange", answer, "found it")
    assert call("setSessionName", "Slow\ttest \U0001f642", "user") is True
    call("appendModeChange", "plan", {"planFile": "plan.md"})
    call("appendTtsrInjection", ["rule-a", "rule-b"])
    call("appendSessionInit", {"systemPrompt": "You test.", "task": "test", "tools": ["read"]})
    call("appendServiceTierChange", None)
    call("branch", result)
    call("appendMessage", user("Then mock the clock."))
    call("appendMessage", assistant("Done."))
    call("branchWithSummary", first, "We mocked the clock.", {"files": ["a.py"]}, True)
    call("appendCustomMessageEntry", "hint", "Mind the fixtures.", True)
    call("appendCompaction", "All about it.", "Slow test", first, 4200, {"preserveData": {"a": 1}})
    call("appendCustomEntry", "note", {"n": 1})
    call("appendResetBoundary")
    call("appendMessage", user("And now?"))
    call("flush")
    return session


def test_a_session_of_omp_reads_the_same_here(omp: Program, tmp_path: Path) -> None:
    state = omps_file(omp, tmp_path).state()
    assert state["name"] == "Slow test \U0001f642"
    assert differences(of_program(state), of_tree(open_tree(state["file"], ("omp",))), "context") == []
    summary_agrees(state, "omp")


def test_a_branch_that_omp_extracts_reads_the_same_here(omp: Program, tmp_path: Path) -> None:
    session = omps_file(omp, tmp_path)
    source = session.state()
    tip = next(entry["id"] for entry in source["entries"] if entry["type"] == "session_init")
    session.call("createBranchedSession", tip)
    state = session.state()
    assert state["header"]["parentSession"] == source["file"]
    assert differences(of_program(state), of_tree(open_tree(state["file"], ("omp",))), "context") == []
    summary_agrees(state, "omp")


def test_a_fork_by_omp_reads_the_same_here(omp: Program, tmp_path: Path) -> None:
    source = omps_file(omp, tmp_path / "one").state()
    fork = omp.make("forkFrom", source["file"], source["cwd"], str(tmp_path / "two"))
    state = fork.state()
    assert state["header"]["parentSession"] == source["id"]
    assert differences(of_program(state), of_tree(open_tree(state["file"], ("omp",))), "context") == []
    summary_agrees(state, "omp")
