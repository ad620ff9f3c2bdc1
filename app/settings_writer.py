"""The settings file as text: the values in it, and changes that keep its comments and its order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from app.paths import make_own_folders
from app.settings import default_file, settings_file
from app.small_files import read_small, replace_file

_NOT_TOML = (TOMLKitError, UnicodeDecodeError, RecursionError, AttributeError, TypeError)
"""Errors of a file that is not TOML, or in which something other than a table has the name of a table."""


class CannotWrite(Exception):
    """The file cannot be read or changed; the message says why and names the file."""


def read_values(env: Mapping[str, str]) -> dict[str, Any]:
    """The values in the file, as TOML describes them; none if there is no file.

    :raises CannotWrite: the file cannot be read, or is not TOML.
    """
    path = settings_file(env)
    try:
        return tomlkit.parse(_text(path)).unwrap()
    except _NOT_TOML as error:
        raise CannotWrite(f"{path} cannot be read: {error}") from None
    except OSError as error:
        raise CannotWrite(f"{path} cannot be read: {error.strerror or error}") from None


def set_setting(env: Mapping[str, str], name: str, value: str) -> None:
    """Change one setting in the file, which is made if it is not there.

    :param name: the setting; a dot leads into a table, as in ``stores.pi``.
    :param value: as TOML; "" removes the setting.
    :raises CannotWrite: the file is not TOML, or cannot be read or written.
    """
    path = settings_file(env)
    try:
        document = tomlkit.parse(_text(path))
        outer, _, inner = name.rpartition(".")
        if outer and outer not in document and value:
            document[outer] = tomlkit.table()
        table = document.get(outer, {}) if outer else document
        if value:
            table[inner] = tomlkit.value(value)
        else:
            table.pop(inner, None)
        make_own_folders(os.path.dirname(path))
        # A link, as to a folder of dotfiles, stays a link.
        replace_file(os.path.realpath(path), tomlkit.dumps(document).encode())
    except _NOT_TOML as error:
        raise CannotWrite(f"{path} cannot be changed: {error}") from None
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror or error}") from None


def make_file(env: Mapping[str, str]) -> str:
    """Make the file with every setting as a comment, unless it is there.

    :return: its path.
    :raises CannotWrite: it cannot be written.
    """
    path = settings_file(env)
    if not os.path.lexists(path):
        try:
            make_own_folders(os.path.dirname(path))
            replace_file(path, default_file().encode())
        except OSError as error:
            raise CannotWrite(f"{path} cannot be written: {error.strerror or error}") from None
    return path


def _text(path: str) -> str:
    try:
        return read_small(path).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
