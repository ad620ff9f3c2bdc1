"""Two processes that look through the same files from both ends."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from app.index.search.grep import ahead as ahead_module
from app.index.search.grep.ahead import Ahead
from app.index.search.grep.other_end import Board, OtherEnd, begin
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.row import Row
    from app.index.search.grep.verdict import Verdict
    from app.index.search.results import Hit
    from tests.index.search.helpers import World

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="there is no such process here")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The threads of whoever runs the tests do not count, and there are processors."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def waited_for(other: OtherEnd, number: int) -> Any:
    """What the other process says of a thing when it has said all, or this in the pipe."""
    while (answer := other.take(number)) is None and other.fileno() >= 0:
        assert select.select([other], [], [], PATIENCE)[0]
    return answer


def is_gone(process: int) -> bool:
    """Whether a child has ended, and nobody has to wait for it any more."""
    with pytest.raises(ChildProcessError):
        os.waitpid(process, os.WNOHANG)
    return True


def test_answers_come_as_they_are_given_and_the_process_ends_when_it_is_closed() -> None:
    def look(board: Board) -> Iterator[tuple[int, object]]:
        yield 0, [(True, 3)]
        yield 1, 7
        yield 2, b"x" * 200_000
        # Until the end: nobody ever writes to it.
        os.read(os.pipe()[0], 1)

    other = begin(4, look)
    assert other is not None
    try:
        assert waited_for(other, 2) == b"x" * 200_000
        assert other.take(0) == [(True, 3)]
        assert other.take(1) == 7
        assert other.take(0) is other.take(3) is None
    finally:
        other.close()
    assert is_gone(other.process_id)


def test_what_fails_there_is_left_to_who_asks(capfd: pytest.CaptureFixture[str]) -> None:
    def look(board: Board) -> Iterator[tuple[int, object]]:
        yield 0, 1
        raise RuntimeError("broken")

    other = begin(2, look)
    assert other is not None
    assert waited_for(other, 1) is None
    assert other.take(0) == 1
    assert is_gone(other.process_id)
    other.close()
    assert capfd.readouterr() == ("", "")


def test_each_sees_what_the_other_one_has_written() -> None:
    ready, go = os.pipe()

    def look(board: Board) -> Iterator[tuple[int, object]]:
        os.read(ready, 1)
        yield 1, board.reached % 251

    other = begin(2, look)
    assert other is not None
    other.board.reached = 251 * 300 + 5
    os.write(go, b"!")
    assert waited_for(other, 0) is None
    assert other.take(1) == 5
    os.close(ready)
    os.close(go)


def test_it_ends_with_who_asks() -> None:
    def look(board: Board) -> Iterator[tuple[int, object]]:
        while True:
            yield 0, b"x" * 1_000

    other = begin(1, look)
    assert other is not None
    os.close(other.fileno())
    assert os.waitpid(other.process_id, 0)[0] == other.process_id


def test_no_process_is_copied_that_has_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("it was copied"))
    assert begin(1, lambda board: ()) is None


class Whole(Ahead):
    """Has answered all before anybody asks."""

    taken = 0
    settled = 0

    def take(self, row: Row) -> Verdict | None:
        while self._other.fileno() >= 0:
            assert select.select([self._other], [], [], PATIENCE)[0]
            self._other.receive()
        verdict = super().take(row)
        Whole.taken += verdict is not None
        return verdict

    def settle(self, row: Row, verdict: Verdict) -> bool:
        Whole.settled += 1
        return super().settle(row, verdict)


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> type[Whole]:
    monkeypatch.setattr(ahead_module, "FROM_BYTES", 0)
    monkeypatch.setattr(ahead_module, "Ahead", Whole)
    monkeypatch.setattr(Whole, "taken", 0)
    monkeypatch.setattr(Whole, "settled", 0)
    return Whole


@pytest.fixture
def willing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is left to who asks."""
    monkeypatch.setattr(ahead_module, "FEW", 0)
    monkeypatch.setattr(ahead_module, "SELDOM", 1_000)


def windows(world: World) -> None:
    """Six sessions with a window, every other one with a door."""
    for number in range(6):
        world.session(f"s{number}", "a window", "a door and a Window" if number % 2 else "a wall")
    world.scan()


def found(world: World, query: str, how: dict[str, Any], **more: Any) -> tuple[object, list[str]]:
    pages = world.pages(query, **how, **more)
    hits = [(hit.path, hit.entry_id, hit.snippet, hit.kind) for page in pages for hit in page.hits]
    return hits, [note.message for note in pages[-1].notes]


HOW: list[dict[str, Any]] = [{}, {"every": True}, {"order": "relevance"}]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("query", ["window in:all", "window -door in:all"])
def test_it_finds_what_one_process_finds(
    query: str, how: dict[str, Any], world: World, whole: type[Whole], willing: None
) -> None:
    windows(world)
    world.path("s3").unlink()
    expected = found(world, query, how)
    assert expected[1], "what cannot be read is told of"
    assert whole.taken == 0
    assert found(world, query, how, alone=True) == expected
    assert whole.taken == 5


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    "query", ["window", "window -door", "window app", "-door", "wall window", "window -s2", "re:win[d]ow"]
)
def test_what_was_looked_for_before_the_scan_is_true_after_it(
    query: str, how: dict[str, Any], world: World, whole: type[Whole], willing: None
) -> None:
    windows(world)
    expected_before = found(world, query, how, all_text=True)
    world.index.close()

    world.index = world.open()
    world.index.look_ahead(query, all_text=True, **how)
    # Nobody listens, and the answers about these are out of date.
    world.append("s2", "a door")
    world.path("s4").unlink()
    world.session("s9", "the newest window")
    world.index.scan()
    told = found(world, query, how, all_text=True, alone=True)
    # Of what else is known of a session nothing is known there.
    assert whole.taken == (0 if "app" in query else 4)

    world.index.close()
    world.index = world.open()
    world.scan()
    assert told == found(world, query, how, all_text=True)
    assert told != expected_before


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("query", ["window", "window -door", "window app", "wall window", "window -s2"])
def test_files_that_are_left_to_who_asks_are_looked_into_before_it_is_their_turn(
    query: str, how: dict[str, Any], world: World, whole: type[Whole]
) -> None:
    windows(world)
    expected = found(world, query, how, all_text=True)
    world.index.close()

    world.index = world.open()
    foreseen: list[Hit] = []
    world.index.look_ahead(query, all_text=True, **how, foreseen=foreseen.append)
    world.index.scan()
    assert found(world, query, how, all_text=True, alone=True) == expected
    hits, _ = expected
    told = {(hit.path, hit.entry_id, hit.snippet, hit.kind) for hit in foreseen}
    # What is not wanted may be known of a session, and not be in its file.
    assert {each for each in told if "-s2" not in query or "s2.jsonl" not in each[0]} <= set(hits)
    # Of what else is known of a session nothing is known there.
    assert (whole.settled > 0) == ("app" not in query)
    # All places of a session, or what fits best, nobody can tell by one of them.
    assert bool(foreseen) == (not how and "app" not in query)


def test_a_file_that_is_left_and_has_changed_is_looked_into_as_it_is(
    world: World, whole: type[Whole]
) -> None:
    windows(world)
    world.index.close()
    world.index = world.open()
    foreseen: list[Hit] = []
    world.index.look_ahead("window", all_text=True, foreseen=foreseen.append)
    for number in range(6):
        world.path(f"s{number}").write_text(world.path(f"s{number}").read_text().replace("indow", "all"))
    world.index.scan()
    assert world.ids("window", all_text=True, alone=True) == []
    assert foreseen == []


def test_it_begins_before_what_decodes_lines_is_loaded() -> None:
    program = "import sys, app.index.search.grep.ahead; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"msgspec", "json", "app.formats.dialects", "app.index.search.grep.session"}
    assert "app.index.search.grep.glance" in loaded


def test_what_was_looked_for_before_is_not_taken_for_something_else(
    world: World, whole: type[Whole], willing: None
) -> None:
    world.session("s1", "a window")
    world.session("s2", "a door")
    world.scan()
    world.index.close()
    world.index = world.open()
    world.index.look_ahead("window", all_text=True)
    world.index.scan()
    assert world.ids("door", all_text=True, alone=True) == ["s2"]
    assert whole.taken == 2, "a process of its own has looked for that"
