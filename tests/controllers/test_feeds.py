"""The feeds that keep the list current, without a screen and without an index."""

from __future__ import annotations

from app.controllers.facts_feed import FactsFeed
from app.controllers.index_feed import SLICE, IndexFeed
from app.messages import CatalogLoaded, IndexFailed, SessionsChanged
from app.stores.live import Verdict
from tests.controllers.fakes import FakeHost, FakePane, FakeStatusMessages, Recorder, make_setup
from tests.factory import make_row
from tests.view.listed import listed


class Facts(Recorder):
    """Facts that are known at once."""

    live, pins, subagents = {}, frozenset(), ()
    places = (("pi", "/store", "no such folder"),)

    async def find_live(self, rows):
        return self.live

    async def read_pins(self):
        return self.pins, {}

    async def read_journal(self):
        return False, False

    async def find_here(self, folders):
        return []

    async def find_missing(self, folders, agents):
        return frozenset(), frozenset()

    async def find_places(self):
        self.calls.append(("find_places",))
        return self.places

    async def read_subagents(self, rows):
        return self.subagents


class Feeding:
    """Both feeds over a list of two sessions."""

    def __init__(self, **arrangement):
        self.rows = [make_row("a"), make_row("b")]
        self.model = listed(*self.rows, **arrangement)
        self.pane, self.messages = FakePane(self.model), FakeStatusMessages()
        self.host, self.list_facts, self.service = FakeHost(), Facts(), Recorder()
        self.changes, self.followed = [], []
        changed = lambda: self.changes.append(self.model.known)  # noqa: E731
        self.facts = FactsFeed(
            self.host,
            self.messages,
            self.pane,
            self.list_facts,
            make_setup(),
            changed=changed,
            states_changed=lambda: None,
            bars_changed=lambda: None,
        )
        self.feed = IndexFeed(
            make_setup(),
            self.pane,
            self.facts,
            self.messages,
            self.service,
            post=lambda message: None,
            follow=self.follow,
            changed=changed,
        )

    async def follow(self, row):
        self.followed.append(row.id)


async def test_changes_are_listed_and_the_session_under_the_cursor_is_followed():
    feeding = Feeding()
    changed = make_row("a", name="renamed")
    await feeding.feed.sessions_changed(SessionsChanged([changed], [feeding.rows[1].path], 2, 2))
    assert feeding.model.rows() == [changed]
    assert feeding.followed == ["a"]
    assert feeding.changes == [1]
    assert ("look_again",) in feeding.pane.calls


async def test_many_changes_are_all_listed():
    feeding = Feeding()
    rows = [make_row(str(number)) for number in range(2 * SLICE + 1)]
    await feeding.feed.sessions_changed(SessionsChanged(rows, [row.path for row in feeding.rows], 1, 1))
    assert {row.id for row in feeding.model.rows()} == {row.id for row in rows}


async def test_the_header_says_how_far_the_scan_is():
    feeding = Feeding()
    await feeding.feed.sessions_changed(SessionsChanged([], [], 3, 243, unread=(1, 2)))
    assert (feeding.feed.is_reading, feeding.feed.scanned) == (True, False)
    assert feeding.feed.activity == "reading 3 of 243"
    assert feeding.feed.unread == (1, 2)
    await feeding.feed.sessions_changed(SessionsChanged([], [], 243, 243))
    assert (feeding.feed.is_reading, feeding.feed.scanned) == (False, True)
    assert feeding.feed.activity == ""


async def test_a_rescan_says_what_has_changed():
    feeding = Feeding()
    feeding.feed.rescan()
    assert feeding.service.names() == ["rescan"]
    assert feeding.feed.activity
    gone = feeding.rows[1].path
    await feeding.feed.sessions_changed(SessionsChanged([make_row("c")], [gone], 1, 1, looked=True))
    assert feeding.messages.shown == ["Rescanned: 1 new, 1 gone"]
    assert feeding.feed.activity == ""


async def test_a_failed_index_is_in_the_header_and_in_a_message():
    feeding = Feeding()
    feeding.feed.index_failed(IndexFailed("no space left"))
    assert "no space left" in feeding.feed.activity
    assert "no space left" in feeding.messages.warnings[-1]


async def test_the_catalog_fills_the_list_and_puts_the_cursor_on_a_session():
    feeding = Feeding()
    feeding.list_facts.live = {feeding.rows[0].path: Verdict("live", "process 7", 7)}
    event = CatalogLoaded(feeding.model, [("pi", "/store", "no sessions there")], False)
    assert not feeding.feed.catalog_loaded(event)
    feeding.feed.catalog_loaded(event, feeding.rows[0].path)
    assert ("go_to", feeding.rows[0].path) in feeding.pane.list.calls
    assert feeding.facts.places == event.places
    await feeding.host.finish()
    assert feeding.pane.list.states == {feeding.rows[0].path: "live"}
    assert feeding.facts.reasons == {feeding.rows[0].path: "process 7"}


async def test_the_places_are_looked_for_only_while_there_are_no_sessions():
    feeding = Feeding()
    feeding.facts.look()
    assert feeding.list_facts.names() == []
    feeding.model.apply([], [row.path for row in feeding.rows])
    for _ in range(2):
        feeding.facts.look()
        await feeding.host.finish()
    assert feeding.list_facts.names() == ["find_places"] * 2
    assert feeding.changes == [0], "only a new state is shown"


async def test_sub_agents_are_listed_while_they_are_shown_and_go_with_their_session():
    feeding = Feeding(hidden=True)
    parent = feeding.rows[0]
    child = make_row("child", path=parent.path.removesuffix(".jsonl") + "/child.jsonl")
    feeding.list_facts.subagents = [child]
    feeding.facts.read_subagents()
    await feeding.host.finish()
    assert feeding.model.row_at(child.path) is child
    assert child not in feeding.facts.rows_without_subagents
    await feeding.feed.sessions_changed(SessionsChanged([], [parent.path], 1, 1))
    assert feeding.model.row_at(child.path) is None


async def test_an_answer_between_two_slices_of_changes_keeps_all_rows_and_their_order():
    feeding = Feeding(hidden=True)
    parent = feeding.rows[0]
    child = make_row("child", path=parent.path.removesuffix(".jsonl") + "/child.jsonl")
    rows = [make_row(str(number), modified=parent.modified + number * 1_000) for number in range(3 * SLICE)]
    feeding.list_facts.subagents = [child]
    feeding.facts.read_subagents()
    known = []
    feeding.facts.changed = lambda: known.append(feeding.model.known)
    await feeding.feed.sessions_changed(SessionsChanged(rows, [], 1, 2))
    await feeding.host.finish()
    assert 2 < known[0] < len(rows) + 2, "it came between two slices"
    listed_ids = [line.row.id for line in feeding.model.lines if line.row is not None]
    newest_first = [str(number) for number in reversed(range(3 * SLICE))]
    assert listed_ids[:-3] == newest_first
    assert set(listed_ids[-3:]) == {"a", "b", "child"}


async def test_late_sub_agents_are_not_listed():
    feeding = Feeding(hidden=True)
    feeding.list_facts.subagents = [make_row("child")]
    feeding.facts.read_subagents()
    feeding.model.arrange(feeding.model.arrangement.changed(hidden=False))
    await feeding.host.finish()
    assert feeding.model.known == 2
