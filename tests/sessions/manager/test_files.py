"""Opening, creating and listing session files."""

from __future__ import annotations

import copy
import json
import os
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from app.sessions import MemoryStorage, NotAFile, NotASession, Unreadable
from tests.cases import cases
from tests.factory import chain, header, message, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home

    Make = Callable[..., SessionManager]


SYSTEM = {"role": "system", "content": "You test.", "timestamp": 1}


@pytest.mark.parametrize(
    ("agent", "before", "first"),
    [
        ("pi", [SYSTEM], USER),
        ("pi", [SYSTEM], ANSWER),
        ("omp", [USER], ANSWER),
        ("indusagi", [USER], ANSWER),
    ],
)
def test_nothing_is_written_before_the_message_that_makes_the_file(
    home: Home, agent: str, before: list[dict[str, Any]], first: dict[str, Any]
) -> None:
    manager = home.create(agent)
    path = manager.session_file or ""
    manager.append_thinking_level_change("high")
    manager.append_custom_entry("t")
    for each in before:
        manager.append_message(each)
    assert os.listdir(home.folder) == []
    manager.append_message(first)
    written = [entry.raw for entry in home.open(path).get_entries()]
    assert written == [entry.raw for entry in manager.get_entries()]
    assert manager.get_entry_count() == len(before) + 3
    manager.append_custom_entry("t")
    assert home.open(path).get_entry_count() == manager.get_entry_count() == len(before) + 4
    assert os.path.basename(path).endswith(f"_{manager.session_id}.jsonl")


@pytest.mark.parametrize(
    ("agent", "folder"),
    [
        ("pi", ".pi/agent/sessions/--{}--"),
        ("indusagi", ".indusagi/agent/sessions/--{}--"),
        ("omp", ".omp/agent/sessions/-work"),
    ],
)
def test_a_new_session_is_in_the_folder_of_its_agent(home: Home, agent: str, folder: str) -> None:
    expected = folder.format(home.work[1:].replace("/", "-"))
    assert home.create(agent).session_dir == str(home.folder / expected)
    assert home.create(agent, session_dir=str(home.folder / "flat")).session_dir == str(home.folder / "flat")


def test_the_agents_variables_move_new_sessions(home: Home) -> None:
    env = {**home.env, "PI_CODING_AGENT_DIR": str(home.folder / "moved")}
    assert SessionManager.create("/w", env=env).session_dir == str(home.folder / "moved/sessions/--w--")
    assert SessionManager.create("/w", agent="omp", env=env).session_dir == str(
        home.folder / "moved/sessions/--w--"
    )
    env = {**home.env, "PI_CODING_AGENT_SESSION_DIR": str(home.folder / "flat")}
    assert SessionManager.create("/w", env=env).session_dir == str(home.folder / "flat")
    env = {**home.env, "OMP_PROFILE": "p"}
    folder = SessionManager.create("/w", agent="omp", env=env).session_dir
    assert folder == str(home.folder / ".omp/profiles/p/agent/sessions/--w--")


def test_a_missing_file_is_made_with_the_first_prompt(home: Home) -> None:
    path = home.folder / "here" / "mine.jsonl"
    manager = home.open(path)
    assert (manager.session_file, manager.get_entries(), path.exists()) == (str(path), [], False)
    manager.append_message(USER)
    assert len(content(str(path)).splitlines()) == 2
    manager.append_message(ANSWER)
    assert len(content(str(path)).splitlines()) == 3


def test_an_empty_file_gets_a_header_and_keeps_its_path(home: Home) -> None:
    path = home.folder / "empty.jsonl"
    path.touch()
    manager = home.open(path)
    assert json.loads(path.read_text())["id"] == manager.session_id
    manager.append_message(USER)
    assert len(path.read_text().splitlines()) == 2
    assert manager.session_file == str(path)


@cases(
    "data",
    [b"garbage", b"\n\n", b'{"type":"message","id":"a"}\n', b'{"type":"session"}\n', b"\0" * 100, b"[1]\n"],
)
def test_a_file_that_is_no_session_is_refused_and_unchanged(home: Home, data: bytes) -> None:
    path = home.folder / "bad.jsonl"
    path.write_bytes(data)
    os.utime(path, ns=(1, 2))
    with pytest.raises(NotASession) as caught:
        home.open(path)
    assert caught.value.path == str(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (data, 2)


def test_a_folder_or_a_pipe_is_refused(home: Home) -> None:
    (home.folder / "folder.jsonl").mkdir()
    os.mkfifo(home.folder / "pipe.jsonl")
    for name in ("folder.jsonl", "pipe.jsonl"):
        with pytest.raises(NotAFile):
            home.open(home.folder / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_raises(home: Home) -> None:
    path = write_session(home.folder / "secret.jsonl", *chain("one"))
    path.chmod(0)
    with pytest.raises(Unreadable):
        home.open(path)


def test_reading_writes_nothing(session: Make) -> None:
    manager = session(*chain("one"), '{"torn":')
    path = manager.session_file or ""
    os.utime(path, ns=(1, 2))
    before = content(path)
    manager = SessionManager.open(path)
    manager.get_tree()
    manager.build_session_context()
    assert manager.problems
    assert (content(path), os.stat(path).st_mtime_ns) == (before, 2)


def test_setting_another_file_keeps_folder_and_working_folder(home: Home) -> None:
    manager = home.create()
    other = write_session(home.folder / "x" / "s.jsonl", *chain("one", cwd="/elsewhere"))
    folder = manager.session_dir
    manager.set_session_file(str(other))
    assert (manager.session_dir, manager.cwd) == (folder, home.work)
    assert manager.session_id == "s1"


def test_a_new_session_has_no_entries(home: Home) -> None:
    manager = home.answered()
    before = manager.session_file
    path = manager.new_session(before)
    assert path == manager.session_file != before
    assert manager.get_entries() == []
    assert manager.leaf_id is None
    assert manager.header["parentSession"] == before


def test_the_header_names_the_working_folder(session: Make) -> None:
    assert session(*chain("one", cwd="/elsewhere")).cwd == "/elsewhere"


def test_another_storage_can_be_used(home: Home) -> None:
    storage = MemoryStorage()
    manager = SessionManager("pi", "/w", "/sessions", storage, home.env)
    manager.new_session()
    manager.append_message(USER)
    manager.append_message(ANSWER)
    manager.append_session_info("n")
    (path,) = storage.files
    again = SessionManager("pi", "/w", "/sessions", storage, home.env)
    again.set_session_file(path)
    assert again.session_name == "n"
    manager.append_message(USER)
    assert again.refresh()
    assert again.leaf_id == manager.leaf_id
    assert not again.refresh()


# recent and listing


def test_the_most_recent_session_has_the_newest_file_time(home: Home) -> None:
    first, second = home.answered(), home.answered()
    os.utime(first.session_file or "", (9e9, 9e9))
    write_session(home.folder / first.session_dir / "not-one.jsonl", '{"type":"other"}')
    os.utime(home.folder / first.session_dir / "not-one.jsonl", (9.1e9, 9.1e9))
    recent = SessionManager.continue_recent(home.work, env=home.env)
    assert recent.session_file == first.session_file != second.session_file


def test_a_new_session_is_made_if_there_is_no_recent_one(home: Home) -> None:
    manager = SessionManager.continue_recent(home.work, env=home.env)
    assert manager.get_entries() == []
    assert manager.cwd == home.work


def test_a_flat_folder_is_filtered_by_working_folder(home: Home) -> None:
    flat = home.folder / "flat"
    write_session(flat / "a.jsonl", *chain("mine", id="a", cwd=home.work))
    other = write_session(flat / "b.jsonl", *chain("other", id="b", cwd="/elsewhere"))
    os.utime(other, (9e9, 9e9))
    (home.folder / "real").mkdir()
    os.symlink(home.folder / "real", home.work)
    write_session(flat / "c.jsonl", *chain("linked", id="c", cwd=str(home.folder / "real")))
    infos = SessionManager.list(home.work, str(flat), env=home.env)
    assert {info.id for info in infos} == {"a", "c"}
    recent = SessionManager.continue_recent(home.work, str(flat), env=home.env)
    assert recent.session_id in ("a", "c")


def test_the_list_is_sorted_by_last_message_and_reports_progress(home: Home) -> None:
    flat = home.folder / "flat"
    new = write_session(flat / "new.jsonl", header("new", home.work), message("a", None, "user", "n", at=50))
    old = write_session(flat / "old.jsonl", header("old", home.work), message("a", None, "user", "o", at=5))
    write_session(flat / "bad.jsonl", "{}")
    os.utime(old, (9e9, 9e9))
    seen: list[tuple[int, int]] = []
    infos = SessionManager.list(home.work, str(flat), lambda done, of: seen.append((done, of)), env=home.env)
    assert [info.path for info in infos] == [str(new), str(old)]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert [info.first_message for info in infos] == ["n", "o"]


def test_a_listed_session_can_be_copied(home: Home) -> None:
    write_session(home.folder / "flat" / "a.jsonl", *chain("hi", id="a", cwd=home.work))
    (info,) = SessionManager.list(home.work, str(home.folder / "flat"), env=home.env)
    for other in (copy.copy(info), copy.deepcopy(info), pickle.loads(pickle.dumps(info))):
        assert (type(other), other, other.path) == (type(info), info, info.path)


def test_list_all_returns_the_sessions_of_all_working_folders(home: Home) -> None:
    home.answered()
    SessionManager.fork_from(home.answered().session_file or "", "/elsewhere", env=home.env)
    infos = SessionManager.list_all(env=home.env)
    assert sorted(info.cwd for info in infos) == sorted([home.work, home.work, "/elsewhere"])
    assert SessionManager.list_all(agent="omp", env=home.env) == []
    assert len(SessionManager.list(home.work, env=home.env)) == 2


def test_oh_my_pi_continues_the_last_session_of_the_terminal(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, newer = home.answered("omp"), home.answered("omp")
    os.utime(newer.session_file or "", (9e9, 9e9))
    crumbs = home.folder / ".omp/agent/terminal-sessions"
    crumbs.mkdir(parents=True)
    (crumbs / "tmux-%7").write_text(f"{home.work}\n{older.session_file}\n")
    env = {**home.env, "TMUX_PANE": "%7"}
    monkeypatch.setattr("os.ttyname", lambda descriptor: "")
    assert SessionManager.continue_recent(home.work, agent="omp", env=env).session_file == older.session_file
    recent = SessionManager.continue_recent(home.work, agent="omp", env=home.env)
    assert recent.session_file == newer.session_file
    (crumbs / "tmux-%7").write_text(f"/elsewhere\n{older.session_file}\n")
    recent = SessionManager.continue_recent(home.work, agent="omp", env=env)
    assert recent.session_file == newer.session_file
