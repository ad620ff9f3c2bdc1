"""Writes to a session that a running agent has open
(formats/README.md, "Writing beside a running agent").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.sessions import LiveSession
from app.stores import IDLE, LIVE, MAYBE, Verdict
from tests.cases import cases
from tests.factory import write_session
from tests.sessions.manager.conftest import USER, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import SessionManager

    from tests.sessions.manager.conftest import Home


def set_state(monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    verdict = Verdict(state, "process 7 (agent) has it open", 7)
    monkeypatch.setattr("app.sessions.manager.live_guard.verdict", lambda *_: verdict)


@cases(
    ("agent", "state", "label", "move", "name"),
    [
        ("pi", IDLE, True, True, True),
        ("pi", MAYBE, True, True, True),
        ("pi", LIVE, True, False, True),
        ("indusagi", LIVE, True, False, True),
        ("omp", IDLE, True, True, True),
        ("omp", MAYBE, False, False, True),
        ("omp", LIVE, False, False, True),
    ],
)
def test_writes_that_harm_a_running_agent_are_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch, agent: str, state: str, label: bool, move: bool, name: bool
) -> None:
    manager = home.answered(agent)
    path = manager.session_file or ""
    target = manager.get_entries()[0].id
    set_state(monkeypatch, state)
    writes: list[tuple[bool, Callable[[SessionManager], object]]] = [
        (label, lambda it: it.append_label_change(target, "x")),
        (move, lambda it: it.move_leaf(target, "mine")),
        (name, lambda it: it.set_name("N")),
    ]
    for allowed, write in writes:
        opened = home.open(path)
        before = content(path)
        if allowed:
            write(opened)
            assert content(path) != before
            continue
        with pytest.raises(LiveSession) as caught:
            write(opened)
        assert content(path) == before
        assert caught.value.pid == 7
        assert "process 7" in str(caught.value)
        assert len(opened.get_entries()) == len(home.open(path).get_entries())


def test_a_name_beside_a_running_oh_my_pi_changes_the_title_line_alone(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = home.answered("omp")
    path = manager.session_file or ""
    set_state(monkeypatch, LIVE)
    before = content(path)
    change = home.open(path).set_name("N")
    assert (change.entry_id, change.after) == ("", "N")
    assert content(path)[256:] == before[256:]
    assert home.open(path).session_name == "N"


@pytest.mark.parametrize("state", [LIVE, MAYBE])
def test_an_old_file_is_not_migrated_beside_an_agent(
    home: Home, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    path = write_session(
        home.folder / "old.jsonl", '{"type":"session","id":"s","cwd":"/w"}', '{"type":"message","message":{}}'
    )
    before = path.read_bytes()
    set_state(monkeypatch, state)
    with pytest.raises(LiveSession):
        home.open(path).append_message(USER)
    assert path.read_bytes() == before


def test_a_session_made_here_is_refused_only_if_an_agent_has_it_open(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = home.answered("omp")
    set_state(monkeypatch, MAYBE)
    manager.append_message(USER)
    set_state(monkeypatch, LIVE)
    with pytest.raises(LiveSession):
        manager.append_message(USER)


def test_a_write_works_after_the_agent_has_ended(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = home.answered("omp")
    with monkeypatch.context() as patch:
        set_state(patch, LIVE)
        with pytest.raises(LiveSession):
            manager.append_message(USER)
    manager.append_message(USER)
