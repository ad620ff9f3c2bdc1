"""A write respects the entries that another process wrote since the last read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.sessions import AlreadyThere, Changed, FileStorage, LiveSession, UnknownEntry, WriteFailed
from app.stores import LIVE, Processes, Verdict
from tests.cases import cases
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import SessionManager

    from tests.sessions.manager.conftest import Home


def cut_to(path: str | None, lines: int) -> None:
    """Leave only the first lines of a session, like a program that rewrites it."""
    kept = content(path).splitlines(keepends=True)[:lines]
    Path(path or "").write_bytes(b"".join(kept))


def test_a_title_of_another_process_is_read(home: Home) -> None:
    first = home.answered("omp")
    second = home.open(first.session_file or "")
    second.append_session_info("theirs")
    assert first.refresh()
    assert first.session_name == "theirs"
    second.append_session_info("theirs again")
    first.append_custom_entry("mine")
    assert first.session_name == "theirs again"


def test_a_change_records_the_values_that_another_process_wrote(home: Home) -> None:
    first = home.answered()
    second = home.open(first.session_file or "")
    target = first.get_entries()[0].id
    theirs = second.append_label_change(target, "theirs")
    first.append_label_change(target, "mine")
    assert first.last_change is not None
    assert (first.last_change.before, first.last_change.after) == ("theirs", "mine")
    assert first.get_branch()[-2].id == theirs
    new = second.append_custom_entry("new")
    second.append_session_info("N")
    first.append_session_info("M")
    assert first.last_change.before == "N"
    left = second.append_message(USER)
    first.move_leaf(new, "mark")
    assert first.last_change.before == left
    summary = first.get_entry(first.branch_with_summary(target, "gone"))
    assert summary is not None
    assert summary.raw["fromId"] == first.last_change.before


def meanwhile(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> None:
    """Call `action` just before the next write, after all checks."""
    real = FileStorage.append

    def append(*args: object, **more: object) -> object:
        monkeypatch.setattr(FileStorage, "append", real)
        action()
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(FileStorage, "append", append)


def label(manager: SessionManager, gone: str) -> None:
    manager.append_label_change(gone, "x")


def move(manager: SessionManager, gone: str) -> None:
    manager.move_leaf(gone, "mark")


def append_below(manager: SessionManager, gone: str) -> None:
    manager.branch(gone)
    manager.append_message(USER)


def leave(manager: SessionManager, gone: str) -> None:
    manager.branch(gone)
    manager.branch_with_summary(manager.get_entries()[0].id, "what was left")


@pytest.mark.parametrize("write", [label, move, append_below, leave])
def test_an_entry_that_was_removed_is_not_referenced(
    home: Home, monkeypatch: pytest.MonkeyPatch, write: Callable[[SessionManager, str], None]
) -> None:
    manager = home.answered()
    gone = manager.append_custom_entry("gone")
    manager.append_message(ANSWER)
    path = manager.session_file
    meanwhile(monkeypatch, lambda: cut_to(path, 3))
    with pytest.raises(UnknownEntry):
        write(manager, gone)
    assert len(content(path).splitlines()) == 3
    # The next entry is a child of the last one that is left.
    added = manager.get_entry(manager.append_message(USER))
    assert added is not None
    assert added.parent_id == manager.get_entries()[1].id


def test_a_refused_move_leaves_the_leaf_where_others_put_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = home.answered()
    first = manager.get_entries()[0].id
    theirs: list[str] = []

    def write() -> None:
        theirs.append(home.open(manager.session_file or "").append_message(USER))
        monkeypatch.setattr("app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "open", 7))

    meanwhile(monkeypatch, write)
    with pytest.raises(LiveSession):
        manager.move_leaf(first, "mark")
    assert manager.leaf_id == theirs[0]


REPLACED_DURING: dict[str, tuple[Callable[[SessionManager], object], bytes]] = {
    "title": (lambda it: it.append_session_info("ours"), b'{"type":"title","v":1,"title":"ours"'),
    "rewrite": (lambda it: it.rewrite_entries([{**it.get_entries()[0].raw, "ours": 1}]), b'"ours":1'),
}


@cases(("write", "written"), REPLACED_DURING.values(), ids=REPLACED_DURING)
def test_a_file_that_is_replaced_during_a_write_is_written_after_that(
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[SessionManager], object],
    written: bytes,
) -> None:
    manager = home.answered("omp")
    path = manager.session_file or ""
    theirs = b'{"type":"custom","id":"theirs","parentId":null,"customType":"x"}\n'
    other = home.folder / "other"
    other.write_bytes(content(path) + theirs)
    real = FileStorage._newline_before

    def replaced(*args: Any) -> bytes:
        if other.exists():
            other.replace(path)
        return real(*args)

    monkeypatch.setattr(FileStorage, "_newline_before", replaced)
    write(manager)
    assert theirs in content(path)
    assert written in content(path)
    assert manager.get_entry("theirs") is not None


def test_an_empty_file_that_another_process_begins_first_is_not_written(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.folder / "s.jsonl"
    manager = home.open(path)
    path.touch()
    manager.append_thinking_level_change("high")
    monkeypatch.setattr(FileStorage, "replace", lambda *_: (_ for _ in ()).throw(Changed(str(path))))
    with pytest.raises(AlreadyThere):
        manager.append_message(ANSWER)
    with pytest.raises(WriteFailed):
        manager.append_message(USER)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_session_is_live_under_all_its_names(
    home: Home, monkeypatch: pytest.MonkeyPatch, link: Callable[[str, str], None]
) -> None:
    path = home.answered("omp").session_file or ""
    other = str(home.folder / "other.jsonl")
    link(path, other)
    running = Processes()
    running.claim(path, 7, "process 7 (omp) has it open")
    monkeypatch.setattr("app.sessions.manager.live_guard.look", lambda *_: running)
    before = content(path)
    with pytest.raises(LiveSession) as caught:
        home.open(other).append_message(USER)
    assert caught.value.pid == 7
    assert content(path) == before


def test_images_are_beside_the_store_of_the_session(home: Home) -> None:
    picture = {"type": "image", "data": "QUJD" * 400, "mimeType": "image/png"}
    env = {**home.env, "OMP_PROFILE": "other"}
    manager = type(home.create("omp")).create(home.work, agent="omp", env=env)
    manager.append_message({**USER, "content": [picture]})
    manager.append_message(ANSWER)
    blobs = home.folder / ".omp" / "profiles" / "other" / "agent" / "blobs"
    assert len(list(blobs.iterdir())) == 1
    # Without the variable, the session is still in that profile.
    opened = home.open(manager.session_file or "")
    assert opened.build_session_context().messages[0]["content"] == [picture]
    opened.append_message({**USER, "content": [{**picture, "data": "REVG" * 400}]})
    assert len(list(blobs.iterdir())) == 2
    assert not (home.folder / ".omp" / "agent" / "blobs").exists()


def test_images_that_cannot_be_stored_are_a_failed_write(home: Home) -> None:
    manager = home.answered("omp")
    before = content(manager.session_file)
    (home.folder / ".omp" / "agent" / "blobs").write_text("a file")
    picture = {"type": "image", "data": "QUJD" * 400, "mimeType": "image/png"}
    with pytest.raises(WriteFailed) as caught:
        manager.append_message({**USER, "content": [picture]})
    assert not isinstance(caught.value, AlreadyThere)
    assert caught.value.path.endswith("blobs")
    assert content(manager.session_file) == before
