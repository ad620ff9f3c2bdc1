"""What leafmark put into the trash stays known, also where the session is of no store that is found by
itself: in whatever order it is trashed, restored and that taken back.
"""

from __future__ import annotations

import itertools
import json
import os

import pytest

from app.actions import journal
from tests.factory import chain, write_session


@pytest.fixture
def loose(home, tmp_path):
    """A session, with a folder of artifacts, in a folder that is no store."""
    path = write_session(tmp_path / "loose/1_loose.jsonl", *chain("question", "answer", id="loose"))
    path.with_suffix("").mkdir()
    (path.with_suffix("") / "1.bash.log").write_text("said")
    return path


def listed(run):
    """Where what `trash --list` knows lies, by the session's id."""
    return {
        one["id"]: one["in_trash"] for one in json.loads(run("trash", "--list", "--json").out)["sessions"]
    }


def in_trash(home):
    """Where the sessions lie that are in the trash."""
    return sorted(str(path) for path in (home / ".local/share/Trash/files").glob("*.jsonl"))


def content(folder):
    return {path.name: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def test_a_restore_that_was_taken_back_can_be_done_again(run, home, loose):
    before = content(loose.parent)
    assert run("trash", loose).code == 0
    for _ in range(3):
        assert run("restore", "loose").code == 0
        assert content(loose.parent) == before
        assert run("undo").out.startswith("trashed loose: ")
        assert content(loose.parent) == {}
        assert [*listed(run).values()] == in_trash(home)
    assert run("restore", str(loose)).code == 0
    assert content(loose.parent) == before


def test_undo_goes_on_to_the_move_that_stands_again(run, home, loose):
    before = content(loose.parent)
    for words in (("rename", loose, "N"), ("trash", loose), ("restore", "loose")):
        assert run(*words).code == 0
    assert run("undo").out.startswith("trashed loose: ")
    assert run("undo").out.startswith("restored loose: ")
    assert run("undo").out == 'loose: name: "N" → none\n'
    assert run("undo").code == 1
    assert content(loose.parent).keys() == before.keys()


def test_it_is_found_where_its_name_in_the_trash_is_another_by_then(run, home, loose, tmp_path):
    before = content(loose.parent)
    run("trash", loose)
    run("restore", "loose")
    other = write_session(tmp_path / "other/1_loose.jsonl", *chain("q", "a", id="other"))
    other.with_suffix("").mkdir()
    run("rename", other, "between")
    # somebody else takes the names that they had there
    for path in (other, other.with_suffix("")):
        place = home / ".local/share/Trash"
        (place / "info" / f"{path.name}.trashinfo").write_text(
            f"[Trash Info]\nPath={path}\nDeletionDate=2026-05-01T10:00:00\n"
        )
        path.rename(place / "files" / path.name)
    run("undo")  # the name: it is of a session that is gone
    assert run("undo").out.startswith("trashed loose: ")
    found = listed(run)
    assert found.keys() == {"loose"}
    assert found["loose"] != str(home / ".local/share/Trash/files/1_loose.jsonl")
    assert run("undo").out.startswith("restored loose: ")
    assert content(loose.parent) == before
    assert in_trash(home) == [str(home / ".local/share/Trash/files/1_loose.jsonl")]


def test_a_new_session_that_was_taken_back_lies_in_the_trash_and_comes_back(run, home, loose):
    made = json.loads(run("fork", loose, "--json").out)["change"]["after"]
    assert run("undo").out.startswith("trashed ")
    assert not os.path.lexists(made)
    ((id, lies),) = listed(run).items()
    assert [lies] == in_trash(home)
    assert run("restore", id).code == 0
    assert os.path.lexists(made)


def test_what_an_earlier_leafmark_has_noted_is_enough(run, home, loose):
    """It noted that something was taken back, and not where the session went by that."""
    run("trash", loose)
    run("restore", "loose")
    run("undo")
    file = home / ".local/state/leafmark" / journal.NAME
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps({**line, "by": None}) + "\n" for line in lines))
    assert [*listed(run).values()] == in_trash(home)
    assert run("restore", "loose").code == 0
    assert loose.exists()


@pytest.mark.parametrize("words", [*map(" ".join, itertools.product(("trash", "restore", "undo"), repeat=3))])
def test_in_any_order_it_is_in_its_place_or_known_to_be_in_the_trash(run, home, loose, words):
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
    # all that was done is taken back, and nothing else
    assert content(loose.parent) == before
    assert in_trash(home) == []


def test_what_was_done_too_long_ago_for_undo_is_known_while_it_lies_there(run, home, loose, monkeypatch):
    monkeypatch.setattr(journal, "KEPT_ACTIONS", 4)
    monkeypatch.setattr(journal, "_SLACK", 2)
    other = write_session(loose.parent.parent / "named/1.jsonl", *chain("q", "a", id="named"))
    run("trash", loose)
    file = home / ".local/state/leafmark" / journal.NAME
    for at in range(20):
        run("rename", other, f"name {at}")
        assert file.read_bytes().count(b"\n") <= 8
    assert listed(run).keys() == {"loose"}
    assert run("restore", "loose").code == 0
    for at in range(20):
        run("rename", other, f"again {at}")
    assert str(loose).encode() not in file.read_bytes()
