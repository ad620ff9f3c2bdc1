"""oh-my-pi's pins are read, whatever is in their file (FORMATS 1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.stores import agent_named, discover
from app.stores.base import Store

if TYPE_CHECKING:
    from pathlib import Path


def omp_store(home: Path) -> Store:
    return next(store for store in discover({}, str(home), str(home)) if store.agent.name == "omp")


def test_pins_lie_beside_the_sessions_folder(tmp_path: Path) -> None:
    store = omp_store(tmp_path)
    pins = tmp_path / ".omp" / "agent" / "session-pins.json"
    pins.parent.mkdir(parents=True)
    pins.write_text('[\n\t"one",\n\t"two"\n]', encoding="utf-8")
    assert store.agent.pins(store) == {"one", "two"}


@pytest.mark.parametrize("damaged", [b"", b"{", b'{"a": 1}', b"\xff\xfe", b"[" * 100_000, b"null"])
def test_damaged_pins_are_none(tmp_path: Path, damaged: bytes) -> None:
    store = omp_store(tmp_path)
    pins = tmp_path / ".omp" / "agent" / "session-pins.json"
    pins.parent.mkdir(parents=True)
    pins.write_bytes(damaged)
    assert store.agent.pins(store) == frozenset()


def test_what_is_no_id_is_passed_over(tmp_path: Path) -> None:
    store = omp_store(tmp_path)
    pins = tmp_path / ".omp" / "agent" / "session-pins.json"
    pins.parent.mkdir(parents=True)
    pins.write_bytes(b'["one", 2, null]')
    assert store.agent.pins(store) == {"one"}


def test_without_a_folder_or_an_agent_that_pins_there_are_none(tmp_path: Path) -> None:
    omp, pi = agent_named("omp"), agent_named("pi")
    assert omp.pins(Store(omp, str(tmp_path))) == frozenset()
    assert pi.pins(Store(pi, str(tmp_path), state=str(tmp_path))) == frozenset()
