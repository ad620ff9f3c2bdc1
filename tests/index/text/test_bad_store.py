"""A damaged text store loses nothing, gives no wrong text, and makes no scan fail."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.formats.text_kinds import USER
from app.index import SCHEMA, Catalog, cache_status, network_mounts
from app.index.catalog import catalog_file
from app.index.text.store import TextStore
from tests.cases import cases
from tests.index.helpers import append, facts, fill, fresh, message, pi_store
from tests.index.text.helpers import assert_right, scanned, segments, stored, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import Store

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return pi_store(tmp_path / "store")


def only(cache: Path) -> Path:
    (path,) = cache.rglob("*.folded")
    return path


def delete_the_segment(cache: Path) -> None:
    for path in (only(cache), only(cache).with_suffix(".written")):
        path.unlink()


def delete_the_written_texts(cache: Path) -> None:
    only(cache).with_suffix(".written").unlink()


def cut_the_written_texts(cache: Path) -> None:
    os.truncate(only(cache).with_suffix(".written"), only(cache).stat().st_size // 2)


def overwrite_the_written_texts(cache: Path) -> None:
    with open(only(cache).with_suffix(".written"), "r+b") as file:
        file.write(b"garbage!" * (only(cache).stat().st_size // 8))


def delete_the_texts(cache: Path) -> None:
    shutil.rmtree(only(cache).parent)


def cut_the_segment(cache: Path) -> None:
    os.truncate(only(cache), only(cache).stat().st_size // 2)


def empty_the_segment(cache: Path) -> None:
    os.truncate(only(cache), 0)


def overwrite_the_segment(cache: Path) -> None:
    with open(only(cache), "r+b") as file:
        file.write(b"garbage!" * (only(cache).stat().st_size // 8))


def overwrite_it_with_more(cache: Path) -> None:
    only(cache).write_bytes(b"garbage!" * only(cache).stat().st_size)


def a_folder_in_its_place(cache: Path) -> None:
    path = only(cache)
    path.unlink()
    path.mkdir()


def delete_everything(cache: Path) -> None:
    shutil.rmtree(cache)


def move_everything(cache: Path) -> None:
    cache.rename(cache.with_name("elsewhere"))


HARM = [
    delete_the_segment,
    delete_the_written_texts,
    cut_the_written_texts,
    delete_the_texts,
    cut_the_segment,
    empty_the_segment,
    a_folder_in_its_place,
    delete_everything,
    move_everything,
]
"""Harm that a scan notices."""

OVERWRITTEN = [overwrite_the_written_texts, overwrite_the_segment, overwrite_it_with_more]
"""Harm that a search notices, which checks what it reads."""


@pytest.mark.parametrize("harm", HARM)
def test_missing_texts_are_read_again_by_the_next_scan(
    cache: Path, store: Store, harm: Callable[[Path], None]
) -> None:
    fill(Path(store.root), 20)
    scanned(cache, store)
    harm(cache)
    index = scanned(cache, store)
    assert index.note is None
    assert index.counts.whole == (11 if harm in (cut_the_segment, cut_the_written_texts) else 20)
    assert_right(cache, store)
    assert scanned(cache, store).counts.whole == 0
    assert facts(Index([store], str(cache)).rows(full=True)) == fresh(store, cache.with_name("other"))


@pytest.mark.parametrize("harm", HARM)
def test_missing_texts_are_read_again_by_an_open_index(
    cache: Path, store: Store, harm: Callable[[Path], None]
) -> None:
    paths = fill(Path(store.root), 20)
    index = Index([store], str(cache))
    index.scan()
    append(paths[3], message("n", "e0", "before"))
    index.scan()
    harm(cache)
    append(paths[3], message("m", "n", "after"))
    for _ in range(3):
        index.scan()
    assert index.note is None
    assert_right(cache, store)
    read = index.counts.whole
    index.scan()
    assert index.counts.whole == read, "it is enough to read it once"
    append(paths[4], message("m", "e0", "and on"))
    index.scan()
    assert index.counts.whole == read
    index.close()
    assert_right(cache, store)


@cases("harm", OVERWRITTEN)
def test_overwritten_texts_are_read_again_after_a_search(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    store, cache = pi_store(tmp_path / "store"), tmp_path / "cache"
    paths = fill(Path(store.root), 20)
    scanned(cache, store)
    harm(cache)
    index = Index([store], str(cache))
    append(paths[3], message("m", "e0", "after"))
    index.scan()
    # Only a query with capitals reads the texts as they are written.
    pages = [list(index.query(text))[-1] for text in ("prompt", "Prompt")]
    assert [page.total for page in pages] == [20, 20], "the second finds another spelling"
    assert "damaged" in " ".join(note.message for page in pages for note in page.notes)
    index.scan()
    assert (index.note, index.counts.whole) == (None, 20)
    index.close()
    assert_right(cache, store)
    assert scanned(cache, store).counts.whole == 0


def test_a_list_does_not_wait_for_texts(cache: Path, store: Store) -> None:
    from app.index.scan.retry import make_current
    from app.index.scan.walk import walk

    fill(Path(store.root), 5)
    scanned(cache, store)
    delete_the_segment(cache)
    catalog = Catalog(str(cache), [store])
    rows = make_current(catalog, TextStore(catalog), [store], lambda: 0, walk([store]), catalog.rows)
    assert len(rows) == 5
    catalog.close()
    assert segments(cache) == {}
    assert scanned(cache, store).counts.whole == 5


@pytest.mark.parametrize("call", ["write", "open", "mkdir"])
def test_a_full_disk_costs_the_texts_but_no_rows(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    fill(Path(store.root), 10)
    real_call = getattr(os, call)
    denied = []

    def full(*arguments: object, **options: object) -> object:
        target = arguments[0] if call == "mkdir" else arguments[0] if call == "open" else "text"
        if "text" in str(target) and not str(target).endswith("lock"):
            denied.append(target)
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_call(*arguments, **options)

    monkeypatch.setattr(os, call, full)
    index = Index([store], str(cache))
    index.scan()
    folder = cache / f"text-{SCHEMA}"
    assert index.note == f"the text of sessions is not kept: {folder}: No space left on device"
    assert 1 <= len(denied) <= 2, "it is not asked again for each of the texts"
    assert facts(index.rows(full=True)) == fresh(store, cache.with_name("other"))
    assert index.catalog.texts() == {}
    index.scan()
    assert index.counts.whole == 10, "what cannot be kept is not read again and again"
    index.close()
    monkeypatch.undo()
    # The next process tries again.
    second = scanned(cache, store)
    assert (second.note, second.counts.whole) == (None, 10)
    assert_right(cache, store)


@pytest.mark.parametrize("workers_from", [1_000, 1 << 40], ids=["workers", "this process"])
def test_a_blocked_text_folder_is_reported_once(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch, workers_from: int
) -> None:
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", workers_from)
    fill(Path(store.root), 60)
    cache.mkdir()
    (cache / f"text-{SCHEMA}").write_text("in the way")
    index = scanned(cache, store)
    assert index.note == f"the text of sessions is not kept: {cache / f'text-{SCHEMA}'}: Not a directory"
    assert facts(index.rows(full=True)) == fresh(store, cache.with_name("other"))
    # While the folder is blocked, a second scan does not read all files again either.
    second = scanned(cache, store)
    assert (second.note, second.counts.whole) == (None, 0)


def test_a_disk_that_fills_up_keeps_the_texts_stored_before(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(Path(store.root), 10)
    real_write = os.write
    free_bytes = [4 * len(stored(USER, 0, "prompt 0").folded) + 4]

    def nearly_full(descriptor: int, data: memoryview) -> int:
        if free_bytes[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = real_write(descriptor, data[: free_bytes[0]])
        free_bytes[0] -= done
        return done

    monkeypatch.setattr(os, "write", nearly_full)
    index = scanned(cache, store)
    monkeypatch.undo()
    assert "No space left on device" in (index.note or "")
    assert sorted(texts(cache, store)) == ["session-8.jsonl", "session-9.jsonl"]
    assert None not in texts(cache, store).values()
    assert cache_status(str(cache)).without_text == 8
    monkeypatch.setattr(TextStore, "_has_room", lambda *_: False)
    assert scanned(cache, store).counts.whole == 0, "there is no room for them"
    monkeypatch.undo()
    assert scanned(cache, store).counts.whole == 8
    assert_right(cache, store)


LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from leafmark import Index
from tests.cases import cases
from tests.index.helpers import facts, fresh, pi_store
from pathlib import Path
store = pi_store(sys.argv[3])
index = Index([store], sys.argv[2])
index.rows()
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]), int(sys.argv[4])))
index.scan()
assert [row.id for row in index.rows(full=True)]
print(len(index.rows()), index.note, flush=True)
index.close()
"""


@pytest.mark.parametrize("limit", [0, 1_000, 20_000, 50_000])
def test_a_limit_on_file_sizes(cache: Path, store: Store, limit: int) -> None:
    """Either the catalog or the text store reaches the limit first."""
    fill(Path(store.root), 60)
    command = [sys.executable, "-c", LIMITED, str(ROOT), str(cache), store.root, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, _, note = done.stdout.strip().partition(" ")
    assert count == "60"
    assert "not kept" in note or "in memory" in note
    scanned(cache, store)
    assert_right(cache, store)


def test_a_catalog_in_memory_stores_no_texts(cache: Path, store: Store) -> None:
    fill(Path(store.root), 5)
    (cache / f"catalog-{SCHEMA}.db").mkdir(parents=True)
    index = Index([store], str(cache))
    index.scan()
    index.scan()
    assert "in memory only" in (index.note or "")
    assert index.counts.whole == 5
    assert index.catalog.texts() == {}
    assert not list(cache.rglob("*.folded"))


def test_a_catalog_in_memory_deletes_no_texts(cache: Path, store: Store) -> None:
    paths = fill(Path(store.root), 5)
    scanned(cache, store)
    before = segments(cache)
    index = Index([store], str(cache))
    index.catalog._database._continue_in_memory("a test")
    append(paths[0], message("n", "e0", "more"))
    index.scan()
    index.close()
    assert segments(cache) == before
    scanned(cache, store)
    assert_right(cache, store)


READS = """
import os, sys
sys.path.insert(0, sys.argv[1])
import app.index.watch.follower
import app.index.scan.scan
import app.index.text.store
import app.index.text.compaction
import app.sessions.summaries.summarise
import app.index.verify
import app.index.cache
import app.index.catalog.writes
import app.index.catalog.db_errors
from tests.cases import cases
from tests.index.helpers import pi_store
from tests.index.text.helpers import stored, texts
from leafmark import Index
os.setuid(65534)
store = pi_store(sys.argv[3])
index = Index([store], sys.argv[2])
index.scan()
kept = index.catalog.texts()
from app.index.text.segment import read_spans
whole = [read_spans(index.catalog.text_folder, spans) for spans in kept.values()]
print(index.counts.whole, len(index.rows()), len(kept), None in whole, index.note, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another")
def test_a_readonly_cache_is_used(tmp_path: Path, cache: Path, store: Store) -> None:
    fill(Path(store.root), 5)
    scanned(cache, store)
    for path in [cache, *cache.rglob("*"), tmp_path, *tmp_path.parents]:
        if path.stat().st_mode & 0o055 != 0o055:
            path.chmod(path.stat().st_mode | 0o055)
    before = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    command = [sys.executable, "-c", READS, str(ROOT), str(cache), store.root]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("0 5 5 False what is new is kept in memory only: "), done.stderr
    assert done.stdout.endswith(f"/catalog-{SCHEMA}.db: Permission denied\n")
    assert {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "ext4"])
def test_network_shares_get_a_journal_mode_that_works_there(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    table = cache.with_name("mounts")
    table.write_text(f"/dev/a / ext4 rw 0 0\nserver:/home {cache.parent} {kind} rw 0 0\n")
    real_is_silent = network_mounts.is_silent
    monkeypatch.setattr(catalog_file, "is_silent", lambda path: real_is_silent(path, str(table)))
    paths = fill(Path(store.root), 5)
    index = Index([store], str(cache))
    index.scan()
    assert (cache / f"catalog-{SCHEMA}.db-wal").exists() == (kind == "ext4")
    assert cache_status(str(cache)).network == (kind != "ext4")
    append(paths[0], message("n", "e0", "more"))
    index.scan()
    index.close()
    assert index.note is None
    assert_right(cache, store)


def test_undecodable_spans_count_as_damage_of_the_catalog(cache: Path, store: Store) -> None:
    import sqlite3

    fill(Path(store.root), 5)
    scanned(cache, store)
    for harm in (
        "UPDATE sessions SET spans = x'00'",
        "UPDATE segments SET name = '../../etc/passwd'",
        "DELETE FROM segments",
    ):
        with sqlite3.connect(cache / f"catalog-{SCHEMA}.db") as connection:
            connection.execute(harm)
        connection.close()
        catalog = Catalog(str(cache), [store])
        assert catalog.texts() == {}
        assert catalog.generation == 1
        catalog.close()
        assert scanned(cache, store).counts.whole == 5
        assert_right(cache, store)


def test_files_of_another_schema_are_not_touched(cache: Path, store: Store) -> None:
    newer = cache / f"text-{SCHEMA + 1}"
    newer.mkdir(parents=True)
    (newer / ("0" * 16 + ".folded")).write_bytes(b"of a newer version")
    (cache / f"catalog-{SCHEMA + 1}.db").write_bytes(b"of a newer version")
    before = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    fill(Path(store.root), 5)
    for _ in range(2):
        scanned(cache, store)
    assert {path: path.read_bytes() for path in before} == before
    catalog = Catalog(str(cache), [store])
    assert len(catalog.texts()) == 5
