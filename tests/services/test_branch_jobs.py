"""Jobs about an entry, in a thread of their own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.services.branch_jobs import BranchJobs
from tests.factory import chain, message, write_session


@pytest.fixture
def asked(tmp_path):
    """A session with two branches: its jobs, its row, the answers, and the failures."""
    path = write_session(
        tmp_path / "s.jsonl", *chain("one", "two", "three"), message("e", "00000002", "user", "five", 10)
    )
    row = SimpleNamespace(path=str(path), agent="pi")
    said, failed = [], []
    going = BranchJobs(SimpleNamespace(), said.append, failed.append)
    yield going, row, said, failed
    going.stop()


def test_a_cancelled_comparison_is_not_a_failure(asked):
    going, row, said, failed = asked
    going._compare(row, 0, 0, lambda: True)
    assert (said, failed) == ([], [])


def test_a_missing_entry_gives_a_reason_and_no_comparison(asked):
    going, row, said, _ = asked
    going._compare(row, 7, 0, lambda: False)
    assert said[0].comparison is None
    assert "gone" in said[0].reason
