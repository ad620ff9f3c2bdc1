"""The status of the cache, rebuilding it, and comparing it with the files (`leafmark index`)."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.formats.prices import LIST_PRICES
from app.index import SCHEMA, Catalog, cache_status, current_figures, rebuild
from app.index.figures_process import FiguresProcess
from app.index.verify import Verified, verify
from tests.index.helpers import append, facts, fill, fresh, message, pi_store, write
from tests.index.text.helpers import assert_right, scanned, segments, size_of, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import Store


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return pi_store(tmp_path / "store")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_status_of_a_missing_cache_creates_nothing(cache: Path) -> None:
    status = cache_status(str(cache))
    assert (status.folder, status.catalog) == (str(cache), str(cache / f"catalog-{SCHEMA}.db"))
    assert (status.catalog_bytes, status.text_bytes, status.sessions, status.segments) == (0, 0, 0, 0)
    assert not cache.exists()


def test_the_status_says_where_the_cache_is_and_how_large(cache: Path, store: Store) -> None:
    paths = fill(Path(store.root), 10)
    write(Path(store.root) / "bad.jsonl", "damaged\n")
    index = Index([store], str(cache))
    index.scan()
    status = cache_status(str(cache))
    catalog_bytes = sum(path.stat().st_size for path in cache.glob("catalog-*"))
    assert status.catalog_bytes == catalog_bytes
    index.close()
    status = cache_status(str(cache))
    assert (status.sessions, status.without_text, status.segments, status.dead_bytes) == (10, 0, 1, 0)
    assert status.figures_bytes == 0
    current_figures(str(cache), index.rows())
    figures_bytes = sum(path.stat().st_size for path in cache.glob("figures-*"))
    assert cache_status(str(cache)).figures_bytes == figures_bytes > 0
    assert status.text == str(cache / f"text-{SCHEMA}")
    assert status.text_bytes == sum(segments(cache).values())
    dead = size_of({"": texts(cache, store)["session-3.jsonl"]})
    paths[3].unlink()
    scanned(cache, store)
    status = cache_status(str(cache))
    assert (status.sessions, status.dead_bytes) == (9, dead)


def test_rebuild_deletes_only_files_of_this_schema(cache: Path, store: Store) -> None:
    fill(Path(store.root), 10)
    scanned(cache, store)
    unrelated = {
        cache / f"catalog-{SCHEMA + 1}.db": b"newer",
        cache / f"text-{SCHEMA + 1}" / ("a" * 16 + ".folded"): b"newer",
        cache / "pins": b"ours, but no cache",
    }
    for path, content in unrelated.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    rebuild(str(cache))
    assert segments_and_rows(cache, store) == ({}, 0)
    assert {path: path.read_bytes() for path in unrelated} == unrelated
    assert scanned(cache, store).counts.whole == 10
    assert_right(cache, store)


def test_a_scan_deletes_the_unused_caches_of_older_versions(cache: Path, store: Store) -> None:
    fill(Path(store.root), 3)
    week = 8 * 24 * 3600
    kept = [
        cache / f"catalog-{SCHEMA + 1}.db",
        cache / f"text-{SCHEMA + 1}" / ("b" * 16 + ".folded"),
        cache / f"catalog-{SCHEMA - 1}.db",
        cache / f"catalog-{SCHEMA - 1}.db-wal",
        cache / "catalog-x.db",
        cache / f"catalog-{SCHEMA - 2}.db.mine",
    ]
    dropped = [
        cache / f"catalog-{SCHEMA - 2}.db",
        cache / f"newest-{SCHEMA - 2}",
        cache / f"text-{SCHEMA - 2}" / ("a" * 16 + ".seg"),
        cache / f"text-{SCHEMA - 2}" / "lock",
    ]
    for path in (*kept, *dropped):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(b"of another version")
    now = time.time()
    for path in (*dropped, dropped[2].parent, *kept[:3]):
        os.utime(path, (now - week, now - week))
    index = Index([store], str(cache), lambda: int(now * 1000))
    index.scan()
    index.close()
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in (*dropped, dropped[2].parent))
    assert_right(cache, store)


def segments_and_rows(cache: Path, store: Store) -> tuple[dict[str, bytes], int]:
    segment_files = {
        name: data for name, data in files(cache / f"text-{SCHEMA}").items() if name.endswith(".folded")
    }
    catalog = Catalog(str(cache), [store])
    try:
        return segment_files, len(catalog.rows())
    finally:
        catalog.close()


def test_a_missing_or_empty_cache_can_be_rebuilt(cache: Path) -> None:
    rebuild(str(cache))
    assert not cache.exists()
    cache.mkdir()
    rebuild(str(cache))


def test_rebuild_raises_if_a_file_cannot_be_deleted(tmp_path: Path) -> None:
    (tmp_path / f"catalog-{SCHEMA}.db").mkdir()
    with pytest.raises(OSError, match="catalog"):
        rebuild(str(tmp_path))


def test_an_open_browser_notices_a_rebuild(cache: Path, store: Store) -> None:
    paths = fill(Path(store.root), 10)
    index = Index([store], str(cache))
    index.scan()
    rebuild(str(cache))
    append(paths[0], message("n", "e0", "more"))
    index.scan()
    assert (index.note, index.counts.whole) == (None, 20)
    # Other processes can use the result.
    assert scanned(cache, store).counts.whole == 0
    assert_right(cache, store)
    index.close()
    assert facts(Index([store], str(cache)).rows(full=True)) == fresh(store, cache.with_name("other"))


def verified(cache: Path, store: Store) -> Verified:
    catalog = Catalog(str(cache), [store])
    try:
        return verify(catalog, [store])
    finally:
        catalog.close()


def test_an_intact_cache_has_no_findings(cache: Path, store: Store) -> None:
    fill(Path(store.root), 10)
    write(Path(store.root) / "bad.jsonl", "damaged\n")
    scanned(cache, store)
    before = files(cache)
    assert verified(cache, store) == Verified(checked=11)
    assert files(cache) == before


def test_changed_files_are_not_compared(cache: Path, store: Store) -> None:
    paths = fill(Path(store.root), 10)
    scanned(cache, store)
    append(paths[0], message("n", "e0", "more"))
    paths[1].unlink()
    write(Path(store.root) / "new.jsonl", "damaged\n")
    assert verified(cache, store) == Verified(checked=8, changed=3)


def spoil_a_field(cache: Path) -> None:
    change(cache, "UPDATE sessions SET row = (SELECT row FROM sessions WHERE key = 2) WHERE key = 1")


def spoil_a_first_message(cache: Path) -> None:
    other = zlib.compress(b"other").hex()
    change(cache, f"UPDATE first_messages SET first_message = x'{other}' WHERE key = 1")


def spoil_a_byte(cache: Path, offset: int = -1) -> None:
    (path,) = cache.rglob("*.folded")
    with open(path, "r+b") as file:
        file.seek(offset, os.SEEK_SET if offset >= 0 else os.SEEK_END)
        file.write(b"#")


def spoil_a_table(cache: Path) -> None:
    spoil_a_byte(cache, 6)


def swap_texts(cache: Path) -> None:
    change(cache, "UPDATE sessions SET spans = (SELECT spans FROM sessions WHERE key = 2) WHERE key = 1")


def cut(cache: Path) -> None:
    (path,) = cache.rglob("*.folded")
    os.truncate(path, path.stat().st_size - 1)


def delete(cache: Path) -> None:
    (path,) = cache.rglob("*.folded")
    path.unlink()


def change(cache: Path, statement: str) -> None:
    connection = sqlite3.connect(cache / f"catalog-{SCHEMA}.db")
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "count", "start"),
    [
        (spoil_a_first_message, 1, "first_message is 'other', and should be 'prompt 3'"),
        (spoil_a_byte, 1, "the text store is damaged: a part of its text is missing"),
        (spoil_a_table, 1, "the text store is damaged: a part of its text is missing"),
        (swap_texts, 1, "its text differs from the line at byte "),
        (cut, 1, "the text store is damaged: a part of its text is missing"),
        (delete, 4, "the text store is damaged: a part of its text is missing"),
    ],
)
def test_each_difference_is_found(
    cache: Path, store: Store, spoil: Callable[[Path], None], count: int, start: str
) -> None:
    fill(Path(store.root), 4)
    scanned(cache, store)
    spoil(cache)
    findings = verified(cache, store).findings
    assert len(findings) == count
    assert findings[0].what.startswith(start)
    assert "\n" not in findings[0].what


def test_a_row_of_another_file_is_found(cache: Path, store: Store) -> None:
    fill(Path(store.root), 4)
    scanned(cache, store)
    spoil_a_field(cache)
    done = verified(cache, store)
    # The signature beside the row still matches the file, so that a scan would not read it again.
    assert done.findings[0].what.startswith("id is ")
    assert (done.checked, done.changed, len(done.differing)) == (4, 0, 1)


def test_a_session_without_text_is_counted(cache: Path, store: Store) -> None:
    fill(Path(store.root), 4)
    scanned(cache, store)
    change(cache, "UPDATE sessions SET spans = NULL WHERE key = 1")
    assert verified(cache, store) == Verified(checked=4, without_text=1)
    assert cache_status(str(cache)).without_text == 1


def test_an_unreadable_session_is_found(cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = fill(Path(store.root), 4)
    scanned(cache, store)
    append(paths[1], message("n", "e0", "more"))
    real_open = os.open

    def deny(name: str, flags: int, mode: int = 0o777) -> int:
        if name == str(paths[1]):
            raise PermissionError(13, "Permission denied")
        return real_open(name, flags, mode)

    monkeypatch.setattr(os, "open", deny)
    scanned(cache, store)
    done = verified(cache, store)
    assert (done.checked, done.changed) == (3, 0)
    (finding,) = done.findings
    assert finding.path == str(paths[1])
    assert finding.what == "it could not be read: what is kept is how it was before"
    monkeypatch.undo()
    scanned(cache, store)
    assert verified(cache, store) == Verified(checked=4)


def test_progress_is_reported_and_verifying_can_be_stopped(cache: Path, store: Store) -> None:
    fill(Path(store.root), 4)
    scanned(cache, store)
    reported: list[tuple[int, int]] = []
    catalog = Catalog(str(cache), [store])
    verify(catalog, [store], lambda *counts: reported.append(counts))
    assert reported == [(1, 4), (2, 4), (3, 4), (4, 4)]
    stop = threading.Event()
    done = verify(catalog, [store], lambda *_: stop.set(), stop)
    assert (done.checked, done.changed) == (1, 0)


def test_statistics_that_are_left_early_keep_what_they_have_read(cache: Path, store: Store) -> None:
    fill(Path(store.root), 1_500)
    index = Index([store], str(cache))
    index.scan()
    process, seen = FiguresProcess(), []

    def leave(done: int, total: int) -> None:
        seen.append(total)
        process.close()

    with pytest.raises((OSError, EOFError, ValueError)):
        process.read(str(cache), [store], index.rows(), 0, LIST_PRICES, leave)
    totals: list[int] = []
    again = FiguresProcess()
    again.read(str(cache), [store], index.rows(), 0, LIST_PRICES, lambda done, total: totals.append(total))
    assert again.group("day", None).groups
    again.close()
    index.close()
    assert seen == [1_500]
    assert all(total < 1_500 for total in totals)
