"""Segments: appended text is readable, private, and safe from failures of later writes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from app.index.catalog.span_table import is_segment_name
from app.index.text import segment as module
from app.index.text.segment import WRITTEN, Segment, Vanished, Writer, path_of
from tests.cases import cases
from tests.index.text.helpers import both


def content(folder: Path) -> dict[str, bytes]:
    folded, written = (
        {path.stem: path.read_bytes() for path in folder.glob(suffix)} for suffix in ("*.folded", "*.written")
    )
    assert folded == written
    return folded


def read(folder: Path, span: tuple[str, int, int]) -> bytes:
    name, start, length = span
    return Path(path_of(str(folder), name)).read_bytes()[start : start + length]


def keep_one(writer: Writer, text: bytes) -> tuple[str, int, int]:
    spans = writer.keep(both(text))
    assert isinstance(spans, tuple), spans
    return spans[0]


def test_no_file_is_created_without_text(tmp_path: Path) -> None:
    writer = Writer(str(tmp_path / "text"))
    assert writer.keep(both(b"")) == ()
    assert not (tmp_path / "text").exists()
    first, second = keep_one(writer, b"one"), keep_one(writer, b"two")
    assert first[0] == second[0]
    assert (read(tmp_path / "text", first), read(tmp_path / "text", second)) == (b"one", b"two")


def test_the_files_are_private(tmp_path: Path) -> None:
    keep_one(Writer(str(tmp_path / "text")), b"secret")
    paths = list((tmp_path / "text").iterdir())
    assert sorted(path.suffix for path in paths) == [".folded", ".written"]
    for path in paths:
        assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        assert is_segment_name(path.stem)


@cases("name", ["", "../../x", "0" * 15, "g" * 16, 7, None, "0123456789ABCDEF"])
def test_other_names_are_not_segment_names(name: object) -> None:
    assert not is_segment_name(name)


def test_an_abandoned_complete_segment_is_adopted(tmp_path: Path) -> None:
    first = Writer(str(tmp_path))
    name, _, length = keep_one(first, b"one")
    assert Segment.adopt(str(tmp_path), name, 3) is None, "the first still has it"
    first.close()
    assert Segment.adopt(str(tmp_path), name, 4) is None, "it is shorter than it must be"
    second = Writer(str(tmp_path), lambda: [("0" * 16, 0), (name, 3)])
    assert keep_one(second, b"two") == (name, length, 3)
    assert content(tmp_path) == {name: b"onetwo"}


def test_a_process_that_is_killed_between_the_two_writes_leaves_a_usable_segment(tmp_path: Path) -> None:
    first = Writer(str(tmp_path))
    name, _, length = keep_one(first, b"one")
    first.close()
    with open(path_of(str(tmp_path), name), "ab") as file:
        file.write(b"half")
    second = Writer(str(tmp_path), lambda: [(name, 3)])
    assert keep_one(second, b"two") == (name, length, 3)
    assert content(tmp_path) == {name: b"onetwo"}


def test_a_segment_whose_written_texts_are_cut_is_not_adopted(tmp_path: Path) -> None:
    first = Writer(str(tmp_path))
    name = keep_one(first, b"one")[0]
    first.close()
    os.truncate(path_of(str(tmp_path), name, WRITTEN), 2)
    assert Segment.adopt(str(tmp_path), name, 3) is None
    assert os.path.getsize(path_of(str(tmp_path), name)) == 3


def test_a_large_segment_is_not_adopted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALL_BYTES", 3)
    first = Writer(str(tmp_path))
    name = keep_one(first, b"one")[0]
    first.close()
    assert Segment.adopt(str(tmp_path), name, 3) is None


def test_a_full_segment_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FULL_BYTES", 5)
    writer = Writer(str(tmp_path))
    names = [keep_one(writer, b"abc")[0] for _ in range(5)]
    assert [names.count(name) for name in dict.fromkeys(names)] == [2, 2, 1]


@cases("suffix", [".folded", ".written"])
@cases("harm", ["delete", "truncate", "lengthen", "replace", "move the folder"])
def test_a_segment_changed_by_others_is_not_appended_to(tmp_path: Path, harm: str, suffix: str) -> None:
    folder = tmp_path / "text"
    writer = Writer(str(folder))
    path = Path(path_of(str(folder), keep_one(writer, b"before")[0], suffix))
    if harm == "delete":
        path.unlink()
    elif harm == "truncate":
        os.truncate(path, 2)
    elif harm == "lengthen":
        path.write_bytes(b"before and more")
    elif harm == "replace":
        path.rename(path.with_suffix(".old"))
        path.write_bytes(b"before")
    else:
        folder.rename(tmp_path / "elsewhere")
    span = keep_one(writer, b"after")
    assert span[0] != path.stem
    assert read(folder, span) == b"after"
    # Its content is not what the catalog says, so that no segment is better than a wrong one.
    assert not path.exists() or harm == "replace"


def test_a_failed_write_leaves_no_bytes_and_is_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(str(tmp_path))
    name = keep_one(writer, b"before")[0]
    real_write = os.write
    sizes = []

    def full(descriptor: int, data: memoryview) -> int:
        sizes.append(len(data))
        if len(sizes) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_write(descriptor, data[:3])

    monkeypatch.setattr(os, "write", full)
    why = writer.keep(both(b"too much"))
    assert why == writer.why == f"the text of sessions is not kept: {tmp_path}: No space left on device"
    assert content(tmp_path) == {name: b"before"}
    assert writer.keep(both(b"more")) == why
    assert sizes == [8, 5]
    assert writer.keep(both(b"")) == ()


def test_partial_writes_store_complete_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real_write(descriptor, data[:5]))
    assert read(tmp_path, keep_one(Writer(str(tmp_path)), b"and three")) == b"and three"


def test_a_new_segment_deleted_before_its_lock_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_lock = module.lock
    deleted = []

    def slow(descriptor: int, *, shared: bool = False) -> str:
        if not deleted:
            deleted.extend(tmp_path.iterdir())
            deleted[0].unlink()
        return real_lock(descriptor, shared=shared)

    monkeypatch.setattr(module, "lock", slow)
    span = keep_one(Writer(str(tmp_path)), b"text")
    assert read(tmp_path, span) == b"text"
    assert deleted[0].stem != span[0]


def _no_locks(*_: object) -> None:
    """As on some network file systems."""
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def test_without_locks_no_segment_is_adopted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.text.segment.fcntl.flock", _no_locks)
    first = Writer(str(tmp_path))
    name = keep_one(first, b"one")[0]
    first.close()
    assert Segment.adopt(str(tmp_path), name, 3) is None
    assert keep_one(Writer(str(tmp_path), lambda: [(name, 3)]), b"two")[0] != name


def test_appending_to_a_deleted_segment_raises(tmp_path: Path) -> None:
    segment = Segment.make(str(tmp_path))
    segment.append(both(b"a"))
    os.unlink(path_of(str(tmp_path), segment.name))
    with pytest.raises(Vanished):
        segment.append(both(b"b"))
