from __future__ import annotations

import pytest

from app.sessions.tree import tail_reader


@pytest.fixture
def by_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read even short files from their ends, in blocks of 100 bytes."""
    monkeypatch.setattr(tail_reader, "WHOLE_TREE_BYTES", 0)
    monkeypatch.setattr(tail_reader, "BLOCK", 100)
