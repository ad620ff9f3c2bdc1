"""The order of hits, and their branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.index import Index
from app.stores import Tagging, change_tagging
from tests.cases import cases
from tests.factory import message
from tests.index.helpers import pi_store
from tests.index.search.helpers import World

if TYPE_CHECKING:
    from pathlib import Path


def test_recent_is_the_order_of_the_list(world: World) -> None:
    for id in ("s1", "s2", "s3"):
        world.session(id, "needle")
    world.append("s1", "more", 500)
    world.scan()
    assert world.ids("needle", order="recent") == ["s1", "s3", "s2"] == [row.id for row in world.index.rows()]


def titled(name: str) -> dict[str, Any]:
    return {"type": "session_info", "name": name}


def called(text: str) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "toolResult", "toolName": "bash", "content": text}}


def called_with(call: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "assistant", "content": [call]}}


def test_names_come_before_the_conversation_and_tools_come_last(world: World) -> None:
    world.session("named", "please begin", titled("the needle"))
    world.session("labelled", "please begin", {"type": "label", "targetId": "labelled-0", "label": "needle"})
    world.session("titled", "needle in its title")
    world.session("asked", "please begin", "hi", "needle needle")
    world.session("said", "please begin", "needle")
    world.session("folder", "please begin", cwd="/work/needle")
    world.session("ran", "please begin", called("the needle"))
    world.scan()
    tiers = [(hit.row.id, hit.tier) for hit in world.hits("needle")]
    assert set(tiers[:3]) == {("titled", "name"), ("labelled", "name"), ("named", "name")}
    assert tiers[3:] == [
        ("folder", "conversation"),
        ("said", "conversation"),
        ("asked", "conversation"),
        ("ran", "tools"),
    ]


def test_the_worst_place_of_the_words_is_the_tier(world: World) -> None:
    world.session("other", "please begin")
    world.session("both", "please begin", titled("apple pear"))
    world.session("one", "please begin", "pear", titled("apple"))
    world.session("none", "please begin", "apple pear")
    world.session("ran", "please begin", called("pear"), titled("apple"))
    world.scan()
    assert [(hit.row.id, hit.tier) for hit in world.hits("apple pear")] == [
        ("both", "name"),
        ("one", "conversation"),
        ("none", "conversation"),
        ("ran", "tools"),
    ]


def test_a_rare_word_in_a_better_place_counts_more_than_a_common_one(world: World) -> None:
    world.session("rare", "please begin", "common", titled("rare"))
    world.session("common", "please begin", "rare", titled("common"))
    for number in range(4):
        world.session(f"s{number}", "please begin", "common")
    world.scan()
    assert world.ids("common rare") == ["rare", "common"]


def test_equal_sessions_are_in_the_order_of_their_last_use(world: World) -> None:
    for id in ("s1", "s2", "s3"):
        world.session(id, "please begin", "needle")
    world.scan()
    assert world.ids("needle") == ["s3", "s2", "s1"]
    # The same time: by path.
    for id in ("a", "c", "b"):
        world.count = 50
        world.session(id, "please begin", "thimble")
    world.scan()
    assert world.ids("thimble") == ["a", "b", "c"]


def test_touched_files_come_between_the_conversation_and_the_tools(tmp_path: Path) -> None:
    world = World(tmp_path)
    edit = {"type": "toolCall", "id": "c", "name": "edit", "arguments": {"path": "src/auth.py", "edits": []}}
    other = {**edit, "arguments": {"path": "a.md"}}
    world.session("said", "please begin", "src/auth.py")
    world.session("touched", "please begin", called_with(edit), called_with(other))
    world.session("ran", "please begin", called("cat src/auth.py"))
    world.scan()
    world.index.touched_files.update(world.index.rows())
    hits = world.hits("auth.py")
    assert [(hit.row.id, hit.tier) for hit in hits] == [
        ("said", "conversation"),
        ("touched", "files"),
        ("ran", "tools"),
    ]
    hits[1].look_up()
    assert (hits[1].where, hits[1].snippet) == ("files", "src/auth.py")
    assert [hit.tier for hit in world.hits("re:auth\\.py")] == ["conversation", "files", "tools"]
    world.index.close()


def test_words_of_tools_save_the_reading_of_files(world: World) -> None:
    world.session("ran", "please begin", called("the Needle of auth.py"))
    world.session("other", "please begin", called("nothing"))
    world.scan()
    most = {
        "needle": 0,
        "eedl": 0,
        "auth.py": 0,
        "Needle": 0,
        "NEEDLE": 0,
        '"the needle"': 1,
        "begin -nothing": 0,
    }
    before = {query: [(hit.row.id, hit.tier) for hit in world.hits(query)] for query in most}
    assert world.index.tool_words.update(world.index.rows(), least=bool)
    with world.open() as index:
        for query, files in most.items():
            search = index.query(query)
            assert [(hit.row.id, hit.tier) for page in search for hit in page.hits] == before[query], query
            assert search.files_read <= files, query
    world.append("other", "more")
    world.scan()
    assert world.ids("nothing") == ["other"], "the words of a session that has changed are not current"


def test_tags_and_notes_are_found(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.session("s1", "please begin")
    world.session("s2", "please begin")
    state = str(tmp_path / "state")
    with Index([pi_store(world.root)], str(tmp_path / "other"), state_folder=state) as index:
        index.scan()
        assert list(index.search("harvest")) == []
        change_tagging(state, "pi", "s1", lambda _: Tagging(("harvest",), "Ask Ada about wheat"))
        (hit,) = index.search("harvest")
        assert (hit.row.id, hit.tier, hit.where, hit.snippet) == ("s1", "name", "tag", "harvest")
        (hit,) = index.search("wheat")
        assert (hit.row.id, hit.tier, hit.where) == ("s1", "conversation", "note")
        change_tagging(state, "pi", "s1", lambda _: Tagging())
        assert list(index.search("harvest")) == []
    world.index.close()


@cases("order", ["best", "recent", "name"])
def test_a_live_search_appends_what_files_have(world: World, order: str) -> None:
    world.session("said", "please begin", "needle")
    for number in range(3):
        world.session(f"ran{number}", "please begin", called("needle"))
    world.scan()
    live = [hit.row.id for hit in world.hits("needle", live=True, order=order)]
    assert live[0] == "said"
    assert sorted(live) == ["ran0", "ran1", "ran2", "said"]


def test_a_provisional_page_has_hits_that_come_again(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "please begin", "needle", *([titled("needle")] if number < 2 else []))
    world.scan()
    first, *rest = world.pages("needle", live=True)
    assert first.is_provisional
    assert not any(page.is_provisional for page in rest)
    ids = [hit.row.id for page in rest for hit in page.hits]
    others = [row.id for row in world.index.rows() if row.id not in ("s000", "s001")]
    assert (sorted(ids[:2]), ids[2:]) == (["s000", "s001"], others)
    assert not any(page.is_provisional for page in world.pages("needle"))


def test_a_session_that_vanished_is_no_hit_in_its_tools(world: World) -> None:
    world.session("s1", "please begin", called("needle"))
    world.session("s2", "please begin", "needle")
    world.scan()
    world.path("s1").unlink()
    world.path("s2").unlink()
    pages = world.pages("needle")
    (hit,) = [hit for page in pages for hit in page.hits]
    assert (hit.row.id, hit.snippet) == ("s2", "needle")
    assert pages[-1].notes == ()


# -- loosened --


def test_sessions_with_some_words_follow_if_none_has_all(world: World) -> None:
    world.session("two", "please begin", "apple", "pear")
    world.session("ran", "please begin", called("apple plum"))
    world.session("one", "please begin", "pear")
    for number in range(4):
        world.session(f"s{number}", "please begin")
    world.scan()
    pages = world.pages("apple pear plum")
    assert pages[-1].loosened
    hits = [hit for page in pages for hit in page.hits]
    # "plum" is rarer than "pear", and "pear" alone is less than half of "apple" and "plum".
    assert [(hit.row.id, hit.missing) for hit in hits] == [("ran", ("pear",)), ("two", ("plum",))]
    assert pages[-1].total == 2
    assert not world.pages("apple pear")[-1].loosened


@cases(
    "query",
    [
        "apple zebra -pear",
        '"an apple" zebra',
        "re:ap.le zebra",
        "zebra",
        "agent:pi apple zebra",
        "in:text apple zebra",
    ],
)
def test_exact_queries_are_not_loosened(world: World, query: str) -> None:
    world.session("s1", "please begin", "an apple")
    world.scan()
    page = world.pages(query)[-1]
    assert (page.total, page.loosened) == (0, False)


def test_the_word_that_is_being_typed_loosens_nothing(world: World) -> None:
    world.session("s1", "please begin", "apple")
    world.session("s2", "please begin", "pear")
    world.scan()
    for text, total in (("apple zeb", 0), ("apple zeb ", 1), ("apple pear", 0), ("apple pear zeb", 2)):
        page = world.pages(text, typing=True)[-1]
        assert (page.total, page.loosened) == (total, total > 0), text


def test_a_word_that_nobody_has_is_first_searched_in_other_spellings(world: World) -> None:
    world.session("s1", "please begin", "the frobnicator works")
    world.session("s2", "please begin", "it works")
    world.scan()
    pages = world.pages("frobnicatro works")
    assert [hit.row.id for page in pages for hit in page.hits] == ["s1"]
    assert not pages[-1].loosened
    assert pages[-1].instead == {"frobnicatro": ("frobnicator",)}


def test_one_word_too_many_finds_something(world: World) -> None:
    world.session("s1", "please begin", "apple")
    world.scan()
    (hit,) = world.hits("apple zebra")
    assert (hit.row.id, hit.missing, hit.tier) == ("s1", ("zebra",), "conversation")


def branch(id: str, parent: str | None, text: str) -> dict[str, Any]:
    return message(id, parent, "user", text)


def test_a_hit_is_on_the_active_path_or_on_one_of_the_branches(world: World) -> None:
    """Three branches: a-b, a-c-d and the active a-c-e."""
    lines = [
        branch("a", None, "root"),
        branch("b", "a", "first"),
        branch("c", "a", "shared"),
        branch("d", "c", "second"),
        branch("e", "c", "third"),
    ]
    world.session("s1", *lines)
    world.session("s2", "straight", "on", {"type": "session_info", "name": "Named"})
    world.scan()
    places = {
        text: world.index.place(world.one(text)) for text in ("root", "first", "shared", "second", "third")
    }
    assert places == {
        "root": (True, 3, 3),
        "first": (False, 1, 3),
        "shared": (True, 3, 3),
        "second": (False, 2, 3),
        "third": (True, 3, 3),
    }
    finder = world.index._engine._branch_finder
    assert finder is not None
    assert finder.opened == 1
    assert world.index.place(world.one("straight")) == (True, 1, 1)
    assert world.index.place(world.one("named")).on_active_path is None
    assert finder.opened == 1
    world.append("s1", "one more on a branch of its own", 500)
    world.scan()
    assert world.index.place(world.one("second")) == (False, 2, 4)
    assert finder.opened == 2


@pytest.mark.parametrize(
    ("lines", "off"),
    [
        # Two entries with one id; the agent continues from the second.
        ([("a", None), ("b", "a"), ("b", "a"), ("c", "b")], {1}),
        ([("a", None), ("b", "a"), ("b", None), ("c", "b")], {0, 1}),
        # A child before its parent, which is the last entry and so the leaf.
        ([("b", "a"), ("a", None)], {0}),
        # A loop beside the other entries.
        ([("a", "b"), ("b", "a"), ("c", None)], {0, 1}),
        ([("a", "a"), ("c", None)], {0}),
    ],
)
def test_a_damaged_file_with_one_leaf_has_entries_off_the_active_path(
    world: World, lines: list[tuple[str, str | None]], off: set[int]
) -> None:
    entries = [branch(id, parent, f"text{number}") for number, (id, parent) in enumerate(lines)]
    world.session("s1", *entries)
    world.scan()

    def active() -> list[bool | None]:
        hits = [world.one(f"text{number}") for number in range(len(lines))]
        assert {hit.row.leaf_count for hit in hits} == {1}
        return [world.index.place(hit).on_active_path for hit in hits]

    assert active() == [number not in off for number in range(len(lines))]
    # The same for a file that grew line by line.
    file_lines = world.path("s1").read_bytes().splitlines(keepends=True)
    world.path("s1").unlink()
    for line in file_lines:
        with world.path("s1").open("ab") as file:
            file.write(line)
        world.scan()
    assert active() == [number not in off for number in range(len(lines))]


def test_a_label_is_on_the_branch_of_its_entry(world: World) -> None:
    label = {"type": "label", "id": "l", "parentId": "c", "label": "keepsake", "targetId": "b"}
    world.session("s1", branch("a", None, "root"), branch("b", "a", "first"), branch("c", "a", "x"), label)
    world.scan()
    assert world.index.place(world.one("keepsake")) == (False, 1, 2)
    assert world.index.place(world.one("first")) == (False, 1, 2)


def test_the_branch_of_a_hit_in_a_missing_file_is_unknown(world: World) -> None:
    world.session("s1", branch("a", None, "root"), branch("b", "a", "first"), branch("c", "a", "last"))
    world.scan()
    shown, unseen = world.one("first"), world.one("first")
    assert shown.entry_id == "b"
    world.path("s1").unlink()
    for hit in (shown, unseen):
        assert world.index.place(hit).on_active_path is None


def test_there_is_no_third_order(world: World) -> None:
    with pytest.raises(ValueError, match="no such order: 'newest'"):
        world.index.query("fox", order="newest")
