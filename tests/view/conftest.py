from __future__ import annotations

import pytest

from app.view import group
from app.view.fork_order import thread


@pytest.fixture
def threaded(monkeypatch):
    """How many lines each call put in threads."""
    counts = []

    def counting(lines, order):
        counts.append(len(lines))
        return thread(lines, order)

    monkeypatch.setattr(group, "thread", counting)
    return counts
