"""Compare leafmark's files with those of the real agents: folders, titles, images, forks."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leafmark import SessionManager

from app.formats import fold_title, iso, parse_time, slot_line
from tests.factory import NOW, header, message, write_session
from tests.interop.programs import Program, Session, assistant, tool_result, user
from tests.interop.views import View, differences, of_manager, of_program, untimed

IMAGE = base64.b64encode(bytes(range(256)) * 4).decode()
SMALL_IMAGE = base64.b64encode(bytes(100)).decode()


@pytest.mark.parametrize("agent", ["pi", "omp"])
@pytest.mark.parametrize(
    "cwd",
    ["~", "~/work/my proj", "~/-dash/x:y", "~/tmp", "~/tmp/a/b", "/elsewhere/a b", "/a\\b", "/", "/a/../b/"],
)
def test_a_new_session_is_in_the_folder_that_the_agent_uses(
    agent: str, cwd: str, request: pytest.FixtureRequest
) -> None:
    program: Program = request.getfixturevalue(agent)
    cwd = cwd.replace("~", str(program.home))
    theirs = program.make("create", cwd)
    state = theirs.state()
    env = {"HOME": str(program.home), "TMPDIR": str(program.home / "tmp")}
    ours = SessionManager.create(cwd, agent=agent, env=env)
    assert ours.session_dir == state["dir"]
    assert ours.session_file is not None
    assert os.path.dirname(ours.session_file) == os.path.dirname(state["file"])
    if agent == "pi":
        assert ours.cwd == state["cwd"]
    same = len(os.path.basename(state["file"])), os.path.basename(state["file"]).count("-")
    assert (len(os.path.basename(ours.session_file)), os.path.basename(ours.session_file).count("-")) == same
    theirs.forget()


@settings(max_examples=300)
@given(
    title=st.one_of(st.text(), st.text(st.sampled_from('aé€🙂"\\'), min_size=30, max_size=200)).map(
        fold_title
    ),
    source=st.sampled_from(["auto", "user", None]),
)
def test_the_title_line_is_omps_to_the_byte(omp: Program, title: str, source: Any) -> None:
    update = {"title": title, "updatedAt": iso(NOW)} | ({"source": source} if source else {})
    assert slot_line(title, source, NOW) == omp.help("serializeTitleSlot", update).encode()


LARGE = [
    {**user(""), "content": [{"type": "image", "data": IMAGE, "mimeType": "image/png"}]},
    {**user(""), "content": [{"type": "image", "data": SMALL_IMAGE, "mimeType": "image/png"}]},
    user("x" * 500_000),
    user("x" * 500_001),
    user("x" * 499_951 + "🙂" * 60),
    user("x" * 499_952 + "🙂" * 60),
    {**tool_result("call-1", "y" * 600_000), "details": {"content": "a\nb\n" * 200_000, "lineCount": 7}},
    {**assistant("z"), "jsonlEvents": [1, 2], "content": [{"type": "thinking", "thinking": "t" * 500_100}]},
    {
        **assistant("z"),
        "content": [{"type": "thinking", "thinking": "t" * 500_100, "thinkingSignature": "s"}],
    },
]


def lines(path: str) -> list[dict[str, Any]]:
    """Return the lines of a session file."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_large_content_is_cut_and_stored_apart_as_omp_does(omp: Program, tmp_path: Path) -> None:
    theirs = omp.make("create", str(tmp_path), str(tmp_path / "omp"))
    ours = SessionManager.create(
        str(tmp_path), str(tmp_path / "ours"), agent="omp", env={"HOME": str(omp.home)}
    )
    for each in [assistant("Go on."), *LARGE]:
        theirs.call("appendMessage", each)
        ours.append_message(each)
    file = str(ours.session_file)
    state = theirs.state()
    written = [[line.get("message") for line in lines(path)] for path in (state["file"], file)]
    assert written[0] == written[1]
    assert IMAGE not in Path(file).read_text()
    contexts = [omp.make("open", path).state()["context"]["messages"] for path in (state["file"], file)]
    assert contexts == [omps_context(state["file"], omp), omps_context(file, omp)]
    assert contexts[0] == contexts[1]


def omps_context(file: str, omp: Program) -> list[dict[str, Any]]:
    """Return the messages of our context of a file in omp's store."""
    return SessionManager.open(file, env={"HOME": str(omp.home)}).build_session_context().messages


def test_pi_keeps_large_content_and_so_does_leafmark(pi: Program, tmp_path: Path) -> None:
    theirs = pi.make("create", str(tmp_path), str(tmp_path / "pi"))
    ours = SessionManager.create(str(tmp_path), str(tmp_path / "ours"), env={"HOME": str(pi.home)})
    for each in [assistant("Go on."), *LARGE]:
        theirs.call("appendMessage", each)
        ours.append_message(each)
    written = [lines(str(path)) for path in (theirs.state()["file"], ours.session_file)]
    assert [line.get("message") for line in written[0]] == [line.get("message") for line in written[1]]


def filled(manager: SessionManager) -> dict[str, str]:
    """Fill the manager with branches, labels, a name and a summary; return the ids of some entries."""
    ids = {"first": manager.append_message(user("Why is the test slow?"))}
    manager.append_message(assistant("I look.", "call-1"))
    ids["result"] = manager.append_message(tool_result("call-1", "def test(): ..."))
    manager.append_label_change(ids["first"], "start")
    ids["answer"] = manager.append_message(assistant("It sleeps."))
    manager.append_label_change(ids["answer"], "found")
    manager.append_session_info("Slow test 🙂")
    ids["tip"] = manager.append_message(user("Mock the clock."))
    manager.branch(ids["result"])
    manager.append_message(user("Or not?"))
    manager.append_message(assistant("Better not."))
    manager.branch_with_summary(ids["answer"], "We thought about it.")
    manager.append_compaction("All about it.", ids["result"], 900, {"readFiles": ["a.py"]})
    ids["last"] = manager.append_custom_message_entry("hint", "Mind it.", True)
    return ids


def opened(program: Program, manager: SessionManager) -> tuple[View, View, dict[str, Any]]:
    """Open the manager's file in the real agent; return both views, and the agent's whole state."""
    session = program.make("open", str(manager.session_file))
    state = session.state()
    session.forget()
    return of_program(state), of_manager(manager, program.agent), state


def test_a_branch_that_leafmark_extracts(omp: Program, tmp_path: Path) -> None:
    manager = SessionManager.create(
        str(tmp_path), str(tmp_path / "s"), agent="omp", env={"HOME": str(tmp_path)}
    )
    ids = filled(manager)
    source = str(manager.session_file)
    manager.create_branched_session(ids["tip"])
    theirs, ours, state = opened(omp, manager)
    assert differences(theirs, ours) == []
    assert state["header"]["parentSession"] == source
    assert state["name"] == "Slow test 🙂"
    assert sorted(theirs.labels.values()) == ["found", "start"]
    assert [place for place, depth, _ in theirs.tree if depth == 0] == [0]
    assert theirs.branch == list(range(len(theirs.entries))), "all of it hangs in one line"


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_a_fork_of_the_whole_session(agent: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    program: Program = request.getfixturevalue(agent)
    env = {"HOME": str(tmp_path)}
    other = tmp_path / "other"
    other.mkdir()
    manager = SessionManager.create(str(tmp_path), str(tmp_path / "s"), agent=agent, env=env)
    filled(manager)
    source = str(manager.session_file)
    before = of_manager(manager, agent)
    fork = SessionManager.fork_from(source, str(other), str(tmp_path / "t"), env=env)
    theirs, ours, state = opened(program, fork)
    assert differences(theirs, ours) == []
    assert differences(ours, before) == []
    real = program.make("forkFrom", source, str(other), str(tmp_path / "u"))
    assert differences(of_program(real.state()), ours) == []
    for key in ("cwd", "parentSession", "version", "title", "titleSource", "providerPromptCacheKey"):
        assert state["header"].get(key) == real.state()["header"].get(key), key
    real.forget()


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_a_leaf_that_was_moved_stays_moved(
    agent: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The next message hangs below the entry that a `custom` entry names as its parent."""
    program: Program = request.getfixturevalue(agent)
    manager = SessionManager.create(
        str(tmp_path), str(tmp_path / "s"), agent=agent, env={"HOME": str(tmp_path)}
    )
    ids = filled(manager)
    manager.branch(ids["answer"])
    marker = manager.append_custom_entry("leafmark", {"branch": ids["answer"]})
    theirs, ours, state = opened(program, manager)
    assert differences(theirs, ours) == []
    assert state["leaf"] == marker
    session: Session = program.make("open", str(manager.session_file))
    session.call("appendMessage", user("Continue in this session."))
    entry = session.state()["entries"][-1]
    assert entry["parentId"] == marker
    assert manager.refresh()
    assert differences(untimed(of_program(session.state())), untimed(of_manager(manager, agent))) == []
    session.forget()


def listed(folder: Path) -> None:
    """Write files for a list: two projects, a name, a cleared name, a fork, and a file that is no session."""
    for place, (id, cwd) in enumerate([("a", "/work/app"), ("b", "/work/site"), ("c", "/work/app")]):
        entries = [
            message(
                f"{at:08x}", f"{at - 1:08x}" if at else None, role, f"{id} {at}", place + at, timestamp=None
            )
            for at, role in enumerate(("user", "assistant", "user"))
        ]
        for each in entries:
            del each["message"]["timestamp"]
        more = {"parentSession": str(folder / "a.jsonl")} if id == "c" else {}
        last = {
            "type": "session_info",
            "id": "000000ff",
            "parentId": "00000002",
            "timestamp": header()["timestamp"],
        }
        write_session(folder / f"{id}.jsonl", header(id, cwd, **more), *entries, {**last, "name": f" {id} "})
    (folder / "empty.jsonl").touch()
    (folder / "none.jsonl").write_text("{}\n")
    write_session(folder / "d.jsonl", header("d"))


@pytest.mark.parametrize("cwd", ["/work/app", "/work/site", "/nowhere"])
def test_the_list_of_a_folder_equals_pis_list(pi: Program, tmp_path: Path, cwd: str) -> None:
    listed(tmp_path)
    theirs = pi.list("list", cwd, str(tmp_path))
    ours = SessionManager.list(cwd, str(tmp_path), env={"HOME": str(pi.home)})
    assert [
        (info.path, info.id, info.cwd, info.name, info.parent_session, info.message_count) for info in ours
    ] == [
        (
            info["path"],
            info["id"],
            info["cwd"],
            info.get("name"),
            info.get("parentSessionPath"),
            info["messageCount"],
        )
        for info in theirs
    ]
    assert [(info.created, info.modified) for info in ours] == [
        (parse_time(info["created"]), parse_time(info["modified"])) for info in theirs
    ]
    assert [info.first_message or "(no messages)" for info in ours] == [
        info["firstMessage"] for info in theirs
    ]


def test_the_session_to_continue_is_pis_choice(pi: Program, tmp_path: Path) -> None:
    listed(tmp_path)
    for age, name in enumerate(["empty", "none", "b", "a", "d", "c"]):
        os.utime(tmp_path / f"{name}.jsonl", (NOW / 1000 - age, NOW / 1000 - age))
    env = {"HOME": str(pi.home)}
    for cwd, name in (("/work/app", "a.jsonl"), ("/work/site", "b.jsonl")):
        theirs = pi.make("continueRecent", cwd, str(tmp_path)).state()["file"]
        ours = SessionManager.continue_recent(cwd, str(tmp_path), env=env).session_file
        assert theirs == ours == str(tmp_path / name)
    assert not pi.make("continueRecent", "/nowhere", str(tmp_path)).state()["entries"]
    assert not SessionManager.continue_recent("/nowhere", str(tmp_path), env=env).get_entries()


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_both_write_into_one_file_in_turn(agent: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Each opens the file, appends, and leaves it to the other: no entry is lost, and both see the same."""
    program: Program = request.getfixturevalue(agent)
    manager = SessionManager.create(
        str(tmp_path), str(tmp_path / "s"), agent=agent, env={"HOME": str(tmp_path)}
    )
    filled(manager)
    file = str(manager.session_file)
    for turn in range(3):
        session = program.make("open", file)
        session.call("appendMessage", user(f"theirs {turn}"))
        label = session.call("appendMessage", assistant(f"answer {turn}"))
        session.call("appendLabelChange", label, f"label {turn}")
        if agent == "omp":
            session.call("close")
        session.forget()
        manager = SessionManager.open(file, env={"HOME": str(tmp_path)})
        manager.append_message(user(f"ours {turn}"))
        manager.append_label_change(label, f"ours {turn}")
        manager.append_session_info(f"name {turn}")
        theirs, ours, state = opened(program, manager)
        assert differences(theirs, ours) == []
        assert state["name"] == f"name {turn}"
        assert f"ours {turn}" in ours.labels.values()
    shutil.copyfile(file, tmp_path / "copy.jsonl")
