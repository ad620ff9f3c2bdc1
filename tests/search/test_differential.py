"""The search against a slow reference (`reference.py`): random sessions of every dialect, random queries."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.search.ground import TIERS, Ground, compare
from tests.search.random_sessions import queries, sessions, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.query.query import Query
    from tests.search.random_sessions import Written

many = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=20)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Emptied after the test; each example makes its own below."""
    made = Path(tempfile.mkdtemp())
    yield made
    shutil.rmtree(made)


@many
@given(written=st.lists(sessions(), max_size=10), asked=st.lists(queries(), min_size=1, max_size=12))
def test_finds_what_the_reference_finds(folder: Path, written: list[Written], asked: list[Query]) -> None:
    """Whatever it reads from: the same sessions, the same places, in the right order."""
    place = Path(tempfile.mkdtemp(dir=folder))
    ground = Ground(place, write(place, written))
    try:
        assert len(ground.sessions) == len(written)
        for tier in TIERS:
            with ground.searcher(tier) as searcher:
                for query in asked:
                    compare(searcher, ground.sessions, query)
    finally:
        ground.close()
