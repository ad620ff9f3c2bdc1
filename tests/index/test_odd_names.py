"""Following where names are no text: Linux takes any bytes, the notices of the system arrive as text only."""

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
    """Whether the session at `path` has so many messages by now."""
    return lambda: str(path) in listener.rows and listener.rows[str(path)].message_count == messages


@pytest.mark.parametrize("place", ["store", "folder", "inside"])
def test_a_name_that_is_no_text_does_not_end_following(tmp_path: Path, place: str) -> None:
    root = tmp_path / "store"
    known = fill(root, 20, folders=4)
    folder = known[0].parent
    odd = {"store": root / f"{ODD}.txt", "folder": root / f"--{ODD}--", "inside": folder / ODD}[place]
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        if place == "folder":
            odd.mkdir()
        else:
            odd.touch()
        for number, path in enumerate((known[0], known[1]), 1):
            append(path, message(f"n{number}", "e0", "more"))
            listener.until(grows(listener, path, 2))
        new = write(root / "--new--" / "new.jsonl", session())
        listener.until(grows(listener, new, 1))
        append(new, message("n", "e0", "more"))
        listener.until(grows(listener, new, 2))
        assert listener.index.note is None


def test_sessions_in_folders_of_such_names_are_followed(tmp_path: Path) -> None:
    root = tmp_path / "store"
    fill(root, 20, folders=4)
    there = write(root / f"--{ODD}--" / "a.jsonl", session())
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        listener.until(grows(listener, there, 1))
        for number in range(3):
            append(there, message(f"n{number}", "e0", "more"))
            listener.until(grows(listener, there, number + 2))
        later = write(root / f"--{ODD}--" / "b.jsonl", session())
        listener.until(grows(listener, later, 1))
        append(later, message("n", "e0", "more"))
        listener.until(grows(listener, later, 2))
        later.unlink()
        listener.until(lambda: str(later) not in listener.rows)


def test_a_store_of_such_a_name_is_followed(tmp_path: Path) -> None:
    root = tmp_path / ODD
    paths = fill(root, 30, folders=3)
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        assert len(listener.rows) == 30
        append(paths[0], message("n", "e0", "more"))
        listener.until(grows(listener, paths[0], 2))


def test_the_rest_has_its_notices_and_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "store"
    paths = fill(root, 20, folders=4)
    there = write(root / f"--{ODD}--" / "a.jsonl", session())
    known = {str(path): signature_of(path.stat()) for path in (*paths, there)}
    native = NativeWatch([pi_store(root)], known)
    stop = threading.Event()
    append(there, message("n", "e0", "more"))
    while not native.wait(1.0, stop).walk:
        pass
    known[str(there)] = signature_of(there.stat())
    assert native.wait(1.0, stop).walk
    looks: list[str] = []
    really = PollWatch._look_at_files

    def look_at_files(self: PollWatch, hints: Hints) -> None:
        looks.extend(self._looked_at)
        really(self, hints)

    monkeypatch.setattr(PollWatch, "_look_at_files", look_at_files)
    for _ in range(5):
        append(there, message("m", "n", "once more"))
        assert str(there) in native.wait(20.0, stop).paths
        known[str(there)] = signature_of(there.stat())
    assert set(looks) == {str(there)}
    append(paths[0], message("n", "e0", "more"))
    assert native.wait(20.0, stop).paths == {str(paths[0])}
    native.close()


def test_a_name_that_comes_and_goes_all_the_time_costs_less_and_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notices are asked for at once, then after a second, after two, and so on."""
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


def test_another_fault_of_the_notices_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then everything is looked for, and that is said."""
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
