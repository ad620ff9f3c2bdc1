"""The names of keys that a user may write, and the names that Textual gives to the input of terminals."""

from __future__ import annotations

import string

from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual.keys import Keys, _character_to_key

from app.commands import COMMANDS
from app.keys import character_of, key_name, parse_key
from tests.cases import cases

NO_KEYS = {"<any>", "<scroll-up>", "<scroll-down>", "<ignore>", "ctrl-at", "return", "shift+escape"}
PAD = {"decimal", "divide", "multiply", "subtract", "add", "equal", "separator"}


def test_every_key_of_textual_has_textuals_name() -> None:
    single_keys = {
        key for key in FUNCTIONAL_KEYS.values() if key.startswith(("media_", "iso_", "left_", "right_"))
    }
    excluded = {key for key in FUNCTIONAL_KEYS.values() if key.endswith("_volume")} | single_keys | PAD
    assert set(MODIFIER_FUNCTIONAL_KEYS) <= single_keys
    names = {key.value for key in Keys} - NO_KEYS | set(FUNCTIONAL_KEYS.values()) - excluded
    assert {name: parse_key(name) for name in names} == {name: name for name in names}


CHARACTERS = [*string.digits, *string.ascii_letters, *string.punctuation, "ß", "ä", "日"]


@cases("character", CHARACTERS)
def test_a_character_has_textuals_name(character: str) -> None:
    key = _character_to_key(character)
    assert parse_key(character) == key
    assert parse_key(key) == (key if len(key) > 1 else character)
    assert (character_of(key) or key) == character
    assert key_name(key) == character


def test_a_key_without_text_is_shown_by_its_name() -> None:
    for key in Keys:
        assert character_of(key.value) == "" or len(key.value) == 1
        assert key_name(key.value).isprintable()
    assert key_name("ctrl+backspace") == "Ctrl+Backspace"
    assert (key_name("print_screen"), key_name("ctrl+f5"), key_name("alt+up")) == (
        "Print_screen",
        "Ctrl+F5",
        "Alt+↑",
    )


def test_every_key_of_the_table_exists() -> None:
    for command in COMMANDS:
        assert [parse_key(key) for key in command.keys] == list(command.keys)


@cases(
    ("written", "key"),
    [
        ("Ctrl+Shift+F5", "ctrl+shift+f5"),
        ("shift+ctrl+f5", "ctrl+shift+f5"),
        ("ctrl+A", "ctrl+a"),
        ("shift+a", "A"),
        ("shift+ß", "shift+ß"),
        ("ctrl+/", "ctrl+slash"),
        ("ctrl++", "ctrl+plus"),
        ("++", None),
        ("+", "plus"),
        ("solidus", "slash"),
        ("ENTER", "enter"),
        ("ctrl+bogus", None),
        ("bogus", None),
        ("ctrl+", None),
        ("+a", None),
        ("ctrl+ctrl+a", None),
        ("hold+a", None),
        ("f0", None),
        ("f36", None),
        ("", None),
        (" ", None),
        ("\x1b", None),
        ("null", None),
        ("ab", None),
    ],
)
def test_user_spellings_of_keys(written: str, key: str | None) -> None:
    assert parse_key(written) == key
