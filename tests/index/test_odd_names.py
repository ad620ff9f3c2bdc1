"""Following files whose names are not valid text: Linux permits any bytes, but native notices carry text
only, and end with the first other name. From then on changes are looked for by polling.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index.watch import polling
from app.index.watch.follower import NativeWatch
from tests.index.helpers import Listener, append, fill, message, pi_store, session, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from watchfiles._rust_notify import RustNotify

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")

ODD = os.fsdecode(b"caf\xe9")


@pytest.fixture(autouse=True)
def no_walk_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "WALK_SECONDS", 3600.0)
    monkeypatch.setattr(NativeWatch, "idle_walk_seconds", 3600.0)


def grows(listener: Listener, path: Path, messages: int) -> Callable[[], bool]:
    """Whether the listener has `messages` messages of the session at `path`."""
    return lambda: str(path) in listener.rows and listener.rows[str(path)].message_count == messages


@pytest.mark.parametrize("place", ["store", "folder", "inside"])
def test_an_undecodable_name_does_not_end_following(tmp_path: Path, place: str) -> None:
    root = tmp_path / "store"
    paths = fill(root, 20, folders=4)
    folder = paths[0].parent
    odd = {"store": root / f"{ODD}.txt", "folder": root / f"--{ODD}--", "inside": folder / ODD}[place]
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        if place == "folder":
            odd.mkdir()
        else:
            odd.touch()
        for number, path in enumerate((paths[0], paths[1]), 1):
            append(path, message(f"n{number}", "e0", "more"))
            listener.until(grows(listener, path, 2))
        new = write(root / "--new--" / "new.jsonl", session())
        listener.until(grows(listener, new, 1))
        append(new, message("n", "e0", "more"))
        listener.until(grows(listener, new, 2))


def test_sessions_in_undecodable_folders_are_followed(tmp_path: Path) -> None:
    root = tmp_path / "store"
    fill(root, 20, folders=4)
    first = write(root / f"--{ODD}--" / "a.jsonl", session())
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        listener.until(grows(listener, first, 1))
        for number in range(3):
            append(first, message(f"n{number}", "e0", "more"))
            listener.until(grows(listener, first, number + 2))
        second = write(root / f"--{ODD}--" / "b.jsonl", session())
        listener.until(grows(listener, second, 1))
        append(second, message("n", "e0", "more"))
        listener.until(grows(listener, second, 2))
        second.unlink()
        listener.until(lambda: str(second) not in listener.rows)


def test_a_store_with_an_undecodable_name_is_followed(tmp_path: Path) -> None:
    root = tmp_path / ODD
    paths = fill(root, 30, folders=3)
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        assert len(listener.rows) == 30
        append(paths[0], message("n", "e0", "more"))
        listener.until(grows(listener, paths[0], 2))
        assert "not reported" in (listener.index.note or "")


def test_other_failures_of_notices_end_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then changes are looked for by polling, and the note gives the reason."""
    from watchfiles import _rust_notify
    from watchfiles._rust_notify import WatchfilesRustInternalError

    class Broken:
        def __init__(self, *_: object) -> None:
            pass

        def watch(self, *_: object) -> RustNotify:
            raise WatchfilesRustInternalError("error in underlying watcher: it is worn out")

        def close(self) -> None:
            pass

    monkeypatch.setattr(_rust_notify, "RustNotify", Broken)
    root = tmp_path / "store"
    (path, *_) = fill(root, 4)
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        append(path, message("n", "e0", "more"))
        listener.until(grows(listener, path, 2))
        assert "worn out" in (listener.index.note or "")
