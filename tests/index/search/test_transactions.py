"""Lines of pi's version 4 hold several entries and values: a hit names its entry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.formats import text_kinds

if TYPE_CHECKING:
    from app.index.search.results import Hit
    from tests.index.search.helpers import World

MS = 1_784_999_976_743
LONG = "filler " * 4000


def entry(own: str, parent: str | None, role: str, content: Any) -> dict[str, Any]:
    content_message = {"role": role, "content": content}
    return {
        "kind": "entry",
        "type": "message",
        "id": own,
        "parentId": parent,
        "timestamp": MS,
        "message": content_message,
    }


def value(space: str, key: str, *of: Any) -> dict[str, Any]:
    return {"kind": "value", "namespace": space, "key": key, "op": "set" if of else "delete"} | (
        {"value": of[0]} if of else {}
    )


def write(world: World, *lines: Any, name: str = "v4") -> None:
    head = {"v": 4, "kind": "header", "id": name, "storageVersion": 1, "createdAt": MS, "cwd": "/w"}
    world.path(name).write_text("".join(json.dumps(line) + "\n" for line in (head, *lines)))
    world.scan()


def fields_of(hits: list[Hit]) -> list[tuple[str | None, str, str]]:
    return [(hit.entry_id, hit.role, hit.snippet) for hit in hits]


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_each_entry_of_a_transaction_has_its_own_hit(world: World, scope: str) -> None:
    write(
        world,
        [
            entry("a", None, "user", "root"),
            entry("b", "a", "user", "kept shared"),
            entry("c", "a", "assistant", "an answer"),
            entry("d", "c", "user", "left shared"),
            value("pi.branch.tip", "main", "b"),
        ],
    )
    every = [("d", "user", "left shared"), ("b", "user", "kept shared")]
    assert fields_of(world.hits("shared" + scope, every=True)) == every
    assert fields_of(world.hits("shared" + scope)) == every[:1]
    place = world.index.place(world.one("shared" + scope))
    assert place.on_active_path is False


def test_two_entries_with_the_same_words_have_their_own_hits(world: World) -> None:
    write(world, [entry(own, "a" if own != "a" else None, "user", "yes") for own in "abc"])
    assert [hit.entry_id for hit in world.hits("yes", every=True)] == ["c", "b", "a"]


def test_long_entries_of_a_transaction(world: World) -> None:
    """Only the part of a long text around a match is decoded."""
    write(
        world,
        [
            entry("a", None, "user", "shared one"),
            entry("b", "a", "user", f"shared two {LONG}"),
            entry("c", "b", "user", f"{LONG} shared three {LONG}"),
            entry("d", "c", "user", f"{LONG} four {LONG} shared"),
        ],
    )
    hits = world.hits("shared", every=True)
    assert [hit.entry_id for hit in hits] == ["d", "c", "b", "a"]
    assert "shared three" in hits[1].snippet
    assert hits[2].snippet.startswith("shared two")


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_capitals_count_in_each_entry_of_a_transaction(world: World, scope: str) -> None:
    write(
        world,
        [
            # The escaped text has the word when it is decoded.
            entry("a", None, "user", "Shared it is, café"),
            entry("b", "a", "user", "shared and It"),
            entry("c", "b", "user", "SHARED"),
        ],
    )
    assert [hit.entry_id for hit in world.hits("Shared" + scope, every=True)] == ["a"]
    assert [hit.entry_id for hit in world.hits("Shared It" + scope, every=True)] == ["b", "a"]
    assert world.one("Shared" + scope).entry_id == "a"


def test_neighbours_in_the_store_with_lines_at_the_same_offset(world: World) -> None:
    """The offset alone does not say which session a passage belongs to."""
    for name in ("one", "two", "six"):
        write(
            world, [entry("a", None, "user", "shared"), entry("b", "a", "user", f"shared {name}")], name=name
        )
    entries = [(hit.row.id, hit.entry_id) for hit in world.hits("shared", every=True)]
    assert sorted(entries) == [(name, own) for name in ("one", "six", "two") for own in "ab"]


def test_values_are_found_in_all(world: World) -> None:
    write(
        world,
        entry("a", None, "user", "hello"),
        [value("pi.entry.label", "a", "taken off"), value("pi.entry.label", "a")],
        value("pi.entry.label", "a", "replaced"),
        value("pi.entry.label", "a", "kept"),
        value("pi.session.name", "", "former"),
        value("pi.session.name", "", "latter"),
        value("my.ext", "note", {"deep": ["thing"]}),
        {"kind": "list", "namespace": "my.list", "key": "k", "op": "append", "value": "listed"},
        {"kind": "usage", "id": "u", "model": "dear", "note": "retried", "usage": {"input": 1}},
        value("pi.branch.tip", "main", "a"),
    )
    results = {
        word: [(hit.role, hit.kind, hit.entry_id) for hit in world.hits(f"{word} in:all", every=True)]
        for word in ("taken", "replaced", "former", "thing", "listed", "retried", "my.ext")
    }
    assert results == {
        "taken": [("label", text_kinds.OTHER, None)],
        "replaced": [("label", text_kinds.OTHER, None)],
        "former": [("session_info", text_kinds.OTHER, None)],
        "thing": [("value", text_kinds.OTHER, None)],
        "listed": [("list", text_kinds.OTHER, None)],
        "retried": [("usage", text_kinds.OTHER, None)],
        "my.ext": [("value", text_kinds.OTHER, None)],
    }
    assert world.one("thing in:all").snippet == "my.ext note thing"
    # Only the texts, as in files of version 3.
    assert world.hits("taken") == []
    # The words of the format and ids are not searched.
    for word in ("append", "main", "namespace", "pi.branch.tip", "delete"):
        assert world.hits(f"{word} in:all") == []


def test_each_call_of_an_entry_has_its_own_hit(world: World) -> None:
    calls = [
        {"type": "toolCall", "id": name, "name": name, "arguments": {"path": f"shared of {name}"}}
        for name in ("read", "edit")
    ]
    world.session("s1", "go", {"type": "message", "message": {"role": "assistant", "content": calls}})
    world.scan()
    hits = world.hits("shared in:tools", every=True)
    assert sorted(hit.snippet for hit in hits) == ["edit path shared of edit", "read path shared of read"]
    assert world.one("shared tool:edit").snippet == "edit path shared of edit"
