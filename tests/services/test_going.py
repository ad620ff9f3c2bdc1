"""What the questions about an entry are answered with, off the screen's thread."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.services.branch_jobs import BranchJobs
from tests.factory import chain, message, write_session


@pytest.fixture
def asked(tmp_path):
    """A session of two branches, what answers about it, what it said, and what went wrong in its thread."""
    path = write_session(
        tmp_path / "s.jsonl", *chain("one", "two", "three"), message("e", "00000002", "user", "five", 10)
    )
    row = SimpleNamespace(path=str(path), agent="pi")
    said, failed = [], []
    going = BranchJobs(SimpleNamespace(), said.append, failed.append)
    yield going, row, said, failed
    going.stop()


def test_a_comparison_that_nobody_waits_for_any_more_is_no_failure(asked):
    going, row, said, failed = asked
    going._compare(row, 0, 0, lambda: True)
    assert (said, failed) == ([], [])


def test_an_entry_that_has_gone_is_not_compared_as_another(asked):
    going, row, said, _ = asked
    going._compare(row, 7, 0, lambda: False)
    assert said[0].comparison is None
    assert "gone" in said[0].reason
