"""The table of commands, and the keys that a user sets for them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.commands import COMMANDS, MENUS, PANES, command_by_id, pane_commands
from app.keys import QUIT_KEYS, footer, key_of, keys_of, remap
from app.settings import read_settings
from app.view import BROWSER, SELECTOR, list_keys, preview_keys, search_keys
from tests.cases import cases

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _restore_commands() -> Iterator[None]:
    """Restore the table of commands, which is one for the whole process."""
    before = [(command, command.keys, command.first) for command in COMMANDS]
    yield
    for command, keys, first in before:
        command.keys, command.first = keys, first


def keys(id: str) -> tuple[str, ...]:
    """Return the keys of the command with this id."""
    return command_by_id(id).keys


def test_each_key_of_a_pane_has_one_command() -> None:
    for pane in PANES:
        every = [*itertools.chain.from_iterable(command.keys for command in pane_commands(pane))]
        assert len(every) == len(set(every)), pane
    for focus in (
        {"sessions", "list", "side", "app"},
        {"tree", "right", "list", "app"},
    ):
        every = [key for command in COMMANDS if command.pane in focus for key in command.keys]
        assert len(every) == len(set(every)), focus


SESSIONS = ("sessions", "side", "list", "app")
TREE = ("tree", "right", "list", "app")
TRANSCRIPT = ("transcript", "right", "list", "app")
"""The panes whose keys work while a pane has the focus, in the order in which they get a key."""


def command_of(focus: tuple[str, ...], key: str) -> str:
    """The id of the command that a key has while a pane has the focus; "" for none."""
    owners = (command.id for pane in focus for command in pane_commands(pane) if key in command.keys)
    return next(owners, "")


@cases(
    ("key", "in_sessions", "in_tree", "in_transcript"),
    [
        ("enter", "session.resume", "entry.go_on", "block.go_on"),
        ("v", "session.read", "entry.read", "transcript.close"),
        ("t", "session.tree", "tree.close", "block.tree"),
        ("i", "session.details", *["entry.details"] * 2),
        ("n", "session.next_hit", "tree.next_hit", "block.next_hit"),
        ("N", "session.previous_hit", "tree.previous_hit", "block.previous_hit"),
        ("left_square_bracket", "beside.previous_prompt", "turn.previous", "prompt.previous"),
        ("alt+down", "beside.next_prompt", "turn.next", "prompt.next"),
        ("b", "", "branch.next_point", "branch.switch"),
        ("B", "session.keep", "branch.previous_point", "branch.return"),
        ("R", "session.restore", "", ""),
        ("m", "", "label.next", "block.next_label"),
        ("M", "", "label.previous", "block.previous_label"),
        ("J", "beside.down", "other.scroll_down", "other.scroll_down"),
        ("K", "beside.up", "other.scroll_up", "other.scroll_up"),
        ("c", "session.new", *["shown.new"] * 2),
        ("p", "session.pin", *["shown.pin"] * 2),
        ("backspace", "", "entry.parent", "block.parent"),
        *((key, f"menu.{name}", f"menu.{name}", f"menu.{name}") for key, name in (
            ("y", "copy"), ("g", "go"), ("full_stop", "view")
        )),
        ("at", "", "leaf.go", "transcript.end"),
        ("f", "session.fork", "entry.fork", "block.fork"),
        ("F", "session.fork_to", "entry.fork_to", "block.fork_to"),
        ("o", "session.origin", *["shown.origin"] * 2),
        ("O", "list.group", "", ""),
        ("L", "", "entry.label", "block.label"),
        ("C", "", "branch.compare", "block.compare"),
        ("T", "", "label.times", ""),
        ("exclamation_mark", "", "tree.problems", ""),
        ("Y", "session.copy_path", "entry.copy_code", "block.copy_code"),
        ("ctrl+y", "session.copy", *["shown.copy_command"] * 2),
        ("e", "session.edit", *["entry.edit"] * 2),
        ("vertical_line", "session.page", *["entry.page"] * 2),
        ("r", "", *["entry.raw"] * 2),
        ("s", "", "", ""),
        ("a", "list.agent", "", ""),
        ("D", "list.roomy", "", ""),
        ("plus", "group.open_all", "branch.unfold_all", "block.open_all"),
        ("minus", "group.close_all", "branch.fold_others", "block.close_all"),
        ("ctrl+t", "", "tree.filter_tools", "block.tools"),
        ("ctrl+d", "session.trash", "tree.filter_default", ""),
        ("delete", "session.delete", "", ""),
        ("ctrl+s", "list.order", "", ""),
        ("ctrl+n", "list.named", "", ""),
        ("ctrl+p", "list.paths", "", ""),
        ("ctrl+r", "session.rename", *["shown.rename"] * 2),
        ("ctrl+x", "", "entry.copy", "block.copy"),
        ("shift+enter", "", "entry.summarise", ""),
        *((f"alt+{key}", "", f"tree.filter_{name}", "") for key, name in (
            ("d", "default"), ("t", "tools"), ("u", "user"), ("l", "labelled"), ("a", "all")
        )),
        *((key, id, id, id) for key, id in (
            ("tab", "pane.next"), ("shift+tab", "pane.previous"), ("slash", "filter.open"),
            ("1", "pane.sessions"), ("2", "pane.tree"), ("3", "pane.transcript"),
            ("less_than_sign", "pane.narrower"), ("greater_than_sign", "pane.wider"),
            ("left_curly_bracket", "pane.rule_up"), ("right_curly_bracket", "pane.rule_down"),
            ("apostrophe", "label.list"), ("H", "history.show"), ("X", "trash.show"),
            ("A", "archive.show"), ("S", "statistics.show"), ("comma", "settings.show"),
            ("z", "change.undo"), ("Z", "change.redo"), ("ctrl+underscore", "change.undo"),
            ("ctrl+z", "app.suspend"), ("ctrl+k", "palette.open"), ("colon", "palette.type"),
            ("question_mark", "help.show"), ("f1", "help.show"), ("f2", "theme.choose"),
            ("f5", "index.rescan"), ("f6", "demo.open"), ("q", "app.quit"), ("escape", "view.back"),
        )),
    ],
)  # fmt: skip
def test_a_key_has_one_idea_in_all_panes(
    key: str, in_sessions: str, in_tree: str, in_transcript: str
) -> None:
    found = [command_of(focus, key) for focus in (SESSIONS, TREE, TRANSCRIPT)]
    assert found == [in_sessions, in_tree, in_transcript]


def test_without_a_session_the_line_offers_nothing_about_one() -> None:
    for typed in (True, False):
        keys = search_keys(SELECTOR, here=True, typed=typed)
        without = search_keys(SELECTOR, here=True, typed=typed, has_row=False)
        labels = {label for _, label in keys} - {label for _, label in without}
        assert labels == {"resume", "rename", "trash"}
        assert set(without) < set(keys)


def test_a_command_without_keys_shows_and_binds_none() -> None:
    assert remap(dict.fromkeys([command.id for command in COMMANDS], "")) == []
    assert not any(command.keys for command in COMMANDS)
    assert [footer(pane) for pane in PANES] == [[]] * len(PANES)
    for preset, is_here, typed in itertools.product([BROWSER, SELECTOR], [True, False], [True, False]):
        assert search_keys(preset, here=is_here, typed=typed) == []
        assert search_keys(preset, here=is_here, typed=typed, has_row=False) == []
        assert list_keys(preset, here=is_here) == []
        assert preview_keys(here=is_here) == []
    assert {key_of(command.id) for command in COMMANDS} == {""}
    assert remap({"session.fork": "p"}) == [], "a key that nobody has any more"


@cases("keys_text", ["", " , ", ","])
def test_no_key(keys_text: str) -> None:
    assert remap({"list.agent": keys_text}) == []
    assert keys("list.agent") == ()


def test_a_command_of_a_menu_has_the_key_of_the_menu_and_its_own() -> None:
    command = command_by_id("list.scope")
    assert (key_of(command.id), key_of(command.id, typing=True), keys_of(command)) == (". s", "", ". s")
    assert keys_of(command_by_id("trash.show")) == "X, g t"
    assert remap({command.id: "s", "menu.go": "f9", "trash.show": ""}) == []
    assert (key_of(command.id), keys_of(command), key_of("trash.show")) == ("s", "s, . s", "F9 t")
    for menu, (_, choices) in MENUS.items():
        for key, ids in choices.items():
            for id in ids.split():
                assert command_by_id(id).menu, (menu, key, id)
        assert not {"j", "k", "G", "q", "escape", "enter"} & choices.keys(), "the keys of the popup"


def test_alt_and_arrows_equal_the_brackets() -> None:
    for bracket, arrow in (("left_square_bracket", "alt+up"), ("right_square_bracket", "alt+down")):
        with_bracket = [command.id for command in COMMANDS if bracket in command.keys]
        with_arrow = [
            command.id for command in COMMANDS if arrow in command.keys and command.pane != "filter"
        ]
        assert with_bracket == with_arrow


def test_key_names_may_be_spelled_in_any_way() -> None:
    assert remap({"session.pin": "Shift+Ctrl+F5, %", "view.back": "ctrl+G"}) == []
    assert keys("session.pin") == ("ctrl+shift+f5", "percent_sign")
    assert key_of("session.pin") == "Ctrl+Shift+F5"
    assert key_of("session.pin", typing=True) == "Ctrl+Shift+F5"
    assert keys("view.back") == ("ctrl+g",)


def test_an_unknown_key_is_reported_and_ignored() -> None:
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
    # In a place without the other command, the key is free.
    assert remap({"tree.filter_next": "w", "entry.raw": "D"}) == []
    assert (keys("tree.filter_next"), keys("entry.raw")) == (("w",), ("D",))


def test_if_two_commands_want_a_key_the_first_gets_it() -> None:
    assert remap({"session.pin": "f9", "list.scope": "f9"}) == ["list.scope: F9 stays the key of session.pin"]
    assert (keys("session.pin"), keys("list.scope")) == (("f9",), ())


def test_two_commands_that_do_the_same_may_share_a_key() -> None:
    assert remap({"session.trash": "ctrl+d, delete"}) == []
    assert keys("session.trash") == ("ctrl+d", "delete")


def test_the_example_of_the_settings_page_is_right(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent / "app/help/settings.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "config.toml").write_text("\n".join(examples), encoding="utf-8")
    settings = read_settings({"LEAFMARK_CONFIG_DIR": str(tmp_path)})
    assert settings.problems == ()
    assert remap(settings.keys) == []
    assert (keys("session.trash"), keys("app.quit")) == (("ctrl+d", "delete"), ("ctrl+q",))


def test_two_commands_may_swap_keys() -> None:
    assert remap({"session.fork": "c", "session.new": "f"}) == []
    assert (keys("session.fork"), keys("session.new")) == (("c",), ("f",))


def test_a_key_that_moved_to_another_command_stays_there() -> None:
    assert remap({"session.fork": "p", "session.pin": "q"}) == ["session.pin: q stays the key of app.quit"]
    assert (keys("session.fork"), keys("session.pin")) == (("p",), ())


def test_setting_the_default_keys_is_no_error() -> None:
    usual = {command.id: command.keys for command in COMMANDS}
    assert remap({id: ", ".join(keys_of_command) for id, keys_of_command in usual.items()}) == []
    assert {command.id: command.keys for command in COMMANDS} == usual


@cases("key", QUIT_KEYS)
def test_a_key_that_always_quits_belongs_to_no_other_command(key: str) -> None:
    assert remap({"app.quit": "f9", "session.pin": key})[0].endswith("stays the key of app.quit")
    assert (keys("app.quit"), keys("session.pin")) == (("f9",), ("p",))


def test_only_keys_that_type_no_text_run_before_the_input_line_gets_them() -> None:
    assert remap({"session.trash": "u", "session.rename": "alt+r"}) == []
    assert (command_by_id("session.trash").first, command_by_id("session.rename").first) == (False, True)
