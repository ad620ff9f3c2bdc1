"""Files that open and cannot be read, or cannot even be named: they are told of, and neither have a term nor
lack one.
"""

from __future__ import annotations

import errno
import os
from copy import copy
from typing import TYPE_CHECKING, Any

import pytest

from app.formats import lines
from app.index.search.originals import Originals
from app.index.search.shape import read_shape
from tests.denied import deny
from tests.index.search.helpers import searcher

if TYPE_CHECKING:
    from tests.index.search.helpers import World


@pytest.fixture
def broken(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of two sessions that were read well once, of which the one does not any more."""
    paths = [str(world.session(id, "the Needle one", "a thimble")) for id in ("good", "broken")]
    world.scan()
    spoil(monkeypatch, paths[1])
    return paths


def spoil(monkeypatch: pytest.MonkeyPatch, *paths: str, behind: int = 0) -> None:
    """Have the system fail to read these files from `behind` on, though it opens them."""
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
    monkeypatch.setattr(lines, "_HAS_PREAD", True)
    monkeypatch.setattr(os, "pread", pread)
    monkeypatch.setattr(os, "preadv", preadv)


@pytest.mark.parametrize("order", ["recent", "relevance"])
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Needle", ["good"]),
        ('"Needle one"', ["good"]),
        ("Needle thimble", ["good"]),
        ("needle Needle role:user", ["good"]),
        # Nobody can say that it lacks one.
        ("-Needle", []),
        ("thimble -Needle", []),
        ("thimble -Thimble", ["good"]),
    ],
)
def test_what_opens_and_cannot_be_read_is_told_of(
    world: World, broken: list[str], text: str, ids: list[str], order: str
) -> None:
    page = world.pages(text, order=order)[-1]
    assert page.total == len(ids)
    assert world.ids(text, order=order) == ids
    assert (page.unread, page.as_kept) == ([broken[1]], [])
    assert [note.message for note in page.notes] == [f"cannot be read: {broken[1]}: Input/output error"]


def test_a_pattern_with_capitals_needs_the_file(world: World, broken: list[str]) -> None:
    page = world.pages("re:Nee.le")[-1]
    assert (page.total, page.unread) in ((1, [broken[1]]), (2, []))


def test_what_is_found_in_the_kept_text_alone_needs_no_file(world: World, broken: list[str]) -> None:
    for text in ("needle", "thimble -nothing", "needle role:user"):
        page = world.pages(text)[-1]
        assert (page.total, page.unread, page.as_kept, page.notes) == (2 if text else 0, [], [], ())
    assert world.pages("-needle")[-1].total == 0


def test_who_types_on_is_told_of_it_as_well(world: World, broken: list[str]) -> None:
    """What one search could not find out the next does not take for known."""
    for text in ("Ne", "Nee", "Needle", "Needle"):
        page = world.pages(text)[-1]
        assert (page.total, page.unread) == (1, [broken[1]]), text


def test_who_types_on_finds_what_can_be_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(world.session("s1", "the Needle"))
    world.scan()
    with monkeypatch.context() as patch:
        spoil(patch, path)
        assert world.pages("Nee")[-1].unread == [path]
    page = world.pages("Need")[-1]
    assert (page.total, page.unread, page.notes) == (1, [], ())


def test_a_file_of_which_a_part_cannot_be_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found in the rest is found, and of what is not nobody knows."""
    path = str(world.session("s1", "the Needle", "hay " * 100_000, "the Thimble"))
    world.scan()
    spoil(monkeypatch, path, behind=300_000)
    assert world.ids("Needle") == ["s1"]
    page = world.pages("Needle Thimble")[-1]
    assert (page.unread, page.instead) == ([path], {"Thimble": ("thimble",)})
    assert all(hit.near for hit in world.hits("Thimble"))
    assert world.pages("-Thimble")[-1].total == 0


@pytest.mark.parametrize("scanned", [True, False])
def test_of_what_nothing_was_searched_it_is_not_said_that_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch, scanned: bool
) -> None:
    """What is kept is folded: where case counts it says nothing."""
    paths = [str(world.session(f"s{number}", "the Needle")) for number in range(3)]
    world.scan()
    deny(monkeypatch, *paths[1:])
    if scanned:
        for path in paths[1:]:
            os.utime(path)
        world.scan()
    for text, total in (("Needle", 1), ("Needle in:all", 1), ("-Needle", 0), ('"the Needle"', 1)):
        page = world.pages(text)[-1]
        assert (page.total, page.unread, page.as_kept) == (total, paths[1:], []), text
        assert [note.message for note in page.notes] == [
            f"cannot be read: 2 files, {paths[1]} among them: Permission denied"
        ], text
    page = world.pages("needle")[-1]
    assert (page.total, page.unread, page.as_kept) == (3, [], paths[1:] if scanned else [])


def test_a_name_that_no_file_can_have_is_that_of_one_that_cannot_be_read(world: World) -> None:
    """As of a damaged catalog, before anything is scanned."""
    world.session("s1", "the Needle", "a thimble")
    world.scan()
    (row,) = world.index.rows()
    odd = copy(row)
    odd.path += "\0"
    originals = Originals()
    assert originals.at(odd, 0) == []
    assert originals.lost == {odd.path: "embedded null byte"}
    with pytest.raises(OSError, match="null byte"):
        read_shape(odd.path, odd.dialect, lambda: True)
    searcher(world.index).update([odd], [])
    for text in ("needle", "Needle", "needle in:all", "thimble in:tools"):
        page = world.pages(text)[-1]
        assert page.unread == [odd.path], text
        assert [hit.snippet for hit in world.hits(text)] == ["the Needle"] * page.total
        assert [world.index.place(hit).branches for hit in world.hits(text)] == [1] * page.total
