"""Pins of oh-my-pi: each side reads and changes the other's file, and both use one lock
(formats/README.md, "Pins of oh-my-pi").
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from app.stores import Busy, omp_lock, read_pins, set_pin
from tests.interop.programs import Refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.programs import Program

IDS = [
    "0199a213-81c5-7000-b001-6be3c9a00001",
    "日本",
    'with "quotes"\\ and \t a tab',
    "half \ud83d",
    "\x7f\u2028",
]


def test_pins_of_omp_are_read_and_kept(omp: Program, tmp_path: Path) -> None:
    folder, path = str(tmp_path / "agent"), str(tmp_path / "agent" / "session-pins.json")
    for id in IDS:
        assert omp.help("toggleSessionPin", id, folder) is True
    assert read_pins(path) == set(IDS)
    set_pin(path, "ours", True, str(tmp_path / "state"))
    assert omp.help("loadPinnedSessionIds", folder) == [*IDS, "ours"]
    assert omp.help("toggleSessionPin", "ours", folder) is False
    assert read_pins(path) == set(IDS)


def test_the_file_is_the_same_byte_for_byte(omp: Program, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs" / "session-pins.json", tmp_path / "ours" / "session-pins.json"
    for steps in (IDS, IDS[1:3], IDS[1:2]):
        for id in steps:
            pinned = omp.help("toggleSessionPin", id, str(theirs.parent))
            set_pin(str(ours), id, pinned, str(tmp_path / "state"))
        assert ours.read_bytes() == theirs.read_bytes()
    assert ours.stat().st_mode == theirs.stat().st_mode


@pytest.mark.parametrize("damaged", ["{", "null", '\ufeff["one"]', '["one", 2, "one"]', "[NaN]"])
def test_a_damaged_file_means_the_same_to_both(omp: Program, tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "session-pins.json"
    path.write_text(damaged, encoding="utf-8")
    assert omp.help("loadPinnedSessionIds", str(tmp_path)) == sorted(read_pins(str(path)))


def test_omp_waits_for_our_lock(omp: Program, tmp_path: Path) -> None:
    path = str(tmp_path / "session-pins.json")
    with omp_lock(path), pytest.raises(Refused, match="Failed to acquire lock"):
        omp.help("takeLock", path, 2)
    assert omp.help("takeLock", path, 2) is True
    omp.help("releaseLock")


def test_we_wait_for_omps_lock(omp: Program, tmp_path: Path) -> None:
    path, state = str(tmp_path / "session-pins.json"), str(tmp_path / "state")
    omp.help("takeLock", path, 1)
    with pytest.raises(Busy):
        set_pin(path, "ours", True, state, patience=0)
    omp.help("releaseLock")
    set_pin(path, "ours", True, state, patience=0)
    assert read_pins(path) == {"ours"}


def test_no_pin_is_lost_if_both_write_at_once(omp: Program, tmp_path: Path) -> None:
    path, state = str(tmp_path / "session-pins.json"), str(tmp_path / "state")
    begun = threading.Event()

    def write() -> None:
        begun.wait()
        for number in range(40):
            set_pin(path, f"ours {number}", True, state)

    ours = threading.Thread(target=write)
    ours.start()
    begun.set()
    for number in range(40):
        omp.help("toggleSessionPin", f"theirs {number}", str(tmp_path))
    ours.join()
    assert read_pins(path) == {f"{whose} {number}" for whose in ("ours", "theirs") for number in range(40)}
