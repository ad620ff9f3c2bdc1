"""The keys of the commands: Textual's names, the names on screen, the user's settings, and the footer.

Textual's names are written out here, because importing Textual takes longer than drawing the first rows. A
test compares the two.
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

# Characters whose names in Textual are not their names in Unicode.
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
        # A terminal sends the capital letter itself.
        return key.upper()
    return "+".join([*sorted(modifiers), key])


def character_of(key: str) -> str:
    """The character of a key with a long name, such as `slash`; "" if it has none."""
    for code in range(0x21, 0x7F):
        # Compared first, because the hyphens of some Unicode names are underscores in Textual's names.
        if _character_name(chr(code)) == key:
            return chr(code)
    try:
        character = unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return ""
    # Some keys have the Unicode names of control characters.
    is_character = len(character) == 1 and character.isprintable() and key not in _KEY_WORDS
    return character if is_character else ""


def _parse_name(name: str) -> str | None:
    if name in _KEY_WORDS:
        return name
    number = name[1:]
    if name[0] == "f" and number.isascii() and number.isdigit() and number[0] != "0":
        return name if int(number) <= _LAST_FUNCTION_KEY else None
    return _character_name(character_of(name))


def _character_name(character: str) -> str | None:
    """Textual's name of the key that types a character; None if no key types it."""
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
    "number_sign": "#",
    "apostrophe": "'",
    "delete": "Del",
    "insert": "Ins",
    "ctrl+@": "Ctrl+Space",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "vertical_line": "|",
    "at": "@",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
}


def key_name(key: str) -> str:
    """The name of a key on screen: ``Ctrl+Y`` for ``ctrl+y``, ``F5`` for ``f5``."""
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


def key_named(name: str) -> str | None:
    """The key with this name on screen; None if there is none."""
    return next((key for key, shown in KEY_NAMES.items() if shown == name), None) or parse_key(name)


def keys_of(command: Command) -> str:
    """The names of all keys of a command. The last may be that of a menu and the key in it: ``y p``."""
    return ", ".join(filter(None, [*map(key_name, command.keys), _menu_keys(command)]))


def key_of(id: str, *, typing: bool = False) -> str:
    """The name of the first key of the command with this id, else its keys in a menu; "" if it has none.

    :param typing: the first key that also works in an input, which takes characters as text.
    """
    command = command_by_id(id)
    keys = [key for key in command.keys if not (typing and _types_text(key))]
    return key_name(keys[0]) if keys else "" if typing else _menu_keys(command)


def _menu_keys(command: Command) -> str:
    """The key that opens the menu of a command, and the key in it; "" for none."""
    opens = command_by_id(f"menu.{command.menu[0]}").keys if command.menu else ()
    return f"{key_name(opens[0])} {key_name(command.menu[1])}" if command.menu and opens else ""


def _types_text(key: str) -> bool:
    return key == "space" or (len(key_name(key)) == 1 and key not in ("up", "down", "left", "right"))


_FIRST_KEYS = ("session.resume", "filter.open", "session.read", "session.tree", "session.mark")
"""The first commands in the footer of the list."""


def footer(pane: str) -> list[tuple[str, str]]:
    """(key, label) pairs for the footer while ``pane`` has the focus."""
    own = pane_commands(pane)
    if pane in ("tree", "entry"):
        own += pane_commands("right")
    if pane == "sessions":
        # The last keys are left out if there is no room.
        own = [*map(command_by_id, _FIRST_KEYS), *pane_commands("side"), *own]
    return offered(dict.fromkeys((*own, *pane_commands("app"))))


def offered(commands: Iterable[Command]) -> list[tuple[str, str]]:
    """(key, label) pairs of the commands that have both."""
    shown = [command for command in commands if command.label and command.keys]
    return [(key_name(command.keys[0]), command.label) for command in shown]


_OUTER_PANES = {
    "sessions": ("list", "side", "app"),
    "filter": ("side", "app"),
    "tree": ("list", "right", "app"),
    "entry": ("list", "right", "app"),
    "project": ("list", "right", "app"),
    "list": ("side", "right", "app"),
    "right": ("app",),
    "transcript": ("list", "app"),
    "side": ("app",),
}
"""Pane -> the panes that get a key after it: a pane gets a key before the panes that contain it."""

QUIT = "app.quit"
QUIT_KEYS = ("ctrl+q", "ctrl+c")
"""The command that leaves leafmark, and its keys, which work whatever the settings say."""


def key_problems(keys: Mapping[str, str]) -> list[str]:
    """The problems that `remap` would report; no key is set."""
    before = [(command, command.keys, command.first) for command in COMMANDS]
    try:
        return remap(keys)
    finally:
        for command, had, first in before:
            command.keys, command.first = had, first


def remap(keys: Mapping[str, str]) -> list[str]:
    """Set the keys of commands, before any keys are bound. A command whose keys are all refused keeps its
    default keys.

    :param keys: id of a command -> its keys by Textual's names, comma separated; "" for none.
    :return: a line for each problem: there is no such command or key, or another command has the key.
    """
    problems = []
    defaults = {command.id: command.keys for command in COMMANDS}
    moved: list[Command] = []
    for id, given in keys.items():
        if id not in defaults:
            problems.append(f"no command is called {id!r}")
            continue
        parsed = []
        for text in filter(None, map(str.strip, given.split(","))):
            key = parse_key(text)
            if key is None:
                problems.append(f"{id}: no key is called {text!r}")
            elif key not in parsed:
                parsed.append(key)
        if parsed or not given.strip(" ,"):
            command = command_by_id(id)
            command.keys = tuple(parsed)
            moved.append(command)
    for index, command in enumerate(moved):
        accepted = []
        for key in command.keys:
            # The new keys of later commands are checked with those commands.
            later = [following for following in moved[index + 1 :] if key not in defaults[following.id]]
            owner = None if key in defaults[command.id] else _other_owner(key, command, later)
            if owner is None:
                accepted.append(key)
            else:
                problems.append(f"{command.id}: {key_name(key)} stays the key of {owner.id}")
        if command.keys and not accepted:
            accepted = [key for key in defaults[command.id] if _other_owner(key, command) is None]
        command.keys = tuple(accepted)
        if command.pane == "side":
            # In the search line, such keys get priority over its own; letters are typed.
            command.first = all(key.startswith(("ctrl+", "alt+")) for key in command.keys)
    return problems


def _other_owner(key: str, command: Command, ignored: Sequence[Command] = ()) -> Command | None:
    """Another command that has a key in a pane where `command` works as well; None if there is none. A
    command with the same action is no conflict.

    :param ignored: commands that are left out.
    """
    if key in QUIT_KEYS and command.id != QUIT:
        return command_by_id(QUIT)
    owners = [other for other in COMMANDS if key in other.keys and other.action != command.action]
    conflicts = (owner for owner in owners if owner not in ignored and _share_focus(owner.pane, command.pane))
    return next(conflicts, None)


def _share_focus(one: str, other: str) -> bool:
    """Whether the commands of both panes work in one place."""
    return one == other or one in _OUTER_PANES.get(other, ()) or other in _OUTER_PANES.get(one, ())
