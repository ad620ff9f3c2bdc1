"""Jobs about an entry, in a thread of their own."""

from __future__ import annotations

from queue import Queue
from threading import Event
from types import SimpleNamespace

import pytest

from app.services.branch_jobs import BranchJobs
from app.sessions.tree import tree
from tests.factory import chain, message, write_session
from tests.waiting import PATIENCE


@pytest.fixture
def jobs_of_a_session(tmp_path):
    """A session with two branches: its jobs, its row, and the answers."""
    path = write_session(
        tmp_path / "s.jsonl", *chain("one", "two", "three"), message("e", "00000002", "user", "five", 10)
    )
    row = SimpleNamespace(path=str(path), agent="pi")
    answers = Queue()
    jobs = BranchJobs(SimpleNamespace(), answers.put)
    yield jobs, row, answers
    jobs.stop()


def test_a_replaced_comparison_has_no_answer_and_is_not_a_failure(jobs_of_a_session, monkeypatch):
    jobs, row, answers = jobs_of_a_session
    is_begun, may_go_on, open_tree = Event(), Event(), tree.open_tree

    def slow(*arguments):
        is_begun.set()
        assert may_go_on.wait(PATIENCE)
        return open_tree(*arguments)

    monkeypatch.setattr(tree, "open_tree", slow)
    jobs.compare(row, 0)
    assert is_begun.wait(PATIENCE)
    jobs.compare(row, 7)
    may_go_on.set()
    assert "gone" in answers.get(timeout=PATIENCE).reason
    assert answers.empty()


def test_a_missing_entry_gives_a_reason_and_no_comparison(jobs_of_a_session):
    jobs, row, answers = jobs_of_a_session
    jobs.compare(row, 7)
    answer = answers.get(timeout=PATIENCE)
    assert answer.comparison is None
    assert "gone" in answer.reason
