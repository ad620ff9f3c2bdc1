"""Pins of the sessions of every agent (formats/README.md, "Pins of oh-my-pi")."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from app.actions import pin
from app.sessions import WriteFailed
from app.setup import setup_from_demo
from app.stores import all_pins, discover, file_lock, omp_lock, read_pins

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Store


@pytest.fixture
def stores(tmp_path: Path) -> dict[str, Store]:
    return {store.agent.name: store for store in discover({}, str(tmp_path), str(tmp_path))}


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


AGENTS = ["pi", "omp", "indusagi", "agent"]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_of_every_agent_is_pinned_and_unpinned(
    agent: str, stores: dict[str, Store], state: str
) -> None:
    done = pin(agent, "one", True, stores[agent], state)
    assert (done.kind, done.agent, done.session_id) == ("pin", agent, "one")
    assert (done.before, done.after, done.note) == (None, "pinned", "")
    assert all_pins(stores.values(), state) == {(agent, "one")}
    again = pin(agent, "one", True, stores[agent], state)
    assert again.is_nothing
    assert (again.before, again.after) == ("pinned", "pinned")
    back = pin(agent, "one", False, stores[agent], state)
    assert (back.before, back.after) == ("pinned", None)
    assert all_pins(stores.values(), state) == frozenset()


def test_pins_of_oh_my_pi_are_in_its_file_and_all_others_in_that_of_leafmark(
    stores: dict[str, Store], state: str, tmp_path: Path
) -> None:
    for agent in AGENTS:
        pin(agent, f"of {agent}", True, stores[agent], state)
    written = sorted(
        os.path.relpath(os.path.join(folder, name), tmp_path)
        for folder, _, names in os.walk(tmp_path)
        for name in names
    )
    assert written == [".omp/agent/session-pins.json", "state/pins.json", "state/pins.json.lock"]
    assert json.loads((tmp_path / ".omp/agent/session-pins.json").read_bytes()) == ["of omp"]
    own = json.loads((tmp_path / "state/pins.json").read_bytes())
    assert own == {agent: [f"of {agent}"] for agent in AGENTS if agent != "omp"}


def test_pins_of_all_profiles_are_found(tmp_path: Path, state: str) -> None:
    (tmp_path / ".omp/profiles/work").mkdir(parents=True)
    stores = discover({}, str(tmp_path), str(tmp_path))
    default, work = [store for store in stores if store.agent.name == "omp"]
    pin("omp", "one", True, default, state)
    pin("omp", "two", True, work, state)
    assert all_pins(stores, state) == {("omp", "one"), ("omp", "two")}
    assert read_pins(default.pins) == {"one"}


def test_in_a_folder_of_two_agents_each_has_its_own_pins(tmp_path: Path, state: str) -> None:
    env = {"PI_CODING_AGENT_SESSION_DIR": str(tmp_path / "both")}
    stores = discover(env, str(tmp_path), str(tmp_path))
    [store] = [store for store in stores if store.root == str(tmp_path / "both")]
    pin("pi", "one", True, store, state)
    pin("omp", "two", True, store, state)
    assert all_pins([store], state) == {("pi", "one"), ("omp", "two")}
    with pytest.raises(KeyError):
        pin("agent", "one", True, store, state)


def test_a_file_that_another_program_has_locked_is_not_changed(stores: dict[str, Store], state: str) -> None:
    os.makedirs(state)
    held = stores["omp"].pins
    with omp_lock(held), pytest.raises(WriteFailed, match="another program") as caught:
        pin("omp", "one", True, stores["omp"], state, patience=0)
    assert caught.value.path == held
    with file_lock(f"{state}/pins.json.lock"), pytest.raises(WriteFailed, match="another program"):
        pin("pi", "one", True, stores["pi"], state, patience=0)
    assert all_pins(stores.values(), state) == frozenset()


def test_a_pin_of_an_example_session_changes_no_file_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "mine"))
    demo = setup_from_demo(str(tmp_path / "demo"), lambda: 1_795_000_000_000_000_000)
    for store in demo.stores:
        pin(store.agent.name, "one", True, store, demo.state_folder)
    assert (
        len(all_pins(demo.stores, demo.state_folder)) == len({store.agent.name for store in demo.stores}) == 6
    )
    assert not (tmp_path / "mine").exists()
    assert not list((tmp_path / "demo").rglob("session-pins.json"))


def test_a_file_that_cannot_be_written_is_an_error(
    stores: dict[str, Store], state: str, tmp_path: Path
) -> None:
    (tmp_path / ".omp").write_text("in the way")
    with pytest.raises(WriteFailed, match="cannot be written"):
        pin("omp", "one", True, stores["omp"], state)


def test_a_damaged_file_is_kept_and_reported(stores: dict[str, Store], state: str, tmp_path: Path) -> None:
    path = tmp_path / ".omp/agent/session-pins.json"
    path.parent.mkdir(parents=True)
    path.write_text('["one", "tw')
    done = pin("omp", "three", True, stores["omp"], state)
    assert done.note.startswith("the file of pins was damaged; what it held is in " + state)
    assert open(done.note.rpartition(" ")[2]).read() == '["one", "tw'  # noqa: SIM115
    assert json.loads(path.read_bytes()) == ["three"]
