"""The threads of the services: only the newest job runs, and errors are reported."""

from __future__ import annotations

import asyncio
from queue import Queue
from threading import Event

import pytest

from app.services.background import LatestOnlyWorker
from tests.waiting import PATIENCE


@pytest.fixture
def errors():
    return Queue()


@pytest.fixture
def worker(errors):
    worker = LatestOnlyWorker("test", errors.put)
    yield worker
    worker.stop()


@pytest.mark.parametrize("interrupts", [True, False])
def test_only_the_newest_waiting_job_runs(worker, interrupts):
    is_begun, may_end, done = Event(), Event(), Queue()

    def first(is_stale):
        is_begun.set()
        assert may_end.wait(PATIENCE)
        done.put(("first", is_stale()))

    worker.submit(first)
    assert is_begun.wait(PATIENCE)
    worker.submit(lambda is_stale: done.put(("second", is_stale())), interrupts=interrupts)
    worker.submit(lambda is_stale: done.put(("third", is_stale())), interrupts=interrupts)
    may_end.set()
    assert [done.get(timeout=PATIENCE) for _ in range(2)] == [("first", interrupts), ("third", False)]
    assert done.empty()


def test_an_error_is_reported_and_the_next_job_runs(worker, errors):
    def fail(is_stale):
        raise ValueError("broken")

    done = Event()
    worker.submit(fail)
    assert str(errors.get(timeout=PATIENCE)) == "broken"
    worker.submit(lambda is_stale: done.set())
    assert done.wait(PATIENCE)


def test_a_stopped_service_makes_its_running_job_stale(worker):
    is_begun, stale = Event(), Event()

    def run(is_stale):
        is_begun.set()
        while not is_stale():
            pass
        stale.set()

    worker.submit(run)
    assert is_begun.wait(PATIENCE)
    worker.stop()
    assert stale.wait(PATIENCE)


async def test_a_caller_gets_the_newest_result_and_the_errors_that_it_expects(worker, errors):
    def fail(is_stale):
        raise ValueError("broken")

    replaced = worker.run(lambda is_stale: "old")
    assert await worker.run(lambda is_stale: "new") == "new"
    with pytest.raises(ValueError, match="broken"):
        await worker.run(fail, ValueError)
    failed = worker.run(fail, KeyError)
    assert str(errors.get(timeout=PATIENCE)) == "broken"
    for cancelled in (replaced, failed):
        with pytest.raises(asyncio.CancelledError):
            await cancelled
