"""Where leafmark keeps what is its own. Nothing of it lies in an agent's folder, and deleting the cache loses
nothing.

The folders are platformdirs'. On Linux its rule is written out here, because importing it takes longer than
everything else before the first rows on screen; a test holds the two together.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "leafmark"
CACHE_VARIABLE = "LEAFMARK_CACHE_DIR"
STATE_VARIABLE = "LEAFMARK_STATE_DIR"


def home_folder(env: Mapping[str, str]) -> str:
    """The user's home folder, absolute; the root folder where the system knows none."""
    home = env.get("HOME") or os.path.expanduser("~")
    return home if os.path.isabs(home) else os.sep


def cache_folder(env: Mapping[str, str]) -> str:
    """The folder of the catalog; ``LEAFMARK_CACHE_DIR`` moves it. It need not exist."""
    return _folder(env, CACHE_VARIABLE, "XDG_CACHE_HOME", ".cache", "user_cache_dir")


def state_folder(env: Mapping[str, str]) -> str:
    """The folder of what leafmark remembers of the screen; ``LEAFMARK_STATE_DIR`` moves it. It need not
    exist.
    """
    return _folder(env, STATE_VARIABLE, "XDG_STATE_HOME", os.path.join(".local", "state"), "user_state_dir")


def _folder(env: Mapping[str, str], own: str, variable: str, below_home: str, function: str) -> str:
    if env.get(own):
        return os.path.abspath(env[own])
    if sys.platform == "linux":
        root = env.get(variable, "").strip() or os.path.join(home_folder(env), below_home)
        return os.path.join(root, NAME)
    import platformdirs

    return str(getattr(platformdirs, function)(NAME, appauthor=False))


def read_theme(env: Mapping[str, str]) -> str:
    """The theme that was chosen last: ``dark`` or ``light``."""
    try:
        with open(os.path.join(state_folder(env), "theme"), encoding="ascii") as file:
            return "light" if file.read(16).strip() == "light" else "dark"
    except (OSError, ValueError):
        return "dark"


def write_theme(env: Mapping[str, str], theme: str) -> None:
    """Remember a theme.

    :raises OSError: the folder cannot be written.
    """
    folder = state_folder(env)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "theme"), "w", encoding="ascii") as file:
        file.write(theme + "\n")
