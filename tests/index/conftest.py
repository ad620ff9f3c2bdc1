"""Fixtures: a store and a cache folder. The test module's `COUNT` is the number of sessions in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from tests.index.helpers import fill, pi_store

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Store


@pytest.fixture
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Store:
    fill(tmp_path / "store", request.module.COUNT)
    return pi_store(tmp_path / "store")


@pytest.fixture
def cache(tmp_path: Path, store: Store) -> Path:
    """A cache folder that holds a complete index of the store."""
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    return tmp_path / "cache"
