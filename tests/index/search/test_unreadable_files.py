"""Files that cannot be read or named: their stored text is searched, and notes report them."""

from __future__ import annotations

import errno
import os
from copy import copy
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Hit

from app.formats.text_kinds import USER
from app.index.search.hit_branch import NOWHERE
from app.index.search.hit_details import entries_at
from tests.denied import deny
from tests.index.search.helpers import marked, searcher

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def test_a_file_that_cannot_be_read_is_reported(world: World) -> None:
    world.session("s1", "needle")
    world.session("s2", "needle")
    world.scan()
    for segment in world.segments():
        os.unlink(segment)
    world.path("s1").unlink()
    page = world.pages("needle")[-1]
    assert page.total == 1
    assert [note.message for note in page.notes] == [
        f"cannot be read: {world.path('s1')}: No such file or directory",
        "the cached text of a session was damaged: its file was read again",
    ]


def test_a_note_about_a_file_is_one_inert_line_for_any_name(world: World) -> None:
    path = world.session("s\x1b[2J\u202e\nevil", "needle")
    world.scan()
    for segment in world.segments():
        os.unlink(segment)
    path.unlink()
    (note,) = world.pages("needle")[-1].notes
    assert note.message.isprintable()
    assert "s\u241b[2J\ufffd evil" in note.message


def test_the_stored_text_of_an_unreadable_file_is_searched_and_reported(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    world.scan()
    world.append("s1", "unread")
    denied = deny(monkeypatch, paths[1])
    world.scan()
    for index in (world.index, world.open()):
        *_, page = pages = list(index.query("needle"))
        hits = [hit for page_ in pages for hit in page_.hits]
        assert page.total == 3
        assert [note.message for note in page.notes] == [
            f"cannot be read any more, and searched as before, but not what tools said: {paths[1]}"
        ]
        assert [hit.row.is_out_of_reach for hit in hits] == [False, True, False]
        assert [hit.row.id for hit in hits if hit.snippet == "needle"] == ["s2", "s1", "s0"]
        assert [hit.row.id for page_ in index.query("is:damaged") for hit in page_.hits] == ["s1"]
    assert [note.position for note in world.pages("unread")[-1].notes] == [0], (
        "it may be where nobody can look"
    )
    world.append("s2", "more")
    denied.append(paths[2])
    world.scan()
    (note,) = world.pages("needle")[-1].notes
    assert note.message == (
        "cannot be read any more, and searched as before, but not what tools said: "
        f"2 sessions, {paths[1]} among them"
    )
    monkeypatch.undo()
    world.scan()
    page = world.pages("unread")[-1]
    assert (page.total, page.notes) == (1, ())


@pytest.mark.parametrize("scanned", [True, False])
def test_the_stored_text_of_an_unreadable_file_is_searched_for_queries_of_tools(
    world: World, monkeypatch: pytest.MonkeyPatch, scanned: bool
) -> None:
    result = {"type": "message", "message": {"role": "toolResult", "toolName": "read", "content": "a gadget"}}
    paths = [str(world.session(f"s{number}", "needle", result, "the Thimble")) for number in range(3)]
    world.scan()
    deny(monkeypatch, paths[1])
    if scanned:
        # As if the permissions were removed.
        os.utime(paths[1])
        world.scan()
    expected_note = f"cannot be read any more, and searched as before, but not what tools said: {paths[1]}"
    for index in (world.index, world.open()):
        for text, ids in (
            ("needle", ["s2", "s1", "s0"]),
            ("thimble in:tools role:user", ["s2", "s1", "s0"]),
            ("needle thimble", ["s2", "s1", "s0"]),
            ("gadget", ["s2", "s0"]),
            # Tool output may have the unwanted word.
            ("needle -nowhere", ["s2", "s0"]),
        ):
            # A file that was readable a moment ago is noticed when it is needed.
            is_noticed = scanned or "s1" not in ids
            *_, page = pages = list(index.query(text))
            assert [hit.row.id for page_ in pages for hit in page_.hits] == ids
            notes = [note.message for note in page.notes]
            assert (page.total, notes) == (len(ids), [expected_note] if is_noticed else []), text
            assert (page.as_kept, page.unread) == ([paths[1]] if is_noticed else [], [])
        (hit,) = [hit for page_ in index.query("needle") for hit in page_.hits if hit.row.id == "s1"]
        assert (hit.where, hit.kind, hit.snippet, marked(hit)) == ("text", USER, "needle", ["needle"])
        every = [hit for page_ in index.query("e", every=True) for hit in page_.hits]
        assert [hit.snippet for hit in every if hit.row.id == "s1"] == ["the Thimble", "needle"]
        # The stored text has no tool output.
        page = list(index.query("gadget in:tools"))[-1]
        assert [note.message for note in page.notes] == [f"cannot be read: {paths[1]}: Permission denied"]
        assert (page.total, page.as_kept, page.unread) == (2, [], [paths[1]])


def test_each_unreadable_file_is_in_one_note(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    world.scan()
    deny(monkeypatch, *paths[1:])
    for path in paths[1:]:
        os.utime(path)
    world.scan()
    for text in ("needle", "needle in:all", "needle in:tools"):
        page = world.pages(text)[-1]
        messages = [note.message for note in page.notes if "cannot be read" in note.message]
        together = f"2 sessions, {paths[1]} among them"
        nothing = f"cannot be read: 2 files, {paths[1]} among them: Permission denied"
        assert [message for message in messages if message.endswith(together)] or messages == [nothing]
        assert len(messages) == 1
        assert sorted([*page.as_kept, *page.unread]) == paths[1:]


def test_a_file_that_was_never_readable_is_reported(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every query reports it, after the first scan and after later ones. A file that is no session is not
    reported.
    """
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    (world.path("s0").parent / "notes.jsonl").write_text("no session\n")
    denied = deny(monkeypatch, paths[1])
    world.scan()
    expected_note = f"cannot be read: {paths[1]}: Permission denied"
    for text, total in (
        ("needle", 2),
        ("Needle", 2),
        ("needle in:all", 2),
        ("is:damaged", 0),
        ("x in:tools", 0),
    ):
        page = world.pages(text)[-1]
        assert (page.total, page.unread, page.as_kept) == (total, [paths[1]], []), text
        assert expected_note in [note.message for note in page.notes], text
    for _ in range(2):
        # The unchanged file is tried again.
        second = world.open()
        second.scan()
        assert list(second.query("needle"))[-1].unread == [paths[1]]
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


def test_the_last_page_reports_unreadable_files(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it, each page would report more of them."""
    paths = [str(world.session(f"s{number:02}", "needle")) for number in range(30)]
    world.scan()
    deny(monkeypatch, *paths)
    monkeypatch.setattr("app.index.search.search_run._PAUSE_SECONDS", 0.0)
    for text, start in (
        (
            "needle nowhere",
            "cannot be read any more, and searched as before, but not what tools said: 30 sessions",
        ),
        ("needle in:tools", "cannot be read: 30 files"),
    ):
        *before, last = world.pages(text)
        assert not any(page.notes for page in before)
        messages = [note.message for note in last.notes if note.message.startswith("cannot")]
        assert len(messages) == 1
        assert messages[0].startswith(f"{start}, {paths[0]} among them")


def test_a_word_that_only_a_stored_text_has_needs_no_other_spelling(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.session("s1", "a thimble")
    path = str(world.session("s2", "a thimbles"))
    world.scan()
    deny(monkeypatch, path)
    os.utime(path)
    world.scan()
    pages = world.pages("thimbles")
    assert [hit.row.id for page in pages for hit in page.hits] == ["s2"]
    assert (pages[-1].total, pages[-1].instead) == (1, {})


@pytest.fixture
def broken(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of two sessions; the second can no longer be read."""
    paths = [str(world.session(id, "the Needle one", "a thimble")) for id in ("good", "broken")]
    world.scan()
    spoil(monkeypatch, paths[1])
    return paths


def spoil(monkeypatch: pytest.MonkeyPatch, *paths: str, behind: int = 0) -> None:
    """Make reading these files fail from the offset `behind` on, although they open."""
    spoilt = [os.stat(path).st_ino for path in paths]

    def fails(descriptor: int, offset: int) -> None:
        if offset >= behind and os.fstat(descriptor).st_ino in spoilt:
            raise OSError(errno.EIO, "Input/output error")

    def pread(descriptor: int, size: int, offset: int) -> bytes:
        fails(descriptor, offset)
        return really(descriptor, size, offset)

    def preadv(descriptor: int, buffers: Any, offset: int) -> int:
        fails(descriptor, offset)
        return really_into(descriptor, buffers, offset)

    really, really_into = os.pread, os.preadv
    monkeypatch.setattr(os, "pread", pread)
    monkeypatch.setattr(os, "preadv", preadv)


def test_a_search_of_the_stored_text_needs_no_file(world: World, broken: list[str]) -> None:
    for text in (
        "needle",
        "thimble -nothing in:text",
        "needle role:user",
        "Needle",
        '"Needle one"',
        "re:Nee.le",
    ):
        page = world.pages(text)[-1]
        assert (page.total, page.unread, page.as_kept, page.notes) == (2, [], [], ()), text
    for text in ("-needle", "-Needle", "thimble -Needle"):
        assert world.pages(text)[-1].total == 0, text


@pytest.mark.parametrize("scanned", [True, False])
def test_capitals_are_found_in_the_stored_text_of_an_unreadable_file(
    world: World, monkeypatch: pytest.MonkeyPatch, scanned: bool
) -> None:
    paths = [str(world.session(f"s{number}", "the Needle")) for number in range(3)]
    world.scan()
    deny(monkeypatch, *paths[1:])
    if scanned:
        for path in paths[1:]:
            os.utime(path)
        world.scan()
    for text, total in (("Needle", 3), ("-Needle", 0), ('"the Needle"', 3), ("needle", 3)):
        page = world.pages(text)[-1]
        assert (page.total, page.unread, page.as_kept) == (total, [], paths[1:] if scanned else []), text
    page = world.pages("Needle nowhere")[-1]
    assert (page.total, page.unread, page.as_kept) == (3, [], paths[1:])


def test_a_path_that_no_file_can_have_counts_as_unreadable(world: World) -> None:
    """Such a path comes from a damaged catalog, before a scan."""
    world.session("s1", "the Needle", "a thimble")
    world.scan()
    (row,) = world.index.rows()
    odd = copy(row)
    odd.path += "\0"
    odd.linear = False
    assert entries_at(odd, 0) == []
    assert world.index.place(Hit(odd, "text", entry_id="e0")) == NOWHERE
    searcher(world.index).documents.update([odd], [])
    for text in ("needle", "Needle", "needle in:all", "thimble in:tools"):
        page = world.pages(text)[-1]
        assert page.unread == [odd.path], text
        assert [hit.snippet for hit in world.hits(text)] == ["the Needle"] * page.total
        assert [world.index.place(hit).branches for hit in world.hits(text)] == [1] * page.total
