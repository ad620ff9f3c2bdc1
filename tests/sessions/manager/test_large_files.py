"""The lines of a large file stay in it: a manager reads those that are wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.sessions.errors import Changed
from app.sessions.storage import file_storage
from tests.cases import cases
from tests.sessions.manager.conftest import Home, content

PICTURE = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo+/AB=" * (1 << 17)}


@pytest.fixture(autouse=True)
def all_files_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_storage, "LARGE_BYTES", -1)


def with_picture(home: Home, agent: str) -> str:
    """Make a session with a picture of 2 MB, and return its path."""
    manager = home.answered(agent)
    manager.append_message({"role": "user", "content": [PICTURE], "timestamp": 3})
    assert manager.session_file is not None
    return manager.session_file


def test_a_label_and_a_name_change_no_other_byte(home: Home) -> None:
    path = with_picture(home, "pi")
    before = content(path)
    manager = home.open(path)
    prompt = manager.get_entries()[-1]
    manager.append_label_change(prompt.id, "the picture")
    manager.append_session_info("a name")
    assert content(path).startswith(before)
    assert content(path).count(b"\n") == before.count(b"\n") + 2
    again = home.open(path)
    assert again.get_label(prompt.id) == "the picture"
    assert again.session_name == "a name"


def test_an_entry_is_whole(home: Home) -> None:
    manager = home.open(with_picture(home, "pi"))
    assert manager.get_entries()[-1].raw["message"]["content"] == [PICTURE]
    assert manager.build_session_context().messages[-1]["content"] == [PICTURE]


def test_a_fork_has_the_whole_lines(home: Home) -> None:
    path = with_picture(home, "pi")
    lines = content(path).splitlines()[1:]
    manager = home.open(path)
    forked = manager.create_branched_session(manager.get_entries()[-1].id)
    assert content(forked).splitlines()[1:] == lines


@cases("large_bytes", [-1, 1 << 30], ["it stays in the file", "it is in memory"])
def test_a_picture_behind_a_torn_entry_is_whole(
    home: Home, monkeypatch: pytest.MonkeyPatch, large_bytes: int
) -> None:
    path = with_picture(home, "pi")
    *before, last = content(path).splitlines(keepends=True)
    picture = PICTURE["data"].encode()
    torn = b'{"type": "custom", "id": "torn' + last.replace(picture, 3 * picture)
    Path(path).write_bytes(b"".join([*before, torn]))
    monkeypatch.setattr(file_storage, "LARGE_BYTES", large_bytes)
    manager = home.open(path)
    assert manager.get_entries()[-1].raw["message"]["content"] == [{**PICTURE, "data": 3 * PICTURE["data"]}]
    forked = manager.create_branched_session(manager.get_entries()[-1].id)
    assert content(forked).count(3 * picture) == 1


def test_a_line_that_was_changed_meanwhile_is_refused(home: Home) -> None:
    path = with_picture(home, "pi")
    entry = home.open(path).get_entries()[-1]
    changed = content(path).replace(b'"image/png"', b'"image/gif"')
    with open(path, "wb") as file:
        file.write(changed)
    with pytest.raises(Changed):
        _ = entry.raw


def test_lines_that_another_process_appends_are_read(home: Home) -> None:
    path = with_picture(home, "pi")
    first, second = home.open(path), home.open(path)
    second.append_message({"role": "user", "content": "more", "timestamp": 4})
    first.append_session_info("a name")
    assert [entry.type for entry in home.open(path).get_entries()[-2:]] == ["message", "session_info"]
    assert first.get_entries()[-2].raw["message"]["content"] == "more"


def test_a_torn_last_line_is_named(home: Home, tmp_path: Path) -> None:
    path = with_picture(home, "pi")
    with open(path, "rb+") as file:
        file.truncate(len(content(path)) - 100)
    manager = home.open(path)
    assert len(manager.get_entries()) == 2
    assert [problem.reason for problem in manager.problems] == ["the last line is unfinished"]
