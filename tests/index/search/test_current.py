"""What a search finds is what is there now: sessions that come, grow and go while an index is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.index.search import documents
from tests.index.search.helpers import looked, marked, searcher

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def test_an_appended_entry_is_found_without_asking_about_other_sessions(world: World) -> None:
    for number in range(20):
        world.session(f"s{number:02}", "hello")
    world.scan()
    assert world.ids("needle") == []
    sessions = searcher(world.index).sessions
    asked = sessions.asked
    world.append("s03", "a needle")
    world.scan()
    assert world.ids("need") == ["s03"]
    assert sessions.asked == asked + 1
    assert looked(world, "needle") == 1
    # It is the newest now.
    assert world.ids("hello")[0] == "s03"


def test_what_is_gone_is_not_remembered(world: World) -> None:
    for number in range(5):
        world.session(f"s{number}", "hello")
    world.scan()
    for number in range(5):
        world.append("s3", f"{number} more", at=500 + number)
        world.scan()
        assert world.ids("more") == ["s3"]
    memory, view = searcher(world.index)._memory, searcher(world.index).sessions.view()
    assert memory.left
    assert {*memory.having, *memory.left} <= set(view.all_blocks())


def test_sessions_come_go_and_change_while_an_index_is_open(world: World) -> None:
    world.session("s1", "needle one")
    world.session("s2", "needle two")
    world.scan()
    assert world.ids("needle") == ["s2", "s1"]
    world.session("s3", "needle three")
    world.path("s1").unlink()
    world.scan()
    assert world.ids("needle") == ["s3", "s2"]
    world.session("s2", "nothing")
    world.scan()
    assert world.ids("needle") == ["s3"]


def test_what_is_told_before_anybody_searches_is_found(world: World) -> None:
    told: list[str] = []
    world.session("s1", "needle")
    world.index.scan(lambda delta: told.extend(row.id for row in delta.changed))
    assert told == ["s1"]
    assert world.ids("needle") == ["s1"]


def test_many_changes_are_laid_out_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.search.sessions.MOST_FRESH", 2)
    for number in range(8):
        world.session(f"s{number}", "needle")
    world.scan()
    assert len(world.ids("needle")) == 8
    for number in (1, 4, 6):
        world.append(f"s{number}", "more", 500 + number)
    world.scan()
    assert world.ids("needle") == ["s6", "s4", "s1", "s7", "s5", "s3", "s2", "s0"]
    view = searcher(world.index).sessions.view()
    assert view.fresh is None
    assert not view.stale


def test_hits_of_changed_sessions_are_put_where_they_belong(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "FIRST", 2)
    for number in range(9):
        world.session(f"s{number}", "needle")
    world.scan()
    assert world.ids("needle") == [f"s{number}" for number in range(8, -1, -1)]
    world.append("s2", "more", 55)  # newer than s4, older than s5
    world.scan()
    assert world.ids("needle") == ["s8", "s7", "s6", "s5", "s2", "s4", "s3", "s1", "s0"]


def test_a_line_that_changed_since_leaves_what_the_store_knows(world: World) -> None:
    path = world.session("s1", "hello", "a Needle in the HAY")
    world.scan()
    path.write_text(path.read_text().replace("Needle", "Noodle"))
    hit = world.one("needle")
    assert (hit.entry_id, hit.role, hit.snippet, hit.ranges) == (
        None, "assistant", "a needle in the hay", ((2, 8),),
    )  # fmt: skip
    path.unlink()
    assert world.one("needle").snippet == "a needle in the hay"


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Needle", ["needle"]),
        ('"Needle in"', ["needle in"]),
        (r"re:Need\w+", ["needle"]),
        ("Needle -Pin", ["needle"]),
        ("Needle HAY", ["needle", "hay"]),
    ],
)
def test_so_does_one_of_which_the_case_counted(
    world: World, text: str, found: list[str], gone: bool, every: bool
) -> None:
    path = world.session("s1", "hello", "a Needle in the HAY")
    world.scan()
    (hit,) = world.hits(text, every=every)
    if gone:
        path.unlink()
    else:
        path.write_text(path.read_text().replace("Needle", "Noodle").replace("HAY", "BAY"))
    assert (hit.where, hit.entry_id, hit.role) == ("text", None, "assistant")
    assert (hit.snippet, marked(hit)) == ("a needle in the hay", found)


def test_one_that_only_the_folder_has_is_shown_there(world: World) -> None:
    path = world.session("s1", "about work", cwd="/Work")
    world.scan()
    hit = world.one("Work")
    path.unlink()
    assert (hit.where, hit.snippet) == ("folder", "/Work")


def test_a_scan_that_tells_nobody_else_tells_the_search(world: World) -> None:
    world.session("s1", "hello")
    world.index.scan()
    assert world.ids("needle") == []
    world.append("s1", "a needle")
    world.session("s2", "needle two")
    world.index.scan()
    assert sorted(world.ids("needle")) == ["s1", "s2"]
    world.path("s2").unlink()
    world.index.scan()
    assert world.ids("needle") == ["s1"]


def test_of_a_file_that_is_gone_nothing_is_claimed_that_only_it_could_tell(world: World) -> None:
    world.session("s1", "Needle here")
    world.session("s2", "Needle there")
    world.scan()
    world.path("s1").unlink()
    page = world.pages("Needle")[-1]
    assert world.ids("Needle") == ["s2"]
    assert [note.message for note in page.notes] == [
        f"cannot be read: {world.path('s1')}: No such file or directory"
    ]
    page = world.pages("-Needle")[-1]
    assert (page.total, len(page.notes)) == (0, 1)
    assert world.ids("needle") == ["s2", "s1"]


def test_spellings_of_sessions_that_are_gone_are_not_offered(world: World) -> None:
    world.session("s1", "gonewordxyz")
    world.session("s2", "goneword")
    world.scan()
    assert world.ids("gonewordxyz") == ["s1"]
    world.path("s1").unlink()
    world.scan()
    page = world.pages("gonewordxyz")[-1]
    assert (page.total, page.notes) == (0, ())
