"""Following files whose names are not valid text: Linux permits any bytes, but native notices carry text
only.
"""

from __future__ import annotations

import os
import sys
import threading
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from app.index.index import Index
from app.index.row import signature_of
from app.index.watch import polling, watch
from app.index.watch.polling import PollWatch
from app.index.watch.watch import NativeWatch
from tests.index.helpers import Listener, append, fill, message, pi_store, session, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from watchfiles._rust_notify import RustNotify

    from app.index.path_events import Hints

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")

ODD = os.fsdecode(b"caf\xe9")


@pytest.fixture(autouse=True)
def no_walk_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "WALK_SECONDS", 3600.0)
    monkeypatch.setattr(watch, "WALK_SECONDS", 3600.0)
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
        assert listener.index.note is None


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


def test_only_undecodable_folders_are_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "store"
    paths = fill(root, 20, folders=4)
    odd_path = write(root / f"--{ODD}--" / "a.jsonl", session())
    known = {str(path): signature_of(path.stat()) for path in (*paths, odd_path)}
    native = NativeWatch([pi_store(root)], known)
    stop = threading.Event()
    append(odd_path, message("n", "e0", "more"))
    while not native.wait(1.0, stop).walk:
        pass
    known[str(odd_path)] = signature_of(odd_path.stat())
    assert native.wait(1.0, stop).walk
    looks: list[str] = []
    real_look = PollWatch._look_at_files

    def look_at_files(self: PollWatch, hints: Hints) -> None:
        looks.extend(self._looked_at)
        real_look(self, hints)

    monkeypatch.setattr(PollWatch, "_look_at_files", look_at_files)
    for _ in range(5):
        append(odd_path, message("m", "n", "once more"))
        assert str(odd_path) in native.wait(20.0, stop).paths
        known[str(odd_path)] = signature_of(odd_path.stat())
    assert set(looks) == {str(odd_path)}
    append(paths[0], message("n", "e0", "more"))
    assert native.wait(20.0, stop).paths == {str(paths[0])}
    native.close()


def test_repeated_decoding_failures_are_retried_less_and_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Native notices are requested again at once, then after 1 second, after 2, and so on."""
    root = tmp_path / "store"
    paths = fill(root, 4)
    opened: list[float] = []
    now = 1_000.0

    class Ended:
        def __init__(self, *_: object) -> None:
            opened.append(now)

        def watch(self, *_: object) -> RustNotify:
            raise WatchfilesRustInternalError('Unable to decode path "x\\xE9" to string')

        def close(self) -> None:
            pass

    from watchfiles import _rust_notify
    from watchfiles._rust_notify import WatchfilesRustInternalError

    monkeypatch.setattr(_rust_notify, "RustNotify", Ended)
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: now))
    known = {str(path): signature_of(path.stat()) for path in paths}
    native = NativeWatch([pi_store(root)], known)
    stop = threading.Event()
    stop.set()
    for _ in range(200):
        native.wait(0.1, stop)
        now += 0.1
    assert [int(after - before) for before, after in pairwise(opened)] == [0, 1, 2, 4, 8]


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
