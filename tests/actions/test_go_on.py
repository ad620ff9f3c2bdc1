"""Going on from an entry: what is asked, and that each answer does what it says."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.actions.abandoned_branch import outline
from app.actions.branch import MARK, SafePoint, unanswered
from app.actions.branch_options import (
    BranchOptions,
    branch_in_place,
    branch_to_new_file,
    find_branch_options,
    with_first_prompt,
    write_draft,
)
from app.actions.undo import undo
from app.sessions.errors import AlreadyThere, Changed, LiveSession, NotAFolder, ReadOnly, UnknownEntry
from app.sessions.manager.navigation import Target
from app.stores import agent_named, discover, store_holding
from app.stores.live import LIVE, MAYBE, Verdict
from tests.actions.conftest import bytes_of, labelled, lines_of, read_only, reopened
from tests.actions.test_compare import answer, calls, text
from tests.factory import entry, header, message, write_session
from tests.sessions.manager.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions.manager.entry_store import Entry
    from app.stores.base import Store


def store_of(home: Home, path: str) -> Store:
    store = store_holding(path, discover(home.env, str(home.folder), "/"))
    assert store is not None
    return store


def asked(home: Home, path: str, entry_id: str) -> BranchOptions:
    before = bytes_of(path)
    question = find_branch_options(reopened(home, path), entry_id, store_of(home, path), home.env)
    assert bytes_of(path) == before
    return question


def result(id: str, parent: str, call: str, at: float = 5) -> dict[str, Any]:
    return message(id, parent, "toolResult", "done", at, toolCallId=call, toolName="read")


def test_an_answer_becomes_the_leaf(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    question = asked(home, path, "00000002")
    assert (question.target, question.same, question.waiting) == (Target("00000002"), False, ())
    assert (question.here.problem, question.elsewhere.problem) == ("", "")
    assert question.here.plan.argv == ["pi", "--session", path]
    assert question.elsewhere.plan.argv == ["pi", "--session", path.replace("s.jsonl", "NEW.jsonl")]
    assert shlex.split(question.elsewhere.plan.shell)[-1].endswith("/NEW.jsonl")
    change = branch_in_place(question, home.env)
    mark = json.loads(lines_of(path)[-1])
    assert (mark["parentId"], mark["customType"]) == ("00000002", MARK)
    assert (change.kind, change.before, change.after) == ("leaf", "e", mark["id"])
    undo(change, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] == "e"


def test_a_prompt_is_said_again(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(message("u", "e", "user", "and then"), message("a", "u", "assistant", "this"))
    question = asked(home, path, "u")
    assert question.target == Target("e", "and then")
    assert [left.id for left in question.left.entries] == ["a"]
    branch_in_place(question, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] == "e"


def test_the_first_prompt_puts_the_leaf_before_all(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    question = asked(home, path, "00000001")
    assert question.target == Target(None, "a question")
    branch_in_place(question, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] is None
    assert reopened(home, path).build_session_context().messages == []


def test_the_leaf_is_there_already(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(labelled("00000002", "x", "l", "e"))
    for entry_id in ("l", "e"):
        question = asked(home, path, entry_id)
        assert question.same
        before = bytes_of(path)
        assert branch_in_place(question, home.env, summary="s" if entry_id == "l" else "").entry_id == ""
        assert bytes_of(path) == before
    assert not asked(home, path, "00000001").same


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_summary_with_its_files(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[-1].id
    manager.append_message(answer("", "", 1, *calls(("read", "a.py"), ("write", "b.py")))["message"])
    last = manager.leaf_id
    question = asked(home, path, first)
    change = branch_in_place(question, home.env, summary=" went nowhere\n")
    written = json.loads(lines_of(path)[-1])
    assert (written["type"], written["parentId"], written["summary"]) == (
        "branch_summary",
        first,
        "went nowhere",
    )
    assert written["details"] == {"readFiles": ["a.py"], "modifiedFiles": ["b.py"]}
    assert written["fromId"] == (first if agent == "omp" else last)
    assert (change.before, change.after) == (last, written["id"])
    # What was summed up is taken up again when that branch is left in its turn.
    assert outline(asked(home, path, first).left).count("b.py") == 1


def test_the_session_went_on_since(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    question = asked(home, path, "00000002")
    home.open(path).append_message({"role": "user", "content": "more", "timestamp": 9})
    before = bytes_of(path)
    with pytest.raises(Changed):
        branch_in_place(question, home.env, summary="of what was there")
    assert bytes_of(path) == before
    branch_in_place(question, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] == "00000002"


@pytest.mark.parametrize("picked", ["00000002", "u"])
def test_the_entry_is_gone(home: Home, forked_path: Callable[..., str], picked: str) -> None:
    path = forked_path(message("u", "e", "user", "and then"), message("a", "u", "assistant", "this"))
    question = asked(home, path, picked)
    gone = "00000002" if picked == "00000002" else "e"
    kept = [line for line in lines_of(path) if json.loads(line)["id"] != gone]
    # An id that begins like the one that is gone is not taken for it.
    kept.append(json.dumps(message(gone + "0", None, "assistant", "")).encode())
    Path(path).write_bytes(b"\n".join(kept) + b"\n")
    before = bytes_of(path)
    for act in (branch_in_place, branch_to_new_file):
        with pytest.raises(UnknownEntry, match="has gone"):
            act(question, home.env)
    assert bytes_of(path) == before
    assert os.listdir(os.path.dirname(path)) == ["s.jsonl"]


def test_no_such_entry(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    with pytest.raises(UnknownEntry):
        asked(home, path, "0000")


def test_beside_a_running_agent_only_a_new_file(
    home: Home, forked_path: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forked_path()
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "pi runs there", 7)
    )
    question = asked(home, path, "00000002")
    assert "process 7: pi runs there" in question.here.problem
    assert question.elsewhere.problem == ""
    before = bytes_of(path)
    with pytest.raises(LiveSession):
        branch_in_place(question, home.env)
    assert bytes_of(path) == before
    assert reopened(home, branch_to_new_file(question, home.env).after).build_session_context().messages != []


@pytest.mark.parametrize("version", [2, 3])
def test_an_old_file_would_be_written_anew(
    home: Home, forked_path: Callable[..., str], monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    path = forked_path()
    rest = lines_of(path)[1:]
    Path(path).write_bytes(b"\n".join([json.dumps(header(version=version)).encode(), *rest]) + b"\n")
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(MAYBE, "pi runs there", 7)
    )
    question = asked(home, path, "00000002")
    assert bool(question.here.problem) == (version == 2)
    if version == 2:
        with pytest.raises(LiveSession):
            branch_in_place(question, home.env)
    else:
        branch_in_place(question, home.env)


@pytest.mark.parametrize("agent", ["agent", "indusagi", "pi"])
def test_formats_that_are_only_read(home: Home, agent: str) -> None:
    path = read_only(home, agent)
    ids = [found.id for found in reopened(home, path).get_entries()]
    for entry_id in ids:
        question = asked(home, path, entry_id)
        assert question.here.problem
        assert question.elsewhere.problem
        with pytest.raises(ReadOnly):
            branch_in_place(question, home.env)
    assert bool(ids) == (agent != "pi")


def test_a_file_that_may_not_be_written(
    home: Home, forked_path: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forked_path()
    monkeypatch.setattr(os, "access", lambda file, mode: file != path or mode != os.W_OK)
    assert asked(home, path, "00000002").here.problem == "the file may not be written"


def test_a_new_file_has_the_path(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(labelled("00000002", "kept", "l1", "e"), entry("session_info", "n", "l1", name="N"))
    before = bytes_of(path)
    change = branch_to_new_file(asked(home, path, "00000002"), home.env, store_of(home, path))
    assert bytes_of(path) == before
    made = reopened(home, change.after)
    assert [each.id for each in made.get_entries()][:2] == ["00000001", "00000002"]
    assert (made.get_label("00000002"), made.session_name, made.header["parentSession"]) == (
        "kept",
        "N",
        path,
    )
    assert os.path.dirname(change.after or "") == os.path.dirname(path)


def test_a_new_file_for_another_folder(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    other = home.folder / "other"
    question = asked(home, path, "00000002")
    with pytest.raises(NotAFolder):
        branch_to_new_file(question, home.env, to=str(other))
    other.mkdir()
    change = branch_to_new_file(question, home.env, store_of(home, path), str(other))
    made = reopened(home, change.after)
    assert made.cwd == os.path.realpath(other)
    assert os.path.dirname(change.after or "") != os.path.dirname(path)


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_a_new_file_before_the_first_prompt_has_the_name(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    manager.set_name("N")
    path, first = manager.session_file or "", manager.get_entries()[0].id
    change = branch_to_new_file(asked(home, path, first), home.env)
    made = reopened(home, change.after)
    assert made.build_session_context().messages == []
    assert (made.session_name, made.cwd, made.header["parentSession"]) == ("N", home.work, path)
    assert (change.kind, change.before, change.after_id) == ("file", path, made.session_id)
    assert change.target_id is None


PARALLEL = [
    message("u0", "e", "user", "look at both", 2),
    answer("a0", "u0", 3, *calls(("ls", "."))),
    result("r0", "a0", "c0"),
    answer("a", "r0", 4, text("both"), *calls(("read", "a"), ("grep\x1b", "b"))),
    result("r1", "a", "c0"),
    entry("custom", "m", "r1"),
    result("r2", "m", "c1"),
    answer("z", "r2", 6, text("seen")),
]


def test_calls_that_wait_for_their_results(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(*PARALLEL)
    prompt = SafePoint("prompt", "u0", Target("e", "look at both"))
    for entry_id, waiting in (("a", ("read", "grep\u241b")), ("r1", ("grep\u241b",)), ("m", ("grep\u241b",))):
        question = asked(home, path, entry_id)
        assert question.waiting == waiting
        assert question.safe == (SafePoint("results", "r2", Target("r2")), prompt)
    for entry_id in ("u0", "r0", "r2", "z"):
        question = asked(home, path, entry_id)
        assert (question.waiting, question.safe) == ((), ())


def test_results_that_never_came(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(*PARALLEL[:5], message("u9", "e", "user", "else", 9))
    assert [point.kind for point in asked(home, path, "a").safe] == ["before", "prompt"]
    assert asked(home, path, "a").safe[0].entry_id == "r0"
    assert [point.kind for point in asked(home, path, "a0").safe] == ["results", "prompt"]
    path = forked_path(answer("x", "e", 3, *calls(("read", "a"))), message("u9", "e", "user", "else", 9))
    assert [point.entry_id for point in asked(home, path, "x").safe] == ["00000001"]


def test_the_results_on_the_active_path_come_first(home: Home, forked_path: Callable[..., str]) -> None:
    lines = [answer("x", "e", 3, *calls(("read", "a"))), result("r1", "x", "c0"), result("r2", "x", "c0")]
    path = forked_path(*lines, message("u9", "e", "user", "else", 9))
    assert asked(home, path, "x").safe[0].entry_id == "r2"
    path = forked_path(*lines, answer("y", "r1", 6))
    assert asked(home, path, "x").safe[0].entry_id == "r1"
    path = forked_path(*lines)
    assert asked(home, path, "x").safe[0] == SafePoint("results", "r2", Target("r2", same=True))
    path = forked_path(*PARALLEL[:5], entry("custom", "l", "r0"))
    assert [point.kind for point in asked(home, path, "r1").safe] == ["before", "prompt"]
    # A step before that was never whole either is passed over.
    half = [answer("h", "r0", 4, *calls(("read", "a"), ("ls", "b"))), result("hr", "h", "c0")]
    path = forked_path(
        *PARALLEL[:3], *half, answer("k", "hr", 5, *calls(("read", "c"))), entry("custom", "l", "e")
    )
    assert asked(home, path, "k").safe[0] == SafePoint("before", "r0", Target("r0"))


def test_the_user_spoke_after_calls_without_results(home: Home, forked_path: Callable[..., str]) -> None:
    lines = [
        answer("x", "e", 3, *calls(("read", "a")), stopReason="aborted"),
        message("u", "x", "user", "no", 4),
    ]
    path = forked_path(
        *lines, entry("custom_message", "n", "u", customType="c", content="a note"), answer("y", "n", 6)
    )
    assert asked(home, path, "n").waiting == ()
    assert asked(home, path, "x").waiting == ("read",)
    assert unanswered([]) == {}


def test_the_answers_of_a_turn_without_a_prompt(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(answer("x", "nowhere", 3, *calls(("read", "a"))), answer("y", "e", 4))
    question = asked(home, path, "x")
    assert (question.waiting, question.safe) == (("read",), ())


@st.composite
def steps(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Prompts, answers that call tools, and results, each below an earlier one."""
    lines: list[dict[str, Any]] = []
    for at in range(draw(st.integers(1, 12))):
        ids = [line["id"] for line in lines]
        parent = draw(st.sampled_from([None, *ids, *ids[-1:] * 6]))
        kind = draw(st.sampled_from(["user", "answer", "answer", "result", "result", "custom"]))
        if kind == "user":
            lines.append(message(f"i{at}", parent, "user", f"prompt {at}", at))
        elif kind == "answer":
            lines.append(
                answer(f"i{at}", parent or "", at, *calls(*[("read", "a")] * draw(st.integers(0, 2))))
            )
            lines[-1]["parentId"] = parent
        elif kind == "result":
            lines.append(result(f"i{at}", parent or "", draw(st.sampled_from(["c0", "c1"])), at))
            lines[-1]["parentId"] = parent
        else:
            lines.append(entry("custom", f"i{at}", parent, at))
    return lines


@given(lines=steps())
def test_every_entry_of_any_session(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]]
) -> None:
    home = Home(tmp_path_factory.getbasetemp() / "going-on")
    path = str(home.folder / ".pi/agent/sessions/--work-app--/s.jsonl")
    write_session(Path(path), header(), *lines)
    written = Path(path).read_bytes()
    manager = reopened(home, path)
    for each in manager.get_entries():
        Path(path).write_bytes(written)
        question = find_branch_options(reopened(home, path), each.id, store_of(home, path), home.env)
        leaf_id = question.target.leaf_id
        there = [] if leaf_id is None else manager.get_branch(leaf_id)
        is_prompt = question.target.text is not None
        assert question.same or bool(question.waiting) == (waiting_slowly(there) and not is_prompt)
        for point in question.safe:
            # Whoever picks it instead is not sent on once more.
            assert not find_branch_options(manager, point.entry_id, store_of(home, path), home.env).waiting
        assert not question.waiting or any(
            line.normalized["message"]["role"] == "user" for line in there if line.type == "message"
        ) == any(point.kind == "prompt" for point in question.safe)
        change = branch_in_place(question, home.env)
        now = reopened(home, path)
        assert (change.entry_id == "") == question.same
        assert now.leaf_id == (manager.leaf_id if question.same else change.after)
        expected = [] if leaf_id is None else manager.build_session_context(leaf_id).messages
        assert now.build_session_context().messages == expected


def waiting_slowly(path: list[Entry]) -> bool:
    """Whether an answer after the last prompt has calls without results, and no answer comes after it."""
    messages = [entry.normalized["message"] for entry in path if entry.type == "message"]
    spoken = [at for at, said in enumerate(messages) if said["role"] in ("user", "assistant")]
    if not spoken or messages[spoken[-1]]["role"] == "user":
        return False
    called = {block["id"] for block in messages[spoken[-1]]["content"] if block["type"] == "toolCall"}
    return bool(called - {said["toolCallId"] for said in messages[spoken[-1] + 1 :]})


def test_thousands_of_results(home: Home, forked_path: Callable[..., str]) -> None:
    count = 3_000
    blocks = [{"type": "toolCall", "id": f"k{at}", "name": "t", "arguments": {}} for at in range(count)]
    lines = [answer("x", "e", 3, *blocks)]
    lines += [result(f"r{at}", f"r{at - 1}" if at else "x", f"k{at}") for at in range(count)]
    path = forked_path(*lines, message("u", "e", "user", "else"))
    assert asked(home, path, "x").safe[0].entry_id == f"r{count - 1}"


def test_a_draft_for_omp(home: Home) -> None:
    manager = home.answered("omp")
    path = manager.session_file or ""
    assert write_draft("omp", path, "say it\nso") == path.removesuffix(".jsonl") + "/draft.txt"
    draft = Path(path.removesuffix(".jsonl"), "draft.txt")
    assert draft.read_text() == "say it\nso"
    assert write_draft("omp", path, "say it\nso") == str(draft)
    with pytest.raises(AlreadyThere, match="another draft"):
        write_draft("omp", path, "otherwise")
    assert draft.read_text() == "say it\nso"
    assert os.listdir(draft.parent) == ["draft.txt"]


@pytest.mark.parametrize("agent", ["pi", "indusagi", "agent"])
def test_the_others_take_no_draft(home: Home, agent: str) -> None:
    assert write_draft(agent, str(home.folder / "s.jsonl"), "text") == ""
    assert write_draft("omp", str(home.folder / "s.jsonl"), "") == ""
    assert not (home.folder / "s").exists()


@pytest.mark.parametrize(
    ("prompt", "arguments"),
    [
        ("do it", ["do it"]),
        ("two\nlines $(x)", ["two\nlines $(x)"]),
        ("-v is wrong", ["--", "-v is wrong"]),
        ("@file", [" @file"]),
        ("a\0b", ["ab"]),
        (" ", []),
        ("", []),
    ],
)
def test_a_first_prompt_for_pi(
    home: Home, forked_path: Callable[..., str], prompt: str, arguments: list[str]
) -> None:
    question = asked(home, forked_path(), "00000002")
    assert (question.takes_prompt, question.takes_draft) == (True, False)
    plan = question.here.plan
    before = (list(plan.argv), plan.shell)
    sent = with_first_prompt(plan, "pi", prompt)
    assert sent.argv == [*plan.argv, *arguments]
    assert shlex.split(sent.shell) == [*shlex.split(plan.shell), *arguments]
    assert (plan.argv, plan.shell) == before
    assert with_first_prompt(plan, "omp", prompt) is plan


def test_what_omp_takes(home: Home) -> None:
    manager = home.answered("omp")
    question = asked(home, manager.session_file or "", manager.get_entries()[0].id)
    assert (question.takes_prompt, question.takes_draft) == (False, True)
    assert agent_named("omp").prompt_arguments("x") == []


def test_header_without_a_folder(home: Home) -> None:
    manager = home.answered()
    path = Path(manager.session_file or "")
    lines = path.read_bytes().splitlines(keepends=True)
    fields = json.loads(lines[0])
    del fields["cwd"]
    path.write_bytes(b"".join([json.dumps(fields).encode() + b"\n", *lines[1:]]))
    assert header()["cwd"]
    question = asked(home, str(path), manager.get_entries()[0].id)
    assert question.here.plan.problem is not None
    assert question.here.problem == ""
