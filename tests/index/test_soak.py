"""After any sequence of random changes the followed rows equal those of a new scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from tests.index.helpers import REFUSED, Listener, facts, fresh, pi_store, session, shown, titles, write
from tests.index.mischief import Mischief

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(6))
def test_scans_between_random_changes_are_right(tmp_path: Path, seed: int) -> None:
    store = pi_store(tmp_path / "store")
    mischief = Mischief(tmp_path / "store", seed)
    index = Index([store], str(tmp_path / "cache"))
    for number in range(60):
        for _ in range(mischief.dice.randrange(1, 4)):
            mischief.step()
        index.scan()
        if number % 12 == 11:
            actual = facts(index.rows(full=True)) + facts(index.problem_files())
            assert actual == fresh(store, tmp_path / f"fresh-{number}")
    assert index.counts.tails > 0
    assert index.catalog.generation == 0


@pytest.mark.parametrize("poll", [False, True], ids=["native", "polling"])
@pytest.mark.parametrize("seed", range(3))
def test_following_random_changes_gives_the_rows_of_a_new_scan(tmp_path: Path, seed: int, poll: bool) -> None:
    store = pi_store(tmp_path / "store")
    mischief = Mischief(tmp_path / "store", 100 + seed)
    index = Index([store], str(tmp_path / "cache"), poll=poll)
    with Listener(index) as listener:
        for _ in range(4):
            for _ in range(40):
                mischief.step()
            last = write(tmp_path / "store" / "last.jsonl", session(f"last {mischief.number}"))
            expected = dict(titles(fresh(store, tmp_path / f"fresh-{mischief.number}")))
            listener.until(lambda expected=expected: shown(listener) == expected)
            assert str(last) in expected
    assert facts(Index([store], str(tmp_path / "cache")).rows(full=True)) == [
        values for values in fresh(store, tmp_path / "fresh-at-last") if values[REFUSED] is None
    ]
