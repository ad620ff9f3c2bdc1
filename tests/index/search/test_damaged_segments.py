"""Searches with stored texts that are missing, moved or damaged: the session files are read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.index.search import search_run
from app.sessions.passages import BLOCK, MARK
from tests.index.search.helpers import searcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.index.search.helpers import World


def test_a_session_without_its_stored_text_is_read_from_its_file(world: World) -> None:
    world.session("s1", "hello", "needle")
    world.session("s2", "hello")
    world.scan()
    second = world.open()
    for segment in world.segments():
        os.unlink(segment)
    search = second.query("needle")
    assert [hit.row.id for page in search for hit in page.hits] == ["s1"]
    assert search.files_read == 2
    assert [hit.entry_id for page in second.query("needle") for hit in page.hits] == ["s1-1"]
    second.close()


def test_a_moved_text_is_found(world: World) -> None:
    world.session("s1", "needle")
    world.scan()
    index = searcher(world.index)
    assert world.ids("nothing") == []
    (session,) = index.documents.snapshot().blocks[0].documents
    ((_, start, length),) = session.spans or ()
    # As if the text was moved after its spans were read.
    session.spans = (("0" * 16, start, length),)
    index.documents._blocks, index.documents._snapshot = [], None
    search = world.search("needle")
    assert [hit.row.id for page in search for hit in page.hits] == ["s1"]
    assert search.files_read == 0


def test_a_shortened_segment_counts_as_no_text(world: World) -> None:
    world.session("s1", "needle")
    world.scan()
    (segment,) = world.segments()
    os.truncate(segment, 5)
    search = world.search("needle")
    assert [hit.row.id for page in search for hit in page.hits] == ["s1"]
    assert search.files_read == 1


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
def test_a_segment_that_is_damaged_while_it_is_mapped(world: World, harm: Callable[[str], None]) -> None:
    """Reading the truncated part of the map would end the process."""
    for number in range(search_run.PAGE + 5):
        world.session(f"s{number:02}", f"needle {number}", "ant")
    world.scan()
    before = world.hits("needle")
    every_hit = world.hits("ant", every=True)
    (segment,) = world.segments()
    harm(segment)
    assert len(world.ids("needle")) == search_run.PAGE + 5
    # These hits are looked up only now.
    assert before[-1].snippet == "needle 0"
    assert every_hit[-1].snippet == "ant"
    world.append("s03", "and on")
    world.scan()
    assert world.ids('"needle 7"') == ["s07"]
    assert world.ids('"and on"') == ["s03"]
    assert world.index.note is None


def assert_ends(world: World, text: str, *, every: bool = False) -> None:
    """A search of another index ends soon, and each hit can be looked up."""
    calls = 0

    def keep_going() -> bool:
        nonlocal calls
        calls += 1
        return calls < 200

    second = world.open()
    pages = list(second.query(text, every=every, keep_going=keep_going))
    for page in pages:
        for hit in page.hits:
            hit.look_up()
    second.close()
    assert pages
    assert pages[-1].done


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("text", ["needle", "Needle", "re:needl.", "-needle"])
def test_an_overwritten_block_without_passages(world: World, text: str, every: bool) -> None:
    """The damage is not visible, and the search ends nevertheless."""
    world.session("s1", "a text that is longer than what is looked for: Needle", "another one")
    world.scan()
    (segment,) = world.segments()
    size = os.path.getsize(segment)
    with open(segment, "r+b") as file:
        file.write((MARK + BLOCK + b"needle " * size)[:size])
    assert_ends(world, text, every=every)


def test_passages_without_a_block_are_searched_once(world: World) -> None:
    """The same if the offsets of the passages are lost."""
    world.session("s1", "a def", "another def", {"type": "compaction", "summary": "def"})
    tool_message = {
        "role": "toolResult",
        "toolCallId": "c",
        "toolName": "bash",
        "content": "DeF",
        "isError": False,
    }
    world.session("s2", "def", "def", *[{"type": "message", "message": tool_message} for _ in range(3)])
    world.scan()
    (segment,) = world.segments()
    with open(segment, "rb") as file:
        data = file.read()
    with open(segment, "r+b") as file:
        file.write(data.replace(BLOCK, b"\x81"))
    assert_ends(world, "DeF")
