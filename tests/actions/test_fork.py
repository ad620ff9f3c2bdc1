"""Forks of sessions (formats/README.md, "Forks of the agents")."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionError, SessionManager

from app.actions import label, rename
from app.actions.branch import branch, branch_to_file, fork
from app.actions.branch_options import BranchOptions, branch_to_new_file, find_branch_options
from app.actions.undo import undo
from app.sessions import NotAFolder, NotASession, ReadOnly, UnknownEntry, WriteFailed
from app.stores import discover, named, store_holding
from tests.actions.conftest import (
    bytes_of,
    contents,
    lines_of,
    of_agent,
    read_only,
    reopened,
    with_artifacts,
)
from tests.factory import chain, header, message, write_session
from tests.waiting import ends

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
    """The store was given with `--store`, and is not the agent's own."""
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


def test_a_fork_of_a_file_outside_the_stores_for_another_folder_goes_to_the_agents_own_store(
    home: Home,
) -> None:
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
    assert [message["id"] for message in messages] == [f"m{number}" for number in range(25 - kept, 25)]
    assert "parent_id" not in messages[0]


def test_a_fork_at_an_entry_and_one_of_the_last_messages_exclude_each_other(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = of_agent(home, 3)
    with pytest.raises(ReadOnly, match="last messages"):
        fork(path, home.env, entry="m1")
    with pytest.raises(ReadOnly, match="nickcecere/agent"):
        fork(forked_path(), home.env, last=3)
    assert len(os.listdir(os.path.dirname(path))) == 1


def test_formats_that_are_only_read_are_not_forked(home: Home) -> None:
    path = read_only(home, "indusagi")
    before = bytes_of(path)
    for more in ({}, {"entry": "m1"}, {"last": 3}):
        with pytest.raises(ReadOnly):
            fork(path, home.env, **more)
    assert bytes_of(path) == before
    assert len(os.listdir(os.path.dirname(path))) == 1


def test_files_without_entries_are_not_forked(home: Home) -> None:
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


def test_a_leaf_before_all_entries_is_not_forked(home: Home) -> None:
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


def test_a_missing_working_folder_is_an_error(home: Home, forked_path: Callable[..., str]) -> None:
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


WAYS: dict[str, Callable[[Home, str], str | None]] = {
    "fork": lambda home, path: fork(path, home.env).after,
    "branch --new-file": lambda home, path: branch_to_file(path, last_of(home, path), home.env).after,
    "the browser": lambda home, path: branch_to_new_file(options_at(home, path), home.env).after,
    "create_branched_session": lambda home, path: branched(home, path),
    "fork_from": lambda home, path: forked_from(home, path),
}


def last_of(home: Home, path: str) -> str:
    return reopened(home, path).get_entries()[-1].id


def options_at(home: Home, path: str) -> BranchOptions:
    manager = reopened(home, path)
    store = store_holding(path, discover(home.env, str(home.folder), "/"))
    assert store is not None
    return find_branch_options(manager, manager.get_entries()[-1].id, store, home.env)


def branched(home: Home, path: str) -> str | None:
    manager = reopened(home, path)
    return manager.create_branched_session(manager.get_entries()[-1].id)


def forked_from(home: Home, path: str) -> str | None:
    return SessionManager.fork_from(path, home.work, env=home.env).session_file


def listing(path: str) -> list[str]:
    """Return the names in the folder of a session."""
    return sorted(os.listdir(os.path.dirname(path)))


@pytest.mark.parametrize("way", WAYS)
def test_a_fork_has_a_copy_of_the_artifacts(home: Home, way: str) -> None:
    """The kept entries name the artifacts, as in "Read artifact://1"."""
    path = with_artifacts(home, "omp")
    folder = Path(path).with_suffix("")
    (folder / "local" / "plan.md").write_text("a plan")
    (folder / "draft.txt").write_text("not sent yet")
    (folder / ".draft-only-session").write_text("")
    (folder / ".sub.jsonl.lock").write_text("7:1")
    before = contents(str(folder))
    made = WAYS[way](home, path)
    assert contents(str(folder)) == before
    left_out = {"draft.txt", ".draft-only-session", ".sub.jsonl.lock"}
    copied = contents(str(made).removesuffix(".jsonl"))
    assert copied == {name: content for name, content in before.items() if name not in left_out}
    assert [name for name in listing(path) if name.startswith(".")] == []


def test_a_fork_without_entries_has_no_artifacts(home: Home) -> None:
    path = with_artifacts(home, "omp")
    made = reopened(home, path).blank()
    assert not os.path.lexists(made.path.removesuffix(".jsonl"))


def test_a_fork_for_another_folder_takes_the_artifacts_there(home: Home) -> None:
    path = with_artifacts(home, "omp")
    (home.folder / "other").mkdir()
    made = fork(path, home.env, to=str(home.folder / "other"))
    assert os.path.dirname(made.path) != os.path.dirname(path)
    assert (Path(made.path).with_suffix("") / "1.bash.log").read_text() == "what it said\n"


def test_undo_of_a_fork_trashes_the_artifacts_with_it(home: Home) -> None:
    path = with_artifacts(home, "omp")
    before = listing(path)
    made = fork(path, home.env)
    undone = undo(made, home.env)
    assert listing(path) == before
    assert [was for was, _ in undone.moves] == [made.path, made.path.removesuffix(".jsonl")]
    undo(undone, home.env)
    assert (Path(made.path).with_suffix("") / "1.bash.log").read_text() == "what it said\n"


def test_links_are_copied_as_links_and_special_files_are_left_out_with_a_note(home: Home) -> None:
    path = with_artifacts(home, "omp")
    folder = Path(path).with_suffix("")
    outside = home.folder / "outside"
    outside.mkdir()
    (outside / "secret").write_text("not an artifact")
    (folder / "leads-out").symlink_to(outside)
    os.mkfifo(folder / "2.bash.log")
    made = ends(lambda: fork(path, home.env))
    copy = Path(made.path).with_suffix("")
    assert os.readlink(copy / "leads-out") == str(outside)
    assert not os.path.lexists(copy / "2.bash.log")
    assert "2.bash.log" in made.note
    assert (copy / "1.bash.log").exists()


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_a_folder_of_sessions_is_not_copied_as_artifacts(home: Home, agent: str) -> None:
    """A session in a flat folder may have the name of a folder with other sessions."""
    root = home.folder / f".{agent}/agent/sessions"
    path = write_session(root / "-app.jsonl", *chain("q", "a"))
    write_session(root / "-app" / "other.jsonl", *chain("q", "a", id="other"))
    made = fork(str(path), home.env)
    assert not os.path.lexists(made.path.removesuffix(".jsonl"))


@pytest.mark.usefixtures("renames_in_two_steps")
@pytest.mark.parametrize("fails", ["copy2", "rename", "link"])
@pytest.mark.parametrize("way", ["fork", "fork_from"])
def test_a_fork_that_fails_leaves_neither_session_nor_artifacts(
    home: Home, way: str, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_artifacts(home, "omp")
    before = contents(os.path.dirname(path))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(shutil if fails == "copy2" else os, fails, full)
        if fails == "link":
            patched.setattr(os, "replace", full)
        with pytest.raises(WriteFailed, match="No space left"):
            WAYS[way](home, path)
    assert contents(os.path.dirname(path)) == before


@pytest.mark.usefixtures("renames_in_two_steps")
def test_the_session_is_created_after_its_artifacts(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_artifacts(home, "omp")
    artifacts = []
    link = os.link

    def linked(source: str, target: str, **more: Any) -> None:
        artifacts.append(contents(target.removesuffix(".jsonl")) if target.endswith(".jsonl") else {})
        link(source, target, **more)

    monkeypatch.setattr(os, "link", linked)
    fork(path, home.env)
    assert [bool(files) for files in artifacts] == [True]
    assert "1.bash.log" in artifacts[0]
