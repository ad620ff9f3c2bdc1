"""Branching moves the leaf to another entry, or copies the path to that entry into a new file
(formats/README.md, "Results of writing").
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from app.actions import label, rename
from app.actions.branch import MARK, branch, branch_to_file, fork
from app.sessions import LiveSession, ReadOnly, UnansweredCalls, UnknownEntry
from app.stores import LIVE, MAYBE, Verdict
from tests.actions.conftest import bytes_of, labelled, lines_of, read_only, reopened
from tests.actions.test_compare import answer, calls, text
from tests.cases import cases
from tests.factory import entry, message

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions import Change
    from tests.sessions.manager.conftest import Home


def texts(home: Home, path: str) -> list[str]:
    """Return the texts that the agent would send to the model."""
    messages = reopened(home, path).build_session_context().messages
    return [message.get("summary") or message["content"][0]["text"] for message in messages]


def test_a_branch_moves_the_leaf_to_the_entry(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    os.utime(path, ns=(1, 2_000))
    assert texts(home, path) == ["a question", "other"]
    change = branch(path, "00000002", home.env)
    assert (change.kind, change.before, change.target_id) == ("leaf", "e", "00000002")
    assert change.after == change.entry_id == reopened(home, path).leaf_id
    assert texts(home, path) == ["a question", "one"]
    assert os.stat(path).st_mtime_ns != 2_000
    mark = json.loads(lines_of(path)[-1])
    assert (mark["customType"], mark["data"]) == (MARK, {"from": "e"})


def test_a_branch_at_the_root_empties_the_context(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    change = branch(path, "root", home.env)
    assert (change.before, change.target_id) == ("e", None)
    assert texts(home, path) == []
    assert json.loads(lines_of(path)[-1])["parentId"] is None
    assert branch(path, "root", home.env).entry_id == ""


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
@pytest.mark.parametrize("role", ["user", "custom"])
def test_a_branch_at_a_prompt_goes_to_its_parent_and_returns_the_text(
    home: Home, agent: str, role: str
) -> None:
    manager = home.answered(agent)
    last = manager.leaf_id
    if role == "user":
        picked = manager.append_message({"role": "user", "content": "again,\nbut shorter"})
    else:
        picked = manager.append_custom_message_entry("note", "again,\nbut shorter", True)
    path = manager.session_file or ""
    # The same holds for a message that is the leaf.
    for _ in range(2):
        change = branch(path, picked, home.env)
        assert (change.target_id, change.prompt) == (last, "again,\nbut shorter")
        assert reopened(home, path).build_session_context().messages[-1]["role"] == "assistant"
    assert change.is_nothing
    kept = branch(path, picked, home.env, keep=True)
    assert (kept.target_id, kept.prompt) == (picked, None)
    assert reopened(home, path).build_session_context().messages[-1]["role"] == role


def test_a_branch_at_the_first_prompt_goes_before_all_entries(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = forked_path()
    change = branch(path, "00000001", home.env)
    assert (change.target_id, change.prompt) == (None, "a question")
    assert texts(home, path) == []
    rename(path, "N", home.env)
    made = branch_to_file(path, "00000001", home.env)
    assert (made.target_id, made.prompt) == (None, "a question")
    assert (reopened(home, made.after).session_name, texts(home, made.after or "")) == ("N", [])


def test_a_new_file_ends_before_a_prompt(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(message("p", "e", "user", "and now", 4))
    change = branch_to_file(path, "p", home.env)
    assert (change.target_id, change.prompt) == ("e", "and now")
    assert texts(home, change.after or "") == ["a question", "other"]
    kept = branch_to_file(path, "p", home.env, keep=True)
    assert (kept.prompt, texts(home, kept.after or "")[-1]) == (None, "and now")


def test_images_of_a_prompt_are_counted(home: Home, forked_path: Callable[..., str]) -> None:
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    path = forked_path(entry("message", "p", "e", message={"role": "user", "content": [image, image]}))
    change = branch(path, "p", home.env)
    assert (change.prompt, change.note) == ("", "the prompt has 2 images, to be attached again")


CALLS = [
    message("p", "e", "user", "look", 4),
    entry(
        "message",
        "a",
        "p",
        message={"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "read\x1b"}]},
    ),
]
RESULT = message("r", "a", "toolResult", "done", 6, toolCallId="c", toolName="read")


@pytest.mark.parametrize("act", [branch, branch_to_file, lambda path, at, env: fork(path, env, entry=at)])
def test_calls_without_results_are_refused_and_the_error_names_safe_entries(
    home: Home, forked_path: Callable[..., str], act: Callable[..., Change]
) -> None:
    path = forked_path(*CALLS, RESULT)
    before = bytes_of(path)
    with pytest.raises(UnansweredCalls) as error:
        act(path, "a", home.env)
    assert error.value.reason == (
        "tool calls (read\u241b) have no result at a, and providers refuse such a conversation; "
        "use r (the last tool result) or p (the prompt, to send it again)"
    )
    assert bytes_of(path) == before
    assert act(path, "r", home.env).target_id == "r"


def test_calls_without_results_can_be_kept(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(*CALLS, RESULT)
    assert branch(path, "a", home.env, keep=True).target_id == "a"
    # The leaf is already there, so nothing is written that could be refused.
    assert branch(path, "a", home.env).is_nothing
    assert branch_to_file(path, "a", home.env, keep=True).target_id == "a"
    assert fork(path, home.env, entry="a", keep=True).target_id == "a"


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_summary_is_sent_to_the_model(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    path, (first, last) = manager.session_file or "", [entry.id for entry in manager.get_entries()]
    change = branch(path, first, home.env, "went nowhere", keep=True)
    written = json.loads(lines_of(path)[-1])
    assert (written["type"], written["parentId"], written["summary"]) == (
        "branch_summary",
        first,
        "went nowhere",
    )
    assert written["fromId"] == (first if agent == "omp" else last)
    assert (change.before, change.target_id, change.after) == (last, first, written["id"])
    said = reopened(home, path).build_session_context().messages
    assert "went nowhere" in json.dumps(said[-1])


def test_a_branch_at_the_leaf_writes_nothing(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    for _ in range(2):
        before = bytes_of(path)
        change = branch(path, "e", home.env)
        assert (change.entry_id, change.target_id) == ("", "e")
        assert bytes_of(path) == before
        # Labels and names below the entry leave the context the same.
        label(path, "00000001", "x", home.env)
        rename(path, "n", home.env)
    branch(path, "00000002", home.env)
    label(path, "e", "y", home.env)
    assert branch(path, "00000002", home.env).entry_id == ""
    assert branch(path, "e", home.env).entry_id


def test_a_loop_of_parents_ends(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(labelled("e", "x", "l1", "l2"), labelled("e", "y", "l2", "l1"))
    assert branch(path, "00000002", home.env).entry_id


@pytest.mark.parametrize(
    ("agent", "state"), [("pi", LIVE), ("indusagi", LIVE), ("omp", LIVE), ("omp", MAYBE)]
)
def test_a_branch_beside_a_running_agent_is_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch, agent: str, state: str
) -> None:
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[0].id
    before = bytes_of(path)
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(state, "omp runs there", 7)
    )
    for summary in ("", "text"):
        with pytest.raises(LiveSession, match="process 7"):
            branch(path, first, home.env, summary)
    assert bytes_of(path) == before


@pytest.mark.parametrize("summary", ["", "text"])
def test_a_branch_of_a_session_that_may_be_live_has_a_warning(
    home: Home, monkeypatch: pytest.MonkeyPatch, summary: str
) -> None:
    manager = home.answered("pi")
    path, first = manager.session_file or "", manager.get_entries()[0].id
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(MAYBE, "pi runs there", 7)
    )
    change = branch(path, first, home.env, summary)
    assert change.after == reopened(home, path).leaf_id
    assert change.note == (
        "pi runs there; if it has this session open, its next entry would take the leaf away again"
    )
    monkeypatch.undo()
    assert branch(path, "root", home.env).note == ""


def test_a_new_file_has_the_path_and_its_labels(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(labelled("00000002", "kept", "l1", "e"), labelled("e", "left", "l2", "l1"))
    rename(path, "N", home.env)
    before = bytes_of(path)
    change = branch_to_file(path, "00000002", home.env)
    assert bytes_of(path) == before
    made = reopened(home, change.after)
    assert (change.kind, change.before, change.path) == ("file", path, change.after)
    assert (change.session_id, change.after_id) == ("s1", made.session_id)
    assert os.path.dirname(made.session_file or "") == os.path.dirname(path)
    assert [entry.type for entry in made.get_entries()] == ["message", "message", "label", "session_info"]
    assert (made.get_label("00000002"), made.get_label("e")) == ("kept", None)
    assert (made.session_name, made.cwd, made.header["parentSession"]) == ("N", "/work/app", path)


@pytest.mark.parametrize("named", ["root", "nowhere"])
def test_a_new_file_needs_an_entry(home: Home, forked_path: Callable[..., str], named: str) -> None:
    path = forked_path()
    with pytest.raises(UnknownEntry):
        branch_to_file(path, named, home.env)
    assert os.listdir(os.path.dirname(path)) == ["s.jsonl"]


def test_a_new_file_does_not_restore_a_cleared_name(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    rename(path, "old", home.env)
    branch(path, "00000001", home.env)
    rename(path, "", home.env)
    named_at = next(entry.id for entry in reopened(home, path).get_entries() if entry.type == "session_info")
    change = branch_to_file(path, named_at, home.env)
    assert reopened(home, change.after).session_name is None


@cases("agent", ["agent", "indusagi", "claude", "codex"])
def test_formats_without_branches_are_refused(home: Home, agent: str) -> None:
    path = read_only(home, agent)
    before = bytes_of(path)
    for act in (branch, branch_to_file):
        with pytest.raises(ReadOnly):
            act(path, "m1", home.env)
    assert bytes_of(path) == before
    assert len(os.listdir(os.path.dirname(path))) == 1


def test_an_entry_appended_by_another_program_does_not_prevent_a_branch(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = forked_path()
    with open(path, "a") as file:
        file.write(json.dumps(message("late", "e", "user", "late")) + "\n")
    assert branch(path, "00000002", home.env).before == "late"


@pytest.mark.parametrize("agent", ["omp", "pi"])
@pytest.mark.parametrize("act", [branch, branch_to_file, lambda path, at, env: fork(path, env, entry=at)])
def test_the_answer_to_a_question_of_omp_leads_to_the_question(
    home: Home, agent: str, act: Callable[..., Change]
) -> None:
    manager = home.answered(agent)
    path = manager.session_file or ""
    manager.append_message(answer("", "", 1, *calls(("ask", "which?")))["message"])
    question = manager.leaf_id or ""
    given = message("", "", "toolResult", "this one", 2, toolCallId="c0", toolName="ask")
    answered = manager.append_message(given["message"])
    manager.append_message(answer("", "", 3, text("fine"))["message"])
    assert act(path, answered, home.env).target_id == (question if agent == "omp" else answered)
    if agent == "omp":
        assert act(path, question, home.env).target_id == question
