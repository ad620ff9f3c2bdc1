"""The user's settings: `config.toml` in leafmark's configuration folder. leafmark never writes it.

A wrong setting is reported in one line and counts as not set; the others apply.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.formats.text import one_line
from app.paths import config_folder
from app.small_files import read_small
from app.view.terminal import AUTO, IMAGE_SETTINGS, encodes_own_glyphs, image_method, is_ascii_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAME = "config.toml"

_LONGEST = 1 << 20
_WIDEST = 200


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    :param ascii: draw the screen with plain characters; as the locale says where None.
    :param ask_before_trash: ask before a session is trashed, which can be undone in any case.
    :param summary_command: the program that writes the summary of a branch, and its arguments; empty: none.
    :param images: how images are drawn: "auto", "off", "blocks" or "kitty" (`way_to_draw`).
    :param keys: the id of a command -> its keys by Textual's names, separated by commas; "" for no key.
    :param problems: the errors in the file, one line each; it names the file, and the setting if it is one.
    """

    ascii: bool | None = None
    ask_before_trash: bool = True
    summary_command: tuple[str, ...] = ()
    images: str = AUTO
    keys: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def draws_images(self, env: Mapping[str, str], encoding: str = "utf-8") -> str:
        """In which way images are drawn on the user's terminal, whose environment this is; "": in none.

        :param encoding: of what is written to it.
        """
        return image_method(self.images, env, ascii_only=self.draws_plain(env, encoding))

    def draws_ascii(self, env: Mapping[str, str]) -> bool:
        """Whether to draw with plain characters alone, in the environment of the user's terminal."""
        return is_ascii_terminal(env) if self.ascii is None else self.ascii

    def draws_plain(self, env: Mapping[str, str], encoding: str) -> bool:
        """Whether leafmark's own signs are plain characters: also where the encoding of what is written to
        the terminal has no others, whatever is set.
        """
        return self.draws_ascii(env) or not encodes_own_glyphs(encoding)


def settings_file(env: Mapping[str, str]) -> str:
    """The path of the file; it need not be there."""
    return os.path.join(config_folder(env), NAME)


def read_settings(env: Mapping[str, str]) -> Settings:
    """The settings of the user whose environment this is. Raises nothing: see `Settings.problems`."""
    path = settings_file(env)
    problems: list[str] = []

    def complain(what: str) -> None:
        problems.append(one_line(f"{path}: {what}", _WIDEST))

    given = _read_tables(path, complain)
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _READERS:
            complain(f"{name}: there is no such setting")
            continue
        try:
            found[name] = _READERS[name](value, complain)
        except ValueError as error:
            complain(f"{name}: {error}")
    return Settings(**found, problems=tuple(problems))


def _read_tables(path: str, complain: Callable[[str], None]) -> dict[str, Any]:
    """The file's tables; none where it is not there or cannot be read."""
    try:
        data = read_small(path, _LONGEST)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        complain(f"cannot be read: {error.strerror or error}")
        return {}
    # Most users have no such file, and nothing has to be imported for them.
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        complain("is not UTF-8")
    except tomllib.TOMLDecodeError as error:
        complain(f"is not TOML: {error}")
    except RecursionError:
        complain("is not TOML: too deep")
    return {}


def _yes_or_no(value: object, complain: Callable[[str], None]) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _image_mode(value: object, complain: Callable[[str], None]) -> str:
    if value not in IMAGE_SETTINGS or not isinstance(value, str):
        raise ValueError("must be " + " or ".join(f'"{each}"' for each in IMAGE_SETTINGS))
    return value


def _command(value: object, complain: Callable[[str], None]) -> tuple[str, ...]:
    """A list of words, or one text that is taken apart as a shell would."""
    if isinstance(value, str):
        import shlex

        try:
            value = shlex.split(value)
        except ValueError:
            raise ValueError("a quote is not closed") from None
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError('must be a command: "program argument" or ["program", "argument"]')
    if any("\0" in word for word in value) or (value and not value[0]):
        raise ValueError("is no command")
    return tuple(value)


def _keys(value: object, complain: Callable[[str], None]) -> dict[str, str]:
    """A table of commands. The dot in an id makes a table in the table where it is not in quotes."""
    if not isinstance(value, dict):
        raise ValueError("must be a table: [keys]")
    found: dict[str, str] = {}
    waiting = [("", value)]
    while waiting:
        above, table = waiting.pop()
        for name, given in table.items():
            id = above + name
            keys = [given] if isinstance(given, str) else given
            if isinstance(given, dict):
                waiting.append((f"{id}.", given))
            elif isinstance(keys, list) and all(isinstance(key, str) for key in keys):
                every = (key.strip() for part in keys for key in part.split(","))
                found[id] = ",".join(filter(None, every))
            else:
                complain(f'keys.{id}: must be keys: "ctrl+d,delete"')
    return found


_READERS: dict[str, Callable[[object, Callable[[str], None]], Any]] = {
    "ascii": _yes_or_no,
    "ask_before_trash": _yes_or_no,
    "summary_command": _command,
    "images": _image_mode,
    "keys": _keys,
}
