"""The locks on small files: their names in oh-my-pi, and mutual exclusion
(formats/README.md, "Pins of oh-my-pi").
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from app.stores import Busy, file_lock, lock_name, omp_lock, socket_lock

Lock = Callable[..., AbstractContextManager[None]]
ROOT = Path(__file__).resolve().parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="names of the kernel's own are Linux's")


def test_a_lock_has_the_name_that_oh_my_pi_gives_it() -> None:
    # The name in the kernel's list while the real oh-my-pi holds the lock of this path.
    assert (
        lock_name("/tmp/storesB/x/session-pins.json.lock") == "omp-file-lock-c75eaf862e95bf5a2e2b5c83d645aed6"
    )
    assert lock_name("") == "omp-file-lock-dd4458733774f8b02ff557a2e70c6e06"


@pytest.fixture(params=[file_lock, pytest.param(socket_lock, marks=LINUX)])
def kind(request: pytest.FixtureRequest) -> Lock:
    found: Lock = request.param
    return found


def test_a_second_holder_waits_and_then_fails(kind: Lock, tmp_path: Path) -> None:
    path = str(tmp_path / "a.lock")
    with kind(path):
        with pytest.raises(Busy) as caught, kind(path, patience=0):
            pytest.fail("two have the lock")
        assert caught.value.filename == path
        with kind(str(tmp_path / "b.lock"), patience=0):
            pass
    with kind(path, patience=0):
        pass


def test_the_lock_of_a_killed_process_is_released(kind: Lock, tmp_path: Path) -> None:
    path, name = str(tmp_path / "a.lock"), getattr(kind, "__name__", "")
    program = (
        f"import sys; from app.stores.locks import {name}\n"
        f"with {name}({path!r}): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Busy), kind(path, patience=0):
            pytest.fail("two have the lock")
        holder.kill()
        holder.wait()
    with kind(path, patience=0):
        pass


def test_a_lock_in_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), file_lock(str(tmp_path / "no" / "a.lock")):
        pytest.fail("a lock on nothing")


@LINUX
def test_on_linux_a_lock_creates_no_file(tmp_path: Path) -> None:
    with omp_lock(str(tmp_path / "session-pins.json")):
        assert os.listdir(tmp_path) == []


def test_on_other_systems_a_lock_is_a_file_beside_the_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.stores.locks.sys.platform", "darwin")
    path = str(tmp_path / "session-pins.json")
    with omp_lock(path), pytest.raises(Busy), omp_lock(path, patience=0):
        pytest.fail("two have the lock")
    assert os.listdir(tmp_path) == ["session-pins.json.lock"]
