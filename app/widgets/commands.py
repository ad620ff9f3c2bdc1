"""The table of commands as key bindings of Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from app.commands import command_by_id, pane_commands

if TYPE_CHECKING:
    from app.commands import Command


def binding(command: Command) -> Binding:
    """A command as a binding. The binding's id is the command's, so that a keymap can move it."""
    return Binding(
        ",".join(command.keys),
        command.action,
        command.help,
        id=command.id,
        show=False,
        priority=command.first,
    )


def bindings_for(id: str) -> list[Binding]:
    """The binding of the command with this id; none if it has no key."""
    command = command_by_id(id)
    return [binding(command)] if command.keys else []


def bindings_of(*panes: str) -> list[Binding]:
    """The bindings of some panes of the table; commands without a key are left out."""
    return [binding(command) for pane in panes for command in pane_commands(pane) if command.keys]


def has_command(key: str, *panes: str) -> bool:
    """Whether a command of these panes has the key."""
    return any(key in command.keys for pane in panes for command in pane_commands(pane))
