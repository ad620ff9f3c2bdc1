"""From the table of commands to Textual's bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from app.commands import of_pane

if TYPE_CHECKING:
    from app.commands import Command


def binding(command: Command) -> Binding:
    """One command as a binding; its id is the command's, so that a keymap can move it."""
    return Binding(
        ",".join(command.keys),
        command.action,
        command.help,
        id=command.id,
        show=False,
        priority=command.first,
    )


def bindings_of(*panes: str) -> list[Binding]:
    """The bindings of some panes of the table; a command may have no key."""
    return [binding(command) for pane in panes for command in of_pane(pane) if command.keys]
