"""The user's settings: `config.toml` in leafmark's configuration folder, and the table of all settings.

An invalid setting is reported in one line and counts as not set; the others apply.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.prices import LIST_PRICES, SIZES, Price, Prices
from app.formats.text import one_line
from app.paths import CONFIG, config_folder
from app.small_files import read_small
from app.stores import AGENTS
from app.view.arrangement import ORDERS, SCOPES, VIEWS
from app.view.formatting import CLOCK_24, CLOCKS
from app.view.terminal import AUTO, IMAGE_SETTINGS, encodes_own_glyphs, image_method, is_ascii_terminal
from app.view.tree_filter import TREE_FILTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST = 1 << 20
"""Bytes of the longest file that is read."""
_WIDEST = 200
"""Characters of a reported problem."""
_MOST_KEYS = 50
"""The most keys of a command: every key is compared with those of all commands."""
_DEAREST = 1_000_000
"""The highest price, in dollars for a million tokens."""


_MOST_DAYS = 3650

EXEC, RETURN = "exec", "return"
"""Leafmark becomes the agent, or comes back when the agent ends."""


@dataclass(slots=True)
class Settings:
    """The settings of a run. The parts of a screen share one object, which the settings screen changes.

    :param ascii: draw the screen in ASCII; None to follow the locale.
    :param ask_before_trash: ask before a session is trashed. Undo works in any case.
    :param ask_summary: offer a summary of the branch that is left.
    :param tree_filter: the filter of a tree at first (`app.view.tree_filter.TREE_FILTERS`).
    :param view: what the browser shows beside its list at first (`app.view.arrangement.VIEWS`).
    :param scope: the scope of the browser's list at first; ``order``: its order; ``grouped``: by project.
    :param needs_days: for how many days a session that waits, or that ended badly, needs the user.
    :param show_size: show the size of a session in the second line of its row.
    :param summary_command: the program that writes the summary of a branch, and its arguments; empty: none.
    :param clock: how the time of day is shown (`app.view.formatting.CLOCKS`).
    :param arguments: of an agent, by its name, whenever it is started.
    :param after_resume: what stands in for leafmark when it resumes a session: `EXEC` or `RETURN`.
    :param images: how images are drawn: "auto", "off", "blocks" or "kitty" (`image_method`).
    :param export_folder: the folder for exports from the screen; "" for the one of `export.file_name`.
    :param keep: which sessions are kept without being asked (`app.actions.keep.due`).
    :param stores: folders of sessions besides those that are found: agent -> folders.
    :param keys: the id of a command -> its keys by Textual's names, separated by commas; "" for no key.
    :param prices: what tokens cost if the agent writes no cost.
    :param problems: the errors, one line each, with the path of the file and the name of the setting.
    """

    ascii: bool | None = None
    ask_before_trash: bool = True
    ask_summary: bool = True
    tree_filter: str = "default"
    view: str | None = None
    scope: str | None = None
    order: str | None = None
    grouped: bool | None = None
    needs_days: int = 7
    show_size: bool = False
    summary_command: tuple[str, ...] = ()
    after_resume: str = EXEC
    images: str = AUTO
    export_folder: str = ""
    keep: str = "ask"
    clock: str = CLOCK_24
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    prices: Prices = LIST_PRICES
    problems: tuple[str, ...] = ()

    def arranged(self) -> dict[str, Any]:
        """The view, and the fields of the `Arrangement`, with which the browser begins in every run."""
        fields = {"view": self.view, "scope": self.scope, "order": self.order, "grouped": self.grouped}
        return {name: value for name, value in fields.items() if value is not None}

    def draws_images(self, env: Mapping[str, str], encoding: str) -> str:
        """How images are drawn on the user's terminal, see `image_method`; "" if they are not drawn.

        :param env: the environment of the terminal; ``encoding`` that of the output.
        """
        return image_method(self.images, env, ascii_only=self.draws_plain(env, encoding))

    def draws_ascii(self, env: Mapping[str, str]) -> bool:
        """Whether to draw in ASCII, in the environment of the user's terminal."""
        return is_ascii_terminal(env) if self.ascii is None else self.ascii

    def draws_plain(self, env: Mapping[str, str], encoding: str) -> bool:
        """Whether leafmark's own glyphs are drawn in ASCII: `draws_ascii`, or the encoding of the output
        lacks them.
        """
        return self.draws_ascii(env) or not encodes_own_glyphs(encoding)


def settings_file(env: Mapping[str, str]) -> str:
    """The path of the file, which need not exist."""
    return os.path.join(config_folder(env), CONFIG)


def read_settings(env: Mapping[str, str]) -> Settings:
    """The user's settings. Nothing is raised: errors are in `Settings.problems`."""
    path = settings_file(env)
    problems: list[str] = []

    def complain(problem: str) -> None:
        problems.append(one_line(f"{path}: {problem}", _WIDEST))

    tables = _read_tables(path, complain)
    settings: dict[str, Any] = {}
    for name, value in tables.items():
        if name not in _READERS:
            complain(f"{name}: there is no such setting")
            continue
        try:
            settings[name] = _READERS[name](value, complain)
        except ValueError as error:
            complain(f"{name}: {error}")
    return Settings(**settings, problems=tuple(problems))


def _read_tables(path: str, complain: Callable[[str], None]) -> dict[str, Any]:
    """The tables of the file; none if it does not exist or cannot be read."""
    try:
        data = read_small(path, _LONGEST)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        complain(f"cannot be read: {error.strerror or error}")
        return {}
    # not at the top: most users have no such file
    import tomllib

    text = ""
    try:
        text = data.decode("utf-8-sig")
        return tomllib.loads(text)
    except UnicodeDecodeError:
        complain("is not UTF-8")
    except tomllib.TOMLDecodeError as error:
        complain(_toml_problem(str(error), text))
    except RecursionError:
        complain("is not TOML: too deep")
    except ValueError:
        complain("is not TOML: a number has too many digits; the defaults are used")
    return {}


def _toml_problem(message: str, text: str) -> str:
    """The error of the parser, such as "Invalid value (at line 2, column 5)", with its line first.

    :param text: the file. An error "at end of document" is in its last line.
    """
    reason, _, place = message.partition(" (at ")
    line = place.partition(",")[0].rstrip(")")
    if not line.startswith("line "):
        line = f"line {text.rstrip().count(chr(10)) + 1}"
    return f"is not TOML ({line}): {reason[:1].lower()}{reason[1:]}; the defaults are used"


def _yes_or_no(value: object, complain: Callable[[str], None]) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _days(value: object, complain: Callable[[str], None]) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST_DAYS:
        raise ValueError(f"must be a number of days from 1 to {_MOST_DAYS:,}")
    return value


def _one_of(*names: str) -> Callable[[object, Callable[[str], None]], str]:
    def read(value: object, complain: Callable[[str], None]) -> str:
        if value not in names or not isinstance(value, str):
            raise ValueError("must be " + " or ".join(f'"{name}"' for name in names))
        return value

    return read


def _command(value: object, complain: Callable[[str], None]) -> tuple[str, ...]:
    """A list of words, or a text that is split as a shell does."""
    if isinstance(value, str):
        # Imported here: few users set a command.
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
    """A table of commands. In TOML, an id without quotes is a table in a table, because of its dot."""
    if not isinstance(value, dict):
        raise ValueError("must be a table: [keys]")
    result: dict[str, str] = {}
    waiting = [("", value)]
    while waiting:
        prefix, table = waiting.pop()
        for name, setting in table.items():
            id = prefix + name
            keys = [setting] if isinstance(setting, str) else setting
            if isinstance(setting, dict):
                waiting.append((f"{id}.", setting))
            elif isinstance(keys, list) and all(isinstance(key, str) for key in keys):
                names = [key.strip() for part in keys for key in part.split(",")]
                if len(names) > _MOST_KEYS:
                    complain(f"keys.{id}: has more than {_MOST_KEYS} keys")
                    continue
                result[id] = ",".join(filter(None, names))
            else:
                complain(f'keys.{id}: must be keys: "ctrl+d,delete"')
    return result


def _stores(value: object, complain: Callable[[str], None]) -> dict[str, tuple[str, ...]]:
    """A table of folders by agent."""
    if not isinstance(value, dict):
        raise ValueError("must be a table: [stores]")
    result: dict[str, tuple[str, ...]] = {}
    for agent, folders in value.items():
        listed = [folders] if isinstance(folders, str) else folders
        if agent not in [known.name for known in AGENTS]:
            complain(f"stores.{agent}: there is no such agent")
        elif not isinstance(listed, list) or not all(_is_folder(folder) for folder in listed):
            complain(f'stores.{agent}: must be folders that begin with / or ~: ["~/more/sessions"]')
        else:
            result[agent] = tuple(listed)
    return result


def _arguments(value: object, complain: Callable[[str], None]) -> dict[str, tuple[str, ...]]:
    """A table of arguments by agent."""
    if not isinstance(value, dict):
        raise ValueError("must be a table: [arguments]")
    result: dict[str, tuple[str, ...]] = {}
    for agent, words in value.items():
        if agent not in [known.name for known in AGENTS]:
            complain(f"arguments.{agent}: there is no such agent")
            continue
        try:
            result[agent] = _command(words, complain)
        except ValueError:
            complain(f'arguments.{agent}: must be words: "--model opus" or ["--model", "opus"]')
    return result


def _folder(value: object, complain: Callable[[str], None]) -> str:
    if not isinstance(value, str) or not _is_folder(value):
        raise ValueError('must be a folder that begins with / or ~: "~/shared"')
    return value


def _is_folder(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("/", "~")) and "\0" not in value


def _prices(value: object, complain: Callable[[str], None]) -> Prices:
    """A table of models: a table of dollars, or the name of the model that costs the same."""
    if not isinstance(value, dict):
        raise ValueError("must be a table: [prices]")
    own: dict[str, Price] = {}
    aliases: dict[str, str] = {}
    for model, given in value.items():
        try:
            if isinstance(given, str):
                if LIST_PRICES.of(given) is None and given not in value:
                    raise ValueError(f'there is no model "{given}"')
                aliases[model] = given
            else:
                own[model] = _price(given)
        except ValueError as error:
            complain(f"prices.{model}: {error}")
    return Prices(own, aliases)


def _price(given: object) -> Price:
    """:raises ValueError: it is no price."""
    if not isinstance(given, dict):
        raise ValueError("must be the name of a model, or dollars: {input = 3, output = 15}")
    for name, number in given.items():
        if name not in Price._fields:
            raise ValueError(f"{name}: there is no such price")
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= _DEAREST:
            raise ValueError(f"{name}: must be dollars for a million tokens, from 0 to {_DEAREST:,}")
    if not {"input", "output"} <= given.keys():
        raise ValueError("needs input and output")
    if given.get("long_from", 0) not in (0, *SIZES):
        raise ValueError("long_from: must be " + " or ".join(map(str, SIZES)))
    numbers: dict[str, float] = {**given}
    for name in ("cache_read", "cache_write"):
        numbers.setdefault(name, numbers["input"])
    numbers.setdefault("cache_write_1h", numbers["cache_write"])
    for name in ("input", "output", "cache_read", "cache_write"):
        numbers.setdefault(f"long_{name}", numbers[name])
    return Price(**numbers)


class Setting(NamedTuple):
    """A setting in the file.

    name      its name in the file
    help      one sentence about it
    example   a line of TOML with its default, or with an example where it has none
    choices   the values that the settings screen offers, as in TOML; "" for no value
    read      makes the value, and reports a part that is wrong; raises ValueError with the reason
    at_once   it counts at once, and not only from the next start on
    """

    name: str
    help: str
    example: str
    choices: tuple[str, ...]
    read: Callable[[object, Callable[[str], None]], Any]
    at_once: bool = False


_YES_NO = ("true", "false")
SETTINGS = (
    Setting(
        "ascii",
        "Draw with plain characters only. Without it, the locale decides.",
        "ascii = false",
        ("", *_YES_NO),
        _yes_or_no,
    ),
    Setting(
        "show_size",
        "Show the size of the session's file in rows of two lines.",
        "show_size = false",
        _YES_NO[::-1],
        _yes_or_no,
    ),
    Setting(
        "view",
        "What the browser shows beside its list at first. Without it: as it was left.",
        'view = "transcript"',
        ("", *(f'"{name}"' for name in VIEWS)),
        _one_of(*VIEWS),
    ),
    Setting(
        "scope",
        "The sessions that the browser lists at first, of all folders or here. Without it: as it was left.",
        'scope = "all"',
        ("", *(f'"{name}"' for name in SCOPES)),
        _one_of(*SCOPES),
    ),
    Setting(
        "order",
        "The order that the browser's list has at first. Without it: as it was left.",
        'order = "threaded"',
        ("", *(f'"{name}"' for name in ORDERS)),
        _one_of(*ORDERS),
    ),
    Setting(
        "grouped",
        "Group the browser's list by project at first. Without it: as it was left.",
        "grouped = true",
        ("", *_YES_NO),
        _yes_or_no,
    ),
    Setting(
        "needs_days",
        "For how many days a session that waits, or that ended badly, needs you.",
        "needs_days = 7",
        ("7", "14", "30", "1", "3"),
        _days,
    ),
    Setting(
        "tree_filter",
        "The filter that a tree has at first.",
        'tree_filter = "default"',
        tuple(f'"{name}"' for name in TREE_FILTERS),
        _one_of(*TREE_FILTERS),
    ),
    Setting(
        "ask_before_trash",
        "Ask before a session goes to the trash. Undo restores it in any case.",
        "ask_before_trash = true",
        _YES_NO,
        _yes_or_no,
        at_once=True,
    ),
    Setting(
        "ask_summary",
        'Offer a summary of the branch that you leave in "Continue from here".',
        "ask_summary = true",
        _YES_NO,
        _yes_or_no,
        at_once=True,
    ),
    Setting(
        "summary_command",
        "The command that makes this summary. It reads the branch on standard input.",
        'summary_command = ["summarise", "--short"]',
        (),
        _command,
        at_once=True,
    ),
    Setting(
        "after_resume",
        "exec: leafmark becomes the agent. return: leafmark comes back when the agent ends.",
        'after_resume = "exec"',
        (f'"{EXEC}"', f'"{RETURN}"'),
        _one_of(EXEC, RETURN),
        at_once=True,
    ),
    Setting(
        "arguments",
        "Arguments for an agent, by agent, whenever leafmark starts it.",
        'arguments.pi = "--model sonnet"',
        (),
        _arguments,
    ),
    Setting(
        "clock",
        "How the time of day is shown.",
        f'clock = "{CLOCK_24}"',
        tuple(f'"{name}"' for name in CLOCKS),
        _one_of(*CLOCKS),
    ),
    Setting(
        "images",
        "How images are drawn. auto asks the terminal.",
        'images = "auto"',
        tuple(f'"{name}"' for name in IMAGE_SETTINGS),
        _one_of(*IMAGE_SETTINGS),
    ),
    Setting(
        "export_folder",
        "The folder for exports. Without it: leafmark in your documents, or ~/leafmark-exports.",
        'export_folder = "~/shared"',
        (),
        _folder,
        at_once=True,
    ),
    Setting(
        "keep",
        "Which sessions are kept as copies: those that may go within 7 days, or all that agents delete.",
        'keep = "ask"',
        ('"ask"', '"expiring"', '"all"', '"never"'),
        _one_of("ask", "expiring", "all", "never"),
    ),
    Setting(
        "stores",
        "More folders of sessions, by agent.",
        'stores.pi = ["~/more/sessions"]',
        (),
        _stores,
    ),
    Setting(
        "keys",
        "Other keys for a command, by its id.",
        'keys."session.trash" = "ctrl+d, delete"',
        (),
        _keys,
    ),
    Setting(
        "prices",
        "Dollars for a million tokens of a model, or the model that costs the same.",
        'prices."my-model" = {input = 3, output = 15, cache_read = 0.3}',
        (),
        _prices,
    ),
)
"""All settings, in the order in which they are shown."""
_READERS = {setting.name: setting.read for setting in SETTINGS}


def default_file() -> str:
    """A settings file in which every setting is a comment, with its meaning."""
    lines = ["# Settings of leafmark. `leafmark help settings` describes them.", ""]
    for setting in SETTINGS:
        lines += [f"# {setting.help}", f"# {setting.example}", ""]
    return "\n".join(lines)
