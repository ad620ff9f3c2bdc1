"""Without a catalog, every session is listed before its file is read completely, and its row is then
completed.
"""

from __future__ import annotations

import threading

import pytest

from app.index import worker_pool
from app.index.file_reader import read
from app.index.scan import executor
from tests.factory import chain, message
from tests.ui.conftest import HERE, pi_session


class Held:
    """Workers that read the ends of all files at once, and the complete files when `go` is set."""

    go: threading.Event

    def __init__(self, *_, **__):
        """Ignores the texts and the priority."""

    def read(self, tasks):
        for index, (task, _) in enumerate(tasks):
            while not task.only_ends and not self.go.wait(0.01):
                yield []
            yield [(index, read(task))]

    def close(self):
        """Has nothing to close."""


@pytest.fixture
def workers(monkeypatch):
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", 1)
    monkeypatch.setattr(executor, "FIRST_BYTES", 0)
    monkeypatch.setattr(worker_pool, "WorkerPool", Held)
    monkeypatch.setattr(Held, "go", threading.Event(), raising=False)
    yield Held
    Held.go.set()


@pytest.fixture
def large(tmp_path):
    """Three sessions of 50 kB. The newest message of the oldest session is in the middle of its file."""
    for number, name in enumerate(("first", "second", "third")):
        lines = chain(f"the {name} prompt", *["x" * 10_000] * 5, id=name)
        if name == "third":
            lines.insert(3, message("late", "00000001", "user", "from the future", 50))
        lines += [message("end", "00000006", "user", f"the end of {name}", 30 - number)]
        pi_session(tmp_path, *lines, id=name)


def provisional(ui):
    return {row.id: row.provisional for row in ui.sessions.model.rows()}


def facts(text, name):
    """The number of messages in a session's row."""
    rows = [line.split("│")[0] for line in text.splitlines() if "│" in line]
    (row,) = [row for row in rows if f"the {name} prompt" in row]
    return row.split()[-2]


async def test_every_session_is_listed_before_it_is_read(browser, large, workers):
    async with browser(settle=False) as ui:
        await ui.until(lambda: len(provisional(ui)) == 3, "the list")
        assert set(provisional(ui).values()) == {True}
        assert ui.listed() == [f"[{HERE}]", "first", "second", "third"]
        await ui.until(lambda: "the second prompt" in ui.text(), "the rows")
        text = ui.text()
        assert "3 sessions" in text
        assert "reading 0 of 3" in text
        assert facts(text, "second") == "…"

        await ui.press("down")
        assert ui.sessions.row.id == "second"
        workers.go.set()
        await ui.until(lambda: not any(provisional(ui).values()), "the reading")
        assert ui.listed() == [f"[{HERE}]", "third", "first", "second"]
        assert ui.sessions.row.id == "second"
        await ui.settled()
        await ui.until(lambda: "reading" not in ui.text(), "the end of the scan")
        assert facts(ui.text(), "second") == "7"


async def test_a_session_that_is_not_read_yet_can_be_opened(browser, large, workers):
    async with browser(settle=False) as ui:
        await ui.until(lambda: len(provisional(ui)) == 3, "the list")
        await ui.until(
            lambda: ui.tree.view is not None and ui.tree.view.tree.path == str(ui.path("first")), "its tree"
        )
        assert ui.tree.view.leaf.id == "end"
        await ui.until(lambda: ui.screen.resume_controller.planned == str(ui.path("first")), "the plan")
        assert provisional(ui)["first"]


async def test_a_filter_works_on_provisional_rows(browser, large, workers):
    async with browser(settle=False) as ui:
        await ui.until(lambda: len(provisional(ui)) == 3, "the list")
        await ui.press("/", *"third")
        assert ui.listed() == ["third"]
        workers.go.set()
        await ui.until(lambda: not any(provisional(ui).values()), "the reading")
        assert ui.listed() == ["third"]
        assert ui.sessions.row.id == "third"
