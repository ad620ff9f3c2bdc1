"""The lines of a large file stay in it: a manager reads those that are wanted."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from leafmark import SessionManager

from app.sessions import Changed
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


def test_a_fork_has_the_whole_label(home: Home) -> None:
    path = with_picture(home, "pi")
    label = "x" * (2 << 20)
    manager = home.open(path)
    manager.append_label_change(manager.get_entries()[-1].id, label)
    manager = home.open(path)
    target = manager.get_entries()[-2].id
    assert manager.get_label(target) == label
    forked = home.open(manager.create_branched_session(target))
    assert forked.get_label(target) == label


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


def test_an_entry_has_the_time_and_number_of_its_line(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_picture(home, "pi")
    first = home.open(path).get_entries()[0]
    with open(path, "ab") as file:
        file.write(
            b'\n\n{"type": "custom", "id": "last", "timestamp": 5} {"type": "custom", "id": "glued"}\n'
        )
    stored = home.open(path).get_entries()
    monkeypatch.setattr(file_storage, "LARGE_BYTES", 1 << 30)
    in_memory = home.open(path).get_entries()
    for entries in (stored, in_memory):
        assert [(entry.id, entry.line) for entry in entries[-2:]] == [("last", 7), ("glued", 7)]
        assert entries[0].time_ms == first.time_ms is not None
    assert [entry.timestamp for entry in stored] == [entry.timestamp for entry in in_memory]
    assert [entry.source for entry in stored] == [entry.source for entry in in_memory]


def test_an_entry_in_the_file_takes_little_memory(tmp_path: Path) -> None:
    """The difference of two sizes does not have what each session takes."""
    peaks = []
    for count in (1_000, 11_000):
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as file:
            file.write(
                '{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00Z","cwd":"/"}\n'
            )
            for number in range(count):
                parent = f'"{number - 1:08x}"' if number else "null"
                file.write(
                    f'{{"type":"message","id":"{number:08x}","parentId":{parent},'
                    f'"timestamp":"2026-11-01T10:00:00.000Z","message":{{"role":"user","content":"a"}}}}\n'
                )
        tracemalloc.start()
        manager = SessionManager.open(str(path), env={})
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(manager.get_entries()) == count
    assert (peaks[1] - peaks[0]) / 10_000 < 360


def test_a_torn_last_line_is_named(home: Home, tmp_path: Path) -> None:
    path = with_picture(home, "pi")
    with open(path, "rb+") as file:
        file.truncate(len(content(path)) - 100)
    manager = home.open(path)
    assert len(manager.get_entries()) == 2
    assert [problem.reason for problem in manager.problems] == ["the last line is unfinished"]
