"""Entries that an agent writes after its session was trashed can be appended to the session, or trashed."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.actions.restore import recover, restore, trash_continuation
from app.actions.trash import trash, trash_file
from app.actions.undo import undo
from app.sessions import AlreadyThere, HeaderlessContinuation, LiveSession, NoTrash, ReadOnly
from app.stores import MAYBE, Verdict
from tests.actions.conftest import contents, lines_of, reopened
from tests.factory import append, chain, message, write_session

if TYPE_CHECKING:
    from app.sessions import Change
    from tests.sessions.manager.conftest import Home

SINCE = [
    message("n1", "00000002", "user", "and then?", 5),
    message("n2", "n1", "assistant", "then this", 6),
]


@pytest.fixture
def path(home: Home) -> Path:
    root = home.folder / ".pi/agent/sessions/--work-app--"
    return write_session(root / "1_s1.jsonl", *chain("question", "answer"))


@pytest.fixture
def trashed(home: Home, path: Path) -> Change:
    """A session in the trash, and entries that pi wrote in its place since."""
    change = trash(str(path), home.env)
    append_headerless(path, *SINCE)
    return change


def append_headerless(path: Path, *lines: dict[str, Any]) -> None:
    path.touch()
    append(path, *lines)


def ids(home: Home, path: Path | str) -> list[str]:
    return [entry.id for entry in reopened(home, str(path)).get_branch()]


def test_restore_reports_the_continuation(home: Home, trashed: Change) -> None:
    before = contents(str(home.folder))
    for bring_back in (restore, lambda change: undo(change, home.env)):
        with pytest.raises(
            HeaderlessContinuation, match=r"pi went on writing .* 2 entries and no header"
        ) as error:
            bring_back(trashed)
        assert error.value.problem == ""
    assert contents(str(home.folder)) == before


def test_the_entries_are_appended_and_the_file_goes_to_the_trash(
    home: Home, path: Path, trashed: Change
) -> None:
    session, since = lines_of(trashed.after), path.read_bytes()
    aside, _ = recover(trashed, home.env, join=True)
    assert lines_of(str(path)) == session + since.splitlines()
    assert ids(home, path) == ["00000001", "00000002", "n1", "n2"]
    assert Path(aside.after or "").read_bytes() == since


def test_a_continuation_put_aside_is_in_the_trash_and_the_session_is_unchanged(
    home: Home, path: Path, trashed: Change
) -> None:
    session, since = lines_of(trashed.after), path.read_bytes()
    aside, _ = recover(trashed, home.env, join=False)
    assert lines_of(str(path)) == session
    assert Path(aside.after or "").read_bytes() == since


def test_both_steps_can_be_undone_and_repeated(home: Home, path: Path, trashed: Change) -> None:
    since, session = path.read_bytes(), Path(trashed.after or "").read_bytes()
    aside, restored = recover(trashed, home.env, join=True)
    again = undo(restored, home.env)
    undo(aside, home.env)
    assert path.read_bytes() == since
    assert Path(again.after or "").read_bytes() == session
    list(recover(replace(again, lines=()), home.env, join=True))
    assert ids(home, path) == ["00000001", "00000002", "n1", "n2"]
    assert len(lines_of(str(path))) == 5


def test_a_line_written_at_the_last_moment_is_appended_too(
    home: Home, path: Path, trashed: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = trash_file

    def late(*about: Any) -> Change:
        append(path, message("n3", "n2", "user", "one more", 7))
        return move(*about)

    monkeypatch.setattr("app.actions.restore.trash_file", late)
    list(recover(trashed, home.env, join=True))
    assert ids(home, path)[-1] == "n3"


@pytest.mark.parametrize(
    ("last", "problem"),
    [
        ('{"type":"message","id":"n3","par', "line 3 is no complete entry"),
        (json.dumps(message("n3", "gone", "user", "x")) + "\n", "the parent of line 3 is in neither file"),
        (json.dumps(message("00000001", "n2", "user", "x")) + "\n", "another entry with the id of line 3"),
        (json.dumps(message("n3", "n2", "user", "x")), "its last line may not be complete"),
        (json.dumps(message("n3", "n2", "user", "x"))[:-9], "line 3 is no complete entry"),
        ("\x1b[31m\n", "line 3 is no complete entry"),
        ('{"type":"message","id":"n3","parentId":[]}\n', "line 3 is no complete entry"),
    ],
)
def test_a_damaged_continuation_can_only_be_put_aside(
    home: Home, path: Path, trashed: Change, last: str, problem: str
) -> None:
    with path.open("a") as file:
        file.write(last)
    before = contents(str(home.folder))
    with pytest.raises(HeaderlessContinuation, match=problem):
        restore(trashed)
    with pytest.raises(ReadOnly, match=problem):
        trash_continuation(trashed, home.env, join=True)
    assert contents(str(home.folder)) == before
    aside, _ = recover(trashed, home.env, join=False)
    assert ids(home, path) == ["00000001", "00000002"]
    assert Path(aside.after or "").read_bytes().endswith(last.encode())


@pytest.mark.parametrize(
    "lines",
    [
        chain("another", id="other"),
        [{"some": "settings"}],
        [],
    ],
    ids=["a session", "no entries", "nothing"],
)
def test_another_file_is_not_taken_for_a_continuation(
    home: Home, path: Path, lines: list[dict[str, Any]]
) -> None:
    change = trash(str(path), home.env)
    append_headerless(path, *lines)
    with pytest.raises(AlreadyThere) as error:
        restore(change)
    assert type(error.value) is AlreadyThere
    assert error.value.reason == "is there already"


@pytest.mark.parametrize("join", [True, False])
def test_another_session_in_its_place_is_not_moved(
    home: Home, path: Path, trashed: Change, join: bool
) -> None:
    write_session(path, *chain("another", id="other"))
    before = contents(str(home.folder))
    with pytest.raises(AlreadyThere):
        trash_continuation(trashed, home.env, join=join)
    assert contents(str(home.folder)) == before


def test_nothing_is_moved_while_an_agent_may_be_writing(
    home: Home, path: Path, trashed: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(str(home.folder))
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(MAYBE, "pi runs in the same folder", 7)
    )
    for join in (True, False):
        with pytest.raises(LiveSession, match=r"pi runs in the same folder; .*: end it first"):
            trash_continuation(trashed, home.env, join=join)
    assert contents(str(home.folder)) == before


def test_without_a_trash_nothing_is_moved(
    home: Home, path: Path, trashed: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(str(home.folder))

    def refuse(path: str, env: object) -> None:
        raise OSError(errno.EXDEV, "no trash on this file system", path)

    monkeypatch.setattr("app.actions.trash.send_to_system", refuse)
    with pytest.raises(NoTrash):
        trash_continuation(trashed, home.env, join=False)
    assert contents(str(home.folder)) == before
