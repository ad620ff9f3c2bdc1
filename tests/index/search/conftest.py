from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.index.search import hit_details, search_run
from tests.index.search.helpers import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.formats import Dialect


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.index.close()


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that were decoded."""
    lines: list[bytes] = []
    plain = hit_details.entries_of

    def entries_of(line: bytes, dialect: Dialect) -> object:
        lines.append(line)
        return plain(line, dialect)

    monkeypatch.setattr(hit_details, "entries_of", entries_of)
    return lines


@pytest.fixture(autouse=True)
def all_pages_are_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages end when they are full or the search ends, and not because the machine is slow."""
    monkeypatch.setattr(search_run, "SOON_SECONDS", 60)
    monkeypatch.setattr(search_run, "_PAUSE_SECONDS", 60)
