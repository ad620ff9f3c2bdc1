"""The keys that a user has set for commands, before anything is bound to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.commands import COMMANDS, key_name, named
from app.key_names import key_called

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.commands import Command

_ABOVE = {
    "sessions": ("list", "side", "app"),
    "filter": ("side", "app"),
    "tree": ("list", "app"),
    "entry": ("list", "app"),
    "list": ("side", "app"),
    "side": ("app",),
}
"""Pane -> those whose commands its keys would be taken from: a pane is asked before what it stands in."""

WAY_OUT = "app.quit"
ALWAYS_OUT = ("ctrl+q", "ctrl+c")
"""The command that leaves, and its keys that work whatever is set."""


def remap(keys: Mapping[str, str]) -> list[str]:
    """Give commands other keys, before anything is bound. What cannot be done leaves a command its own keys.

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
            key = key_called(text)
            if key is None:
                wrong.append(f"{id}: no key is called {text!r}")
            elif key not in found:
                found.append(key)
        if found or not given.strip(" ,"):
            command = named(id)
            command.keys = tuple(found)
            moved.append(command)
    for at, command in enumerate(moved):
        kept = []
        for key in command.keys:
            # those that come later are asked in their turn, but for what is theirs without being set
            later = [each for each in moved[at + 1 :] if key not in usual[each.id]]
            other = None if key in usual[command.id] else _holder(key, command, later)
            if other is None:
                kept.append(key)
            else:
                wrong.append(f"{command.id}: {key_name(key)} stays the key of {other.id}")
        if command.keys and not kept:
            kept = [key for key in usual[command.id] if _holder(key, command) is None]
        command.keys = tuple(kept)
        if command.pane == "side":
            # the line has keys of its own, which are left to it no more; letters are
            command.first = all(key.startswith(("ctrl+", "alt+")) for key in command.keys)
    return wrong


def _holder(key: str, command: Command, but: Sequence[Command] = ()) -> Command | None:
    """The other command that has a key where `command` would have it, too; None where no other but one of
    ``but`` has. Two that do the same have not to be told apart.
    """
    if key in ALWAYS_OUT and command.id != WAY_OUT:
        return named(WAY_OUT)
    holders = [other for other in COMMANDS if key in other.keys and other.action != command.action]
    return next((each for each in holders if each not in but and _meet(each.pane, command.pane)), None)


def _meet(one: str, other: str) -> bool:
    """Whether there is a place where the commands of both panes work."""
    return one == other or one in _ABOVE.get(other, ()) or other in _ABOVE.get(one, ())
