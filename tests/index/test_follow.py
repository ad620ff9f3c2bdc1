"""Following: the rows follow every kind of change to the files, with native notices and with polling.

The tests wait for events and count them. tests/benchmarks measures how soon they come.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index.scan import Hints, scan
from app.index.watch import follower, polling
from tests.cases import cases
from tests.index.helpers import Listener, append, fill, message, pi_store, session, write
from tests.index.text.helpers import assert_right

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def no_walk_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise periodic walks would find later what the watch has to find itself.
    for name in ("WALK_SECONDS", "_SOONEST_WALK_SECONDS"):
        monkeypatch.setattr(polling, name, 3600.0)
    monkeypatch.setattr(follower.NativeWatch, "idle_walk_seconds", 3600.0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fill(tmp_path / "store", 20, folders=4)
    return tmp_path / "store"


@pytest.fixture(params=["native", "polling"])
def listener(request: pytest.FixtureRequest, tmp_path: Path, root: Path) -> Iterator[Listener]:
    index = Index([pi_store(root)], str(tmp_path / "cache"), poll=request.param == "polling")
    with Listener(index) as listener:
        assert index.note is None
        yield listener


def message_count(listener: Listener, path: Path) -> int:
    """Messages of the session at `path`, 0 when it is not listed."""
    row = listener.rows.get(str(path))
    return row.message_count if row else 0


def files_with(listener: Listener, phrase: str) -> list[str]:
    """Names of the files with a hit for the phrase."""
    pages = list(listener.index.query(f'"{phrase}"'))
    assert pages[-1].done
    return [os.path.basename(hit.path) for page in pages for hit in page.hits if not hit.near]


def test_an_append_is_followed_and_reads_only_its_bytes(listener: Listener, root: Path) -> None:
    path = root / "--project-1--" / "session-1.jsonl"
    before = listener.index.counts.bytes
    added = message("new", "e0", "more")
    append(path, added)
    listener.until(lambda: message_count(listener, path) == 2)
    assert listener.index.counts.bytes - before == len(added)
    assert listener.rows[str(path)].grew_ms is not None


def test_new_and_removed_sessions_and_folders_are_followed(listener: Listener, root: Path) -> None:
    new = write(root / "--project-1--" / "new.jsonl", session("new here"))
    listener.until(lambda: message_count(listener, new) == 1)
    deep = write(root / "--new--" / "deep.jsonl", session("new there"))
    flat = write(root / "flat.jsonl", session("flat"))
    listener.until(lambda: message_count(listener, deep) == message_count(listener, flat) == 1)
    append(deep, message("n", "e0", "more"))
    listener.until(lambda: message_count(listener, deep) == 2)
    new.unlink()
    listener.until(lambda: str(new) not in listener.rows)
    shutil.rmtree(deep.parent)
    listener.until(lambda: str(deep) not in listener.rows)
    assert len(listener.rows) == 21


def test_a_replaced_and_a_rewritten_session_are_followed(listener: Listener, root: Path) -> None:
    path = root / "--project-1--" / "session-1.jsonl"
    write(path.with_suffix(".tmp"), session("replaced"))
    os.replace(path.with_suffix(".tmp"), path)
    listener.until(lambda: listener.titles()["session-1.jsonl"] == "replaced")
    size = path.stat().st_size
    with open(path, "r+b") as file:
        data = file.read().replace(b"replaced", b"in-place")
        file.seek(0)
        file.write(data)
    assert path.stat().st_size == size
    listener.until(lambda: listener.titles()["session-1.jsonl"] == "in-place")


def test_a_renamed_folder_and_session_are_followed(listener: Listener, root: Path) -> None:
    (root / "--project-1--").rename(root / "--moved--")
    moved = root / "--moved--" / "session-1.jsonl"
    listener.until(lambda: message_count(listener, moved) == 1)
    assert not [path for path in listener.rows if "project-1" in path]
    assert len(listener.rows) == 20
    moved.rename(root / "--moved--" / "other.jsonl")
    listener.until(lambda: message_count(listener, root / "--moved--" / "other.jsonl") == 1)
    listener.until(lambda: len(listener.rows) == 20)
    append(root / "--moved--" / "other.jsonl", message("n", "e0", "more"))
    listener.until(lambda: message_count(listener, root / "--moved--" / "other.jsonl") == 2)


def test_a_folder_that_is_a_link_is_followed(listener: Listener, root: Path, tmp_path: Path) -> None:
    elsewhere = write(tmp_path / "elsewhere" / "linked.jsonl", session("linked")).parent
    (root / "--linked--").symlink_to(elsewhere)
    path = root / "--linked--" / "linked.jsonl"
    listener.until(lambda: message_count(listener, path) == 1)
    for more in range(2, 5):
        append(elsewhere / "linked.jsonl", message(f"n{more}", f"n{more - 1}" if more > 2 else "e0", "more"))
        listener.until(lambda more=more: message_count(listener, path) == more)
    new = write(elsewhere / "new.jsonl", session("new")).name
    listener.until(lambda: message_count(listener, root / "--linked--" / new) == 1)
    (elsewhere / new).unlink()
    listener.until(lambda: str(root / "--linked--" / new) not in listener.rows)


def test_notices_are_requested_again_when_a_store_becomes_readable(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The system gives no notices of an unreadable folder, and reports no error.
    native = follower.NativeWatch([pi_store(root)], {})
    opened: list[str] = []
    open_again = native._open

    def open_and_note() -> None:
        opened.append(oct(root.stat().st_mode & 0o777))
        open_again()

    monkeypatch.setattr(native, "_open", open_and_note)
    try:
        root.chmod(0o000)
        assert native.wait(0.01, threading.Event()).walk
        root.chmod(0o755)
        assert native.wait(0.01, threading.Event()).walk
    finally:
        root.chmod(0o755)
        native.close()
    assert opened == ["0o0", "0o755"]


def test_a_removed_store_that_is_created_again_is_followed(listener: Listener, root: Path) -> None:
    shutil.rmtree(root)
    listener.until(lambda: not listener.rows)
    paths = fill(root, 3)
    listener.until(lambda: len(listener.rows) == 3)
    append(paths[0], message("n", "e0", "more"))
    listener.until(lambda: message_count(listener, paths[0]) == 2)


@pytest.mark.parametrize("folder", ["", "--project-1--"])
def test_a_folder_removed_and_created_again_at_once_is_followed(
    listener: Listener, root: Path, folder: str
) -> None:
    # The new folder may get the inode of the old one and look unchanged.
    for attempt in range(8):
        shutil.rmtree(root / folder)
        path = write(root / folder / "again.jsonl", session(f"again {attempt}"))
        listener.until(lambda attempt=attempt: listener.titles().get("again.jsonl") == f"again {attempt}")
        append(path, message("n", "e0", "more"))
        listener.until(lambda path=path: message_count(listener, path) == 2)
    assert len(listener.rows) == (16 if folder else 1)


def test_a_store_replaced_by_another_is_followed(listener: Listener, root: Path, tmp_path: Path) -> None:
    replacement = fill(tmp_path / "other", 3)
    write(replacement[0], session("only there"))
    root.rename(tmp_path / "away")
    (tmp_path / "other").rename(root)
    listener.until(lambda: len(listener.rows) == 3)
    assert files_with(listener, "only there") == ["session-0.jsonl"]
    path = root / "--project-1--" / "session-1.jsonl"
    append(path, message("n", "e0", "one more"))
    listener.until(lambda: files_with(listener, "one more") == ["session-1.jsonl"])


def test_a_cache_deleted_while_in_use_is_rebuilt(listener: Listener, root: Path, tmp_path: Path) -> None:
    append(root / "--project-1--" / "session-1.jsonl", message("n", "e0", "before"))
    listener.until(lambda: files_with(listener, "before") == ["session-1.jsonl"])
    shutil.rmtree(tmp_path / "cache")
    append(root / "--project-2--" / "session-2.jsonl", message("n", "e0", "after"))
    listener.until(lambda: files_with(listener, "after") == ["session-2.jsonl"])
    assert files_with(listener, "before") == ["session-1.jsonl"]
    # This does what the next periodic walk would do.
    listener.index.rescan()
    listener.until(
        lambda: listener.index.catalog.generation == 1 and len(listener.index.catalog.texts()) == 20
    )
    # Until then the note says that more rows may come.
    listener.until(lambda: listener.index.note is None)
    assert len(listener.rows) == 20
    assert_right(tmp_path / "cache", pi_store(root))


def test_many_new_folders_at_once_are_followed(listener: Listener, root: Path) -> None:
    for number in range(900):
        write(
            root / f"--rush-{number % 300}--" / f"{number}.jsonl", session("rushed", session_id=f"r{number}")
        )
    listener.until(lambda: len(listener.rows) == 920)
    assert len(files_with(listener, "rushed")) == 900


def test_a_burst_of_appends_is_followed_completely(listener: Listener, root: Path) -> None:
    paths = [root / f"--project-{number % 4}--" / f"session-{number}.jsonl" for number in range(5)]
    files = [open(path, "a", encoding="utf-8", buffering=1) for path in paths]  # noqa: SIM115
    before = len(listener.deltas)
    for number in range(1000):
        files[number % 5].write(message(f"b{number}", None, "burst"))
        if number % 20 == 19:
            time.sleep(0.02)
    for file in files:
        file.close()
    listener.until(lambda: all(message_count(listener, path) == 201 for path in paths))
    # At most one delta in 50 ms, whatever the number of appends.
    assert 0 < len(listener.deltas) - before < 200


def test_artifacts_of_a_session_are_ignored(listener: Listener, root: Path) -> None:
    walks = listener.index.counts.walks
    for number in range(5):
        write(root / "--project-1--" / "session-1" / f"{number}-scout.jsonl", session())
    path = root / "--project-1--" / "session-1.jsonl"
    append(path, message("n", "e0", "more"))
    listener.until(lambda: message_count(listener, path) == 2)
    assert len(listener.rows) == 20
    if not listener.index._poll:
        assert listener.index.counts.walks == walks


def test_a_rescan_calls_back_after_its_changes_were_reported(listener: Listener, root: Path) -> None:
    rows: list[int] = []
    walks = listener.index.counts.walks
    write(root / "--project-1--" / "late.jsonl", session(session_id="late"))
    listener.index.rescan(lambda: rows.append(len(listener.rows)))
    listener.until(lambda: rows == [21])
    assert listener.index.counts.walks > walks


@pytest.mark.parametrize("poll", [False, True])
def test_a_store_that_does_not_exist_yet_is_followed(tmp_path: Path, poll: bool) -> None:
    first, second = tmp_path / "home" / ".pi" / "sessions", tmp_path / "other"
    index = Index([pi_store(first), pi_store(second)], str(tmp_path / "cache"), poll=poll)
    with Listener(index) as listener:
        path = write(first / "--p--" / "a.jsonl", session("here"))
        listener.until(lambda: message_count(listener, path) == 1)
        append(path, message("n", "e0", "more"))
        listener.until(lambda: message_count(listener, path) == 2)
        other_path = write(second / "b.jsonl", session("there"))
        listener.until(lambda: message_count(listener, other_path) == 1)


@cases("kind", ["folder", "pipe", "loop", "dangling"])
def test_a_session_replaced_by_no_regular_file_is_removed(listener: Listener, root: Path, kind: str) -> None:
    path = root / "--project-1--" / "session-1.jsonl"
    content = path.read_text()
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if kind == "loop" else "nowhere")
    listener.until(lambda: str(path) not in listener.rows)
    path.rmdir() if kind == "folder" else path.unlink()
    write(path, content)
    listener.until(lambda: message_count(listener, path) == 1)


def test_a_linked_session_is_followed(listener: Listener, root: Path, tmp_path: Path) -> None:
    """Links that were there at the start and new ones are both followed."""
    target, link = write(tmp_path / "elsewhere" / "a.jsonl", session()), root / "--project-1--" / "link.jsonl"
    link.symlink_to(target)
    listener.until(lambda: message_count(listener, link) == 1)
    for times in (2, 3):
        append(target, message(f"n{times}", "e0", "more"))
        listener.until(lambda times=times: message_count(listener, link) == times)
    target.unlink()
    listener.until(lambda: str(link) not in listener.rows)
    write(target, session())
    listener.until(lambda: message_count(listener, link) == 1)


@pytest.mark.parametrize("poll", [False, True])
def test_links_from_before_the_start_are_followed(tmp_path: Path, root: Path, poll: bool) -> None:
    target, link = write(tmp_path / "elsewhere" / "a.jsonl", session()), root / "--project-1--" / "link.jsonl"
    link.symlink_to(target)
    path = root / "--project-1--" / "session-1.jsonl"
    os.link(path, tmp_path / "second-name")
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=poll)) as listener:
        append(target, message("n", "e0", "more"))
        listener.until(lambda: message_count(listener, link) == 2)
        append(tmp_path / "second-name", message("n", "e0", "more"))
        listener.until(lambda: message_count(listener, path) == 2)
        target.unlink()
        listener.until(lambda: str(link) not in listener.rows)


def test_appends_through_a_second_hard_link_are_followed(listener: Listener, root: Path) -> None:
    path, second_name = root / "--project-1--" / "session-1.jsonl", root / "--project-2--" / "other.jsonl"
    os.link(path, second_name)
    listener.until(lambda: message_count(listener, second_name) == 1)
    append(second_name, message("n", "e0", "more"))
    listener.until(lambda: (message_count(listener, path), message_count(listener, second_name)) == (2, 2))


def test_a_linked_root_is_followed(tmp_path: Path, root: Path) -> None:
    (tmp_path / "way").symlink_to(root)
    with Listener(Index([pi_store(tmp_path / "way")], str(tmp_path / "cache"))) as listener:
        path = write(root / "--project-1--" / "new.jsonl", session())
        listener.until(lambda: message_count(listener, tmp_path / "way" / "--project-1--" / "new.jsonl") == 1)
        append(path, message("n", "e0", "more"))
        listener.until(lambda: message_count(listener, tmp_path / "way" / "--project-1--" / "new.jsonl") == 2)


def test_without_native_notices_it_polls_and_the_note_says_why(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_watches(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.index.watch.follower.NativeWatch._open", no_watches)
    index = Index([pi_store(root)], str(tmp_path / "cache"), poll=False)
    with Listener(index) as listener:
        path = root / "--project-1--" / "session-1.jsonl"
        append(path, message("n", "e0", "more"))
        listener.until(lambda: message_count(listener, path) == 2)
        assert index.note == ("changes are looked for, not reported: [Errno 28] No space left on device")


def test_a_network_folder_is_polled(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "is_silent", lambda path: path == str(root))
    index = Index([pi_store(root)], str(tmp_path / "cache"), poll=False)
    with Listener(index) as listener:
        path = root / "--project-1--" / "session-1.jsonl"
        append(path, message("n", "e0", "more"))
        listener.until(lambda: message_count(listener, path) == 2)
        assert index.note == "changes are looked for, not reported: the file system does not report changes"


def test_the_variable_forces_polling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value, expected in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("LEAFMARK_POLL", value)
        assert Index([], str(tmp_path))._poll is expected


def test_notices_are_requested_again_after_they_missed_a_change(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example in a folder that could not be read when they were requested."""
    opened: list[int] = []
    missing = follower.NativeWatch._noticed

    def noticed(self: follower.NativeWatch, *arguments: object) -> Hints:
        hints = missing(self, *arguments)  # type: ignore[arg-type]
        return hints if len(opened) > 1 else Hints()

    open_again = follower.NativeWatch._open

    def open_and_note(self: follower.NativeWatch) -> None:
        opened.append(len(opened))
        open_again(self)

    monkeypatch.setattr(follower.NativeWatch, "_noticed", noticed)
    monkeypatch.setattr(follower.NativeWatch, "_open", open_and_note)
    monkeypatch.setattr(follower.NativeWatch, "idle_walk_seconds", 0.3)
    monkeypatch.setattr(scan, "NOTICE_NS", 0)
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        path = root / "--project-1--" / "session-1.jsonl"
        append(path, message("n", "e0", "more"))
        listener.until(lambda: message_count(listener, path) == 2)
        listener.until(lambda: len(opened) == 2)


def test_changes_during_the_first_scan_are_followed(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "--project-1--" / "session-1.jsonl"
    real_watch = follower.Follower._watch

    def append_then_watch(self: follower.Follower) -> object:
        # After the scan, before the watch starts.
        append(path, message("n", "e0", "more"))
        return real_watch(self)

    monkeypatch.setattr(follower.Follower, "_watch", append_then_watch)
    with Listener(Index([pi_store(root)], str(tmp_path / "cache"), poll=False)) as listener:
        listener.until(lambda: message_count(listener, path) == 2)
