"""Trashed sessions outside of every store stay known, in any order of trash, restore and undo."""

from __future__ import annotations

import itertools
import json
import os

import pytest

from app.actions import journal
from tests.cli.conftest import brief
from tests.factory import chain, write_session

STEPS = ("trash", "restore", "undo")


@pytest.fixture
def loose(home, tmp_path):
    """A session with a folder of artifacts, outside of every store."""
    path = write_session(tmp_path / "loose/1_loose.jsonl", *chain("question", "answer", id="loose"))
    path.with_suffix("").mkdir()
    (path.with_suffix("") / "1.bash.log").write_text("said")
    return path


def listed(run):
    """Id -> path in the trash, from `trash --list`."""
    return {
        session["session_id"]: session["in_trash"]
        for session in json.loads(run("trash", "--list", "--json").out)["sessions"]
    }


def in_trash(home):
    """The paths of the sessions in the trash folder."""
    return sorted(str(path) for path in (home / ".local/share/Trash/files").glob("*.jsonl"))


def content(folder):
    return {path.name: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def test_a_session_whose_name_in_the_trash_has_changed_is_found(run, home, loose, tmp_path):
    before = content(loose.parent)
    run("trash", loose)
    run("restore", "loose")
    second = write_session(tmp_path / "other/1_loose.jsonl", *chain("q", "a", id="other"))
    second.with_suffix("").mkdir()
    run("rename", second, "between")
    # another program's files take the names in the trash
    for path in (second, second.with_suffix("")):
        place = home / ".local/share/Trash"
        (place / "info" / f"{path.name}.trashinfo").write_text(
            f"[Trash Info]\nPath={path}\nDeletionDate=2026-05-01T10:00:00\n"
        )
        path.rename(place / "files" / path.name)
    run("undo")  # undoes the name of a session that is gone
    assert brief(run("undo").out) == "Undone: trashed loose\n"
    trashed = listed(run)
    assert trashed.keys() == {"loose"}
    assert trashed["loose"] != str(home / ".local/share/Trash/files/1_loose.jsonl")
    assert brief(run("undo").out) == "Undone: restored loose\n"
    assert content(loose.parent) == before
    assert in_trash(home) == [str(home / ".local/share/Trash/files/1_loose.jsonl")]


def test_an_undone_fork_is_in_the_trash_and_can_be_restored(run, home, loose):
    new_path = json.loads(run("fork", loose, "--json").out)["change"]["after"]
    assert run("undo").out.startswith("Undone: trashed ")
    assert not os.path.lexists(new_path)
    ((id, trash_path),) = listed(run).items()
    assert [trash_path] == in_trash(home)
    assert run("restore", id).code == 0
    assert os.path.lexists(new_path)


def test_the_journal_of_an_older_leafmark_is_enough(run, home, loose):
    """It recorded that an action was undone, but not where the session went."""
    run("trash", loose)
    run("restore", "loose")
    run("undo")
    file = home / ".local/state/leafmark" / "journal.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps({**line, "by": None}) + "\n" for line in lines))
    assert [*listed(run).values()] == in_trash(home)
    assert run("restore", "loose").code == 0
    assert loose.exists()


# A trashed session is not trashed again, so a sequence that begins with it equals a shorter one.
@pytest.mark.parametrize(
    "words",
    ["trash restore undo"]
    + [" ".join((first, *rest)) for first in STEPS[1:] for rest in itertools.product(STEPS, repeat=2)],
)
def test_after_any_sequence_the_session_is_at_its_place_or_in_the_trash(run, home, loose, words):
    before = content(loose.parent)
    for word in ("trash", *words.split()):
        run(word, *([] if word == "undo" else [loose]))
        if loose.exists():
            assert content(loose.parent) == before
            assert listed(run) == {}
            assert in_trash(home) == []
        else:
            assert content(loose.parent) == {}
            assert [*listed(run).values()] == in_trash(home)
            assert len(in_trash(home)) == 1
    while not (done := run("undo")).code:
        assert done.err == ""
    assert done.code == 1
    # all is undone, and nothing else has changed
    assert content(loose.parent) == before
    assert in_trash(home) == []


def test_a_trashed_session_stays_known_after_its_action_left_the_journal(run, home, loose, monkeypatch):
    monkeypatch.setattr(journal, "KEPT_ACTIONS", 4)
    monkeypatch.setattr(journal, "_SLACK", 2)
    second = write_session(loose.parent.parent / "named/1.jsonl", *chain("q", "a", id="named"))
    run("trash", loose)
    file = home / ".local/state/leafmark" / "journal.jsonl"
    for number in range(20):
        run("rename", second, f"name {number}")
        assert file.read_bytes().count(b"\n") <= 8
    assert listed(run).keys() == {"loose"}
    assert run("restore", "loose").code == 0
    for number in range(20):
        run("rename", second, f"again {number}")
    assert str(loose).encode() not in file.read_bytes()
