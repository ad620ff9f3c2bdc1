"""A list that is printed once: right whatever changed since the last one, and cheap when nothing did."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from app.index.catalog.catalog import Catalog
from app.index.catalog.database import Database
from app.index.list_cache import GOOD_MS, ROWS, Page, look_first, newest
from app.index.row import catalog_in
from app.index.scan.retry import make_current
from app.index.scan.walk import WalkResult, walk
from app.index.text.store import TextStore
from app.index.worker_pool import WorkerPool
from app.stores.live import GROWING_MS
from tests.denied import deny
from tests.index.helpers import append, facts, fill, message, pi_store, session, write
from tests.waiting import ends, until

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from pathlib import Path

    from app.index.row import Reading, Row
    from app.stores.base import Store
    from app.stores.layout import File

LIMIT = 5


class Lister:
    """Lists the newest of some stores from one cache folder, at a time that the test sets."""

    def __init__(self, cache: Path, stores: list[Store]) -> None:
        self.cache = cache
        self.stores = stores
        self.now_ms = time.time_ns() // 1_000_000

    def list(self, limit: int = LIMIT) -> tuple[list[tuple[object, ...]], int]:
        rows, total, note = newest(
            self.stores, str(self.cache), limit, lambda: self.now_ms, walk(self.stores)
        )
        assert note is None
        assert [row.modified for row in rows] == sorted((row.modified for row in rows), reverse=True)
        return facts(rows), total

    def page(self, limit: int = LIMIT) -> tuple[list[Row], int] | None:
        """What the page of the last list says now."""
        return Page(str(self.cache), self.stores, walk(self.stores).record(), self.now_ms).read(limit)

    def truth(self, limit: int = LIMIT) -> tuple[list[tuple[object, ...]], int]:
        """The list of somebody who has nothing stored."""
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


def test_a_list_with_nothing_changed_is_the_same_and_opens_no_catalog(
    lister: Lister, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = lister.list()
    assert first == lister.truth()
    monkeypatch.setattr(Database, "run", lambda *_: pytest.fail("the catalog was opened"))
    assert lister.list() == first
    assert lister.list(2)[1] == 30


def test_a_pipe_in_the_place_of_the_page_is_not_waited_for(lister: Lister) -> None:
    first = lister.list()
    (page,) = lister.cache.glob("newest-*")
    page.unlink()
    os.mkfifo(page)
    assert ends(lister.page) is None
    assert lister.list() == first
    assert page.is_file(), "the list leaves its own"


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
def test_every_change_is_seen(lister: Lister, root: Path, change: Callable[[Path], object]) -> None:
    lister.list(100)
    change(root)
    assert lister.page(100) is None
    assert lister.list(100) == lister.truth(100)
    # Once more, from the page.
    assert lister.page(100) is not None
    assert lister.list(100) == lister.truth(100)


def test_a_page_tells_only_what_it_holds(lister: Lister, root: Path) -> None:
    fill(root, ROWS + 20)
    lister.list(1)
    assert lister.page(ROWS) is not None
    assert lister.page(ROWS + 1) is None
    assert lister.list(ROWS + 1) == lister.truth(ROWS + 1)


def test_a_page_is_for_its_stores_alone(lister: Lister, tmp_path: Path) -> None:
    lister.list()
    write(tmp_path / "other" / "one.jsonl", session("elsewhere", "other"))
    both = Lister(lister.cache, [*lister.stores, pi_store(tmp_path / "other")])
    assert both.list()[1] == 31
    assert lister.list()[1] == 30
    empty = Lister(lister.cache, [pi_store(tmp_path / "nowhere")])
    assert empty.list() == ([], 0)


def test_a_page_is_not_good_for_ever(lister: Lister) -> None:
    lister.list()
    assert lister.page() is not None
    for passed in (GOOD_MS, -1):
        lister.now_ms += passed
        assert lister.page() is None
        lister.now_ms -= passed


def test_a_damaged_page_is_none(lister: Lister) -> None:
    lister.list()
    (path,) = (each for each in lister.cache.iterdir() if each.name.startswith("newest"))
    whole = path.read_bytes()
    for damaged in (b"", b"\0" * 100, whole[:40], whole[: len(whole) // 2], whole[:-1], b"N", b"(\0\0\0\0"):
        path.write_bytes(damaged)
        assert lister.page() is None
    assert lister.list() == lister.truth()
    assert path.read_bytes() == whole


def test_a_page_in_which_a_bit_was_flipped_is_none_or_says_the_same(lister: Lister) -> None:
    lister.list()
    (path,) = lister.cache.glob("newest-*")
    whole, right = path.read_bytes(), lister.page()
    assert right is not None
    for at in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        path.write_bytes(damaged)
        page = lister.page()
        assert page is None or (facts(page[0]), page[1]) == (facts(right[0]), right[1])


def test_nobody_else_may_read_a_page(lister: Lister) -> None:
    lister.list()
    names = {path.name.partition("-")[0]: path.stat().st_mode & 0o077 for path in lister.cache.iterdir()}
    assert names == {"catalog": 0, "newest": 0, "text": 0}


def test_a_folder_that_cannot_be_written_is_no_failure(lister: Lister) -> None:
    lister.cache.parent.joinpath("file").write_text("in the way")
    Page(str(lister.cache.with_name("file")), lister.stores, b"", 0).write([], 0)


def test_nothing_is_left_of_a_page_that_could_not_be_written(
    lister: Lister, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    lister.list()
    assert list(lister.cache.glob("*newest*")) == []


def test_while_a_browser_writes_the_catalog_is_asked(lister: Lister) -> None:
    """It may have seen a file grow, which makes a session live
    (formats/README.md, "Detecting a running agent").
    """
    lister.list()
    browser = Database(str(lister.cache))
    browser.run(lambda connection: connection.execute("UPDATE stores SET used_ms = used_ms"))
    written = os.stat(browser.path + "-wal").st_mtime_ns // 1_000_000
    for passed, good in ((0, False), (GROWING_MS, False), (GROWING_MS + 1_000, True)):
        lister.now_ms = written + passed
        assert (lister.page() is not None) == good
    browser.close()
    lister.now_ms = written
    assert lister.page() is not None


def test_no_page_is_left_of_files_that_change_meanwhile(
    lister: Lister, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process stores a file that has grown since our walk, which then is not what it found."""
    found = walk(lister.stores)
    load = Catalog.load

    def others_first(
        catalog: Catalog, paths: Iterable[str], known: Container[str] = ()
    ) -> dict[str, Reading]:
        monkeypatch.undo()
        _append(root)
        lister.list()
        return load(catalog, paths, known)

    monkeypatch.setattr(Catalog, "load", others_first)
    newest(lister.stores, str(lister.cache), LIMIT, lambda: lister.now_ms, found)
    assert Page(str(lister.cache), lister.stores, found.record(), lister.now_ms).read(LIMIT) is None
    assert lister.list() == lister.truth()


def test_no_page_is_left_when_another_process_has_written(lister: Lister, root: Path) -> None:
    mine, others = (Catalog(str(lister.cache), lister.stores) for _ in range(2))
    found = walk(lister.stores)
    assert make_current(mine, TextStore(mine), lister.stores, lambda: lister.now_ms, found, mine.rows)[1]
    assert mine.untouched()
    others.remove([str(root / "--project-3--" / "session-3.jsonl")])
    assert not mine.untouched()
    mine.signatures()
    assert mine.untouched()
    mine.close()
    others.close()


def test_a_file_that_cannot_be_read_leaves_no_page(
    lister: Lister, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = str(root / "--project-3--" / "session-3.jsonl")
    deny(monkeypatch, broken)
    lister.list()
    monkeypatch.undo()
    assert lister.page() is None
    assert lister.list() == lister.truth()


def looked_first(store: Store, cache: Path, monkeypatch: pytest.MonkeyPatch, much: int) -> WalkResult:
    """What a first look finds, with so many bytes worth workers."""
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", much)
    return look_first([store], str(cache))


def test_what_reads_a_first_list_comes_up_while_its_files_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = pi_store(tmp_path / "store")
    paths = fill(tmp_path / "store", 80, folders=3)
    started: list[int] = []
    start = WorkerPool.start

    def noted(workers: WorkerPool) -> None:
        started.append(len(looked_at))
        start(workers)

    looked_at: list[str] = []
    add = WalkResult.add

    def looked(found: WalkResult, store: Store, folder: str, files: Sequence[File]) -> None:
        looked_at.append(folder)
        add(found, store, folder, files)

    monkeypatch.setattr(WorkerPool, "start", noted)
    monkeypatch.setattr(WalkResult, "add", looked)
    found = looked_first(store, tmp_path / "cache", monkeypatch, 1000)
    assert (started, len(looked_at)) == ([2], 4)  # the root and one folder, and there are more
    assert found.workers is not None
    rows, total, note = newest([store], str(tmp_path / "cache"), 100, time.monotonic_ns, found)
    assert (len(rows), total, note) == (len(paths), len(paths), None)
    # `read` starts what has been started, which is nothing more.
    assert started == [2, 4]
    assert found.workers.process_ids == []


def test_nothing_comes_up_for_a_list_that_has_little_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 40)
    assert looked_first(store, tmp_path / "cache", monkeypatch, 1 << 30).workers is None
    Lister(tmp_path / "cache", [store]).list()
    assert looked_first(store, tmp_path / "cache", monkeypatch, 1000).workers is None


def test_what_came_up_for_a_list_that_has_a_page_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 40)
    lister = Lister(tmp_path / "cache", [store])
    listed = lister.list()
    os.unlink(catalog_in(str(tmp_path / "cache")))
    found = looked_first(store, tmp_path / "cache", monkeypatch, 1000)
    assert found.workers is not None
    until(lambda: found.workers.process_ids)
    rows, total, _ = newest([store], str(tmp_path / "cache"), LIMIT, lambda: lister.now_ms, found)
    assert (facts(rows), total) == listed
    until(lambda: not found.workers.process_ids)
