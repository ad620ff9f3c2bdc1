"""Textual's palette of commands, for keys and clicks that come faster than it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette
from textual.widgets import Input, OptionList

if TYPE_CHECKING:
    from textual.events import Mount
    from textual.message import Message


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
