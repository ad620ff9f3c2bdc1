"""A search reads no more than it needs, and stops when it is cancelled. Reads are counted, not timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.search import search_run
from tests.factory import NOW
from tests.index.search.helpers import searcher, texts_searched

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def test_a_refined_query_searches_only_the_sessions_that_matched(world: World) -> None:
    for number in range(20):
        world.session(f"s{number:02}", "please begin", "fox" if number % 4 else "foxglove")
    world.scan()
    assert texts_searched(world, "fo") == 20
    assert texts_searched(world, "foxg") == 20
    assert texts_searched(world, "foxgl") == 5
    # All sessions count for the rarity of a new word, and nothing is asked again about the other.
    assert texts_searched(world, "foxgl o") == 20
    assert texts_searched(world, "fox") == 20


def test_filters_may_change_between_queries(world: World) -> None:
    world.session("s1", "foxglove", cwd="/a")
    world.session("s2", "foxglove", cwd="/b")
    world.scan()
    assert world.ids("fox dir:/a") == ["s1"]
    assert world.ids("foxg") == ["s2", "s1"]
    assert world.ids("-foxg") == []
    assert world.ids("-foxglovex") == ["s2", "s1"]


def test_a_hit_is_looked_up_when_it_is_needed(world: World) -> None:
    for number in range(search_run.PAGE + 30):
        world.session(f"s{number:03}", "needle")
    world.scan()
    hits = world.hits("needle")
    assert [hit.path for hit in hits if hit.is_filled] == []
    hit = hits[-1]
    assert hit.snippet == "needle"
    assert hit.is_filled
    assert (hit.entry_id, hit.role) == ("s000-0", "user")


def test_the_first_page_comes_before_the_rest_is_searched(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "please begin", "needle")
    world.scan()
    search = world.search("needle", live=True)
    page = next(iter(search))
    assert page.is_provisional
    assert search_run.PAGE <= len(page.hits) == page.total == page.searched < page.of == 300


def test_sessions_with_another_case_are_excluded(world: World) -> None:
    world.session("s1", *["def and left"] * 50)
    world.session("s2", *["def and left"] * 50, "eF")
    world.session("s3", *["def and left"] * 50, {"type": "session_info", "name": "eF"})
    world.scan()
    assert world.ids("eF") == ["s3", "s2"]
    (note,) = list(world.search("lEft"))[-1].notes
    assert note.message == 'No "lEft"; searched for left'


def test_a_newer_query_cancels_the_older_one(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "needle")
    world.scan()
    older = world.search("need")
    pages = iter(older)
    assert not next(pages).done
    newer = world.search("needle")
    assert older.is_cancelled
    assert not any(page.done for page in pages)
    assert [page.total for page in newer if page.done] == [300]


def test_a_cancelled_search_does_not_mislead_the_next_one(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "needle" if number % 2 else "needles")
    world.scan()
    next(iter(world.search("need")))
    assert len(world.ids("needles")) == 150


def test_keep_going_cancels_a_search(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "needle")
    world.scan()
    calls = []

    def keep_going() -> bool:
        calls.append(1)
        return False

    from app.index.query import parse

    search = searcher(world.index).search(parse("needle", NOW), keep_going=keep_going)
    assert list(search) == []
    assert len(calls) == 1
