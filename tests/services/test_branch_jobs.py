"""Jobs about an entry, in a thread of their own."""

from __future__ import annotations

import asyncio
from queue import Queue
from threading import Event
from types import SimpleNamespace

import pytest
from leafmark import SessionError

from app.services.branch_jobs import BranchJobs
from app.sessions.tree import tree
from tests.factory import chain, message, write_session
from tests.waiting import PATIENCE


async def test_a_replaced_comparison_has_no_answer_and_is_not_a_failure(tmp_path, monkeypatch):
    path = write_session(
        tmp_path / "s.jsonl", *chain("one", "two", "three"), message("e", "00000002", "user", "five", 10)
    )
    row, failures = SimpleNamespace(path=str(path), agent="pi"), Queue()
    jobs = BranchJobs(SimpleNamespace(), failures.put)
    is_begun, may_go_on, open_tree = Event(), Event(), tree.open_tree

    def slow(*arguments):
        is_begun.set()
        assert may_go_on.wait(PATIENCE)
        return open_tree(*arguments)

    monkeypatch.setattr(tree, "open_tree", slow)
    replaced = jobs.compare(row, 0)
    assert is_begun.wait(PATIENCE)
    answer = jobs.compare(row, 7)
    may_go_on.set()
    with pytest.raises(SessionError, match="gone"):
        await answer
    with pytest.raises(asyncio.CancelledError):
        await replaced
    assert failures.empty()
    jobs.stop()
