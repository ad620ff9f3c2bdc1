"""Two processes that look through the same files from both ends."""

from __future__ import annotations

import os
import select
import threading
from typing import TYPE_CHECKING, Any

import pytest

from app.index.search import sweep as sweep_module
from app.index.search.deep import other_end as other_end_module
from app.index.search.deep.other_end import OtherEnd, begin
from tests.index.helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.index.search.helpers import World

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="there is no such process here")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The threads of whoever runs the tests do not count, and there are processors."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def waited_for(other: OtherEnd, path: str) -> Any:
    """What the other process says of a file; None when it ends without a word."""
    while (answer := other.take(path)) is None and other.fileno() >= 0:
        assert select.select([other], [], [], PATIENCE)[0]
    return answer


def is_gone(process: int) -> bool:
    """Whether a child has ended, and nobody has to wait for it any more."""
    with pytest.raises(ChildProcessError):
        os.waitpid(process, os.WNOHANG)
    return True


def test_answers_come_as_they_are_given_and_the_process_ends_when_it_is_closed() -> None:
    def look() -> Iterator[tuple[str, object]]:
        yield "/first", (True, 3, [(1, 2)])
        yield "/long", b"x" * 200_000
        # Until the end: nobody ever writes to it.
        os.read(os.pipe()[0], 1)

    other = begin(look)
    assert other is not None
    try:
        assert waited_for(other, "/long") == b"x" * 200_000
        assert other.take("/first") == (True, 3, [(1, 2)])
        assert other.take("/first") is other.take("/never") is None
    finally:
        other.close()
    assert is_gone(other.process_id)


def test_what_fails_there_is_left_to_who_asks(capfd: pytest.CaptureFixture[str]) -> None:
    def look() -> Iterator[tuple[str, object]]:
        yield "/first", 1
        raise RuntimeError("broken")

    other = begin(look)
    assert other is not None
    assert waited_for(other, "/second") is None
    assert other.take("/first") == 1
    assert is_gone(other.process_id)
    other.close()
    assert capfd.readouterr() == ("", "")


def test_it_ends_with_who_asks() -> None:
    def look() -> Iterator[tuple[str, object]]:
        while True:
            yield "/more", b"x" * 1_000

    other = begin(look)
    assert other is not None
    os.close(other.fileno())
    assert os.waitpid(other.process_id, 0)[0] == other.process_id


def test_no_process_is_copied_that_has_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("it was copied"))
    assert begin(lambda: ()) is None


class Whole(OtherEnd):
    """Has answered all before anybody asks."""

    def take(self, path: str) -> Any:
        while (answer := super().take(path)) is None and self.fileno() >= 0:
            assert select.select([self], [], [], PATIENCE)[0]
        Whole.taken += answer is not None
        return answer

    taken = 0


@pytest.mark.parametrize("how", [{}, {"every": True}, {"order": "relevance"}])
@pytest.mark.parametrize("query", ["window in:all", "window -door in:all"])
def test_it_finds_what_one_process_finds(
    query: str, how: dict[str, Any], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "OTHER_END_FROM_BYTES", 0)
    monkeypatch.setattr(other_end_module, "OtherEnd", Whole)
    monkeypatch.setattr(Whole, "taken", 0)
    for number in range(6):
        world.session(f"s{number}", "a window", "a door and a Window" if number % 2 else "a wall")
    world.scan()
    world.path("s3").unlink()

    def found(**more: Any) -> tuple[object, list[str]]:
        pages = world.pages(query, **how, **more)
        hits = [(hit.path, hit.entry_id, hit.snippet, hit.kind) for page in pages for hit in page.hits]
        return hits, [note.message for note in pages[-1].notes]

    expected = found()
    assert expected[1], "what cannot be read is told of"
    assert Whole.taken == 0
    assert found(alone=True) == expected
    assert Whole.taken == 5
