"""A slow search while sessions change: it is completed and then repeated."""

from __future__ import annotations

import asyncio
import os
import queue
from itertools import pairwise
from threading import Event

import pytest
from leafmark import Hit, Index

from app.index import Page
from app.index.query import parse
from app.index.search import Hits
from app.services import session_search
from app.services.session_search import ACTIVE, HitLocator, SessionSearch
from app.stores import discover
from tests.factory import chain, entry, header, make_row, message, write_session
from tests.waiting import PATIENCE

FLOOD = 50


class SlowSearch:
    """Finds one session, waits until it `may_end`, and then finds all sessions that existed at its start."""

    def __init__(self, index, text, keep_going):
        self.query = parse(text, 0, home="")
        self.found = list(index.rows)
        self.may_end = Event()
        self.is_on = Event()
        self.is_cancelled = False
        self.is_done = False
        self.keep_going = keep_going

    def cancel(self):
        self.is_cancelled = True

    def __iter__(self):
        hits = [Hit(row, "row") for row in self.found]
        yield Page(Hits(hits[:1]))
        self.is_on.set()
        while not self.may_end.wait(0.01) and self.keep_going():
            pass
        if not self.keep_going():
            return
        self.is_done = True
        yield Page(Hits(hits[1:]), done=True)


class SlowIndex:
    """Has the rows that a search finds, and a queue of the searches."""

    def __init__(self):
        self.rows = [make_row("1")]
        self.begun = queue.Queue()

    def query(self, text, *, order, live, typing, keep_going):
        search = SlowSearch(self, text, keep_going)
        self.begun.put(search)
        return search

    def prepare(self, keep_going):
        pass

    def next_search(self):
        search = self.begun.get(timeout=PATIENCE)
        assert search.is_on.wait(PATIENCE)
        return search


@pytest.fixture
def index():
    return SlowIndex()


@pytest.fixture
def posted():
    return queue.Queue()


@pytest.fixture
def searching(index, posted):
    searching = SessionSearch(lambda: index, posted.put)
    yield searching
    searching.stop()


def paths(number):
    return {make_row(str(id)).path for id in range(1, number + 1)}


def complete_answer(posted):
    """The next complete answer."""
    while not (answer := posted.get(timeout=PATIENCE)).done:
        pass
    return answer


def flood(index, searching, text, **options):
    """Add fifty sessions, one after the other, and search again after each."""
    for _ in range(FLOOD):
        index.rows.append(make_row(str(len(index.rows) + 1)))
        searching.search(text, **options)


def test_preparing_does_not_cancel_a_search(index, posted):
    is_ready = Event()

    def slow_index():
        assert is_ready.wait(PATIENCE)
        return index

    searching = SessionSearch(slow_index, posted.put)
    try:
        searching.prepare()
        searching.search("needle")
        searching.prepare()
        is_ready.set()
        index.next_search().may_end.set()
        assert complete_answer(posted).paths == paths(1)
    finally:
        searching.stop()


def test_changes_do_not_interrupt_a_search_and_cause_one_more(index, searching, posted):
    searching.search("needle")
    slow = index.next_search()
    flood(index, searching, "needle")
    slow.may_end.set()
    repeated = index.next_search()
    assert slow.is_done
    assert not slow.is_cancelled
    repeated.may_end.set()
    assert complete_answer(posted).paths == paths(1 + FLOOD)
    assert index.begun.empty(), "one search covers all fifty changes"


def test_an_outdated_answer_is_posted_as_incomplete(index, searching, posted):
    searching.search("needle")
    slow = index.next_search()
    flood(index, searching, "needle")
    slow.may_end.set()
    answer = posted.get(timeout=PATIENCE)
    while len(answer.paths) < len(slow.found):
        answer = posted.get(timeout=PATIENCE)
    assert not answer.done, "another search follows"
    index.next_search().may_end.set()
    assert complete_answer(posted).paths == paths(1 + FLOOD)


def test_every_search_ends_however_often_sessions_change(index, searching, posted):
    searching.search("needle")
    searches = [index.next_search()]
    for _ in range(5):
        flood(index, searching, "needle")
        searches[-1].may_end.set()
        searches.append(index.next_search())
    searches[-1].may_end.set()
    assert complete_answer(posted).paths == paths(1 + 5 * FLOOD)
    assert all(search.is_done for search in searches)


def test_results_stay_until_the_next_search_is_complete(index, searching, posted, monkeypatch):
    for pause in ("FIRST_SECONDS", "POST_SECONDS"):  # every page is posted
        monkeypatch.setattr(session_search, pause, 0)
    index.rows = [make_row(str(number + 1)) for number in range(3)]
    searching.search("needle")
    index.next_search().may_end.set()
    assert complete_answer(posted).paths == paths(3)
    flood(index, searching, "needle")
    index.next_search().may_end.set()
    answers = [posted.get(timeout=PATIENCE)]
    while not answers[-1].done:
        index.next_search().may_end.set()
        answers.append(posted.get(timeout=PATIENCE))
    assert all(before.paths <= after.paths for before, after in pairwise(answers))
    assert answers[0].paths >= paths(3), "no page of the new search removes a session from the list"
    assert answers[-1].paths == paths(3 + FLOOD)


@pytest.mark.parametrize(
    "query", [("magnet", {}), ("needle", {"order": "recent"}), ("needle", {"typing": True})]
)
def test_another_query_cancels_the_search_at_once(index, searching, posted, query):
    searching.search("needle")
    slow = index.next_search()
    flood(index, searching, "needle")
    text, options = query
    searching.search(text, **options)
    newest = index.next_search()
    assert not slow.is_done, "it was cancelled before it could end"
    assert index.begun.empty()
    newest.may_end.set()
    answer = complete_answer(posted)
    assert answer.query == text


def test_a_repeated_query_is_searched_again(index, searching, posted):
    index.rows = [make_row(str(number + 1)) for number in range(3)]
    searching.search("needle")
    index.next_search().may_end.set()
    assert complete_answer(posted).done
    searching.search("needles")
    index.next_search()
    searching.search("needle")
    slow = index.next_search()
    slow.may_end.set()
    assert complete_answer(posted).paths == paths(3)


def test_an_empty_query_cancels_the_search(index, searching, posted):
    searching.search("needle")
    slow = index.next_search()
    searching.search("")
    searching.search("magnet")
    index.next_search().may_end.set()
    assert complete_answer(posted).query == "magnet"
    assert not slow.is_done


@pytest.fixture
def stored(tmp_path):
    """An index of a store with a session without branches, and an older session with branches."""
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


def search(index, text, **options):
    posted = queue.Queue()
    searching = SessionSearch(lambda: index, posted.put)
    searching.search(text, **options)
    try:
        while not (answer := posted.get(timeout=PATIENCE)).done:
            pass
        return answer
    finally:
        searching.stop()


def located(index, path, hit, text):
    """The places of a hit."""

    async def places():
        locator = HitLocator(lambda: index, lambda message: None)
        found = [place async for place in locator.places(path, hit, text)]
        locator.stop()
        return found

    return asyncio.run(places())


def spot(index, text, name, messages=1):
    answer = search(index, text)
    path, hit = next((path, hit) for path, hit in answer.hits.items() if name in path)
    placed = located(index, path, hit, text)
    assert len(placed) == messages
    assert all((place.path, place.query) == (path, text) for place in placed)
    return placed if messages > 1 else placed[0]


def test_results_have_a_hit_for_each_path_in_the_order_of_the_search(stored):
    answer = search(stored, "needle")
    assert [path.rpartition("_")[2] for path in answer.order] == ["plain.jsonl", "branched.jsonl"]
    assert answer.paths == set(answer.order) == set(answer.hits)
    assert all(path == hit.path for path, hit in answer.hits.items())
    assert not any(hit.is_filled for hit in answer.hits.values())
    assert answer.words == ("needle",)


def test_the_best_match_comes_first_unless_another_order_is_asked_for(stored):
    def ids_in(order_name):
        return [path.rpartition("_")[2] for path in search(stored, "fire", order=order_name).order]

    assert ids_in("recent") == ["plain.jsonl", "branched.jsonl"]
    assert ids_in("best") == ["branched.jsonl", "plain.jsonl"]


def test_tool_calls_are_searched(stored, tmp_path):
    call = {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"command": "make zebra"}}
    lines = [*chain("go", id="tools"), message("t", "00000001", "assistant", "")]
    lines[-1]["message"]["content"] = [call]
    root = tmp_path / "home/.pi/agent/sessions/--work-app--"
    write_session(root / "2026_tools.jsonl", *lines)
    stored.scan()
    assert not search(stored, "zebra in:text").paths
    assert len(search(stored, "zebra").paths) == 1


def test_a_hit_on_an_inactive_branch_names_the_branch(stored):
    placed = spot(stored, "Ashes", "branched")
    assert (placed.entry_id, placed.where) == ("d", "branch 1 of 2, not on the active path")
    assert placed.words == ("ashes",)
    assert placed.is_entry
    with open(placed.path, "rb") as file:
        file.seek(placed.offset)
        assert b'"id": "d"' in file.readline()


def test_a_hit_on_the_active_path_says_so_if_there_are_branches(stored):
    assert spot(stored, "magnet", "branched").where == ACTIVE
    assert spot(stored, "needle", "plain").where == ""


def test_matches_of_a_regex_and_of_another_spelling_are_highlighted(stored):
    assert spot(stored, "re:hay.{2}", "branched").words == ("hayst",)
    assert "haystack" in spot(stored, "haystakc", "branched").words


def test_a_hit_in_the_name_has_no_entry(stored):
    placed = spot(stored, "plain", "plain")
    assert (placed.entry_id, placed.offset, placed.is_entry, placed.where) == (None, -1, False, "")


def test_the_hit_in_a_long_session_comes_before_its_branch(stored, monkeypatch):
    monkeypatch.setattr(session_search, "LARGE_SESSION", 0)
    first, second = spot(stored, "Ashes", "branched", messages=2)
    assert (first.where, first.again) == ("", False)
    assert (second.where, second.again) == ("branch 1 of 2, not on the active path", True)
    assert (first.entry_id, first.offset) == (second.entry_id, second.offset)


def test_a_search_does_not_wait_for_the_branch_of_a_hit(stored, monkeypatch):
    from threading import Event, Thread

    from app.index.search import hit_branch

    answer = search(stored, "Ashes")
    hit = next(hit for path, hit in answer.hits.items() if "branched" in path)
    begun, go_on = Event(), Event()
    read_structure = hit_branch.read_structure

    def slow(*arguments):
        begun.set()
        assert go_on.wait(PATIENCE)
        return read_structure(*arguments)

    monkeypatch.setattr(hit_branch, "read_structure", slow)
    places = []
    placing = Thread(target=lambda: places.append(stored.place(hit)))
    placing.start()
    assert begun.wait(PATIENCE)
    assert len(search(stored, "needle").paths) == 2
    go_on.set()
    placing.join(PATIENCE)
    assert places[0].branches == 2


def test_a_cancelled_place_is_not_cached(stored):
    answer = search(stored, "Ashes")
    hit = next(hit for path, hit in answer.hits.items() if "branched" in path)
    assert stored.place(hit, lambda: False).on_active_path is None
    assert stored.place(hit).on_active_path is False


@pytest.mark.parametrize("harm", [os.unlink, lambda path: os.truncate(path, 10)])
def test_a_hit_in_a_removed_session_gets_an_answer(stored, harm):
    answer = search(stored, "Ashes")
    path, hit = next((path, hit) for path, hit in answer.hits.items() if "branched" in path)
    harm(path)
    (placed,) = located(stored, path, hit, "Ashes")
    assert (placed.where, placed.entry_id) == ("", None)
