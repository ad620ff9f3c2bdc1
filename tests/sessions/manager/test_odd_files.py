"""Invalid paths, links, long names, other line ends, and entries without an id."""

from __future__ import annotations

import datetime
import errno
import json
import os
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionManager

from app.sessions import BadValue, ReadOnly, Unreadable, WriteFailed
from tests.factory import chain, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sessions.manager.conftest import Home

HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'
OLD = '{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'


def message_line(entry_id: str, parent: str | None, role: str = "user") -> str:
    return json.dumps(
        {"type": "message", "id": entry_id, "parentId": parent, "message": {"role": role, "content": "hi"}}
    )


# paths


def test_a_loop_of_links_is_no_new_session(home: Home) -> None:
    os.symlink("round.jsonl", home.folder / "round.jsonl")
    with pytest.raises(Unreadable):
        home.open(home.folder / "round.jsonl")


def test_a_broken_link_does_not_hide_the_other_sessions(home: Home) -> None:
    path = home.answered().session_file or ""
    os.symlink("round.jsonl", os.path.join(os.path.dirname(path), "round.jsonl"))
    os.symlink("nowhere", os.path.join(os.path.dirname(path), "gone.jsonl"))
    assert [info.path for info in SessionManager.list(home.work, env=home.env)] == [path]
    assert SessionManager.continue_recent(home.work, env=home.env).session_file == path


def test_a_tilde_is_the_home_folder_as_for_the_agents(home: Home) -> None:
    manager = SessionManager.create("~/work", "~/kept", env=home.env)
    assert (manager.cwd, manager.session_dir) == (home.work, str(home.folder / "kept"))
    write_session(home.folder / "s.jsonl", *chain("one"))
    assert home.open("~/s.jsonl").session_file == str(home.folder / "s.jsonl")


def test_a_relative_path_is_made_absolute(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write_session(home.folder / "s.jsonl", *chain("one"))
    monkeypatch.chdir(home.folder)
    assert home.open("s.jsonl").session_file == str(home.folder / "s.jsonl")
    assert SessionManager.create("work", "kept", env=home.env).session_dir == str(home.folder / "kept")


def test_a_file_name_of_maximum_length_works(home: Home) -> None:
    name = "n" * 249 + ".jsonl"
    manager = home.open(home.folder / name)
    manager.append_message(USER)
    manager.append_message(ANSWER)
    (home.folder / "old").mkdir()
    old = write_session(home.folder / "old" / name, OLD, message_line("", None))
    home.open(old).append_label_change("00000000", "x")
    assert home.open(old).header["version"] == 3


@pytest.mark.usefixtures("renames_in_two_steps")
def test_a_new_file_that_cannot_be_moved_leaves_no_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without hard links, the name is created before the file is moved there."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no")

    manager = home.create()
    manager.append_thinking_level_change("high")
    monkeypatch.setattr("os.link", refuse)
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(WriteFailed):
        manager.append_message(ANSWER)
    assert os.listdir(manager.session_dir) == []


def test_a_link_to_an_old_file_stays_a_link(home: Home) -> None:
    real = write_session(home.folder / "real.jsonl", OLD, message_line("", None))
    link = home.folder / "link.jsonl"
    link.symlink_to(real)
    home.open(link).append_custom_entry("t")
    assert link.is_symlink()
    assert len(home.open(real).get_entries()) == 2


# the content of a file


def lines_of(path: Path, *lines: str, start: bytes = b"", end: bytes = b"\r\n") -> Path:
    path.write_bytes(start + b"".join(line.encode() + end for line in lines))
    return path


def test_lines_may_end_with_crlf(home: Home) -> None:
    path = lines_of(
        home.folder / "s.jsonl", HEADER, message_line("a", None), message_line("b", "a", "assistant")
    )
    before = path.read_bytes()
    manager = home.open(path)
    manager.append_label_change("a", "x")
    assert path.read_bytes().startswith(before)
    assert manager.problems == []
    manager.create_branched_session("b")
    assert [entry.id for entry in home.open(manager.session_file or "").get_entries()][:2] == ["a", "b"]


def test_an_old_file_with_a_byte_order_mark_and_damage_is_migrated(home: Home) -> None:
    compaction = '{"type":"compaction","summary":"s","firstKeptEntryIndex":2,"tokensBefore":1}'
    path = lines_of(
        home.folder / "s.jsonl",
        *(
            OLD,
            message_line("", None),
            "{bad",
            "",
            message_line("", None, "hookMessage"),
            compaction,
            "\0\0",
            '{"torn',
        ),
        start=b"\xef\xbb\xbf",
    )
    manager = home.open(path)
    ids = [entry.id for entry in manager.get_entries()]
    manager.append_label_change(ids[0], "x")
    assert not path.read_bytes().startswith(b"\xef\xbb\xbf")  # pi cannot read a file with one
    after = home.open(path)
    assert [entry.id for entry in after.get_entries()][:-1] == ids
    assert after.get_entries()[2].raw["firstKeptEntryId"] == ids[1]
    lines = path.read_bytes().split(b"\n")
    assert [line.strip() for line in (lines[2], lines[6], lines[7])] == [b"{bad", b"\0\0", b'{"torn']


def test_nul_bytes_at_the_end_are_ended_and_kept(home: Home) -> None:
    path = write_session(home.folder / "s.jsonl", *chain("one", "two"))
    with path.open("ab") as file:
        file.write(b"\0" * 100)
    os.utime(path, (1, 1))
    before = path.read_bytes()
    added = home.open(path).append_message(USER)
    assert path.read_bytes().startswith(before + b"\n")
    assert home.open(path).leaf_id == added


def test_an_entry_without_an_id_gets_no_children(home: Home) -> None:
    nameless = message_line("c", "b").replace('"id": "c", ', "")
    path = write_session(
        home.folder / "s.jsonl", HEADER, message_line("a", None), message_line("b", "a"), nameless
    )
    before = path.read_bytes()
    manager = home.open(path)
    assert manager.leaf_id is None
    # pi would also continue from the last entry, and lose it with the next one.
    assert len(manager.build_session_context().messages) == 3
    with pytest.raises(ReadOnly):
        manager.append_label_change("a", "x")
    assert path.read_bytes() == before
    assert manager.move_leaf("b", "mark")
    assert [entry.id for entry in home.open(path).get_branch()][:2] == ["a", "b"]


# values


@pytest.mark.parametrize("bad", [{1: 2}, {"deep": [{None: 1}]}, datetime.datetime(2026, 1, 1)])
def test_a_value_that_json_would_change_is_refused(home: Home, bad: object) -> None:
    manager = home.answered()
    before = content(manager.session_file)
    with pytest.raises(BadValue):
        manager.append_custom_entry("t", bad)
    assert content(manager.session_file) == before


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_a_name_of_ten_thousand_characters_is_written(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    manager.append_session_info("\u00fc" * 10_000)
    assert manager.session_name
    assert home.open(manager.session_file or "").session_name == manager.session_name


def test_the_values_of_an_old_file_are_copied_byte_for_byte(home: Home) -> None:
    odd = b'"deep":' + b"[" * 50_000 + b"]" * 50_000 + b',"huge":1e400,"text":"\xff"'
    path = home.folder / "s.jsonl"
    path.write_bytes(OLD.encode() + b'\n{"type":"message","message":{"role":"assistant",' + odd + b"}}\n")
    fork = SessionManager.fork_from(str(path), home.work, env=home.env)
    assert odd in content(fork.session_file)
    branched = home.open(path)
    branched.create_branched_session("00000000")
    assert odd in content(branched.session_file)
    home.open(path).append_label_change("00000000", "x")
    assert odd in path.read_bytes()
