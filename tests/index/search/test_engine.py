"""A search finds the current sessions, and a prepared one loads nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.index.search import cancellation, documents
from tests.index.search.helpers import marked, searcher, texts_searched

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def test_an_appended_entry_is_found_without_asking_for_other_texts(world: World) -> None:
    for number in range(20):
        world.session(f"s{number:02}", "please begin", "hello")
    world.scan()
    assert world.ids("needle") == []
    session_documents = searcher(world.index).documents
    asked_before = session_documents.asked
    world.append("s03", "and a needle")
    world.scan()
    assert world.ids("need") == ["s03"]
    assert session_documents.asked == asked_before + 1
    assert texts_searched(world, "needle") == 1
    # It is the newest now.
    assert world.ids("hello")[0] == "s03"


def test_old_documents_are_not_kept_in_the_cache(world: World) -> None:
    for number in range(5):
        world.session(f"s{number}", "hello")
    world.scan()
    for number in range(5):
        world.append("s2", "hello", seconds=500 + 2 * number)
        world.append("s3", f"{number} more", seconds=501 + 2 * number)
        world.scan()
        assert world.ids("more") == ["s3"]
    cache, snapshot = searcher(world.index).documents.cache, searcher(world.index).documents.snapshot()
    assert cache.lacking == {document for document in snapshot.documents if document.row.id != "s3"}


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


def test_a_write_that_is_rolled_back_is_not_found(world: World) -> None:
    path = world.session("s1", "hello")
    world.scan()
    size = path.stat().st_size
    world.append("s1", "a needle")
    world.scan()
    assert world.ids("needle") == ["s1"]
    os.truncate(path, size)
    world.append("s1", "a thread instead of it")
    world.scan()
    assert world.ids("needle") == []
    assert world.ids("thread") == ["s1"]


def test_sessions_of_a_delta_before_the_first_search_are_found(world: World) -> None:
    ids: list[str] = []
    world.session("s1", "needle")
    world.index.scan(lambda delta: ids.extend(row.id for row in delta.changed))
    assert ids == ["s1"]
    assert world.ids("needle") == ["s1"]


def test_many_changes_make_new_blocks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FIRST", 2)
    for number in range(8):
        world.session(f"s{number}", "needle")
    world.scan()
    assert len(world.ids("needle")) == 8
    for number in (1, 3, 4, 6):
        world.append(f"s{number}", "more", 500 + number)
    world.scan()
    assert world.ids("needle") == ["s6", "s4", "s3", "s1", "s7", "s5", "s2", "s0"]
    blocks = searcher(world.index).documents.snapshot().blocks
    assert [len(block.documents) for block in blocks] == [2, 4, 2]


def test_hits_of_changed_sessions_are_in_their_place(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FIRST", 2)
    for number in range(9):
        world.session(f"s{number}", "needle")
    world.scan()
    assert world.ids("needle") == [f"s{number}" for number in range(8, -1, -1)]
    world.append("s2", "more", 55)  # newer than s4, older than s5
    world.scan()
    assert world.ids("needle") == ["s8", "s7", "s6", "s5", "s2", "s4", "s3", "s1", "s0"]


def test_the_stored_text_is_shown_if_the_line_has_changed(world: World) -> None:
    path = world.session("s1", "hello", "a Needle in the HAY")
    world.scan()
    path.write_text(path.read_text().replace("Needle", "Noodle"))
    hit = world.one("needle")
    assert (hit.entry_id, hit.role, hit.snippet, hit.ranges) == (
        None, "assistant", "a Needle in the HAY", ((2, 8),),
    )  # fmt: skip
    path.unlink()
    assert world.one("needle").snippet == "a Needle in the HAY"


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("is_deleted", [False, True])
@pytest.mark.parametrize(
    ("text", "marked_parts"),
    [
        ("Needle", ["Needle"]),
        ('"Needle in"', ["Needle in"]),
        (r"re:Need\w+", ["Needle"]),
        ("Needle -Pin", ["Needle"]),
        ("Needle HAY", ["Needle", "HAY"]),
    ],
)
def test_the_same_for_a_query_with_capitals(
    world: World, text: str, marked_parts: list[str], is_deleted: bool, every: bool
) -> None:
    path = world.session("s1", "hello", "a Needle in the HAY")
    world.scan()
    (hit,) = world.hits(text, every=every)
    if is_deleted:
        path.unlink()
    else:
        path.write_text(path.read_text().replace("Needle", "Noodle").replace("HAY", "BAY"))
    assert (hit.where, hit.entry_id, hit.role) == ("text", None, "assistant")
    assert (hit.snippet, marked(hit)) == ("a Needle in the HAY", marked_parts)


def test_a_hit_that_only_the_folder_has_is_shown_there(world: World) -> None:
    path = world.session("s1", "about work", cwd="/Work")
    world.scan()
    hit = world.one("Work")
    path.unlink()
    assert (hit.where, hit.snippet) == ("folder", "/Work")


def test_a_scan_without_a_listener_updates_the_search(world: World) -> None:
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


def test_the_stored_text_of_a_missing_file_is_searched_for_capitals(world: World) -> None:
    world.session("s1", "Needle here")
    world.session("s2", "Needle there")
    world.scan()
    world.path("s1").unlink()
    assert world.ids("Needle") == world.ids("needle") == ["s2", "s1"]
    assert world.pages("-Needle")[-1].total == 0


def test_spellings_of_removed_sessions_are_not_offered(world: World) -> None:
    world.session("s1", "gonewordxyz")
    world.session("s2", "goneword")
    world.scan()
    assert world.ids("gonewordxyz") == ["s1"]
    world.path("s1").unlink()
    world.scan()
    page = world.pages("gonewordxyz")[-1]
    assert (page.total, page.notes) == (0, ())


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FIRST", 2)
    monkeypatch.setattr(documents, "MOST", 4)


def test_the_metadata_of_all_sessions_is_packed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        # Some blocks have a session without "e".
        world.session(f"s{number:02}", "hallo" if number % 7 == 3 else "hello")
    world.scan()
    world.index.prepare()
    packed = []
    pack = documents.packed_metadata
    monkeypatch.setattr(documents, "packed_metadata", lambda *args: packed.append(args) or pack(*args))
    assert world.ids("s07") == ["s07"]
    assert world.ids("nowhere") == []
    assert packed == []


def test_preparation_ends_when_a_query_comes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        world.session(f"s{number:02}", "hello")
    world.scan()
    packed = []
    pack = documents.packed_metadata
    monkeypatch.setattr(documents, "packed_metadata", lambda *args: packed.append(args) or pack(*args))
    monkeypatch.setattr(cancellation, "INTERVAL_SECONDS", 0)
    world.index.prepare(lambda: not packed)
    # The metadata of a block are packed together.
    assert 0 < len(packed) <= documents.FIRST


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


def test_neighbours_in_the_store_with_lines_at_the_same_offset(world: World) -> None:
    """The offset alone does not say which session a passage belongs to."""
    for name in ("one", "two", "six"):
        world.session(name, "shared", f"shared {name}")
    world.scan()
    entries = [(hit.row.id, hit.entry_id) for hit in world.hits("shared", every=True)]
    assert sorted(entries) == [
        (name, f"{name}-{number}") for name in ("one", "six", "two") for number in (0, 1)
    ]
