"""The order of hits, and their branches."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from app.index.search.evaluator import PassageFinder
from app.index.search.search_run import MAX_DENSITY_PASSAGES
from tests.cases import cases
from tests.factory import message

if TYPE_CHECKING:
    from app.index.search.documents import Texts
    from tests.index.search.helpers import World


def test_recent_is_the_order_of_the_list(world: World) -> None:
    for id in ("s1", "s2", "s3"):
        world.session(id, "needle")
    world.append("s1", "more", 500)
    world.scan()
    assert world.ids("needle") == ["s1", "s3", "s2"] == [row.id for row in world.index.rows()]


def test_names_are_more_relevant_than_prompts_and_prompts_than_the_rest(world: World) -> None:
    world.session("named", "hello", {"type": "session_info", "name": "the needle"})
    world.session("asked", "needle " + "in a stack of hay " * 500)
    world.session("said", "hello", "needle needle")
    world.session("labelled", "hello", {"type": "label", "targetId": "labelled-0", "label": "needle"})
    world.session("folder", "hello", cwd="/work/needle")
    world.scan()
    ids = world.ids("needle", order="relevance")
    assert set(ids[:2]) == {"named", "labelled"}
    assert ids[2:] == ["asked", "said", "folder"]
    scores = [hit.score for hit in world.hits("needle", order="relevance")]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 5


@cases("text", ["needle", "Needle", '"needle needle"', "re:need.e", "needle in:all"])
def test_a_prompt_counts_however_many_entries_follow_it(world: World, text: str) -> None:
    fillers = [word for _ in range(MAX_DENSITY_PASSAGES) for word in ("thanks", "Needle needle")]
    world.session("asked", "Needle needle", "hello", *fillers)
    world.session("said", "thanks", "hello", *fillers)
    world.session("just asked", *fillers, "Needle needle", "hello")
    world.scan()
    scores = {hit.row.id: hit.score for hit in world.hits(text, order="relevance")}
    assert scores["asked"] - scores["said"] > 9
    assert abs(scores["asked"] - scores["just asked"]) < 0.1


def test_each_of_several_terms_counts_however_many_entries_follow_it(world: World) -> None:
    fillers = [word for _ in range(MAX_DENSITY_PASSAGES) for word in ("thanks", "a needle")]
    world.session("asked", "a thimble", "hello", *fillers)
    world.session("said", "thanks", "a thimble", *fillers)
    world.session("named", {"type": "session_info", "name": "thimble"}, "a thimble", "hello", *fillers)
    world.scan()
    scores = {hit.row.id: hit.score for hit in world.hits("needle thimble", order="relevance")}
    assert scores["named"] > scores["asked"] + 4 > scores["said"] + 8 > 16
    # Prompts are not searched if the query names another role.
    ids = world.ids("needle thimble role:assistant", order="relevance")
    assert ids == ["said"]


def test_prompts_are_searched_only_if_the_last_passages_have_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last passages of a frequent term include a prompt."""
    calls = Counter[str]()
    real_terms = PassageFinder.terms_in_prompts

    def counted(picker: PassageFinder, texts: Texts, terms: int) -> int:
        calls["searched"] += 1
        return real_terms(picker, texts, terms)

    monkeypatch.setattr(PassageFinder, "terms_in_prompts", counted)
    world.session("often", *["a needle"] * 2 * MAX_DENSITY_PASSAGES)
    world.session("seldom", "hello", "a needle")
    world.session("said", *[word for _ in range(MAX_DENSITY_PASSAGES) for word in ("thanks", "a needle")])
    world.scan()
    assert len(world.ids("needle", order="relevance")) == 3
    assert sum(calls.values()) == 1


def test_dense_matches_and_young_sessions_are_more_relevant(world: World) -> None:
    hay = "a stack of hay " * 300
    world.session("dense", "needle", "the needle", "needle")
    world.session("old", "needle", "hello")
    world.session("young", "needle", "hello")
    world.session("sparse", "needle", hay)
    world.scan()
    assert world.ids("needle", order="relevance") == ["dense", "young", "old", "sparse"]


def test_terms_in_better_places_are_more_relevant(world: World) -> None:
    world.session("both", "apple pear")
    world.session("one", "apple", "pear")
    world.session("none", "hello", "apple pear")
    world.scan()
    assert world.ids("apple pear", order="relevance") == ["both", "one", "none"]


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
