"""The search against a slow reference (`reference.py`): random sessions of every dialect, random queries."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.formats.text_kinds import OTHER
from app.index.query import Query, Term
from tests.cases import cases
from tests.factory import chain
from tests.search.ground import TIERS, Ground, compare
from tests.search.random_sessions import NOT_BY_LINES, Written, queries, sessions, write

if TYPE_CHECKING:
    from collections.abc import Iterator

many = settings(suppress_health_check=list(HealthCheck), max_examples=20)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that is emptied after the test; each example makes its own below it."""
    made = Path(tempfile.mkdtemp())
    yield made
    shutil.rmtree(made)


SHORT_MARK = Query(
    terms=(Term("word", "à"), Term("word", "al", negated=True)), kinds=frozenset({OTHER}), everywhere=False
)
"""A short word with a mark, in texts that are only in files: it is searched without the mark."""
ANSWER = [
    {"type": "session", "version": 3, "id": "s0", "timestamp": "2026-08-01T10:00:00.000Z", "cwd": "/w/gamma"},
    {
        "type": "message",
        "id": "00000000",
        "parentId": None,
        "timestamp": "2026-08-01T10:00:00.000Z",
        "message": {"role": "assistant", "content": [], "model": "beta-1"},
    },
]


@many
@example(written=[Written("pi", "\n".join(map(json.dumps, ANSWER)).encode())], asked=[SHORT_MARK])
@given(
    written=st.lists(sessions(), max_size=10) | st.lists(sessions(NOT_BY_LINES), min_size=1, max_size=4),
    asked=st.lists(queries(), min_size=1, max_size=12),
)
def test_finds_what_the_reference_finds(folder: Path, written: list[Written], asked: list[Query]) -> None:
    """All tiers find the same sessions, passages and entries within a line, in the right order."""
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


@cases("tier", TIERS)
def test_a_last_line_without_its_newline_is_searched(tmp_path: Path, tier: str) -> None:
    """It is an entry like any other: pi reads it, and adds the newline when it opens the file."""
    content = "\n".join(map(json.dumps, chain("one", "two"))).encode()
    ground = Ground(tmp_path, write(tmp_path, [Written("pi", content)]))
    try:
        assert ground.sessions[0].row.entry_count == 2
        with ground.searcher(tier) as searcher:
            for word in ("one", "two"):
                compare(searcher, ground.sessions, Query(word, (Term("word", word),)))
    finally:
        ground.close()
