"""Reading oh-my-pi's pins from any file (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from leafmark import Store

from app.stores import (
    Omp,
    agent_named,
    discover,
    pins_problem,
    read_own_pins,
    read_pins,
    set_own_pin,
    set_pin,
)
from tests.cases import cases
from tests.waiting import ends

if TYPE_CHECKING:
    from pathlib import Path


def omp_store(home: Path) -> Store:
    return next(store for store in discover({}, str(home), str(home)) if store.agent.name == "omp")


def test_pins_are_read_from_the_folder_above_the_sessions(tmp_path: Path) -> None:
    store = omp_store(tmp_path)
    pins = tmp_path / ".omp" / "agent" / "session-pins.json"
    pins.parent.mkdir(parents=True)
    pins.write_text('[\n\t"one",\n\t"two"\n]', encoding="utf-8")
    assert read_pins(store.pins) == {"one", "two"}


@cases("damaged", [b"", b"{", b'{"a": 1}', b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_damaged_file_has_no_pins(tmp_path: Path, damaged: bytes) -> None:
    store = omp_store(tmp_path)
    pins = tmp_path / ".omp" / "agent" / "session-pins.json"
    pins.parent.mkdir(parents=True)
    pins.write_bytes(damaged)
    assert read_pins(store.pins) == frozenset()


@cases("name", ["session-pins.json", "pins.json"])
def test_a_pipe_has_no_pins_and_is_not_replaced(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    if name == "pins.json":
        assert ends(lambda: read_own_pins(str(tmp_path))) == frozenset()
        with pytest.raises(OSError, match="not a regular file"):
            ends(lambda: set_own_pin(str(tmp_path), "pi", "one", True))
    else:
        assert ends(lambda: read_pins(str(path))) == frozenset()
        with pytest.raises(OSError, match="not a regular file"):
            ends(lambda: set_pin(str(path), "one", True, str(tmp_path / "state")))
    assert pins_problem(str(path)) == "not a regular file"
    assert path.is_fifo()


@cases(
    ("name", "content", "why"),
    [
        ("session-pins.json", None, ""),
        ("session-pins.json", b'["one", 2]', ""),
        ("session-pins.json", b"{", "not JSON"),
        ("session-pins.json", b"{}", "not a list"),
        ("pins.json", b'{"pi": ["one"]}', ""),
        ("pins.json", b"[]", "not lists by agent"),
    ],
)
def test_the_problem_of_a_file_of_pins_is_reported(
    tmp_path: Path, name: str, content: bytes | None, why: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert pins_problem(str(tmp_path / name)) == why


def test_values_that_are_not_ids_are_skipped(tmp_path: Path) -> None:
    store = omp_store(tmp_path)
    pins = tmp_path / ".omp" / "agent" / "session-pins.json"
    pins.parent.mkdir(parents=True)
    pins.write_bytes(b'["one", 2, null]')
    assert read_pins(store.pins) == {"one"}


@cases(
    ("env", "source", "pins"),
    [
        ({}, "default", ".omp/agent"),
        ({"OMP_PROFILE": "work"}, "profile work", ".omp/profiles/work/agent"),
        ({"PI_CODING_AGENT_DIR": "{home}/moved"}, "PI_CODING_AGENT_DIR", "moved"),
        # They stay in the agent folder when the sessions are elsewhere.
        ({"XDG_DATA_HOME": "{home}/data", "XDG_STATE_HOME": "{home}/state"}, "XDG_DATA_HOME", ".omp/agent"),
        ({"PI_CODING_AGENT_SESSION_DIR": "{home}/s"}, "PI_CODING_AGENT_SESSION_DIR", ".omp/agent"),
        (
            {"PI_CODING_AGENT_SESSION_DIR": "{home}/s", "OMP_PROFILE": "work"},
            "PI_CODING_AGENT_SESSION_DIR",
            ".omp/profiles/work/agent",
        ),
        (
            {"PI_CODING_AGENT_SESSION_DIR": "{home}/s", "PI_CONFIG_DIR": ".mine"},
            "PI_CODING_AGENT_SESSION_DIR",
            ".mine/agent",
        ),
    ],
)
def test_pins_are_those_of_the_agent_folder_in_use(
    tmp_path: Path, env: dict[str, str], source: str, pins: str
) -> None:
    for folder in ("data/omp", "state/omp"):
        (tmp_path / folder).mkdir(parents=True)
    given = {name: value.format(home=tmp_path) for name, value in env.items()}
    # pi uses some of the variables too.
    omps = Omp().stores(given, str(tmp_path), str(tmp_path))
    [store] = [store for store in omps if store.source == source]
    assert store.pins == str(tmp_path / pins / "session-pins.json")


def test_a_store_option_has_the_pins_of_the_agent_folder(tmp_path: Path) -> None:
    env = {"PI_CODING_AGENT_SESSION_DIR": str(tmp_path / "s")}
    store = Omp().store_at(str(tmp_path / "copies"), env, str(tmp_path), str(tmp_path))
    assert store.pins == str(tmp_path / ".omp" / "agent" / "session-pins.json")


def test_without_a_file_of_pins_there_are_no_pins(tmp_path: Path) -> None:
    omp, pi = agent_named("omp"), agent_named("pi")
    assert read_pins(Store(omp, str(tmp_path)).pins) == frozenset()
    assert read_pins(Store(pi, str(tmp_path), state=str(tmp_path)).pins) == frozenset()
