"""The table of commands in Textual: key bindings, and the command palette."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.command import CommandList, CommandPalette, Hit
from textual.system_commands import SystemCommandsProvider
from textual.widgets import Input, OptionList

from app.commands import command_by_id, pane_commands
from app.keys import keys_of
from app.view.command_search import match_score

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.command import Hits
    from textual.events import Mount

    from app.commands import Command

_GRADE = 10_000.0
"""Factor of a match by name: it exceeds every score of Textual's matcher."""


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


def bindings_of(*panes: str) -> list[Binding]:
    """The bindings of some panes of the table; commands without a key are left out."""
    return [binding(command) for pane in panes for command in pane_commands(pane) if command.keys]


def shown_below(command: Command) -> str:
    """The line below a command in the palette; it begins with the id."""
    return f"{command.id}   {keys_of(command)}"


class CommandProvider(SystemCommandsProvider):
    """Finds commands by their names in the program, and after those by letters of their help, which is all
    that Textual's provider searches.
    """

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for text, help_line, run, *_ in self.app.get_system_commands(self.screen):
            command = command_by_id(help_line.split(maxsplit=1)[0])
            score = match_score(query, command, text) * _GRADE + matcher.match(text)
            if score:
                yield Hit(score, matcher.highlight(text), run, text=text, help=help_line)


class Palette(CommandPalette):
    """The command palette. It closes once and runs at most one command, even if keys and clicks come faster
    than Textual 8.2.8 expects.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page(-1)", "Previous page", show=False),
        Binding("pagedown", "page(1)", "Next page", show=False),
    ]

    _is_closed = False

    def dismiss(self, result: None = None) -> AwaitComplete:
        # A second call would close the screen below, too.
        if self._is_closed:
            return AwaitComplete()
        self._is_closed = True
        return super().dismiss(result)

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _drop_choice(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        if self._is_closed:
            event.stop()
            event.prevent_default()

    def on_mount(self, event: Mount) -> None:
        if self._is_closed:
            # Textual's handler would query the screen below for a list that is gone.
            event.prevent_default()

    def action_page(self, step: int) -> None:
        """Move the cursor by one page."""
        commands = self.query_one(CommandList)
        # A list that was just filled is not laid out yet, and has no pages.
        with suppress(LookupError):
            if step < 0:
                commands.action_page_up()  # type: ignore[no-untyped-call]
            else:
                commands.action_page_down()  # type: ignore[no-untyped-call]
