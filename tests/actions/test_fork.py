"""A new session of another (FORMATS 2.2; specs 003 "Session Forking")."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions.branch import branch
from app.actions.fork import fork
from app.actions.label import label
from app.actions.rename import rename
from app.sessions.errors import NotAFolder, NotASession, ReadOnly, SessionError, UnknownEntry
from app.stores import discover, named
from tests.actions.conftest import bytes_of, lines_of, of_agent, read_only, reopened, with_artifacts
from tests.factory import chain, header, message, write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_fork_has_the_path_the_labels_and_the_name(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[0].id
    rename(path, "N", home.env)
    label(path, first, "kept", home.env)
    before = bytes_of(path)
    change = fork(path, home.env)
    assert bytes_of(path) == before
    made = reopened(home, change.after)
    assert (change.kind, change.session_id, change.after_id) == ("file", manager.session_id, made.session_id)
    assert (made.session_name, made.cwd, made.agent) == ("N", home.work, agent)
    assert made.get_label(first) == "kept"
    assert made.build_session_context().messages == manager.build_session_context().messages
    assert made.header["parentSession"] == path
    assert os.path.dirname(change.path) == os.path.dirname(path)


def test_a_fork_at_an_entry_ends_there(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    made = reopened(home, fork(path, home.env, entry="00000002").after)
    assert [entry.id for entry in made.get_entries()] == ["00000001", "00000002"]
    with pytest.raises(UnknownEntry):
        fork(path, home.env, entry="")


def test_a_fork_at_a_prompt_ends_before_it(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(message("p", "e", "user", "and now", 4))
    change = fork(path, home.env, entry="p")
    assert (change.target_id, change.prompt) == ("e", "and now")
    assert [entry.id for entry in reopened(home, change.after).get_entries()] == ["00000001", "e"]
    kept = fork(path, home.env, entry="p", keep=True)
    assert (kept.target_id, kept.prompt) == ("p", None)
    first = fork(path, home.env, entry="00000001", to=str(home.folder))
    assert (first.target_id, first.prompt) == (None, "a question")
    assert reopened(home, first.after).cwd == os.path.realpath(home.folder)


@pytest.mark.parametrize(
    ("agent", "folder"),
    [
        ("pi", ".pi/agent/sessions/--{}--"),
        ("omp", ".omp/agent/sessions/-other"),
        ("indusagi", ".indusagi/agent/sessions/--{}--"),
    ],
)
def test_a_fork_for_another_folder_goes_where_the_agent_looks(home: Home, agent: str, folder: str) -> None:
    other = home.folder / "other"
    other.mkdir()
    (home.folder / "link").symlink_to(other)
    path = home.answered(agent).session_file or ""
    change = fork(path, home.env, to=str(home.folder / "link"))
    spelled = folder.format(str(other)[1:].replace("/", "-"))
    assert os.path.dirname(change.path) == str(home.folder / spelled)
    assert reopened(home, change.after).cwd == str(other)


def test_a_fork_stays_in_the_store_of_its_source(home: Home) -> None:
    """A store that was named by hand: the agent would look for its own sessions somewhere else."""
    (home.folder / "other").mkdir()
    other = str(home.folder / "other")
    flat = write_session(home.folder / "flat/s.jsonl", *chain("q", "a"))
    deep = write_session(home.folder / "deep/--work-app--/s.jsonl", *chain("q", "a"))
    for path in (flat, deep):
        root = home.folder / path.relative_to(home.folder).parts[0]
        (store,) = named([("omp", str(root))], home.env, str(home.folder), "/")
        made = fork(str(path), home.env, to=other, store=store)
        assert os.path.dirname(made.path) == str(root if path == flat else root / "-other")
        assert made.agent == "omp"
    assert not (home.folder / ".omp").exists()


def test_a_fork_of_a_moved_away_file_goes_to_the_agents_own_store(home: Home) -> None:
    path = write_session(home.folder / "download/s.jsonl", *chain("q", "a"))
    (home.folder / "other").mkdir()
    beside = fork(str(path), home.env)
    assert os.path.dirname(beside.path) == str(path.parent)
    made = fork(str(path), home.env, to=str(home.folder / "other"))
    assert made.path.startswith(str(home.folder / ".pi/agent/sessions/--"))


def test_a_fork_in_a_profile_stays_in_the_profile(home: Home) -> None:
    (home.folder / "other").mkdir()
    root = home.folder / ".omp/profiles/work/agent/sessions"
    path = write_session(root / "-app/s.jsonl", *chain("q", "a", cwd=str(home.folder / "app")))
    made = fork(str(path), home.env, to=str(home.folder / "other"))
    assert os.path.dirname(made.path) == str(root / "-other")
    stores = discover(home.env, str(home.folder), "/")
    assert [store.root for store in stores if made.path.startswith(store.root + os.sep)] == [str(root)]


@pytest.mark.parametrize(("last", "kept"), [(None, 20), (3, 3), (99, 25)])
def test_a_fork_of_nickcecere_agent_has_the_last_messages(home: Home, last: int | None, kept: int) -> None:
    path = of_agent(home, 25)
    before = bytes_of(path)
    change = fork(path, home.env, last=last)
    assert bytes_of(path) == before
    assert os.path.dirname(change.path) == os.path.dirname(path)
    opening, branch, *messages = [json.loads(line) for line in lines_of(change.after)]
    assert opening["id"] == change.after_id
    assert change.session_id == "dd4ef604-18d0-4cc6-a7c6-3427226486ec"
    assert opening["cwd"] == str(home.folder)
    assert (branch["parent_session_path"], branch["fork_entry_id"]) == (path, "m24")
    assert [said["id"] for said in messages] == [f"m{at}" for at in range(25 - kept, 25)]
    assert "parent_id" not in messages[0]


def test_what_one_kind_of_fork_does_the_other_does_not(home: Home, forked_path: Callable[..., str]) -> None:
    path = of_agent(home, 3)
    with pytest.raises(ReadOnly, match="last messages"):
        fork(path, home.env, entry="m1")
    with pytest.raises(ReadOnly, match="nickcecere/agent"):
        fork(forked_path(), home.env, last=3)
    assert len(os.listdir(os.path.dirname(path))) == 1


def test_formats_that_are_only_read_are_not_forked(home: Home) -> None:
    for agent in ("indusagi", "pi"):
        path = read_only(home, agent)
        before = bytes_of(path)
        for more in ({}, {"entry": "m1"}, {"last": 3}):
            with pytest.raises(ReadOnly):
                fork(path, home.env, **more)
        assert bytes_of(path) == before
        assert len(os.listdir(os.path.dirname(path))) == 1


def test_there_is_nothing_to_fork(home: Home) -> None:
    folder = home.folder / "x"
    bare = write_session(folder / "bare.jsonl", header())
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "other.jsonl").write_text("no session\n")
    for name, error in (("bare", UnknownEntry), ("empty", NotASession), ("other", NotASession)):
        with pytest.raises(error):
            fork(str(folder / f"{name}.jsonl"), home.env)
    with pytest.raises(SessionError):
        fork(str(folder), home.env)
    assert sorted(os.listdir(folder)) == ["bare.jsonl", "empty.jsonl", "other.jsonl"]
    assert bare.read_text().count("\n") == 1


def test_before_all_entries_there_is_nothing_to_fork(home: Home) -> None:
    path = home.answered("pi").session_file or ""
    branch(path, "root", home.env)
    files = sorted(os.listdir(os.path.dirname(path)))
    with pytest.raises(UnknownEntry, match="nothing to fork: the leaf is before all that was said"):
        fork(path, home.env)
    assert sorted(os.listdir(os.path.dirname(path))) == files
    first = reopened(home, path).get_entries()[0].id
    assert fork(path, home.env, entry=first).after


def test_a_question_without_an_answer_is_forked_too(home: Home) -> None:
    path = write_session(home.folder / "s.jsonl", header(), message("a", None, "user", "q"))
    change = fork(str(path), home.env)
    assert Path(change.path).is_file()
    assert len(reopened(home, change.after).get_entries()) == 1


def test_a_folder_that_is_not_there_is_no_working_folder(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    (home.folder / "file").write_text("no folder")
    for to in (str(home.folder / "nowhere"), str(home.folder / "file"), ""):
        with pytest.raises(NotAFolder, match="there is no folder") as caught:
            fork(path, home.env, to=to)
        assert caught.value.path == path
        with pytest.raises(NotAFolder):
            fork(of_agent(home, 3), home.env, to=to)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    assert os.listdir(home.folder / ".config/agent/sessions") == ["20260226-143012-dd4ef604.jsonl"]


def test_artifacts_stay_with_the_session_whose_path_is_forked(home: Home) -> None:
    """As oh-my-pi's own session of a path has none (FORMATS 2.2); only its fork of everything copies them."""
    path = with_artifacts(home, "omp")
    made = fork(path, home.env)
    assert os.path.isdir(path.removesuffix(".jsonl"))
    assert not os.path.lexists(made.path.removesuffix(".jsonl"))
