"""The tree of a session, and moving and forking its branches."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionManager

from app.sessions import AlreadyThere, UnknownEntry
from tests.factory import chain, entry, header, message
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home

    Make = Callable[..., SessionManager]


def test_every_append_is_a_child_of_the_leaf_and_becomes_the_leaf() -> None:
    manager = SessionManager.in_memory("/w")
    before: str | None = None
    for append in (
        lambda: manager.append_message(USER),
        lambda: manager.append_thinking_level_change("high"),
        lambda: manager.append_model_change("p", "m"),
        lambda: manager.append_compaction("s", None, 3),
        lambda: manager.append_custom_entry("t", {"a": 1}),
        lambda: manager.append_custom_message_entry("t", "c", True),
        lambda: manager.append_session_info("n"),
        lambda: manager.append_label_change(manager.get_entries()[0].id, "l"),
    ):
        added = append()
        found = manager.get_entry(added)
        assert found is not None
        assert (found.parent_id, manager.leaf_id) == (before, added)
        before = added
    assert [entry.id for entry in manager.get_branch()] == [entry.id for entry in manager.get_entries()]


def test_siblings_are_in_file_order(session: Make) -> None:
    manager = session(
        *chain("one"), message("x", "00000001", "user", "a"), message("y", "00000001", "user", "b")
    )
    manager.branch("00000001")
    added = manager.append_message(USER)
    (root,) = manager.get_tree()
    assert [child.entry.id for child in root.children] == ["x", "y", added]
    assert [child.id for child in manager.get_children("00000001")] == ["x", "y", added]


def test_children_are_sorted_by_time_and_stable(session: Make) -> None:
    manager = session(
        *chain("one"),
        message("late", "00000001", "user", "l", at=9),
        message("early", "00000001", "user", "e", at=2),
        message("same", "00000001", "user", "s", at=2),
    )
    assert [child.entry.id for child in manager.get_tree()[0].children] == ["early", "same", "late"]


def test_orphans_and_cut_loops_are_roots(session: Make) -> None:
    manager = session(
        *chain("one"),
        message("o", "gone", "user", "o"),
        message("a", "b", "user", "a"),
        message("b", "a", "user", "b"),
    )
    assert [root.entry.id for root in manager.get_tree()] == ["00000001", "o", "a"]


@pytest.mark.parametrize("deep", [True, False])
def test_twenty_thousand_entries_in_a_chain_or_as_siblings(home: Home, deep: bool) -> None:
    path = home.folder / "deep.jsonl"
    with path.open("w") as file:
        file.write(json.dumps(header()) + "\n")
        for at in range(20_000):
            parent = f"{at - 1:08x}" if deep and at else None if not at else f"{0:08x}"
            file.write(json.dumps(entry("custom", f"{at:08x}", parent, customType="t")) + "\n")
    manager = home.open(path)
    assert len(manager.get_branch()) == (20_000 if deep else 2)
    (root,) = manager.get_tree()
    assert len(root.children) == (1 if deep else 19_999)
    assert manager.build_session_context().messages == []
    assert manager.create_branched_session(manager.leaf_id or "") is not None


def test_a_branch_to_a_missing_entry_raises() -> None:
    manager = SessionManager.in_memory()
    manager.append_message(USER)
    leaf = manager.leaf_id
    for move in (
        manager.branch,
        lambda to: manager.branch_with_summary(to, "s"),
        manager.create_branched_session,
    ):
        with pytest.raises(UnknownEntry):
            move("nowhere")
        assert manager.leaf_id == leaf
    assert len(manager.get_entries()) == 1


def test_after_a_branch_the_next_entry_is_a_sibling(home: Home) -> None:
    manager = home.answered()
    first, second = manager.get_entries()
    manager.branch(first.id)
    added = manager.append_message(ANSWER)
    reopened = home.open(manager.session_file or "")
    assert [child.id for child in reopened.get_children(first.id)] == [second.id, added]
    assert reopened.leaf_id == added


def test_after_a_reset_the_next_entry_is_a_root(home: Home) -> None:
    manager = home.answered()
    manager.reset_leaf()
    assert manager.build_session_context().messages[:0] == []
    assert manager.leaf_id is None
    added = manager.append_message(USER)
    assert [entry.id for entry in home.open(manager.session_file or "").get_branch()] == [added]


def test_a_move_alone_writes_nothing(home: Home) -> None:
    manager = home.answered()
    path = manager.session_file or ""
    before = content(path)
    manager.branch(manager.get_entries()[0].id)
    manager.reset_leaf()
    assert content(path) == before


@pytest.mark.parametrize(("agent", "from_target"), [("pi", False), ("indusagi", False), ("omp", True)])
def test_a_summary_is_a_child_of_the_target_and_becomes_the_leaf(
    home: Home, agent: str, from_target: bool
) -> None:
    manager = home.answered(agent)
    first, second = manager.get_entries()
    summary = manager.branch_with_summary(first.id, "what was left", {"readFiles": []}, True)
    found = manager.get_entry(summary)
    assert found is not None
    assert (found.parent_id, manager.leaf_id) == (first.id, summary)
    assert found.raw["fromId"] == (first.id if from_target else second.id)
    assert found.raw["fromExtension" if agent == "omp" else "fromHook"] is True
    at_root = manager.get_entry(manager.branch_with_summary(None, "all of it"))
    assert at_root is not None
    assert at_root.parent_id is None
    assert at_root.raw["fromId"] == ("root" if from_target else summary)


def test_an_agent_continues_at_a_written_move(home: Home) -> None:
    manager = home.answered()
    first = manager.get_entries()[0].id
    mark = manager.move_leaf(first, "mine", {"a": 1})
    reopened = home.open(manager.session_file or "")
    assert reopened.leaf_id == mark
    assert [entry.id for entry in reopened.get_branch()] == [first, mark]
    assert len(reopened.build_session_context().messages) == 1


# forks


def test_a_branched_session_has_the_path_and_its_labels(session: Make) -> None:
    manager = session(
        *chain("one", "two"),
        entry("label", "l1", "00000002", targetId="00000001", label="kept"),
        message("x", "l1", "user", "below a label"),
        entry("label", "l2", "x", targetId="y", label="elsewhere"),
        message("y", "00000001", "user", "elsewhere"),
    )
    before = manager.session_file
    path = manager.create_branched_session("x")
    assert path == manager.session_file != before
    assert manager.header["parentSession"] == before
    kept = manager.get_entries()
    assert [entry.id for entry in kept][:3] == ["00000001", "00000002", "x"]
    assert [entry.parent_id for entry in kept] == [None, "00000001", "00000002", "x"]
    assert kept[3].timestamp == entry("label", "l1", None)["timestamp"]
    assert (manager.get_label("00000001"), manager.get_label("y")) == ("kept", None)
    assert SessionManager.open(path or "").leaf_id == manager.leaf_id


def test_a_compaction_that_kept_from_a_label_keeps_from_the_next_entry(session: Make) -> None:
    manager = session(
        *chain("one", "two"),
        entry("label", "l", "00000002", targetId="00000001", label="x"),
        message("m", "l", "user", "three"),
        entry("compaction", "c", "m", summary="s", firstKeptEntryId="l", tokensBefore=1),
    )
    context = manager.build_session_context().messages
    manager.create_branched_session("c")
    assert manager.get_entries()[3].raw["firstKeptEntryId"] == "m"
    assert manager.build_session_context().messages == context


def test_a_compaction_that_kept_nothing_keeps_nothing_in_a_fork(session: Make) -> None:
    """It keeps the context from its own id on, which no label before it changes."""
    manager = session(
        *chain("one", "two"),
        entry("label", "l", "00000002", targetId="00000001", label="x"),
        entry("compaction", "c", "l", summary="s", firstKeptEntryId="c", tokensBefore=1),
        message("m", "c", "user", "three"),
    )
    context = manager.build_session_context().messages
    manager.create_branched_session("m")
    assert manager.get_entries()[2].raw["firstKeptEntryId"] == "c"
    assert manager.build_session_context().messages == context


@pytest.mark.parametrize(("agent", "at_once"), [("pi", True), ("indusagi", False)])
def test_a_fork_before_the_first_answer_is_written_once(home: Home, agent: str, at_once: bool) -> None:
    manager = home.create(agent)
    first = manager.append_message(USER)
    path = manager.create_branched_session(first)
    assert os.path.exists(path or "") == at_once
    manager.append_message(ANSWER)
    lines = [json.loads(line) for line in content(path).splitlines()]
    assert [line["type"] for line in lines] == ["session", "message", "message"]
    assert len({line["id"] for line in lines}) == 3


def test_a_fork_of_setup_entries_waits_for_the_first_prompt(home: Home) -> None:
    manager = home.create()
    setup = manager.append_thinking_level_change("high")
    manager.append_message(USER)
    path = manager.create_branched_session(setup)
    assert not os.path.exists(path or "")
    manager.append_message(USER)
    lines = [json.loads(line) for line in content(path).splitlines()]
    assert [line["type"] for line in lines] == ["session", "thinking_level_change", "message"]


def test_copied_entries_keep_every_byte(session: Make) -> None:
    odd = (
        '{"type":"message","id":"a","parentId":null,"big":123456789012345678901234567890,"f":1.10,'
        '"s":"\\ud83d","message":{"role":"assistant","content":[]}}'
    )
    manager = session(header(), odd)
    path = manager.create_branched_session("a")
    assert content(path).split(b"\n")[1] == odd.encode()


def test_a_branched_session_in_memory_has_no_file() -> None:
    manager = SessionManager.in_memory("/w")
    first = manager.append_message(USER)
    manager.append_message(ANSWER)
    assert manager.create_branched_session(first) is None
    assert [entry.id for entry in manager.get_entries()] == [first]
    assert not manager.is_persisted


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_fork_has_all_entries(home: Home, agent: str) -> None:
    source = home.answered(agent)
    source.append_session_info("N")
    source.branch(source.get_entries()[0].id)
    source.append_message(USER)
    before = content(source.session_file or "")
    fork = SessionManager.fork_from(source.session_file or "", str(home.folder / "other"), env=home.env)
    assert content(source.session_file or "") == before
    assert [entry.raw for entry in fork.get_entries()] == [entry.raw for entry in source.get_entries()]
    assert (fork.leaf_id, fork.session_name) == (source.leaf_id, "N")
    assert fork.cwd == str(home.folder / "other")
    assert fork.header["parentSession"] == (source.session_id if agent == "omp" else source.session_file)
    assert fork.session_id != source.session_id


def test_artifacts_are_not_copied_over_a_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    source = home.answered("omp")
    path = Path(source.session_file or "")
    path.with_suffix("").mkdir()
    names = iter(["taken.jsonl"])
    monkeypatch.setattr("app.stores.base.Agent.file_name", lambda *_: next(names))
    taken = path.parent / "taken"
    taken.mkdir()
    (taken / "kept").write_text("another's")
    with pytest.raises(AlreadyThere):
        SessionManager.fork_from(path, home.work, env=home.env)
    assert (taken / "kept").read_text() == "another's"
    assert not (path.parent / "taken.jsonl").exists()
