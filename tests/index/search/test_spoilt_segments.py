"""Searches where the stored texts are gone, moved or spoilt: the files themselves are read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.index.search import search
from app.sessions.passages import BLOCK, MARK
from tests.index.search.helpers import searcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.index.search.helpers import World


def test_a_session_whose_text_is_gone_is_read_from_its_file(world: World) -> None:
    world.session("s1", "hello", "needle")
    world.session("s2", "hello")
    world.scan()
    other = world.open()
    for segment in world.segments():
        os.unlink(segment)
    asked = other.query("needle")
    assert [hit.row.id for page in asked for hit in page.hits] == ["s1"]
    assert asked.read == 2
    assert [hit.entry_id for page in other.query("needle") for hit in page.hits] == ["s1-1"]
    other.close()


def test_a_text_that_was_moved_is_found_where_it_is_now(world: World) -> None:
    world.session("s1", "needle")
    world.scan()
    index = searcher(world.index)
    assert world.ids("nothing") == []
    (session,) = index.sessions.view().blocks[0].sessions
    ((_, start, length),) = session.spans or ()
    # As it would be known to somebody for whom it was moved since.
    session.spans = (("0" * 16, start, length),)
    index.sessions._lay_out()
    asked = world.search("needle")
    assert [hit.row.id for page in asked for hit in page.hits] == ["s1"]
    assert asked.read == 0


def test_a_shortened_segment_counts_as_no_text(world: World) -> None:
    world.session("s1", "needle")
    world.scan()
    (segment,) = world.segments()
    os.truncate(segment, 5)
    asked = world.search("needle")
    assert [hit.row.id for page in asked for hit in page.hits] == ["s1"]
    assert asked.read == 1


def cut(path: str) -> None:
    os.truncate(path, 0)


def garbage_over_it(path: str) -> None:
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.write(b"garbage!" * (size // 8) + b"!" * (size % 8))
    os.utime(path, (1_700_000_000, 1_700_000_000))


def garbage_of_more_bytes(path: str) -> None:
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.write(b"garbage!" * size)


def another_in_its_place(path: str) -> None:
    with open(path + ".new", "wb") as file:
        file.write(b"garbage!" * os.path.getsize(path))
    os.replace(path + ".new", path)


@pytest.mark.parametrize(
    "harm", [os.unlink, cut, garbage_over_it, garbage_of_more_bytes, another_in_its_place]
)
def test_a_segment_that_is_spoilt_while_it_is_mapped(world: World, harm: Callable[[str], None]) -> None:
    """To touch what was cut off would end the process."""
    for number in range(search.PAGE + 5):
        world.session(f"s{number:02}", f"needle {number}", "ant")
    world.scan()
    before = world.hits("needle")
    each = world.hits("ant", every=True)
    (segment,) = world.segments()
    harm(segment)
    assert len(world.ids("needle")) == search.PAGE + 5
    # These were found, and are looked up only now.
    assert before[-1].snippet == "needle 0"
    assert each[-1].snippet == "ant"
    world.append("s03", "and on")
    world.scan()
    assert world.ids('"needle 7"') == ["s07"]
    assert world.ids('"and on"') == ["s03"]
    assert world.index.note is None


def assert_ends(world: World, said: str, *, every: bool = False) -> None:
    """What another process looks for is looked for to the end, and soon; each hit can be looked up."""
    asked = 0

    def keep_going() -> bool:
        nonlocal asked
        asked += 1
        return asked < 200

    other = world.open()
    pages = list(other.query(said, every=every, keep_going=keep_going))
    for page in pages:
        for hit in page.hits:
            hit.look_up()
    other.close()
    assert pages
    assert pages[-1].done


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("said", ["needle", "Needle", "re:needl.", "-needle"])
def test_a_block_that_is_overwritten_has_no_piece_behind_its_table(
    world: World, said: str, every: bool
) -> None:
    """It is damaged, and nobody can tell: the search ends all the same."""
    world.session("s1", "a text that is longer than what is looked for: Needle", "another one")
    world.scan()
    (segment,) = world.segments()
    size = os.path.getsize(segment)
    with open(segment, "r+b") as file:
        file.write((MARK + BLOCK + b"needle " * size)[:size])
    assert_ends(world, said, every=every)


def test_pieces_without_a_block_are_gone_through_once(world: World) -> None:
    """The same where nothing says any more where the lines of pieces are."""
    world.session("s1", "a def", "another def", {"type": "compaction", "summary": "def"})
    said = {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": "DeF", "isError": False}
    world.session("s2", "def", "def", *[{"type": "message", "message": said} for _ in range(3)])
    world.scan()
    (segment,) = world.segments()
    with open(segment, "rb") as file:
        data = file.read()
    with open(segment, "r+b") as file:
        file.write(data.replace(BLOCK, b"\x81"))
    assert_ends(world, "DeF")
