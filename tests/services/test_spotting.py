"""What the search found is told with its hits, and each hit with its place."""

from __future__ import annotations

import os
import queue

import pytest

from app.index.index import Index
from app.services import hit_locator
from app.services.hit_locator import ACTIVE, HitLocator
from app.services.searching import Searching
from app.stores import discover
from tests.factory import chain, entry, header, message, write_session
from tests.waiting import PATIENCE


def failed(error):
    raise error


@pytest.fixture
def stored(tmp_path):
    """A store with a branched and a straight session, the branched one older, and an index over it."""
    root = tmp_path / "home/.pi/agent/sessions/--work-app--"
    branched = [
        header("branched"),
        message("a", None, "user", "find the needle"),
        message("b", "a", "assistant", "a needle in a haystack"),
        message("c", "b", "user", "burn it"),
        message("d", "c", "assistant", "all gone: Ashes"),
        message("e", "b", "user", "use a magnet"),
        message("f", "e", "assistant", "there it is"),
        entry("label", "g", "f", targetId="d", label="fire"),
    ]
    for number, (name, lines) in enumerate(
        (("2026_branched", branched), ("2026_plain", chain("a needle", "no ashes, no fire", id="plain")))
    ):
        file = write_session(root / f"{name}.jsonl", *lines)
        os.utime(file, (1_780_000_000 + number, 1_780_000_000 + number))
    env = {"HOME": str(tmp_path / "home")}
    index = Index(discover(env, env["HOME"], "/work/app"), str(tmp_path / "cache"), lambda: 1_790_000_000_000)
    index.scan()
    yield index
    index.close()


def search(index, text, **how):
    posted = queue.Queue()
    searching = Searching(lambda: index, posted.put, failed)
    searching.ask(text, **how)
    try:
        while not (found := posted.get(timeout=PATIENCE)).done:
            pass
        return found
    finally:
        searching.stop()


def spot(index, text, name, messages=1):
    found = search(index, text)
    path, hit = next((path, hit) for path, hit in found.hits.items() if name in path)
    posted = queue.Queue()
    spotter = HitLocator(lambda: index, posted.put, failed)
    spotter.ask(path, hit, text)
    try:
        placed = [posted.get(timeout=PATIENCE) for _ in range(messages)]
    finally:
        spotter.stop()
    assert all((each.path, each.query) == (path, text) for each in placed)
    return placed if messages > 1 else placed[0]


def test_every_path_comes_with_its_hit_in_the_order_of_the_search(stored):
    found = search(stored, "needle")
    assert [path.rpartition("_")[2] for path in found.order] == ["plain.jsonl", "branched.jsonl"]
    assert found.paths == set(found.order) == set(found.hits)
    assert all(path == hit.path for path, hit in found.hits.items())
    assert not any(hit.is_filled for hit in found.hits.values())
    assert found.words == ("needle",)
    assert found.took_ms >= 0


def test_the_order_by_relevance_puts_the_better_place_first(stored):
    def order(how):
        return [path.rpartition("_")[2] for path in search(stored, "fire", order=how).order]

    assert order("recent") == ["plain.jsonl", "branched.jsonl"]
    assert order("relevance") == ["branched.jsonl", "plain.jsonl"]


def test_everywhere_is_looked_in_on_demand(stored, tmp_path):
    call = {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"command": "make zebra"}}
    lines = [*chain("go", id="tools"), message("t", "00000001", "assistant", "")]
    lines[-1]["message"]["content"] = [call]
    root = tmp_path / "home/.pi/agent/sessions/--work-app--"
    write_session(root / "2026_tools.jsonl", *lines)
    stored.scan()
    assert not search(stored, "zebra").paths
    assert len(search(stored, "zebra", everywhere=True).paths) == 1


def test_a_hit_on_a_branch_that_was_left_is_placed(stored):
    placed = spot(stored, "Ashes", "branched")
    assert (placed.entry_id, placed.where) == ("d", "branch 1 of 2, not on the active path")
    assert placed.words == ("ashes",)
    assert placed.is_entry
    with open(placed.path, "rb") as file:
        file.seek(placed.offset)
        assert b'"id": "d"' in file.readline()


def test_a_hit_on_the_active_path_and_one_without_branches(stored):
    assert spot(stored, "magnet", "branched").where == ACTIVE
    assert spot(stored, "needle", "plain").where == ""


def test_what_a_pattern_or_another_spelling_found_is_marked(stored):
    assert spot(stored, "re:hay.{2}", "branched").words == ("hayst",)
    assert "haystack" in spot(stored, "haystakc", "branched").words


def test_a_name_is_no_entry(stored):
    placed = spot(stored, "plain", "plain")
    assert (placed.entry_id, placed.offset, placed.is_entry, placed.where) == (None, -1, False, "")


def test_of_a_long_session_the_hit_comes_before_its_place(stored, monkeypatch):
    monkeypatch.setattr(hit_locator, "AT_ONCE", 0)
    first, second = spot(stored, "Ashes", "branched", messages=2)
    assert (first.where, first.again) == ("", False)
    assert (second.where, second.again) == ("branch 1 of 2, not on the active path", True)
    assert (first.entry_id, first.offset) == (second.entry_id, second.offset)


def test_who_types_does_not_wait_for_a_place(stored, monkeypatch):
    from threading import Event, Thread

    from app.index.search import shape

    found = search(stored, "Ashes")
    hit = next(hit for path, hit in found.hits.items() if "branched" in path)
    begun, go_on = Event(), Event()
    read_shape = shape.read_shape

    def slow(*how):
        begun.set()
        assert go_on.wait(PATIENCE)
        return read_shape(*how)

    monkeypatch.setattr(shape, "read_shape", slow)
    places = []
    placing = Thread(target=lambda: places.append(stored.place(hit)))
    placing.start()
    assert begun.wait(PATIENCE)
    assert len(search(stored, "needle").paths) == 2
    go_on.set()
    placing.join(PATIENCE)
    assert places[0].branches == 2


def test_a_place_that_nobody_waits_for_is_not_remembered(stored):
    found = search(stored, "Ashes")
    hit = next(hit for path, hit in found.hits.items() if "branched" in path)
    assert stored.place(hit, lambda: False).on_active_path is None
    assert stored.place(hit).on_active_path is False


@pytest.mark.parametrize("harm", [os.unlink, lambda path: os.truncate(path, 10)])
def test_a_session_that_is_gone_by_then_is_answered_all_the_same(stored, harm):
    found = search(stored, "Ashes")
    path, hit = next((path, hit) for path, hit in found.hits.items() if "branched" in path)
    harm(path)
    posted = queue.Queue()
    spotter = HitLocator(lambda: stored, posted.put, failed)
    spotter.ask(path, hit, "Ashes")
    placed = posted.get(timeout=PATIENCE)
    spotter.stop()
    assert (placed.where, placed.entry_id) == ("", None)
