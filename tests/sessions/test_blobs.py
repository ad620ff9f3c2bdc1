"""The blob store has whole files named by the hash of their bytes, and opens none outside its folder."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.sessions import BlobStore
from app.sessions.storage.blobs import PREFIX, parse_ref
from tests.cases import cases

DATA = b"\x89PNG not really"
DIGITS = hashlib.sha256(DATA).hexdigest()
REF = PREFIX + DIGITS


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(str(tmp_path / "agent" / "blobs"))


def names(store: BlobStore) -> list[str]:
    return sorted(os.listdir(store.folder))


def test_get_returns_what_put_wrote(store: BlobStore) -> None:
    assert store.get(REF) is None
    assert store.put(DATA) == REF
    assert store.get(REF) == DATA
    assert names(store) == [DIGITS]
    assert store.put(b"") != REF
    assert store.get(store.put(b"")) == b""


@given(st.binary(max_size=2000))
def test_any_bytes_are_returned_unchanged(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    store = BlobStore(str(tmp_path_factory.getbasetemp() / "any-blobs"))
    ref = store.put(data)
    assert parse_ref(ref) == hashlib.sha256(data).hexdigest()
    assert store.get(ref) == data


def test_an_existing_blob_is_not_written_again(store: BlobStore) -> None:
    store.put(DATA)
    path = Path(store.folder, DIGITS)
    before = path.stat()
    assert store.put(DATA) == REF
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


@pytest.mark.parametrize("damaged", [b"", DATA[:-1], DATA[:-1] + b"?"])
def test_a_damaged_blob_is_missing_until_it_is_put_again(store: BlobStore, damaged: bytes) -> None:
    store.put(DATA)
    Path(store.folder, DIGITS).write_bytes(damaged)
    assert store.get(REF) is None
    assert store.put(DATA) == REF
    assert store.get(REF) == DATA
    assert names(store) == [DIGITS]


@cases(
    "ref",
    [
        "",
        PREFIX,
        DIGITS,
        REF[:-1],
        REF + "0",
        REF + "\n",
        REF.upper(),
        PREFIX + DIGITS.upper(),
        " " + REF,
        "blob:sha1:" + DIGITS,
        PREFIX + "../" + DIGITS[3:],
        PREFIX + "/" + DIGITS[1:],
        PREFIX + "\0" + DIGITS[1:],
        PREFIX + "٣" * 64,
        PREFIX + PREFIX + DIGITS[len(PREFIX) :],
    ],
)
def test_only_a_prefix_and_64_digits_are_a_reference(store: BlobStore, ref: str) -> None:
    store.put(DATA)
    assert parse_ref(ref) is None
    assert store.get(ref) is None


@given(st.text() | st.text("0123456789abcdef./\\", min_size=64, max_size=64))
@example("../" * 21 + "x")
def test_a_reference_never_leads_out_of_the_folder(text: str) -> None:
    digits = parse_ref(PREFIX + text)
    assert digits is None or (len(digits) == 64 and set(digits) <= set("0123456789abcdef"))


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_only_plain_files_are_read(store: BlobStore, tmp_path: Path, kind: str) -> None:
    os.makedirs(store.folder)
    path = Path(store.folder, DIGITS)
    if kind == "link":
        (tmp_path / "outside").write_bytes(DATA)
        path.symlink_to(tmp_path / "outside")
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    open_before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    assert store.get(REF) is None
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) == open_before
    if kind == "folder":
        with pytest.raises(OSError, match="directory"):
            store.put(DATA)
        assert names(store) == [DIGITS]
    else:
        assert store.put(DATA) == REF
        assert store.get(REF) == DATA
        assert path.is_file()
        assert not path.is_symlink()
    if kind == "link":
        assert (tmp_path / "outside").read_bytes() == DATA


def test_only_the_owner_can_read_blobs(store: BlobStore) -> None:
    store.put(DATA)
    assert stat.S_IMODE(os.stat(Path(store.folder, DIGITS)).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(store.folder).st_mode) == 0o700


def test_a_blob_that_is_not_on_the_disk_is_no_blob(store: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fail)
        with pytest.raises(OSError, match="No space left"):
            store.put(DATA)
    assert names(store) == []
    assert store.put(DATA) == REF


def test_a_store_whose_folder_is_a_file_has_no_blobs(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = BlobStore(str(tmp_path / "file"))
    assert store.get(REF) is None
    with pytest.raises(OSError, match="exists"):
        store.put(DATA)


def test_several_threads_can_put_the_same_blob(store: BlobStore) -> None:
    refs: list[str] = []
    threads = [Thread(target=lambda: refs.append(store.put(DATA))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refs == [REF] * 8
    assert names(store) == [DIGITS]
    assert store.get(REF) == DATA
