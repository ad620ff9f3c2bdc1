"""A search that is slow, while sessions change all the time: it comes to its end, and is made again."""

from __future__ import annotations

import queue
from itertools import pairwise
from threading import Event
from types import SimpleNamespace

import pytest

from app.index.query.grammar import parse
from app.index.search.results import Hit, Hits
from app.services import searching as services
from app.services.searching import Searching
from tests.factory import make_row
from tests.waiting import PATIENCE

FLOOD = 50


class SlowSearch:
    """Tells one session, waits until it `may_end`, and tells all that there were when it began."""

    def __init__(self, index, text, keep_going):
        self.query = parse(text, 0, home="")
        self.found = list(index.rows)
        self.may_end = Event()
        self.is_on = Event()
        self.is_cancelled = False
        self.is_done = False
        self._keep_going = keep_going

    def cancel(self):
        self.is_cancelled = True

    def __iter__(self):
        hits = [Hit(row, "row") for row in self.found]
        yield SimpleNamespace(hits=Hits(hits[:1]), done=False, notes=())
        self.is_on.set()
        while not self.may_end.wait(0.01) and self._keep_going():
            pass
        if not self._keep_going():
            return
        self.is_done = True
        yield SimpleNamespace(hits=Hits(hits[1:]), done=True, notes=())


class SlowIndex:
    """Has the rows that a search finds, and keeps the searches as they come."""

    def __init__(self):
        self.rows = [make_row("1")]
        self.begun = queue.Queue()

    def query(self, text, *, order, all_text, keep_going):
        search = SlowSearch(self, text, keep_going)
        self.begun.put(search)
        return search

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
    def failed(error):
        raise error

    searching = Searching(lambda: index, posted.put, failed)
    yield searching
    searching.stop()


def paths(number):
    return {make_row(str(at + 1)).path for at in range(number)}


def whole(posted):
    """The next answer that is all."""
    while not (found := posted.get(timeout=PATIENCE)).done:
        pass
    return found


def flood(index, searching, text, **how):
    """Fifty sessions come, one after the other."""
    for _ in range(FLOOD):
        index.rows.append(make_row(str(len(index.rows) + 1)))
        searching.ask(text, **how)


def test_news_let_a_search_come_to_its_end_and_are_looked_for_once(index, searching, posted):
    searching.ask("needle")
    slow = index.next_search()
    flood(index, searching, "needle")
    slow.may_end.set()
    again = index.next_search()
    assert slow.is_done
    assert not slow.is_cancelled
    again.may_end.set()
    assert whole(posted).paths == paths(1 + FLOOD)
    assert index.begun.empty(), "fifty news are looked for in one search"


def test_an_answer_that_is_out_of_date_is_told_and_not_said_to_be_all(index, searching, posted):
    searching.ask("needle")
    slow = index.next_search()
    flood(index, searching, "needle")
    slow.may_end.set()
    found = posted.get(timeout=PATIENCE)
    while len(found.paths) < len(slow.found):
        found = posted.get(timeout=PATIENCE)
    assert not found.done, "more is looked for"
    index.next_search().may_end.set()
    assert whole(posted).paths == paths(1 + FLOOD)


def test_however_often_sessions_change_every_search_comes_to_its_end(index, searching, posted):
    searching.ask("needle")
    searches = [index.next_search()]
    for _ in range(5):
        flood(index, searching, "needle")
        searches[-1].may_end.set()
        searches.append(index.next_search())
    searches[-1].may_end.set()
    assert whole(posted).paths == paths(1 + 5 * FLOOD)
    assert all(search.is_done for search in searches)


def test_what_was_found_stays_until_all_is_known_anew(index, searching, posted, monkeypatch):
    for pause in ("FIRST_SECONDS", "POST_SECONDS"):  # every page is told
        monkeypatch.setattr(services, pause, 0)
    index.rows = [make_row(str(at + 1)) for at in range(3)]
    searching.ask("needle")
    index.next_search().may_end.set()
    assert whole(posted).paths == paths(3)
    flood(index, searching, "needle")
    index.next_search().may_end.set()
    told = [posted.get(timeout=PATIENCE)]
    while not told[-1].done:
        index.next_search().may_end.set()
        told.append(posted.get(timeout=PATIENCE))
    assert all(before.paths <= after.paths for before, after in pairwise(told))
    assert told[0].paths >= paths(3), "no page of the new search takes a session out of the list"
    assert told[-1].paths == paths(3 + FLOOD)


@pytest.mark.parametrize(
    "other", [("magnet", {}), ("needle", {"order": "relevance"}), ("needle", {"everywhere": True})]
)
def test_another_question_overtakes_at_once(index, searching, posted, other):
    searching.ask("needle")
    slow = index.next_search()
    flood(index, searching, "needle")
    text, how = other
    searching.ask(text, **how)
    newest = index.next_search()
    assert not slow.is_done, "it was given up before it was allowed to end"
    assert index.begun.empty()
    newest.may_end.set()
    found = whole(posted)
    assert (found.query, found.everywhere) == (text, how.get("everywhere", False))


def test_a_question_that_comes_back_is_a_new_one(index, searching, posted):
    index.rows = [make_row(str(at + 1)) for at in range(3)]
    searching.ask("needle")
    index.next_search().may_end.set()
    assert whole(posted).done
    searching.ask("needles")
    index.next_search()
    searching.ask("needle")
    slow = index.next_search()
    slow.may_end.set()
    assert whole(posted).paths == paths(3)


def test_an_empty_question_drops_the_search(index, searching, posted):
    searching.ask("needle")
    slow = index.next_search()
    searching.ask("")
    searching.ask("magnet")
    index.next_search().may_end.set()
    assert whole(posted).query == "magnet"
    assert not slow.is_done
