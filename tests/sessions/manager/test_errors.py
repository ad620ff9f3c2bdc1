"""An invalid argument raises a `SessionError` of one line that names the argument."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionError, SessionManager

from app.sessions import (
    AlreadyThere,
    FileStorage,
    HistoryError,
    HistoryStorage,
    NoFile,
    NoPath,
    ReadOnly,
    UnknownAgent,
    WriteFailed,
    open_history,
)
from tests.cases import cases
from tests.factory import chain, write_session
from tests.sessions.manager.conftest import ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sessions.manager.conftest import Home

    Call = Callable[..., object]

AGENTS = ("pi", "omp", "indusagi", "agent")
BAD = ("/a\0b", "a\0b", "/a\ud800b")

CALLS: dict[str, Call] = {
    "create": lambda bad, **more: SessionManager.create(bad, **more),
    "create in": lambda bad, **more: SessionManager.create("/x", bad, **more),
    "list": lambda bad, **more: SessionManager.list(bad, **more),
    "list in": lambda bad, **more: SessionManager.list("/x", bad, **more),
    "continue_recent": lambda bad, **more: SessionManager.continue_recent(bad, **more),
    "continue_recent in": lambda bad, **more: SessionManager.continue_recent("/x", bad, **more),
}


@cases("bad", BAD)
@cases("agent", AGENTS)
@cases("what", CALLS)
def test_an_invalid_path_is_refused_and_named(home: Home, what: str, agent: str, bad: str) -> None:
    with pytest.raises(NoPath, match="no path") as caught:
        CALLS[what](bad, agent=agent, env=home.env)
    assert caught.value.path == bad
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", BAD)
def test_an_invalid_file_or_folder_is_refused(home: Home, bad: str) -> None:
    path = str(write_session(home.folder / "s.jsonl", *chain("one")))
    manager = home.open(path)
    for call in (
        lambda: home.open(bad),
        lambda: SessionManager.open(path, bad, env=home.env),
        lambda: SessionManager.fork_from(bad, "/x", env=home.env),
        lambda: SessionManager.fork_from(path, bad, env=home.env),
        lambda: SessionManager.fork_from(path, "/x", bad, env=home.env),
        lambda: SessionManager.find_most_recent_session(bad, env=home.env),
        lambda: SessionManager.get_recent_sessions(bad, 3, env=home.env),
        lambda: SessionManager.in_memory(bad),
        lambda: manager.set_session_file(bad),
        lambda: manager.cut(manager.leaf_id, bad),
        lambda: manager.blank(bad),
    ):
        with pytest.raises(NoPath):
            call()
    assert manager.session_file == path


@cases("agent", AGENTS)
def test_an_invalid_home_folder_is_refused(agent: str) -> None:
    env = {"HOME": "/a\0b"}
    for call in (
        lambda: SessionManager.create("/x", agent=agent, env=env),
        lambda: SessionManager.list("/x", agent=agent, env=env),
        lambda: SessionManager.list_all(agent=agent, env=env),
        lambda: SessionManager.open("/x/s.jsonl", env=env),
    ):
        with pytest.raises(NoPath):
            call()


def test_an_unknown_agent_is_named(home: Home) -> None:
    path = str(write_session(home.folder / "s.jsonl", *chain("one")))
    for call in (
        lambda: home.create("zzz"),
        lambda: SessionManager.list("/x", agent="zzz", env=home.env),
        lambda: SessionManager.list_all(agent="zzz", env=home.env),
        lambda: SessionManager.continue_recent("/x", agent="zzz", env=home.env),
        lambda: SessionManager.in_memory("/x", agent="zzz"),
        lambda: SessionManager.open(path, agents=("zzz",), env=home.env),
        lambda: SessionManager.fork_from(path, "/x", agents=("pi", "zzz"), env=home.env),
        lambda: SessionManager.get_recent_sessions(str(home.folder), 1, agents=("zzz",), env=home.env),
    ):
        with pytest.raises(UnknownAgent, match=r"^there is no agent 'zzz'; there are pi, omp, "):
            call()


def test_read_only_agents_have_no_new_session(home: Home) -> None:
    for call in (
        lambda: home.create("agent"),
        lambda: SessionManager.continue_recent(home.work, agent="agent", env=home.env),
        lambda: SessionManager.in_memory(home.work, agent="agent"),
    ):
        with pytest.raises(ReadOnly):
            call()


def test_a_session_in_memory_cannot_get_a_file(home: Home) -> None:
    manager = SessionManager.in_memory(home.work)
    with pytest.raises(NoFile, match="in memory"):
        manager.set_session_file(str(home.folder / "s.jsonl"))
    assert manager.session_file is None


@pytest.mark.parametrize("below", ["", "deeper", "deeper/still"])
def test_a_file_in_place_of_the_folder_is_a_failed_write(home: Home, below: str) -> None:
    file = home.folder / "file"
    file.touch()
    manager = home.create(session_dir=str(file / below))
    manager.append_thinking_level_change("high")
    with pytest.raises(WriteFailed, match="Not a directory") as caught:
        manager.append_message(ANSWER)
    assert (type(caught.value), caught.value.code) == (WriteFailed, errno.ENOTDIR)
    assert file.read_bytes() == b""


def test_a_broken_link_in_place_of_the_folder_is_a_failed_write(home: Home) -> None:
    (home.folder / "link").symlink_to("gone")
    source = home.answered().session_file or ""
    with pytest.raises(WriteFailed) as caught:
        SessionManager.fork_from(source, "/x", str(home.folder / "link"), env=home.env)
    assert not isinstance(caught.value, AlreadyThere)


@cases("name", ["a\0b.jsonl", "a\ud800b.jsonl", "no\0/folder.jsonl"])
def test_a_storage_refuses_an_invalid_path(tmp_path: Path, name: str) -> None:
    path = f"{tmp_path}/{name}"
    with pytest.raises(WriteFailed) as caught:
        FileStorage().create(path, b"{}\n")
    assert caught.value.code == errno.EINVAL
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SessionError):
        FileStorage().read(path)


@cases("name", ["a\0b", "a\0/h", "a\ud800b"])
def test_a_history_refuses_an_invalid_path(tmp_path: Path, name: str) -> None:
    for make in (HistoryStorage, open_history):
        with pytest.raises(HistoryError, match="no path"):
            make(f"{tmp_path}/{name}")


@cases("now_ms", [10**30, -(10**30), 1 << 63])
def test_a_history_refuses_a_time_that_it_cannot_hold(tmp_path: Path, now_ms: int) -> None:
    with HistoryStorage(str(tmp_path / "h")) as history:
        with pytest.raises(HistoryError, match="time"):
            history.add("x", now_ms=now_ms)
        history.add("y", now_ms=(1 << 63) - 1)
        assert [row.prompt for row in history.recent()] == ["y"]
