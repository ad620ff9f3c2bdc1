from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.index.search.helpers import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.index.close()
