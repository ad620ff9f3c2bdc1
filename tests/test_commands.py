"""The table of commands, and the keys that a user sets for them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.commands import COMMANDS, PANES, footer, key_of, named, of_pane
from app.key_settings import ALWAYS_OUT, remap
from app.settings import read_settings
from app.view.footer import line_keys, list_keys, preview_keys
from app.widgets.bindings import bindings_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _as_they_were() -> Iterator[None]:
    """The table is one for the whole process."""
    before = [(command, command.keys, command.first) for command in COMMANDS]
    yield
    for command, keys, first in before:
        command.keys, command.first = keys, first


def keys(id: str) -> tuple[str, ...]:
    """Those of the command with this id."""
    return named(id).keys


def test_no_key_of_the_table_stands_for_two_commands_of_one_place() -> None:
    for pane in PANES:
        every = [*itertools.chain.from_iterable(command.keys for command in of_pane(pane))]
        assert len(every) == len(set(every)), pane
    for focus in ({"sessions", "list", "side", "app"}, {"tree", "list", "app"}, {"entry", "list", "app"}):
        every = [key for command in COMMANDS if command.pane in focus for key in command.keys]
        assert len(every) == len(set(every)), focus


def test_without_a_session_the_line_offers_nothing_about_one() -> None:
    for typed in (True, False):
        keys = line_keys(selects=True, here=True, typed=typed)
        without = line_keys(selects=True, here=True, typed=typed, has_row=False)
        labels = {label for _, label in keys} - {label for _, label in without}
        assert labels == {"resume", "rename", "trash"}
        assert set(without) < set(keys)


def test_without_keys_there_is_nothing_to_show_and_nothing_to_bind() -> None:
    assert remap(dict.fromkeys([command.id for command in COMMANDS], "")) == []
    assert not any(command.keys for command in COMMANDS)
    assert bindings_of(*PANES) == []
    assert [footer(pane) for pane in PANES] == [[]] * len(PANES)
    for selects, here, typed in itertools.product([True, False], repeat=3):
        assert line_keys(selects=selects, here=here, typed=typed) == []
        assert line_keys(selects=selects, here=here, typed=typed, has_row=False) == []
        assert list_keys(selects=selects, here=here) == []
        assert preview_keys(here=here) == []
    assert {key_of(command.id) for command in COMMANDS} == {""}
    assert remap({"session.fork": "p"}) == [], "a key that nobody has any more"


@pytest.mark.parametrize("given", ["", " , ", ","])
def test_no_key(given: str) -> None:
    assert remap({"list.scope": given}) == []
    assert keys("list.scope") == ()


def test_keys_by_any_spelling_of_their_names() -> None:
    assert remap({"session.pin": "Shift+Ctrl+F5, #", "view.back": "ctrl+G"}) == []
    assert keys("session.pin") == ("ctrl+shift+f5", "number_sign")
    assert ("Ctrl+Shift+F5", "pin") in footer("sessions")
    assert key_of("session.pin", typing=True) == "Ctrl+Shift+F5"
    assert keys("view.back") == ("ctrl+g",)


def test_a_key_that_does_not_exist_is_said_and_not_taken() -> None:
    assert remap({"session.trash": "ctrl+bogus", "session.pin": "bogus, ctrl+g"}) == [
        "session.trash: no key is called 'ctrl+bogus'",
        "session.pin: no key is called 'bogus'",
    ]
    assert keys("session.trash") == ("ctrl+d",)
    assert keys("session.pin") == ("ctrl+g",)
    assert remap({"session.trsh": "f9"}) == ["no command is called 'session.trsh'"]


def test_a_key_of_another_command_stays_its_key() -> None:
    assert remap({"session.pin": "q"}) == ["session.pin: q stays the key of app.quit"]
    assert (keys("session.pin"), keys("app.quit")[0]) == (("p",), "q")
    assert remap({"session.pin": "q,f9"}) == ["session.pin: q stays the key of app.quit"]
    assert keys("session.pin") == ("f9",)
    assert remap({"app.quit": "enter"}) == ["app.quit: Enter stays the key of session.resume"]
    assert keys("app.quit") == ("q", "ctrl+q", "ctrl+c")
    # where the others are not, it is free
    assert remap({"tree.filter_next": "s", "entry.raw": "p"}) == []
    assert (keys("tree.filter_next"), keys("entry.raw")) == (("s",), ("p",))


def test_of_two_that_are_set_the_first_has_the_key() -> None:
    assert remap({"session.pin": "f9", "list.scope": "f9"}) == ["list.scope: F9 stays the key of session.pin"]
    assert (keys("session.pin"), keys("list.scope")) == (("f9",), ("s",))


def test_two_that_do_the_same_may_have_one_key() -> None:
    assert remap({"session.trash": "ctrl+d, delete"}) == []
    assert keys("session.trash") == ("ctrl+d", "delete")


def test_the_settings_in_the_readme_are_right(tmp_path: Path) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "config.toml").write_text(example, encoding="utf-8")
    settings = read_settings({"LEAFMARK_CONFIG_DIR": str(tmp_path)})
    assert settings.problems == ()
    assert remap(settings.keys) == []
    assert (keys("session.trash"), keys("app.quit")) == (("ctrl+d", "delete"), ("ctrl+q",))


def test_two_commands_may_change_places() -> None:
    assert remap({"session.fork": "n", "session.new": "f"}) == []
    assert (keys("session.fork"), keys("session.new")) == (("n",), ("f",))


def test_a_key_that_was_given_away_does_not_come_back() -> None:
    assert remap({"session.fork": "p", "session.pin": "q"}) == ["session.pin: q stays the key of app.quit"]
    assert (keys("session.fork"), keys("session.pin")) == (("p",), ())


def test_what_is_the_same_as_without_a_setting_is_nothing_wrong() -> None:
    usual = {command.id: command.keys for command in COMMANDS}
    assert remap({id: ", ".join(found) for id, found in usual.items()}) == []
    assert {command.id: command.keys for command in COMMANDS} == usual


@pytest.mark.parametrize("key", ALWAYS_OUT)
def test_what_always_leaves_is_no_other_commands_key(key: str) -> None:
    assert remap({"app.quit": "f9", "session.pin": key})[0].endswith("stays the key of app.quit")
    assert (keys("app.quit"), keys("session.pin")) == (("f9",), ("p",))


def test_only_what_types_nothing_is_done_before_the_line_is_asked() -> None:
    assert remap({"session.trash": "x", "session.rename": "alt+r"}) == []
    assert (named("session.trash").first, named("session.rename").first) == (False, True)
