from __future__ import annotations

import pytest

from app.sessions.tree import entry_lines, path_reader


@pytest.fixture
def by_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even short files are not read whole, and in small pieces."""
    monkeypatch.setattr(path_reader, "WHOLE", 0)
    monkeypatch.setattr(entry_lines, "BLOCK", 100)
