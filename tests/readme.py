"""Write the generated tables of the README and of the help pages: ``python -m tests.readme``.

They are made from the tables of the program: commands and keys, the query language, and the options of the
command line. A table stands between the comments ``<!-- name -->`` and ``<!-- /name -->``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from app.command_table import COMMANDS, SHARED, Command, Option, Word
from app.commands import MAIN_KEYS, PANES, PI_KEYS, RIGHT_PANES, command_by_id, pane_commands
from app.dialogs.help import PANE_TITLES
from app.index.query import CASE, language_table
from app.keys import keys_of
from app.settings import SETTINGS

IN_PREVIEW = ", preview"
"""Added to the title of a pane if the preview of the selector has the command as well."""

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = ROOT / "app" / "help"
_TABLE = re.compile(r"(<!-- (?P<name>[a-z -]+) -->\n).*?(?=<!-- /(?P=name) -->)", re.DOTALL)


def documents() -> list[Path]:
    """The files with generated tables."""
    return [README, *sorted(PAGES.glob("*.md"))]


def keys() -> str:
    """The commands of every pane, their keys, and the ids by which settings name them.

    A command that differs in the selector has a row for each screen.
    """
    lines = ["## Twelve keys", "", *main_keys().splitlines()]
    for title, owners, of_pi in (
        *((PANE_TITLES[pane], [pane], False) for pane in PANES),
        ("Keys of pi and oh-my-pi", PANES, True),
    ):
        lines += ["", f"## {title}", "", "| where | keys | what they do | id |", "|---|---|---|---|"]
        listed = itertools.chain.from_iterable(map(pane_commands, owners))
        for command in (each for each in listed if (each.id in PI_KEYS) == of_pi):
            pane = command.pane
            in_preview = command.preview or bool(pane == "transcript" and command.selector)
            places = [(PANE_TITLES[pane] + IN_PREVIEW * in_preview, command.help)]
            if pane not in RIGHT_PANES and command.selector != command.help:
                places = [("In the browser", command.help), ("In the selector", command.selector)]
            lines += [
                f"| {place_name} | {_keys(command.id)} | {help_text} | `{command.id}` |"
                for place_name, help_text in places
                if help_text
            ]
    lines.append("")
    return "\n".join(lines)


def main_keys() -> str:
    """The twelve keys that matter most."""
    lines = ["| keys | what they do |", "|---|---|"]
    return (
        "\n".join(
            [*lines, *(f"| {' / '.join(map(_keys, ids.split()))} | {text} |" for ids, text in MAIN_KEYS)]
        )
        + "\n"
    )


def query() -> str:
    """The parts of a query."""
    lines = ["| what | meaning | for example |", "|---|---|---|"]
    lines += [
        f"| `{form}` | {_cell(meaning)} | `{_cell(example)}` |" for form, meaning, example in language_table()
    ]
    return "\n".join([*lines, "", CASE]) + "\n"


def commands() -> str:
    """One line for each command of the command line."""
    lines = ["| command | what it does |", "|---|---|", "| `leafmark` | open the browser |"]
    first = [name for name in COMMANDS if name == "resume"]
    names = [*first, *(name for name in COMMANDS if name not in first)]
    lines += [f"| `{_usage(name)}` | {_cell(COMMANDS[name].help)} |" for name in names]
    return "\n".join(lines) + "\n"


def options(names: str) -> str:
    """The words and options of some commands.

    :param names: the names of commands, with blanks between them, or ``shared``.
    """
    if names == "shared":
        return _option_table(SHARED)
    parts = []
    for name in names.split():
        command = COMMANDS[name]
        rows = [*command.words, *command.options]
        parts.append(f"`{_usage(name)}`: {command.help}.\n" + ("\n" + _option_table(rows) if rows else ""))
    return "\n".join(parts)


def _option_table(parts: Iterable[Word | Option]) -> str:
    lines = ["| option | meaning |", "|---|---|"]
    for part in parts:
        if isinstance(part, Word):
            name = part.metavar
        else:
            name = f"--{part.name}" + (f" {part.metavar}" if part.metavar else "")
            name = (f"-{part.short}, " if part.short else "") + name
            name += f", --no-{part.name}" if part.has_opposite else ""
        lines.append(f"| `{_cell(name)}` | {_cell(part.help)} |")
    return "\n".join(lines) + "\n"


def _usage(name: str) -> str:
    command: Command = COMMANDS[name]
    forms = {"": "{}", "?": "[{}]", "*": "[{}...]", "+": "{}..."}
    return " ".join(["leafmark", name, *(forms[word.many].format(word.metavar) for word in command.words)])


def _keys(id: str) -> str:
    keys = keys_of(command_by_id(id))
    return ", ".join(f"`{_cell(key)}`" for key in keys.split(", ")) if keys else "in the palette"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def settings() -> str:
    """The settings, their values and what they are for."""
    lines = ["| setting | values | meaning |", "|---|---|---|"]
    for setting in SETTINGS:
        values = ", ".join(f"`{choice}`" for choice in setting.choices if choice) or f"`{setting.example}`"
        lines.append(f"| `{setting.name}` | {values} | {setting.help} |")
    return "\n".join(lines) + "\n"


TABLES: dict[str, Callable[[], str]] = {
    "keys": keys,
    "query": query,
    "commands": commands,
    "settings": settings,
}


def with_tables(text: str) -> str:
    """The text of a document with up-to-date tables.

    :raises KeyError: a comment names no table.
    """

    def table(found: re.Match[str]) -> str:
        name = found["name"]
        if name.startswith("options "):
            return found[1] + options(name.removeprefix("options "))
        return found[1] + TABLES[name]()

    return _TABLE.sub(table, text)


if __name__ == "__main__":
    for path in documents():
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
