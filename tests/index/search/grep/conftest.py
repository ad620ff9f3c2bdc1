"""Byte search with and without StringZilla."""

from __future__ import annotations

import pytest

from app.index.search.grep import byte_search


@pytest.fixture(params=["stringzilla", "plain"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with StringZilla and without it."""
    if request.param == "plain":
        monkeypatch.setattr(byte_search, "_find", None)
        monkeypatch.setattr(byte_search, "_find_uncased", None)
    return str(request.param)
