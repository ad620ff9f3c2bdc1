"""Branching at an entry: the options that the user is given, and their effects."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
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
from app.sessions import AlreadyThere, Changed, LiveSession, NotAFolder, ReadOnly, Target, UnknownEntry
from app.stores import LIVE, MAYBE, Verdict, agent_named, discover, store_holding
from tests.actions.conftest import bytes_of, labelled, lines_of, read_only, reopened
from tests.actions.test_compare import answer, calls, text
from tests.cases import cases
from tests.factory import entry, header, message, write_session
from tests.sessions.manager.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import Entry, Store


def store_of(home: Home, path: str) -> Store:
    store = store_holding(path, discover(home.env, str(home.folder), "/"))
    assert store is not None
    return store


def options_at(home: Home, path: str, entry_id: str) -> BranchOptions:
    before = bytes_of(path)
    options = find_branch_options(reopened(home, path), entry_id, store_of(home, path), home.env)
    assert bytes_of(path) == before
    return options


def result(id: str, parent: str, call: str, at: float = 5) -> dict[str, Any]:
    return message(id, parent, "toolResult", "done", at, toolCallId=call, toolName="read")


def test_an_answer_becomes_the_leaf(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    options = options_at(home, path, "00000002")
    assert (options.target, options.same, options.waiting) == (Target("00000002"), False, ())
    assert (options.here.problem, options.elsewhere.problem) == ("", "")
    assert options.here.plan.argv == ["pi", "--session", path]
    assert options.elsewhere.plan.argv == ["pi", "--session", path.replace("s.jsonl", "NEW.jsonl")]
    assert shlex.split(options.elsewhere.plan.shell)[-1].endswith("/NEW.jsonl")
    change = branch_in_place(options, home.env)
    mark = json.loads(lines_of(path)[-1])
    assert (mark["parentId"], mark["customType"]) == ("00000002", MARK)
    assert (change.kind, change.before, change.after) == ("leaf", "e", mark["id"])
    undo(change, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] == "e"


def test_a_branch_at_a_prompt_goes_to_its_parent(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(message("u", "e", "user", "and then"), message("a", "u", "assistant", "this"))
    options = options_at(home, path, "u")
    assert options.target == Target("e", "and then")
    assert options.turns_back == 1
    assert options.sent_ms is not None
    assert [abandoned.id for abandoned in options.left.entries] == ["a"]
    branch_in_place(options, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] == "e"


def test_a_branch_at_the_leaf_writes_nothing(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(labelled("00000002", "x", "l", "e"))
    for entry_id in ("l", "e"):
        options = options_at(home, path, entry_id)
        assert options.same
        before = bytes_of(path)
        assert branch_in_place(options, home.env, summary="s" if entry_id == "l" else "").entry_id == ""
        assert bytes_of(path) == before
    assert not options_at(home, path, "00000001").same


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_summary_is_written_with_its_files(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[-1].id
    manager.append_message(answer("", "", 1, *calls(("read", "a.py"), ("write", "b.py")))["message"])
    last = manager.leaf_id
    options = options_at(home, path, first)
    change = branch_in_place(options, home.env, summary=" went nowhere\n")
    written = json.loads(lines_of(path)[-1])
    assert (written["type"], written["parentId"], written["summary"]) == (
        "branch_summary",
        first,
        "went nowhere",
    )
    assert written["details"] == {"readFiles": ["a.py"], "modifiedFiles": ["b.py"]}
    assert written["fromId"] == (first if agent == "omp" else last)
    assert (change.before, change.after) == (last, written["id"])
    # A summary of that branch includes its files.
    assert outline(options_at(home, path, first).left).count("b.py") == 1


def test_a_summary_of_a_session_that_has_changed_is_refused(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = forked_path()
    options = options_at(home, path, "00000002")
    home.open(path).append_message({"role": "user", "content": "more", "timestamp": 9})
    before = bytes_of(path)
    with pytest.raises(Changed):
        branch_in_place(options, home.env, summary="of what was there")
    assert bytes_of(path) == before
    branch_in_place(options, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] == "00000002"


@pytest.mark.parametrize("picked", ["00000002", "u"])
def test_an_entry_that_was_removed_is_an_error(
    home: Home, forked_path: Callable[..., str], picked: str
) -> None:
    path = forked_path(message("u", "e", "user", "and then"), message("a", "u", "assistant", "this"))
    options = options_at(home, path, picked)
    gone = "00000002" if picked == "00000002" else "e"
    kept = [line for line in lines_of(path) if json.loads(line)["id"] != gone]
    # An id that only begins like the missing one does not replace it.
    kept.append(json.dumps(message(gone + "0", None, "assistant", "")).encode())
    Path(path).write_bytes(b"\n".join(kept) + b"\n")
    before = bytes_of(path)
    for act in (branch_in_place, branch_to_new_file):
        with pytest.raises(UnknownEntry, match="has gone"):
            act(options, home.env)
    assert bytes_of(path) == before
    assert os.listdir(os.path.dirname(path)) == ["s.jsonl"]


def test_an_unknown_entry_is_an_error(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    with pytest.raises(UnknownEntry):
        options_at(home, path, "0000")


def test_beside_a_running_agent_only_a_new_file_is_possible(
    home: Home, forked_path: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forked_path()
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "pi runs there", 7)
    )
    options = options_at(home, path, "00000002")
    assert "process 7: pi runs there" in options.here.problem
    assert options.elsewhere.problem == ""
    before = bytes_of(path)
    with pytest.raises(LiveSession):
        branch_in_place(options, home.env)
    assert bytes_of(path) == before
    assert reopened(home, branch_to_new_file(options, home.env).after).build_session_context().messages != []


@pytest.mark.parametrize("version", [2, 3])
def test_an_old_file_of_a_session_that_may_be_live_is_not_migrated(
    home: Home, forked_path: Callable[..., str], monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    path = forked_path()
    rest = lines_of(path)[1:]
    Path(path).write_bytes(b"\n".join([json.dumps(header(version=version)).encode(), *rest]) + b"\n")
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(MAYBE, "pi runs there", 7)
    )
    options = options_at(home, path, "00000002")
    assert bool(options.here.problem) == (version == 2)
    if version == 2:
        with pytest.raises(LiveSession):
            branch_in_place(options, home.env)
    else:
        branch_in_place(options, home.env)


@cases("agent", ["agent", "indusagi", "claude", "codex"])
def test_formats_that_are_only_read_are_refused(home: Home, agent: str) -> None:
    path = read_only(home, agent)
    ids = [line.id for line in reopened(home, path).get_entries()]
    for entry_id in ids:
        options = options_at(home, path, entry_id)
        assert options.here.problem
        assert options.elsewhere.problem
        with pytest.raises(ReadOnly):
            branch_in_place(options, home.env)
    assert ids


def test_a_file_without_write_permission_is_a_problem(
    home: Home, forked_path: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forked_path()
    monkeypatch.setattr(os, "access", lambda file, mode: file != path or mode != os.W_OK)
    assert options_at(home, path, "00000002").here.problem == "the file may not be written"


def test_a_new_file_for_another_folder(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    other = home.folder / "other"
    options = options_at(home, path, "00000002")
    with pytest.raises(NotAFolder):
        branch_to_new_file(options, home.env, to=str(other))
    other.mkdir()
    change = branch_to_new_file(options, home.env, store_of(home, path), str(other))
    made = reopened(home, change.after)
    assert [line.id for line in made.get_entries()] == ["00000001", "00000002"]
    assert made.cwd == os.path.realpath(other)
    assert os.path.dirname(change.after or "") != os.path.dirname(path)


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_a_new_file_before_the_first_prompt_has_the_name(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    manager.set_name("N")
    path, first = manager.session_file or "", manager.get_entries()[0].id
    change = branch_to_new_file(options_at(home, path, first), home.env)
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


def test_an_entry_with_waiting_calls_has_safe_points(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(*PARALLEL)
    prompt = SafePoint("prompt", "u0")
    for entry_id, waiting in (("a", ("read", "grep\u241b")), ("r1", ("grep\u241b",)), ("m", ("grep\u241b",))):
        options = options_at(home, path, entry_id)
        assert options.waiting == waiting
        assert options.safe == (SafePoint("results", "r2"), prompt)
    for entry_id in ("u0", "r0", "r2", "z"):
        options = options_at(home, path, entry_id)
        assert (options.waiting, options.safe) == ((), ())


@pytest.mark.parametrize("agent", ["omp", "pi"])
def test_continuing_from_the_answer_to_a_question_of_omp_goes_back_to_the_question(
    home: Home, agent: str
) -> None:
    manager = home.answered(agent)
    path = manager.session_file or ""
    manager.append_message(answer("", "", 1, *calls(("ask", "which?")))["message"])
    question = manager.leaf_id
    given = result("", "", "c0")["message"] | {"toolName": "ask"}
    answered = manager.append_message(given)
    manager.append_message(answer("", "", 3, text("fine"))["message"])
    options = options_at(home, path, answered)
    assert (options.waiting, options.same) == ((), False)
    assert options.target == Target(question if agent == "omp" else answered)
    branch_in_place(options, home.env)
    assert json.loads(lines_of(path)[-1])["parentId"] == options.target.leaf_id


def test_without_the_results_the_safe_points_are_before_the_calls(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = forked_path(*PARALLEL[:5], message("u9", "e", "user", "else", 9))
    assert [point.kind for point in options_at(home, path, "a").safe] == ["before", "prompt"]
    assert options_at(home, path, "a").safe[0].entry_id == "r0"
    assert [point.kind for point in options_at(home, path, "a0").safe] == ["results", "prompt"]
    path = forked_path(answer("x", "e", 3, *calls(("read", "a"))), message("u9", "e", "user", "else", 9))
    assert [point.entry_id for point in options_at(home, path, "x").safe] == ["00000001"]


def test_the_results_on_the_active_path_come_first(home: Home, forked_path: Callable[..., str]) -> None:
    lines = [answer("x", "e", 3, *calls(("read", "a"))), result("r1", "x", "c0"), result("r2", "x", "c0")]
    path = forked_path(*lines, message("u9", "e", "user", "else", 9))
    assert options_at(home, path, "x").safe[0].entry_id == "r2"
    path = forked_path(*lines, answer("y", "r1", 6))
    assert options_at(home, path, "x").safe[0].entry_id == "r1"
    path = forked_path(*lines)
    assert options_at(home, path, "x").safe[0] == SafePoint("results", "r2")
    path = forked_path(*PARALLEL[:5], entry("custom", "l", "r0"))
    assert [point.kind for point in options_at(home, path, "r1").safe] == ["before", "prompt"]
    # An earlier step with missing results is skipped.
    half = [answer("h", "r0", 4, *calls(("read", "a"), ("ls", "b"))), result("hr", "h", "c0")]
    path = forked_path(
        *PARALLEL[:3], *half, answer("k", "hr", 5, *calls(("read", "c"))), entry("custom", "l", "e")
    )
    assert options_at(home, path, "k").safe[0] == SafePoint("before", "r0")


def test_calls_before_a_later_prompt_do_not_wait(home: Home, forked_path: Callable[..., str]) -> None:
    lines = [
        answer("x", "e", 3, *calls(("read", "a")), stopReason="aborted"),
        message("u", "x", "user", "no", 4),
    ]
    path = forked_path(
        *lines, entry("custom_message", "n", "u", customType="c", content="a note"), answer("y", "n", 6)
    )
    assert options_at(home, path, "n").waiting == ()
    assert options_at(home, path, "x").waiting == ("read",)
    assert unanswered([]) == {}


def test_a_turn_without_a_prompt_has_no_safe_point(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(answer("x", "nowhere", 3, *calls(("read", "a"))), answer("y", "e", 4))
    options = options_at(home, path, "x")
    assert (options.waiting, options.safe) == (("read",), ())


@st.composite
def steps(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw prompts, answers that call tools, and results, each below an earlier entry."""
    lines: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 12))):
        ids = [line["id"] for line in lines]
        parent = draw(st.sampled_from([None, *ids, *ids[-1:] * 6]))
        kind = draw(st.sampled_from(["user", "answer", "answer", "result", "result", "custom"]))
        if kind == "user":
            lines.append(message(f"i{number}", parent, "user", f"prompt {number}", number))
        elif kind == "answer":
            lines.append(
                answer(f"i{number}", parent or "", number, *calls(*[("read", "a")] * draw(st.integers(0, 2))))
            )
            lines[-1]["parentId"] = parent
        elif kind == "result":
            lines.append(result(f"i{number}", parent or "", draw(st.sampled_from(["c0", "c1"])), number))
            lines[-1]["parentId"] = parent
        else:
            lines.append(entry("custom", f"i{number}", parent, number))
    return lines


@given(lines=steps())
def test_every_entry_of_any_session_can_be_branched_at(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]]
) -> None:
    home = Home(tmp_path_factory.getbasetemp() / "going-on")
    path = str(home.folder / ".pi/agent/sessions/--work-app--/s.jsonl")
    write_session(Path(path), header(), *lines)
    written = Path(path).read_bytes()
    manager = reopened(home, path)
    for picked in manager.get_entries():
        Path(path).write_bytes(written)
        options = find_branch_options(reopened(home, path), picked.id, store_of(home, path), home.env)
        leaf_id = options.target.leaf_id
        path_to_leaf = [] if leaf_id is None else manager.get_branch(leaf_id)
        is_prompt = options.target.text is not None
        assert options.same or bool(options.waiting) == (has_waiting_calls(path_to_leaf) and not is_prompt)
        for point in options.safe:
            # A safe point has no waiting calls.
            assert not find_branch_options(manager, point.entry_id, store_of(home, path), home.env).waiting
        assert not options.waiting or any(
            line.normalized["message"]["role"] == "user" for line in path_to_leaf if line.type == "message"
        ) == any(point.kind == "prompt" for point in options.safe)
        change = branch_in_place(options, home.env)
        after = reopened(home, path)
        assert (change.entry_id == "") == options.same
        assert after.leaf_id == (manager.leaf_id if options.same else change.after)
        expected = [] if leaf_id is None else manager.build_session_context(leaf_id).messages
        assert after.build_session_context().messages == expected


def has_waiting_calls(path: list[Entry]) -> bool:
    """Whether an answer after the last prompt has calls without results, and no answer comes after it."""
    messages = [entry.normalized["message"] for entry in path if entry.type == "message"]
    turns = [index for index, message in enumerate(messages) if message["role"] in ("user", "assistant")]
    if not turns or messages[turns[-1]]["role"] == "user":
        return False
    called = {block["id"] for block in messages[turns[-1]]["content"] if block["type"] == "toolCall"}
    return bool(called - {message["toolCallId"] for message in messages[turns[-1] + 1 :]})


def test_a_chain_of_thousands_of_results_is_read(home: Home, forked_path: Callable[..., str]) -> None:
    count = 3_000
    blocks = [
        {"type": "toolCall", "id": f"k{number}", "name": "t", "arguments": {}} for number in range(count)
    ]
    lines = [answer("x", "e", 3, *blocks)]
    lines += [
        result(f"r{number}", f"r{number - 1}" if number else "x", f"k{number}") for number in range(count)
    ]
    path = forked_path(*lines, message("u", "e", "user", "else"))
    assert options_at(home, path, "x").safe[0].entry_id == f"r{count - 1}"


def test_omp_gets_a_draft(home: Home) -> None:
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
def test_other_agents_get_no_draft(home: Home, agent: str) -> None:
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
def test_pi_gets_the_first_prompt_as_an_argument(
    home: Home, forked_path: Callable[..., str], prompt: str, arguments: list[str]
) -> None:
    options = options_at(home, forked_path(), "00000002")
    assert (options.takes_prompt, options.takes_draft) == (True, False)
    plan = options.here.plan
    before = (list(plan.argv), plan.shell)
    sent = with_first_prompt(plan, "pi", prompt)
    assert sent.argv == [*plan.argv, *arguments]
    command = plan.shell.rpartition("pi --session")[2]
    words = sent.shell.rpartition("pi --session")[2]
    printed = subprocess.run(["bash", "-c", rf"printf '%s\0' {words}"], capture_output=True, check=True)
    assert printed.stdout.decode().split("\0") == [*shlex.split(command), *arguments, ""]
    assert (plan.argv, plan.shell) == before
    assert with_first_prompt(plan, "omp", prompt) is plan


def test_omp_takes_a_draft_and_no_prompt(home: Home) -> None:
    manager = home.answered("omp")
    options = options_at(home, manager.session_file or "", manager.get_entries()[0].id)
    assert (options.takes_prompt, options.takes_draft) == (False, True)
    assert agent_named("omp").prompt_arguments("x") == []


def test_a_session_without_a_folder_can_be_branched(home: Home) -> None:
    manager = home.answered()
    path = Path(manager.session_file or "")
    lines = path.read_bytes().splitlines(keepends=True)
    fields = json.loads(lines[0])
    del fields["cwd"]
    path.write_bytes(b"".join([json.dumps(fields).encode() + b"\n", *lines[1:]]))
    assert header()["cwd"]
    options = options_at(home, str(path), manager.get_entries()[0].id)
    assert options.here.plan.problem is not None
    assert options.here.problem == ""
