"""The search of the bytes, by either of the two ways to look for a word in them."""

from __future__ import annotations

import pytest

from app.index.search.grep import finders


@pytest.fixture(params=["stringzilla", "plain"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the SIMD search and without it."""
    if request.param == "plain":
        monkeypatch.setattr(finders, "_find", None)
        monkeypatch.setattr(finders, "_find_uncased", None)
    # A part is looked for first in long texts only.
    monkeypatch.setattr(finders, "_WORTH", 0)
    return str(request.param)
