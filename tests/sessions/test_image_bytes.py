"""Where the bytes of an image come from, and what is said where they do not come."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING

import pytest

from app.formats.image_block import Image, NoImage
from app.sessions.storage import image_bytes as module
from app.sessions.storage.blobs import BlobStore
from app.sessions.storage.image_bytes import blobs_of, image_bytes
from app.stores import discover

if TYPE_CHECKING:
    from pathlib import Path

DATA = bytes(range(256)) * 9
SPELT = base64.b64encode(DATA).decode()


def refused(data: str | None, blobs: BlobStore | None = None) -> str:
    with pytest.raises(NoImage) as caught:
        image_bytes(Image("image/png", data), blobs)
    return str(caught.value)


def test_out_of_the_entry() -> None:
    assert image_bytes(Image("image/png", SPELT), None) == DATA
    assert image_bytes(Image("image/png", f"data:image/png;base64,{SPELT}"), None) == DATA
    assert image_bytes(Image("image/png", "\n".join([SPELT[:76], SPELT[76:]])), None) == DATA


@pytest.mark.parametrize("data", ["x", "AAAAA", "é" * 8, "/etc/passwd\0", "\ud83d"])
def test_what_is_no_base64_is_said_so(data: str) -> None:
    assert refused(data) == "it is no base64"


def test_nothing_is_nothing() -> None:
    assert refused(None) == "it is not in the file"
    assert refused("") == "there are no bytes"
    assert refused("data:image/png;base64,") == "there are no bytes"


def test_more_than_is_drawn_is_not_even_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 1_000)
    assert "larger than those that are drawn" in refused(SPELT)
    monkeypatch.setattr(module, "MOST", len(DATA))
    assert image_bytes(Image("", SPELT), None) == DATA


def test_out_of_the_store_of_blobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = BlobStore(str(tmp_path))
    ref = blobs.put(DATA)
    assert image_bytes(Image("image/png", ref), blobs) == DATA
    assert refused(ref) == "its agent keeps no blobs"
    monkeypatch.setattr(module, "MOST", 1_000)
    assert "larger than those that are drawn" in refused(ref, blobs)


def test_a_blob_that_is_not_to_be_had_is_told_by_why(tmp_path: Path) -> None:
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


def test_blobs_lie_with_the_store_of_the_session(tmp_path: Path) -> None:
    home = str(tmp_path)
    env = {"HOME": home}
    stores = discover(env, home, home)
    path = os.path.join(home, ".omp/agent/sessions/--x--/a.jsonl")
    found = blobs_of("omp", path, home, stores, env, home)
    assert found is not None
    assert found.folder == os.path.join(home, ".omp/agent/blobs")
    assert blobs_of("pi", path, home, stores, env, home) is None
    # where the environment leads elsewhere now, those of the session are where it is
    moved = env | {"PI_CODING_AGENT_DIR": os.path.join(home, "other")}
    again = blobs_of("omp", path, home, stores, moved, home)
    assert again is not None
    assert again.folder == found.folder
