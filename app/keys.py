"""The keys of the commands: how Textual names them, how people write them, which the user has set, and which
the footer shows.

Textual itself is not asked for the names: it takes longer to import than the first rows to draw. A test
compares the two.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from app.commands import COMMANDS, Command, command_by_id, pane_commands

_MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")

_KEY_WORDS = frozenset((
    "enter", "space", "tab", "escape", "backspace", "delete", "insert", "left", "right", "up", "down", "home",
    "end", "pageup", "pagedown", "menu", "pause", "print_screen", "kp_begin", "caps_lock", "num_lock",
    "scroll_lock",
))  # fmt: skip
_LAST_FUNCTION_KEY = 35

# Textual's own names of characters that are called otherwise in Unicode.
_CHARACTER_NAMES = {
    "\\": "backslash",
    "+": "plus",
    "-": "minus",
    "/": "slash",
    "@": "at",
    "_": "underscore",
}
# The key that a terminal sends for Ctrl+Space and Ctrl+2.
_CONTROL_AT = "ctrl+@"


def parse_key(text: str) -> str | None:
    """The key that `text` names: a character, or names joined by `+` such as `ctrl+shift+f5`.

    The order of the modifiers and the case of names do not matter, and characters may stand for their names.
    None if there is no such key.
    """
    if len(text) == 1:
        return _character_name(text)
    held, plus, last = text.rpartition("+")
    if not last and held.endswith("+"):
        held, last = held[:-1], "+"
    if not last or (plus and not held):
        return None
    modifiers = held.lower().split("+") if held else []
    if len(set(modifiers)) < len(modifiers) or not set(modifiers) <= set(_MODIFIERS):
        return None
    if modifiers == ["ctrl"] and last == "@":
        return _CONTROL_AT
    key = _character_name(last.lower()) if len(last) == 1 else _parse_name(last.lower())
    if key is None:
        return None
    if modifiers == ["shift"] and len(key) == 1 and key.upper() != key and len(key.upper()) == 1:
        # a terminal sends the letter itself
        return key.upper()
    return "+".join([*sorted(modifiers), key])


def character_of(key: str) -> str:
    """The character of a key that is called by a long name, such as `slash`; "" where it has none."""
    for code in range(0x21, 0x7F):
        # some of their names have hyphens in Unicode, for which Textual has low lines as well
        if _character_name(chr(code)) == key:
            return chr(code)
    try:
        found = unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return ""
    # Unicode calls control characters by the names of some keys
    return found if len(found) == 1 and found.isprintable() and key not in _KEY_WORDS else ""


def _parse_name(name: str) -> str | None:
    if name in _KEY_WORDS:
        return name
    number = name[1:]
    if name[0] == "f" and number.isascii() and number.isdigit() and number[0] != "0":
        return name if int(number) <= _LAST_FUNCTION_KEY else None
    return _character_name(character_of(name))


def _character_name(character: str) -> str | None:
    """A key that types one character."""
    if len(character) != 1 or not character.isprintable() or character == " ":
        return None
    if character.isalnum():
        return character
    if character in _CHARACTER_NAMES:
        return _CHARACTER_NAMES[character]
    name = unicodedata.name(character, "")
    return name.lower().replace("-", "_").replace(" ", "_") or None


KEY_NAMES = {
    "enter": "Enter",
    "space": "Space",
    "right": "→",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
    "escape": "Esc",
    "slash": "/",
    "question_mark": "?",
    "exclamation_mark": "!",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "full_stop": ".",
    "asterisk": "*",
    "apostrophe": "'",
    "delete": "Del",
    "insert": "Ins",
    "ctrl+@": "Ctrl+Space",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def key_name(key: str) -> str:
    """A key as people write it: ``ctrl+y`` is ``Ctrl+Y``, ``f5`` is ``F5``."""
    if key in KEY_NAMES:
        return KEY_NAMES[key]
    if "+" in key:
        *modifiers, last = key.split("+")
        last = key_name(last.upper() if len(last) == 1 else last)
        return "+".join([*(word.capitalize() for word in modifiers), last])
    if len(key) == 1:
        return key
    if key[0] == "f" and key[1:].isdigit():
        return key.upper()
    return character_of(key) or key.capitalize()


def keys_of(command: Command) -> str:
    """All keys of a command as people write them."""
    return ", ".join(key_name(key) for key in command.keys)


def key_of(id: str, *, typing: bool = False) -> str:
    """The first key of the command with this id, as people write it; "" where it has none.

    :param typing: the first that does it where text is typed, too: there a character is one.
    """
    keys = [key for key in command_by_id(id).keys if not (typing and _types_text(key))]
    return key_name(keys[0]) if keys else ""


def _types_text(key: str) -> bool:
    return key == "space" or (len(key_name(key)) == 1 and key not in ("up", "down", "left", "right"))


def footer(pane: str) -> list[tuple[str, str]]:
    """(key, label) pairs for the footer while ``pane`` has the keys."""
    own = pane_commands(pane)
    if pane == "sessions":
        # what has no room is left out from the end
        own = [own[0], *pane_commands("side"), *own[1:]]
    return offered((*own, *pane_commands("app")))


def offered(commands: Iterable[Command]) -> list[tuple[str, str]]:
    """(key, label) pairs of those that have both."""
    both = [command for command in commands if command.label and command.keys]
    return [(key_name(command.keys[0]), command.label) for command in both]


_OUTER_PANES = {
    "sessions": ("list", "side", "app"),
    "filter": ("side", "app"),
    "tree": ("list", "app"),
    "entry": ("list", "app"),
    "list": ("side", "app"),
    "side": ("app",),
}
"""Pane -> the panes that get a key after it: a pane gets a key before the panes that contain it."""

QUIT = "app.quit"
QUIT_KEYS = ("ctrl+q", "ctrl+c")
"""The command that leaves, and its keys that work whatever is set."""


def remap(keys: Mapping[str, str]) -> list[str]:
    """Give commands other keys, before any keys are bound. A command whose keys are refused keeps its own.

    :param keys: a command's id -> its keys by Textual's names, comma separated; "" for none.
    :return: a line for each thing that is wrong: no such command or key, or another command has the key.
    """
    wrong = []
    usual = {command.id: command.keys for command in COMMANDS}
    moved: list[Command] = []
    for id, given in keys.items():
        if id not in usual:
            wrong.append(f"no command is called {id!r}")
            continue
        found = []
        for text in filter(None, map(str.strip, given.split(","))):
            key = parse_key(text)
            if key is None:
                wrong.append(f"{id}: no key is called {text!r}")
            elif key not in found:
                found.append(key)
        if found or not given.strip(" ,"):
            command = command_by_id(id)
            command.keys = tuple(found)
            moved.append(command)
    for at, command in enumerate(moved):
        kept = []
        for key in command.keys:
            # commands that come later are checked in their turn, except for their default keys
            later = [each for each in moved[at + 1 :] if key not in usual[each.id]]
            other = None if key in usual[command.id] else _other_owner(key, command, later)
            if other is None:
                kept.append(key)
            else:
                wrong.append(f"{command.id}: {key_name(key)} stays the key of {other.id}")
        if command.keys and not kept:
            kept = [key for key in usual[command.id] if _other_owner(key, command) is None]
        command.keys = tuple(kept)
        if command.pane == "side":
            # the search line loses its own use of these keys, but not of letters
            command.first = all(key.startswith(("ctrl+", "alt+")) for key in command.keys)
    return wrong


def _other_owner(key: str, command: Command, but: Sequence[Command] = ()) -> Command | None:
    """The other command that has a key where `command` would have it, too; None where no other but one of
    ``but`` has. Two that do the same have not to be told apart.
    """
    if key in QUIT_KEYS and command.id != QUIT:
        return command_by_id(QUIT)
    holders = [other for other in COMMANDS if key in other.keys and other.action != command.action]
    return next((each for each in holders if each not in but and _share_focus(each.pane, command.pane)), None)


def _share_focus(one: str, other: str) -> bool:
    """Whether there is a place where the commands of both panes work."""
    return one == other or one in _OUTER_PANES.get(other, ()) or other in _OUTER_PANES.get(one, ())
