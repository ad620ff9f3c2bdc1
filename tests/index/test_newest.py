"""The newest sessions for a list that is printed once: correct after any change, and cheap without one."""

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
    """Lists the newest sessions of some stores with one cache folder. The test sets the time."""

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
        """Read the stored page of the last list."""
        return Page(str(self.cache), self.stores, walk(self.stores).record(), self.now_ms).read(limit)

    def truth(self, limit: int = LIMIT) -> tuple[list[tuple[object, ...]], int]:
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


def test_an_unchanged_list_does_not_open_the_catalog(lister: Lister, monkeypatch: pytest.MonkeyPatch) -> None:
    first = lister.list()
    assert first == lister.truth()
    monkeypatch.setattr(Database, "run", lambda *_: pytest.fail("the catalog was opened"))
    assert lister.list() == first
    assert lister.list(2)[1] == 30


def test_a_pipe_in_place_of_the_page_does_not_block(lister: Lister) -> None:
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
def test_every_change_is_noticed(lister: Lister, root: Path, change: Callable[[Path], object]) -> None:
    lister.list(100)
    change(root)
    assert lister.page(100) is None
    assert lister.list(100) == lister.truth(100)
    # This list comes from the stored page.
    assert lister.page(100) is not None
    assert lister.list(100) == lister.truth(100)


def test_a_page_is_used_only_for_the_rows_that_it_holds(lister: Lister, root: Path) -> None:
    fill(root, ROWS + 20)
    lister.list(1)
    assert lister.page(ROWS) is not None
    assert lister.page(ROWS + 1) is None
    assert lister.list(ROWS + 1) == lister.truth(ROWS + 1)


def test_a_page_belongs_to_its_stores(lister: Lister, tmp_path: Path) -> None:
    lister.list()
    write(tmp_path / "other" / "one.jsonl", session("elsewhere", "other"))
    wider = Lister(lister.cache, [*lister.stores, pi_store(tmp_path / "other")])
    assert wider.list()[1] == 31
    assert lister.list()[1] == 30
    empty = Lister(lister.cache, [pi_store(tmp_path / "nowhere")])
    assert empty.list() == ([], 0)


def test_a_page_expires(lister: Lister) -> None:
    lister.list()
    assert lister.page() is not None
    for passed in (GOOD_MS, -1):
        lister.now_ms += passed
        assert lister.page() is None
        lister.now_ms -= passed


def test_a_damaged_page_is_not_used(lister: Lister) -> None:
    lister.list()
    (path,) = (file for file in lister.cache.iterdir() if file.name.startswith("newest"))
    content = path.read_bytes()
    for damaged in (
        b"",
        b"\0" * 100,
        content[:40],
        content[: len(content) // 2],
        content[:-1],
        b"N",
        b"(\0\0\0\0",
    ):
        path.write_bytes(damaged)
        assert lister.page() is None
    assert lister.list() == lister.truth()
    assert path.read_bytes() == content


def test_a_page_with_a_flipped_bit_is_refused_or_right(lister: Lister) -> None:
    lister.list()
    (path,) = lister.cache.glob("newest-*")
    content, right = path.read_bytes(), lister.page()
    assert right is not None
    for offset in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[offset] ^= 1 << offset % 8
        path.write_bytes(damaged)
        page = lister.page()
        assert page is None or (facts(page[0]), page[1]) == (facts(right[0]), right[1])


def test_the_files_are_private(lister: Lister) -> None:
    lister.list()
    names = {path.name.partition("-")[0]: path.stat().st_mode & 0o077 for path in lister.cache.iterdir()}
    assert names == {"catalog": 0, "newest": 0, "text": 0}


def test_an_unwritable_folder_is_no_error(lister: Lister) -> None:
    lister.cache.parent.joinpath("file").write_text("in the way")
    Page(str(lister.cache.with_name("file")), lister.stores, b"", 0).write([], 0)


def test_a_failed_write_leaves_no_page(lister: Lister, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    lister.list()
    assert list(lister.cache.glob("*newest*")) == []


def test_a_page_is_not_used_while_a_browser_writes_the_catalog(lister: Lister) -> None:
    """The browser may have seen a file grow, which makes a session live (formats/README.md, "Detecting a
    running agent").
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


def test_no_page_is_stored_if_files_change_meanwhile(
    lister: Lister, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process stores a file that grew after our walk."""
    walk_result = walk(lister.stores)
    load = Catalog.load

    def list_elsewhere_then_load(
        catalog: Catalog, paths: Iterable[str], known: Container[str] = ()
    ) -> dict[str, Reading]:
        monkeypatch.undo()
        _append(root)
        lister.list()
        return load(catalog, paths, known)

    monkeypatch.setattr(Catalog, "load", list_elsewhere_then_load)
    newest(lister.stores, str(lister.cache), LIMIT, lambda: lister.now_ms, walk_result)
    assert Page(str(lister.cache), lister.stores, walk_result.record(), lister.now_ms).read(LIMIT) is None
    assert lister.list() == lister.truth()


def test_no_page_is_stored_if_another_process_has_written(lister: Lister, root: Path) -> None:
    ours, theirs = (Catalog(str(lister.cache), lister.stores) for _ in range(2))
    walk_result = walk(lister.stores)
    assert make_current(ours, TextStore(ours), lister.stores, lambda: lister.now_ms, walk_result, ours.rows)[
        1
    ]
    assert ours.untouched()
    theirs.remove([str(root / "--project-3--" / "session-3.jsonl")])
    assert not ours.untouched()
    ours.signatures()
    assert ours.untouched()
    ours.close()
    theirs.close()


def test_no_page_is_stored_if_a_file_cannot_be_read(
    lister: Lister, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = str(root / "--project-3--" / "session-3.jsonl")
    deny(monkeypatch, broken)
    lister.list()
    monkeypatch.undo()
    assert lister.page() is None
    assert lister.list() == lister.truth()


def look_first_with_limit(
    store: Store, cache: Path, monkeypatch: pytest.MonkeyPatch, workers_from_bytes: int
) -> WalkResult:
    """The result of a first walk. Worker processes start from `workers_from_bytes` on."""
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", workers_from_bytes)
    return look_first([store], str(cache))


def test_workers_start_during_the_walk_of_a_first_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = pi_store(tmp_path / "store")
    paths = fill(tmp_path / "store", 80, folders=3)
    started: list[int] = []
    start = WorkerPool.start

    def start_and_note(workers: WorkerPool) -> None:
        started.append(len(folders))
        start(workers)

    folders: list[str] = []
    add = WalkResult.add

    def add_and_note(walk_result: WalkResult, store: Store, folder: str, files: Sequence[File]) -> None:
        folders.append(folder)
        add(walk_result, store, folder, files)

    monkeypatch.setattr(WorkerPool, "start", start_and_note)
    monkeypatch.setattr(WalkResult, "add", add_and_note)
    walk_result = look_first_with_limit(store, tmp_path / "cache", monkeypatch, 1000)
    assert (started, len(folders)) == ([2], 4)  # root and one folder, of four
    assert walk_result.workers is not None
    rows, total, note = newest([store], str(tmp_path / "cache"), 100, time.monotonic_ns, walk_result)
    assert (len(rows), total, note) == (len(paths), len(paths), None)
    # `read` calls start again, which starts nothing more.
    assert started == [2, 4]
    deadline = time.monotonic() + 30
    while walk_result.workers.process_ids and time.monotonic() < deadline:
        time.sleep(0.01)  # the workers end by themselves
    assert walk_result.workers.process_ids == []


def test_no_workers_start_for_a_list_with_little_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 40)
    assert look_first_with_limit(store, tmp_path / "cache", monkeypatch, 1 << 30).workers is None
    Lister(tmp_path / "cache", [store]).list()
    assert look_first_with_limit(store, tmp_path / "cache", monkeypatch, 1000).workers is None


def test_workers_end_when_the_list_has_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 40)
    lister = Lister(tmp_path / "cache", [store])
    listed = lister.list()
    os.unlink(catalog_in(str(tmp_path / "cache")))
    walk_result = look_first_with_limit(store, tmp_path / "cache", monkeypatch, 1000)
    assert walk_result.workers is not None
    until(lambda: walk_result.workers.process_ids)
    rows, total, _ = newest([store], str(tmp_path / "cache"), LIMIT, lambda: lister.now_ms, walk_result)
    assert (facts(rows), total) == listed
    until(lambda: not walk_result.workers.process_ids)
