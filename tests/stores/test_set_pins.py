"""Writing pins: those of oh-my-pi in its format, and those of leafmark (formats/README.md, "Pins of
oh-my-pi").
"""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from app.stores import Busy, omp_lock, read_own_pins, read_pins, set_own_pin, set_pin


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "session-pins.json"


def test_a_new_pin_comes_last_and_all_others_are_kept(path: Path, state: str) -> None:
    path.parent.mkdir()
    path.write_text('["one", "gone for long", "one"]', encoding="utf-8")
    done = set_pin(str(path), "two", True, state)
    assert (done.before, done.changed, done.copy) == (False, True, "")
    assert path.read_bytes() == b'[\n\t"one",\n\t"gone for long",\n\t"two"\n]'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_a_pin_is_removed(path: Path, state: str) -> None:
    set_pin(str(path), "one", True, state)
    set_pin(str(path), "two", True, state)
    assert set_pin(str(path), "one", False, state).before
    assert read_pins(str(path)) == {"two"}
    set_pin(str(path), "two", False, state)
    assert path.read_bytes() == b"[]"


@pytest.mark.parametrize("on", [True, False])
def test_an_unchanged_pin_is_not_written(path: Path, state: str, on: bool) -> None:
    path.parent.mkdir()
    path.write_text('["one"]' if on else '["two"]', encoding="utf-8")
    before = path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns
    assert not set_pin(str(path), "one", on, state).changed
    assert (path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns) == before


def test_an_id_of_any_characters_is_read_back(path: Path, state: str) -> None:
    ids = ["a\tb\n", "日本", '"\\', "\x7f\u2028", "half \ud83d"]
    for id in ids:
        set_pin(str(path), id, True, state)
    assert read_pins(str(path)) == set(ids)


@pytest.mark.parametrize(
    "damaged", [b"{", b'{"a": ["one"]}', b"[NaN]", b'\xef\xbb\xbf["one"]', b'["one", 2]', b"[" * 100_000]
)
def test_a_damaged_file_is_kept_aside_before_it_is_replaced(path: Path, state: str, damaged: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(damaged)
    done = set_pin(str(path), "two", True, state)
    assert Path(done.copy).read_bytes() == damaged
    assert os.path.dirname(done.copy) == state
    assert "two" in read_pins(str(path))
    assert os.listdir(path.parent) == [path.name]


def test_no_pin_is_removed_from_a_damaged_file(path: Path, state: str) -> None:
    path.parent.mkdir()
    path.write_bytes(b"{")
    assert not set_pin(str(path), "one", False, state).changed
    assert path.read_bytes() == b"{"
    assert not os.path.exists(state)


def test_a_long_file_keeps_all_its_pins(path: Path, state: str) -> None:
    path.parent.mkdir()
    ids = [f"{number:0500}" for number in range(12_000)]
    path.write_text(json.dumps(ids), encoding="utf-8")
    set_pin(str(path), "one", True, state)
    assert json.loads(path.read_bytes()) == [*ids, "one"]


def test_a_link_stays_a_link(path: Path, state: str, tmp_path: Path) -> None:
    path.parent.mkdir()
    elsewhere = tmp_path / "dotfiles.json"
    elsewhere.write_text('["one"]', encoding="utf-8")
    path.symlink_to(elsewhere)
    set_pin(str(path), "two", True, state)
    assert path.is_symlink()
    assert read_pins(str(elsewhere)) == {"one", "two"}


def test_nothing_is_changed_while_oh_my_pi_writes(path: Path, state: str) -> None:
    path.parent.mkdir()
    path.write_text("[]", encoding="utf-8")
    with omp_lock(str(path)), pytest.raises(Busy):
        set_pin(str(path), "one", True, state, patience=0)
    assert path.read_bytes() == b"[]"


def test_concurrent_writers_lose_no_pin(path: Path, state: str) -> None:
    at_once = threading.Barrier(8)

    def pin(number: int) -> None:
        at_once.wait()
        set_pin(str(path), f"s{number}", True, state)
        set_own_pin(state, "pi", f"s{number}", True)

    threads = [threading.Thread(target=pin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_pins(str(path)) == {f"s{number}" for number in range(8)}
    assert read_own_pins(state) == {("pi", f"s{number}") for number in range(8)}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_an_error(path: Path, state: str) -> None:
    path.parent.mkdir()
    path.parent.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            set_pin(str(path), "one", True, state)
    finally:
        path.parent.chmod(0o700)


def test_a_failed_replacement_leaves_only_the_old_file(
    path: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_pin(str(path), "one", True, state)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.stores.pins.os.replace", refuse)
    with pytest.raises(OSError, match="No space"):
        set_pin(str(path), "two", True, state)
    assert read_pins(str(path)) == {"one"}
    assert os.listdir(path.parent) == [path.name]


def test_pins_of_leafmark_are_kept_by_agent(state: str) -> None:
    assert read_own_pins(state) == frozenset()
    set_own_pin(state, "pi", "one", True)
    set_own_pin(state, "indusagi", "one", True)
    set_own_pin(state, "pi", "two", True)
    set_own_pin(state, "indusagi", "one", False)
    assert read_own_pins(state) == {("pi", "one"), ("pi", "two")}
    assert stat.S_IMODE(os.stat(os.path.join(state, "pins.json")).st_mode) == 0o600


@pytest.mark.parametrize("damaged", [b"", b"[]", b'{"pi": 3, "omp": ["two", null]}', b"\xff"])
def test_a_damaged_file_of_leafmarks_pins_is_kept_aside_too(state: str, damaged: bytes) -> None:
    os.mkdir(state)
    own = Path(state, "pins.json")
    own.write_bytes(damaged)
    assert read_own_pins(state) <= {("omp", "two")}
    done = set_own_pin(state, "pi", "one", True)
    assert ("pi", "one") in read_own_pins(state)
    # An empty file held nothing that could be missed.
    assert (Path(done.copy).read_bytes() if done.copy else b"") == damaged
