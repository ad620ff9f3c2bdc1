"""The themes by name: those that come with leafmark, and the files of the user's folder of themes."""

from __future__ import annotations

import os
from collections.abc import Mapping

from app.paths import config_folder
from app.small_files import read_small
from app.view.palette import THEMES
from app.view.themes import BUNDLED, WrongTheme, load_bundled, user_theme

FOLDER = "themes"
"""The folder in that of the settings. The theme NAME is in the file NAME.toml (help/settings.md)."""
_ENDING = ".toml"
_LONGEST = 65_536


def load_theme(name: str, env: Mapping[str, str]) -> str:
    """Put a theme into `THEMES`.

    :return: why it cannot be used; "" if it is there.
    """
    if load_bundled(name):
        return ""
    if name not in _user_names(env):
        return f"there is no theme {name!r}; there are {', '.join(theme_names(env))}"
    # not at the top: few users have a theme of their own
    import tomllib

    path = os.path.join(_folder(env), name + _ENDING)
    try:
        THEMES[name] = user_theme(tomllib.loads(read_small(path, _LONGEST).decode("utf-8")))
    except (WrongTheme, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return f"{path}: {error}"
    except ValueError:
        return f"{path}: a number has too many digits"
    except OSError as error:
        return f"{path}: {error.strerror or error}"
    return ""


def load_all(env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Put every theme into `THEMES`.

    :return: the names of the themes that can be used, and why others cannot.
    """
    names, problems = [], []
    for name in theme_names(env):
        problem = load_theme(name, env)
        if problem:
            problems.append(problem)
        else:
            names.append(name)
    return names, problems


def theme_names(env: Mapping[str, str]) -> list[str]:
    """The names of all themes, bundled ones first. A file named like a bundled theme is ignored."""
    return [*BUNDLED, *_user_names(env)]


def _user_names(env: Mapping[str, str]) -> list[str]:
    try:
        files = sorted(os.listdir(_folder(env)))
    except OSError:
        return []
    names = [file.removesuffix(_ENDING) for file in files if file.endswith(_ENDING)]
    return [name for name in names if name.isprintable() and name and name not in BUNDLED]


def _folder(env: Mapping[str, str]) -> str:
    return os.path.join(config_folder(env), FOLDER)
