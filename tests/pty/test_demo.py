"""`--demo` in a real pseudo-terminal: its folder is removed however the run ends."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.pty.machine import leafmark

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pty.conftest import Shell
    from tests.terminal import Terminal


@pytest.fixture
def user(empty_shell: Shell) -> tuple[Path, dict[str, str]]:
    """The folder for temporary files, and the environment of a user without sessions."""
    temporary = empty_shell.folder / "temporary"
    temporary.mkdir()
    return temporary, empty_shell.env | {"TMPDIR": str(temporary)}


def started(env: dict[str, str], *words: str) -> Terminal:
    return leafmark(*words, env=env, cwd=env["HOME"])


# The next test has the other signals: one handler removes the folder.
@pytest.mark.parametrize("way", ["q", signal.SIGTERM])
def test_the_folder_is_removed_at_the_end(
    user: tuple[Path, dict[str, str]], way: str | signal.Signals
) -> None:
    temporary, env = user
    with started(env, "--demo") as terminal:
        terminal.wait_for_text("← leaf", 30)
        assert len(os.listdir(temporary)) == 1
        if isinstance(way, str):
            terminal.press(way)
        else:
            terminal.signal(way)
        terminal.wait(30)
        assert terminal.leftovers() == []
    assert os.listdir(temporary) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
def test_the_folder_is_removed_if_the_run_ends_at_its_first_frame(
    user: tuple[Path, dict[str, str]], number: signal.Signals
) -> None:
    temporary, env = user
    with started(env, "--demo") as terminal:
        terminal.wait_for_bytes(b"\x1b[?1049h", 30)
        terminal.signal(number)
        assert terminal.wait(30) == 128 + number
        assert terminal.leftovers() == []
    assert os.listdir(temporary) == []


def test_the_folder_of_examples_opened_by_key_is_removed_as_well(user: tuple[Path, dict[str, str]]) -> None:
    temporary, env = user
    with started(env) as terminal:
        terminal.wait_for_text("try the examples", 30)
        terminal.press("f6")
        terminal.wait_for_text("← leaf", 30)
        assert len(os.listdir(temporary)) == 1
        terminal.signal(signal.SIGQUIT)
        terminal.wait(30)
        assert terminal.leftovers() == []
    assert os.listdir(temporary) == []
