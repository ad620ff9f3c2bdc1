"""Jobs about an entry, in a thread of their own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.services.branch_jobs import BranchJobs
from tests.factory import chain, message, write_session


@pytest.fixture
def jobs_of_a_session(tmp_path):
    """A session with two branches: its jobs, its row, the answers, and the failures."""
    path = write_session(
        tmp_path / "s.jsonl", *chain("one", "two", "three"), message("e", "00000002", "user", "five", 10)
    )
    row = SimpleNamespace(path=str(path), agent="pi")
    answers, failed = [], []
    jobs = BranchJobs(SimpleNamespace(), answers.append, failed.append)
    yield jobs, row, answers, failed
    jobs.stop()


def test_a_cancelled_comparison_is_not_a_failure(jobs_of_a_session):
    jobs, row, answers, failed = jobs_of_a_session
    jobs._compare(row, 0, 0, lambda: True)
    assert (answers, failed) == ([], [])


def test_a_missing_entry_gives_a_reason_and_no_comparison(jobs_of_a_session):
    jobs, row, answers, _ = jobs_of_a_session
    jobs._compare(row, 7, 0, lambda: False)
    assert answers[0].comparison is None
    assert "gone" in answers[0].reason
