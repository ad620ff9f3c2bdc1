"""The notes that omp leaves for each terminal: which session it was last in there
(formats/README.md, "oh-my-pi").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.small_files import path_problem, read_small

if TYPE_CHECKING:
    from collections.abc import Mapping

# What omp calls a terminal in `terminal-sessions`: a prefix, and the variable of the terminal it is made
# from.
TERMINALS = (
    ("tmux", "TMUX_PANE"),
    ("zellij", "ZELLIJ_PANE_ID"),
    ("kitty", "KITTY_WINDOW_ID"),
    ("wezterm", "WEZTERM_PANE"),
    ("apple", "TERM_SESSION_ID"),
    ("wt", "WT_SESSION"),
)
_LONGEST = 16_384


def terminals(terminal: str, variables: Mapping[str, str]) -> list[str]:
    """The names under which omp may have left a note for a terminal, surest first.

    `terminal` is the path of its device, "" where there is none; `variables` the environment in it.
    """
    found = []
    if terminal.startswith("/dev/"):
        found.append(terminal[len("/dev/") :].replace("/", "-"))
    for prefix, variable in TERMINALS:
        value = variables.get(variable, "")
        if value and "/" not in value:
            found.append(f"{prefix}-{value}")
    return found


def read_crumb(path: str) -> tuple[str, str] | None:
    """The working folder and the session that the note at `path` names; None where it names none."""
    try:
        lines = read_small(path, _LONGEST).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    if len(lines) < 2 or not lines[1].strip():
        return None
    cwd, session = lines[0].strip(), lines[1].strip()
    return None if path_problem(cwd) or path_problem(session) else (cwd, session)


def last_session(folder: str, env: Mapping[str, str], cwd: str) -> str:
    """The session that was last open in this terminal and in `cwd`, "" where there is none or it is gone.

    `folder` is the agent's `terminal-sessions`; the terminal is that of this process.
    """
    try:
        terminal = os.ttyname(0)
    except OSError:
        terminal = ""
    for name in terminals(terminal, env):
        crumb = read_crumb(os.path.join(folder, name))
        if crumb and os.path.realpath(crumb[0]) == os.path.realpath(cwd) and os.path.isfile(crumb[1]):
            return crumb[1]
    return ""
