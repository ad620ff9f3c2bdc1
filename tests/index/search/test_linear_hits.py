"""Every hit in a session of a linear format is on the active path, and no branch is found in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.index.index import Index
from app.stores import agent_named
from app.stores.base import Store
from tests.factory import NOW
from tests.sessions.lines import content
from tests.sessions.test_linear import HEADER, ORIGIN, said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "store").mkdir()
    store = Store(agent_named("agent"), str(tmp_path / "store"))
    index = Index([store], str(tmp_path / "cache"), lambda: NOW, home=str(tmp_path))
    yield index
    index.close()


@pytest.mark.parametrize(
    "lines",
    [
        [said("a"), said("b", "a"), ORIGIN],
        [said("a"), said("b")],
        [said("a"), said("b", "a"), said("c", "a")],
        [said("a", "b"), said("b", "a"), said("c", "gone")],
    ],
)
def test_every_hit_is_on_the_active_path(tmp_path: Path, index: Index, lines: list[dict[str, Any]]) -> None:
    path = tmp_path / "store" / "20260216-100000-deadbeef.jsonl"
    path.write_bytes(content(HEADER, *lines))

    def places() -> list[Any]:
        index.scan(lambda delta: None)
        pages = list(index.query("words", every=True))
        assert [page for page in index.query("has:branch") if page.hits] == []
        return [index.place(hit) for page in pages for hit in page.hits]

    count = sum(line["type"] == "message" for line in lines)
    assert places() == [(True, 1, 1)] * count
    with path.open("ab") as file:
        file.write(content(said("z")))
    assert places() == [(True, 1, 1)] * (count + 1)
