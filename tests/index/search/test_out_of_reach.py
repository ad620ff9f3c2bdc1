"""Files that cannot be read, or not any more: what is found in what was kept of them, and what is said."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.formats.kinds import USER
from tests.denied import deny
from tests.index.search.helpers import marked

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def test_a_file_that_cannot_be_read_is_told_of(world: World) -> None:
    world.session("s1", "needle")
    world.session("s2", "needle")
    world.scan()
    for segment in world.segments():
        os.unlink(segment)
    world.path("s1").unlink()
    page = world.pages("needle")[-1]
    assert page.total == 1
    assert [str(world.path("s1")) in note.message for note in page.notes] == [True]


def test_what_is_said_of_a_file_is_one_inert_line_whatever_its_name(world: World) -> None:
    path = world.session("s\x1b[2J\u202e\nevil", "needle")
    world.scan()
    for segment in world.segments():
        os.unlink(segment)
    path.unlink()
    (note,) = world.pages("needle")[-1].notes
    assert note.message.isprintable()
    assert "s\u241b[2J\ufffd evil" in note.message


def test_what_is_out_of_reach_is_searched_as_it_was_and_said_to_be_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    world.scan()
    world.append("s1", "unread")
    denied = deny(monkeypatch, paths[1])
    world.scan()
    for index in (world.index, world.open()):
        page = list(index.query("needle"))[-1]
        assert page.total == 3
        assert [note.message for note in page.notes] == [
            f"cannot be read any more, and searched as before: {paths[1]}"
        ]
        assert [hit.row.is_out_of_reach for hit in page.hits] == [False, True, False]
        assert [hit.row.id for hit in page.hits if hit.snippet == "needle"] == ["s2", "s1", "s0"]
        assert [hit.row.id for each in index.query("is:damaged") for hit in each.hits] == ["s1"]
    assert [note.position for note in world.pages("unread")[-1].notes] == [0], (
        "it may be where nobody can look"
    )
    world.append("s2", "more")
    denied.append(paths[2])
    world.scan()
    (note,) = world.pages("needle")[-1].notes
    assert (
        note.message == f"cannot be read any more, and searched as before: 2 sessions, {paths[1]} among them"
    )
    monkeypatch.undo()
    world.scan()
    page = world.pages("unread")[-1]
    assert (page.total, page.notes) == (1, ())


@pytest.mark.parametrize("scanned", [True, False])
def test_of_what_is_out_of_reach_what_was_kept_is_searched_where_tools_are_asked_for(
    world: World, monkeypatch: pytest.MonkeyPatch, scanned: bool
) -> None:
    result = {"type": "message", "message": {"role": "toolResult", "toolName": "read", "content": "a gadget"}}
    paths = [str(world.session(f"s{number}", "needle", result, "the Thimble")) for number in range(3)]
    world.scan()
    deny(monkeypatch, paths[1])
    if scanned:
        # As when rights are taken away.
        os.utime(paths[1])
        world.scan()
    said = f"cannot be read any more, and searched as before, but not what tools said: {paths[1]}"
    for index in (world.index, world.open()):
        for text, ids in (
            ("needle in:all", ["s2", "s1", "s0"]),
            ("thimble in:tools role:user", ["s2", "s1", "s0"]),
            ("needle thimble in:all", ["s2", "s1", "s0"]),
            ("gadget in:all", ["s2", "s0"]),
            # Nobody can say that a tool did not.
            ("needle -nowhere in:all", ["s2", "s0"]),
        ):
            *_, page = pages = list(index.query(text))
            assert [hit.row.id for each in pages for hit in each.hits] == ids
            assert (page.total, [note.message for note in page.notes]) == (len(ids), [said]), text
            assert (page.as_kept, page.unread) == ([paths[1]], [])
        (hit,) = [hit for each in index.query("needle in:all") for hit in each.hits if hit.row.id == "s1"]
        assert (hit.where, hit.kind, hit.snippet, marked(hit)) == ("text", USER, "needle", ["needle"])
        every = [hit for each in index.query("e in:all", every=True) for hit in each.hits]
        assert [hit.snippet for hit in every if hit.row.id == "s1"] == ["the thimble", "needle"]
        # What is kept is nothing of what was asked for.
        page = list(index.query("gadget in:tools"))[-1]
        assert [note.message for note in page.notes] == [f"cannot be read: {paths[1]}: Permission denied"]
        assert (page.total, page.as_kept, page.unread) == (2, [], [paths[1]])


def test_of_each_that_is_out_of_reach_one_thing_is_said(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    world.scan()
    deny(monkeypatch, *paths[1:])
    for path in paths[1:]:
        os.utime(path)
    world.scan()
    for text in ("needle", "Needle", "needle in:all", "Needle in:all", "needle in:tools", '"Needle x"'):
        page = world.pages(text)[-1]
        said = [note.message for note in page.notes if "cannot be read" in note.message]
        together = f"2 sessions, {paths[1]} among them"
        nothing = f"cannot be read: 2 files, {paths[1]} among them: Permission denied"
        assert [message for message in said if message.endswith(together)] or said == [nothing]
        assert len(said) == 1
        assert sorted([*page.as_kept, *page.unread]) == paths[1:]


def test_a_file_that_could_never_be_read_is_told_of(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is looked for, by who has just scanned and by who follows; one that is no session is not."""
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    (world.path("s0").parent / "notes.jsonl").write_text("no session\n")
    denied = deny(monkeypatch, paths[1])
    world.scan()
    said = f"cannot be read: {paths[1]}: Permission denied"
    for text, total in (
        ("needle", 2),
        ("Needle", 2),
        ("needle in:all", 2),
        ("is:damaged", 0),
        ("x in:tools", 0),
    ):
        page = world.pages(text)[-1]
        assert (page.total, page.unread, page.as_kept) == (total, [paths[1]], []), text
        assert said in [note.message for note in page.notes], text
    for _ in range(2):
        # Nothing has changed, and it is tried again.
        later = world.open()
        later.scan()
        assert list(later.query("needle"))[-1].unread == [paths[1]]
    denied.append(paths[2])
    os.utime(paths[2])
    world.scan()
    page = world.pages("needle")[-1]
    assert (page.as_kept, page.unread) == ([paths[2]], [paths[1]])
    denied.clear()
    world.scan()
    page = world.pages("needle")[-1]
    assert (page.total, page.unread, page.as_kept, page.notes) == (3, [], [], ())
    denied.append(paths[0])
    os.utime(paths[0])
    world.path("s0").unlink()
    world.scan()
    assert world.pages("needle")[-1].unread == []


def test_of_files_that_cannot_be_read_the_last_page_tells(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then there are more of them with each, and something else would be said each time."""
    paths = [str(world.session(f"s{number:02}", "needle")) for number in range(30)]
    world.scan()
    deny(monkeypatch, *paths)
    monkeypatch.setattr("app.index.search.search._PAUSE_SECONDS", 0.0)
    for text, how in (
        (
            "needle in:all",
            "cannot be read any more, and searched as before, but not what tools said: 30 sessions",
        ),
        ("needle in:tools", "cannot be read: 30 files"),
    ):
        *before, last = world.pages(text)
        assert not any(page.notes for page in before)
        said = [note.message for note in last.notes if note.message.startswith("cannot")]
        assert len(said) == 1
        assert said[0].startswith(f"{how}, {paths[0]} among them")


def test_a_word_that_only_a_kept_text_has_is_not_looked_for_otherwise(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.session("s1", "a thimble")
    path = str(world.session("s2", "a thimbles"))
    world.scan()
    deny(monkeypatch, path)
    os.utime(path)
    world.scan()
    page = world.pages("thimbles in:all")[-1]
    assert (page.total, page.instead, [hit.row.id for hit in page.hits]) == (1, {}, ["s2"])
