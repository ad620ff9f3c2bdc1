"""Textual's palette of commands: found by all that is said of them, and for keys and clicks that come faster
than it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, Hit
from textual.system_commands import SystemCommandsProvider
from textual.widgets import Input, OptionList

from app.commands import keys_of, named
from app.view.command_match import closeness

if TYPE_CHECKING:
    from textual.command import Hits
    from textual.events import Mount
    from textual.message import Message

    from app.commands import Command

_GRADE = 10_000.0
"""More than Textual's matcher gives to any sentence for any letters."""


def shown_below(command: Command) -> str:
    """The line below a command in the palette; its id comes first."""
    return f"{command.id}   {keys_of(command)}"


class CommandWords(SystemCommandsProvider):
    """Finds commands by the names that the program itself shows, and behind those by letters of what is said
    of them. Textual's own looks at that alone.
    """

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for told, below, run, *_ in self.app.get_system_commands(self.screen):
            command = named(below.split(maxsplit=1)[0])
            score = closeness(query, command, told) * _GRADE + matcher.match(told)
            if score:
                yield Hit(score, matcher.highlight(told), run, text=told, help=below)


class Palette(CommandPalette):
    """The commands by their names. It is left once, and runs one command at most."""

    _is_left = False

    def dismiss(self, result: None = None) -> AwaitComplete:
        # Textual 8.2.8 would close the screen below, too
        if self._is_left:
            return AwaitComplete()
        self._is_left = True
        return super().dismiss(result)

    async def _dispatch_message(self, message: Message) -> None:
        if self._is_left and isinstance(message, Input.Submitted | OptionList.OptionSelected):
            return
        await super()._dispatch_message(message)

    def _on_mount(self, event: Mount) -> None:
        if self._is_left:
            # Textual's own would look for the screen below, and for a list that is gone
            event.prevent_default()

    def _action_command_list(self, action: str) -> None:
        if not self._is_left and action.startswith("page_"):
            # a page is as many lines as are laid out: of a list that was filled just now, none yet
            commands = self.query_one(CommandList)
            if commands.highlighted is not None and not commands._lines:
                return
        super()._action_command_list(action)
