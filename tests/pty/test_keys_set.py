"""The user's keys in the whole program: the table is changed once, before any key is bound."""

from __future__ import annotations

import pytest

from app.commands import COMMANDS
from tests.pty.machine import COMMAND, pointed, shown

EVERY_ONE_OFF = "[keys]\n" + "".join(f'"{command.id}" = ""\n' for command in COMMANDS)


@pytest.mark.parametrize("words", [[], ["resume"]])
def test_without_any_keys_the_screen_opens_and_can_be_left(machine, words):
    machine.settings(EVERY_ONE_OFF)
    machine.warm()
    command = [*COMMAND, *words]
    with machine.terminal(command=command, size=(160, 40)) as terminal:
        pointed(terminal, "write a man page")
        if words:
            shown(terminal)
        else:
            terminal.wait_for_text("← leaf", 30)
        footer = terminal.lines[-1]
        assert footer.strip() == ""
        terminal.press("ctrl+c")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []
        assert "Traceback" not in terminal.dump()


def test_invalid_keys_are_reported_and_the_defaults_apply(machine):
    machine.settings('[keys]\n"session.trash" = "ctrl+bogus"\n"session.pin" = "q"\n')
    with machine.terminal(command=COMMAND, size=(200, 40)) as terminal:
        terminal.wait_for_text("no key is called 'ctrl+bogus'", 30)
        terminal.wait_for_text("q stays the key of app.quit", 30)
        footer = terminal.lines[-1]
        assert "Ctrl+D trash" in footer
        assert "q quit" in footer
        terminal.press("p")
        terminal.wait_for_text("★")
        terminal.press("q")
        assert terminal.wait() == 0
