"""The text of every session is stored when it is read, and equals that of a new reading of the whole file."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.formats.text_kinds import USER
from app.index import Catalog
from app.index.catalog import span_table
from app.index.scan import deltas
from app.index.text import store as store_module
from app.index.text.store import TextStore
from app.sessions.passages import NO_TEXT, PackedText, unpack
from tests.index.helpers import append, fill, message, pi_store, session, write
from tests.index.mischief import Mischief
from tests.index.text.helpers import assert_right, scanned, segments, spans_by_name, stored, texts

if TYPE_CHECKING:
    from leafmark import Store

    from app.index import Delta


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return pi_store(tmp_path / "store")


def passages_of(text: PackedText | None) -> list[bytes]:
    assert text is not None
    return [passage for _, _, passage in unpack(text.folded)]


def test_texts_are_stored_for_the_next_process(cache: Path, store: Store) -> None:
    fill(Path(store.root), 20)
    scanned(cache, store)
    assert len(texts(cache, store)) == 20
    assert passages_of(texts(cache, store)["session-7.jsonl"]) == [b"prompt 7"]
    assert len(segments(cache)) == 1
    assert_right(cache, store)


def test_an_append_adds_only_its_own_text(cache: Path, store: Store) -> None:
    path = fill(Path(store.root), 5)[2]
    index = Index([store], str(cache))
    index.scan()
    before, (size,) = texts(cache, store), segments(cache).values()
    append(path, message("new", "e0", "ONE more"))
    index.scan()
    assert (index.counts.whole, index.counts.tails) == (5, 1)
    index.close()
    after = texts(cache, store)
    assert passages_of(after.pop(path.name)) == [b"prompt 2", b"one more"]
    assert after == {name: text for name, text in before.items() if name != path.name}
    (grown,) = segments(cache).values()
    assert grown - size == len(stored(USER, 0, "ONE more").folded)
    assert_right(cache, store)


def test_an_append_without_words_writes_no_text(cache: Path, store: Store) -> None:
    path = fill(Path(store.root), 2)[0]
    index = Index([store], str(cache))
    index.scan()
    before = segments(cache)
    append(path, '{"type":"custom","id":"x","parentId":"e0"}\n')
    index.scan()
    assert index.counts.tails == 1
    index.close()
    assert segments(cache) == before
    assert_right(cache, store)


def test_a_scan_without_changes_writes_no_text(cache: Path, store: Store) -> None:
    fill(Path(store.root), 5)
    scanned(cache, store)
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*.folded")}
    scanned(cache, store)
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.folded")} == before


def test_a_session_without_messages_has_an_empty_text(cache: Path, store: Store) -> None:
    write(Path(store.root) / "a.jsonl", session(messages=0))
    scanned(cache, store)
    assert texts(cache, store) == {"a.jsonl": NO_TEXT}
    assert not list(cache.rglob("*.folded"))
    assert scanned(cache, store).counts.whole == 0


def test_a_rewritten_file_has_only_its_new_text(cache: Path, store: Store) -> None:
    path = write(Path(store.root) / "a.jsonl", session("old words", messages=3))
    scanned(cache, store)
    path.write_text(session("new"))
    scanned(cache, store)
    assert passages_of(texts(cache, store)["a.jsonl"]) == [b"new"]
    assert_right(cache, store)


def test_deleted_and_damaged_files_lose_their_text(cache: Path, store: Store) -> None:
    paths = fill(Path(store.root), 3)
    scanned(cache, store)
    paths[0].unlink()
    paths[1].write_text("damaged\n")
    scanned(cache, store)
    assert list(texts(cache, store)) == ["session-2.jsonl"]
    assert_right(cache, store)


def test_successive_processes_append_to_one_segment(cache: Path, store: Store) -> None:
    path = fill(Path(store.root), 3)[0]
    for number in range(5):
        append(path, message(f"n{number}", "e0", f"more {number}"))
        scanned(cache, store)
    assert len(segments(cache)) == 1
    assert_right(cache, store)


def test_adjacent_texts_are_one_span_and_their_number_is_limited(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_table, "MOST_SPANS", 4)
    monkeypatch.setattr(store_module, "MOST_SPANS", 4)
    first, second = fill(Path(store.root), 2)
    index = Index([store], str(cache))
    index.scan()
    for number in range(3):
        append(first, message(f"a{number}", "e0", f"alone {number}"))
        index.scan()
    assert len(spans_by_name(index.catalog)[first.name]) <= 2
    for number in range(25):
        for path in (first, second):
            append(path, message(f"b{number}", "e0", f"in turn {number}"))
            index.scan()
        assert max(len(spans) for spans in index.catalog.texts().values()) <= 4
    assert index.counts.whole == 2
    index.close()
    assert_right(cache, store)


@pytest.mark.parametrize("seed", range(4))
def test_texts_are_right_after_random_changes(cache: Path, store: Store, seed: int) -> None:
    mischief = Mischief(Path(store.root), seed)
    indexes = [Index([store], str(cache)) for _ in range(2)]
    for number in range(50):
        for _ in range(mischief.dice.randrange(1, 4)):
            mischief.step()
        # Two processes that share the store, in any order.
        mischief.dice.choice(indexes).scan()
        if number % 10 == 9:
            for index in indexes:
                index.scan()
            assert_right(cache, store)
    assert indexes[0].counts.tails > 0


def test_texts_are_stored_before_a_delta_is_sent(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each file is reported when it is read.
    monkeypatch.setattr(deltas, "DELTA_SECONDS", 0.0)
    monkeypatch.setattr(deltas, "ENTRY_SECONDS", 0.0)
    fill(Path(store.root), 60)
    second = Catalog(str(cache), [store])
    index = Index([store], str(cache))
    count = 0

    def on_delta(delta: Delta) -> None:
        nonlocal count
        paths = [row.path for row in delta.changed]
        assert sorted(second.texts(paths)) == sorted(paths)
        count += len(paths)

    index.scan(on_delta)
    assert count == 60


def test_the_folder_is_locked_while_texts_wait_for_the_catalog(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(Path(store.root), 40)
    tidied: list[object] = []
    monkeypatch.setattr(store_module, "compact", lambda *_: tidied.append(1))
    index = Index([store], str(cache))
    second = TextStore(Catalog(str(cache), [store]))

    def on_delta(delta: object) -> None:
        second.tidy(threading.Event())
        assert tidied == []

    index.scan(on_delta)
    assert tidied == [1], "at the end, by the one that has written"
    second.tidy(threading.Event())
    assert tidied == [1, 1], "nobody writes"


def test_texts_are_limited_to_the_given_stores_and_paths(tmp_path: Path, cache: Path) -> None:
    first, second = pi_store(tmp_path / "one"), pi_store(tmp_path / "two")
    paths = fill(tmp_path / "one", 900, folders=1)
    fill(tmp_path / "two", 2)
    Index([first, second], str(cache)).scan()
    catalog = Catalog(str(cache), [first])
    assert sorted(catalog.texts()) == sorted(map(str, paths))
    assert list(catalog.texts([str(paths[3]), str(tmp_path / "two"), "/none"])) == [str(paths[3])]
    assert len(catalog.texts(map(str, paths))) == 900
    assert catalog.texts([]) == {}


def test_two_writers_use_their_own_segments(cache: Path, store: Store) -> None:
    first_path, second_path = fill(Path(store.root), 2)
    first, second = Index([store], str(cache)), Index([store], str(cache))
    first.scan()
    append(first_path, message("a", "e0", "first"))
    first._scanner.refresh({str(first_path)}, None, threading.Event())
    append(first_path, message("b", "a", "second"))
    append(second_path, message("b", "e0", "second"))
    second.scan()
    assert len(segments(cache)) == 2
    append(first_path, message("c", "a", "third"))
    first.scan()
    # It does not extend a text that another process has stored.
    assert len({span[0] for span in spans_by_name(first.catalog)[first_path.name]}) == 1
    first.close()
    second.close()
    assert_right(cache, store)
