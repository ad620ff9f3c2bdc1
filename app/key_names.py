"""The names of keys, as Textual gives them to what a terminal sends, for those that a user writes.

Textual itself is not asked: it takes longer to import than the first rows to draw. A test holds the two
together.
"""

from __future__ import annotations

import unicodedata

_MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")

_NAMED = frozenset((
    "enter", "space", "tab", "escape", "backspace", "delete", "insert", "left", "right", "up", "down", "home",
    "end", "pageup", "pagedown", "menu", "pause", "print_screen", "kp_begin", "caps_lock", "num_lock",
    "scroll_lock",
))  # fmt: skip
_LAST_FUNCTION_KEY = 35

# Textual's own names of characters that are called otherwise in Unicode.
_SHORT_NAMES = {
    "\\": "backslash",
    "+": "plus",
    "-": "minus",
    "/": "slash",
    "@": "at",
    "_": "underscore",
}
# What a terminal sends for Ctrl+Space and Ctrl+2.
_CONTROL_AT = "ctrl+@"


def key_called(text: str) -> str | None:
    """The key that a user means by `text`: a character, or names joined by `+` such as `ctrl+shift+f5`.

    The order of what is held down and the case of names do not matter, and characters may stand for their
    names. None where there is no such key.
    """
    if len(text) == 1:
        return _name_of(text)
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
    key = _name_of(last.lower()) if len(last) == 1 else _long_name(last.lower())
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
        if _name_of(chr(code)) == key:
            return chr(code)
    try:
        found = unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return ""
    # Unicode calls control characters by the names of some keys
    return found if len(found) == 1 and found.isprintable() and key not in _NAMED else ""


def _long_name(name: str) -> str | None:
    if name in _NAMED:
        return name
    number = name[1:]
    if name[0] == "f" and number.isascii() and number.isdigit() and number[0] != "0":
        return name if int(number) <= _LAST_FUNCTION_KEY else None
    return _name_of(character_of(name))


def _name_of(character: str) -> str | None:
    """A key that types one character."""
    if len(character) != 1 or not character.isprintable() or character == " ":
        return None
    if character.isalnum():
        return character
    if character in _SHORT_NAMES:
        return _SHORT_NAMES[character]
    name = unicodedata.name(character, "")
    return name.lower().replace("-", "_").replace(" ", "_") or None
