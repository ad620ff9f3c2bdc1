from __future__ import annotations

import pytest

from app.sessions.tree import tree


@pytest.fixture
def short_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open even short files at their ends."""
    monkeypatch.setattr(tree, "END_BYTES", 600)
