"""Names of sessions, as each agent writes them (formats/README.md, "Results of writing")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.actions import rename
from app.actions.undo import undo
from app.sessions import ReadOnly
from app.stores import LIVE, Verdict
from tests.actions.conftest import bytes_of, lines_of, read_only, reopened
from tests.cases import cases

if TYPE_CHECKING:
    from tests.sessions.manager.conftest import Home


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_session_is_named_and_renamed(home: Home, agent: str) -> None:
    path = home.answered(agent).session_file or ""
    changes = []
    for name in ("one", " two\nlines "):
        change = rename(path, name, home.env)
        assert change.kind == "name"
        changes.append((change.before, change.after))
        assert reopened(home, path).session_name == change.after
    assert changes == [(None, "one"), ("one", "two lines")]


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_a_name_is_cleared(home: Home, agent: str) -> None:
    path = home.answered(agent).session_file or ""
    rename(path, "one", home.env)
    change = rename(path, "", home.env)
    assert (change.before, change.after) == ("one", None)
    assert reopened(home, path).session_name is None


def test_a_name_of_indusagi_cannot_be_cleared(home: Home) -> None:
    path = home.answered("indusagi").session_file or ""
    assert rename(path, "", home.env).entry_id == ""
    rename(path, "one", home.env)
    before = bytes_of(path)
    with pytest.raises(ReadOnly, match="not cleared"):
        rename(path, "", home.env)
    assert bytes_of(path) == before


@pytest.mark.parametrize("agent", ["pi", "indusagi"])
def test_an_unchanged_name_is_not_written_again(home: Home, agent: str) -> None:
    path = home.answered(agent).session_file or ""
    rename(path, "one", home.env)
    before = bytes_of(path)
    change = rename(path, "one", home.env)
    assert (change.entry_id, change.before, change.after) == ("", "one", "one")
    assert bytes_of(path) == before


def test_an_automatic_title_that_the_user_confirms_has_the_source_user(home: Home) -> None:
    path = home.answered("omp").session_file or ""
    rename(path, "one", home.env)
    with open(path, "r+b") as file:
        file.write(lines_of(path)[0].replace(b'"user"', b'"auto"'))
    rename(path, "one", home.env)
    assert b'"source":"user"' in lines_of(path)[0]


def test_beside_a_running_oh_my_pi_only_the_title_line_is_written_with_a_warning(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.answered("omp").session_file or ""
    before, _ = bytes_of(path)
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "process 7 has it open", 7)
    )
    change = rename(path, "one", home.env)
    assert (change.entry_id, change.after) == ("", "one")
    assert "its own title" in change.note
    assert bytes_of(path)[0][256:] == before[256:]


@cases("agent", ["agent", "indusagi", "claude", "codex"])
def test_formats_without_names_are_refused(home: Home, agent: str) -> None:
    path = read_only(home, agent)
    before = bytes_of(path)
    with pytest.raises(ReadOnly):
        rename(path, "x", home.env)
    assert bytes_of(path) == before


def test_a_name_that_is_cut_to_fit_the_title_line_is_reported(home: Home) -> None:
    path = home.answered("omp").session_file or ""
    name = "".join(f"{number:03} " for number in range(750))
    change = rename(path, name, home.env)
    kept = change.after or ""
    assert name.startswith(kept)
    assert 140 < len(kept) < 160
    assert change.note == (
        f"the name was cut: oh-my-pi has room for the first {len(kept)} of its 2,999 characters, "
        f"up to “{kept[-20:]}”"
    )
    assert rename(path, kept, home.env).note == ""
    # Undo restores the old name whole.
    rename(path, "short", home.env)
    assert undo(rename(path, name, home.env), home.env).note == ""


@pytest.mark.parametrize("agent", ["pi", "indusagi"])
def test_a_long_name_without_a_title_line_is_not_cut(home: Home, agent: str) -> None:
    path = home.answered(agent).session_file or ""
    change = rename(path, "x" * 3_000, home.env)
    assert (change.after, change.note) == ("x" * 3_000, "")


def test_a_cut_name_and_a_running_oh_my_pi_are_both_reported(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.answered("omp").session_file or ""
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "process 7 has it open", 7)
    )
    note = rename(path, "x" * 300, home.env).note
    assert "was cut" in note
    assert "its own title" in note
