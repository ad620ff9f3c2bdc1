"""The newest sessions for a list that is printed once are those of the files, after any change."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from app.index import Catalog
from app.index.scan.retry import make_current
from app.index.scan.walk import walk
from app.index.text.store import TextStore
from tests.index.helpers import append, facts, fill, message, pi_store, session, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from leafmark import Store


class Lister:
    """Lists the newest sessions of some stores with one cache folder."""

    def __init__(self, cache: Path, stores: list[Store]) -> None:
        self.cache = cache
        self.stores = stores

    def list(self, limit: int) -> tuple[list[tuple[object, ...]], int]:
        catalog = Catalog(str(self.cache), self.stores)
        text_store = TextStore(catalog)
        rows, total = make_current(
            catalog,
            text_store,
            self.stores,
            lambda: time.time_ns() // 1_000_000,
            walk(self.stores),
            lambda: catalog.newest(limit),
        )
        assert (catalog.note, text_store.note) == (None, None)
        catalog.close()
        text_store.close()
        assert [row.modified for row in rows] == sorted((row.modified for row in rows), reverse=True)
        return facts(rows), total

    def truth(self, limit: int) -> tuple[list[tuple[object, ...]], int]:
        """The same list with an empty cache."""
        empty = self.cache.with_name("empty")
        shutil.rmtree(empty, ignore_errors=True)
        return Lister(empty, self.stores).list(limit)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def lister(tmp_path: Path, root: Path) -> Lister:
    fill(root, 30)
    return Lister(tmp_path / "cache", [pi_store(root)])


def _append(root: Path) -> None:
    append(root / "--project-3--" / "session-3.jsonl", message("new", "e0", "more", 1_799_999_999_000))


def _same_size(root: Path) -> None:
    path = root / "--project-3--" / "session-3.jsonl"
    status = path.stat()
    write(path, path.read_text().replace("prompt 3", "prompt X"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _another_inode(root: Path) -> None:
    path = root / "--project-3--" / "session-3.jsonl"
    write(root / "new", path.read_text().replace("prompt 3", "prompt Y"))
    os.replace(root / "new", path)


CHANGES: list[Callable[[Path], object]] = [
    _append,
    _same_size,
    _another_inode,
    lambda root: write(root / "--project-3--" / "new.jsonl", session("new", "new")),
    lambda root: write(root / "--new--" / "new.jsonl", session("new", "new")),
    lambda root: write(root / "flat.jsonl", session("new", "new")),
    lambda root: (root / "--project-3--" / "session-3.jsonl").unlink(),
    lambda root: os.rename(root / "--project-3--", root / "--moved--"),
    lambda root: os.rename(root / "--project-3--" / "session-3.jsonl", root / "--project-3--" / "s.jsonl"),
    lambda root: os.rename(
        root / "--project-3--" / "session-3.jsonl", root / "--project-4--" / "session-3.jsonl"
    ),
    lambda root: shutil.rmtree(root),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_noticed(lister: Lister, root: Path, change: Callable[[Path], object]) -> None:
    before = lister.list(100)
    change(root)
    after = lister.list(100)
    assert after != before
    assert after == lister.truth(100)


def test_a_list_has_only_the_sessions_of_its_stores(lister: Lister, tmp_path: Path) -> None:
    assert lister.list(5)[1] == 30
    write(tmp_path / "other" / "one.jsonl", session("elsewhere", "other"))
    wider = Lister(lister.cache, [*lister.stores, pi_store(tmp_path / "other")])
    assert wider.list(5)[1] == 31
    assert lister.list(5)[1] == 30
    assert Lister(lister.cache, [pi_store(tmp_path / "nowhere")]).list(5) == ([], 0)
