"""The bytes of an image come from the entry or from a blob, or an error gives the reason."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING

import pytest

from app.formats import EmbeddedImage, ImageError
from app.sessions import BlobStore
from app.sessions.storage import blobs as module
from app.sessions.storage.blobs import blobs_of, image_bytes
from app.stores import discover
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

DATA = bytes(range(256)) * 9
ENCODED = base64.b64encode(DATA).decode()


def refused(data: str | None, blobs: BlobStore | None = None) -> str:
    with pytest.raises(ImageError) as caught:
        image_bytes(EmbeddedImage("image/png", data), blobs)
    return str(caught.value)


def test_an_image_in_the_entry_is_decoded() -> None:
    assert image_bytes(EmbeddedImage("image/png", ENCODED), None) == DATA
    assert image_bytes(EmbeddedImage("image/png", f"data:image/png;base64,{ENCODED}"), None) == DATA
    assert image_bytes(EmbeddedImage("image/png", "\n".join([ENCODED[:76], ENCODED[76:]])), None) == DATA


@cases("data", ["x", "AAAAA", "é" * 8, "/etc/passwd\0", "\ud83d"])
def test_invalid_base64_is_an_error(data: str) -> None:
    assert refused(data) == "it is no base64"


def test_an_image_without_data_is_an_error() -> None:
    assert refused(None) == "it is not in the file"
    assert refused("") == "there are no bytes"
    assert refused("data:image/png;base64,") == "there are no bytes"


def test_a_too_large_image_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_IMAGE_BYTES", 1_000)
    assert "larger than those that are drawn" in refused(ENCODED)
    monkeypatch.setattr(module, "MAX_IMAGE_BYTES", len(DATA))
    assert image_bytes(EmbeddedImage("", ENCODED), None) == DATA


def test_an_image_in_a_blob_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = BlobStore(str(tmp_path))
    ref = blobs.put(DATA)
    assert image_bytes(EmbeddedImage("image/png", ref), blobs) == DATA
    assert refused(ref) == "its agent keeps no blobs"
    monkeypatch.setattr(module, "MAX_IMAGE_BYTES", 1_000)
    assert "larger than those that are drawn" in refused(ref, blobs)


def test_an_unavailable_blob_is_an_error_with_its_reason(tmp_path: Path) -> None:
    blobs = BlobStore(str(tmp_path))
    assert refused("blob:sha256:" + "ab" * 32, blobs) == "the blob is gone"
    assert refused("blob:sha256:../../../etc/passwd", blobs) == "that is no name of a blob"
    assert refused("blob:", blobs) == "that is no name of a blob"
    ref = blobs.put(DATA)
    path = tmp_path / ref.removeprefix("blob:sha256:")
    path.write_bytes(DATA[1:])
    assert "damaged" in refused(ref, blobs)
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert "cannot be read" in refused(ref, blobs)
    path.unlink()
    os.mkfifo(path)
    assert "cannot be read" in refused(ref, blobs)


def test_blobs_are_found_beside_the_store_of_the_session(tmp_path: Path) -> None:
    home = str(tmp_path)
    env = {"HOME": home}
    stores = discover(env, home, home)
    path = os.path.join(home, ".omp/agent/sessions/--x--/a.jsonl")
    found = blobs_of("omp", path, home, stores, env, home)
    assert found is not None
    assert found.folder == os.path.join(home, ".omp/agent/blobs")
    assert blobs_of("pi", path, home, stores, env, home) is None
    # The blobs stay beside the session if the environment leads to another folder.
    moved = env | {"PI_CODING_AGENT_DIR": os.path.join(home, "other")}
    again = blobs_of("omp", path, home, stores, moved, home)
    assert again is not None
    assert again.folder == found.folder
