"""Write the manual page `app/help/leafmark.1` from the table of commands: ``python -m tests.manual``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from app.command_table import AGENT_TITLES, COMMANDS, OWN, SHARED, Command, Option, Word
from app.index.query import language_table

PAGE = Path(__file__).parent.parent / "app" / "help" / "leafmark.1"

_DESCRIPTION = (
    f"leafmark finds, reads, resumes, branches, labels and trashes the sessions of coding agents: "
    f"{AGENT_TITLES}. Without a command it opens a full-screen browser. A QUERY opens the browser with a "
    "search, and a SESSION (a path, an id, or the beginning of an id) opens it at that session. "
    "`leafmark -- list` searches for a word that is also a command."
)
_FILES = (
    ("~/.config/leafmark/config.toml", "settings; `leafmark config` prints and checks them"),
    ("~/.cache/leafmark", "the index; you may delete it at any time"),
    ("~/.local/state/leafmark", "pins, tags, notes, and the journal for undo"),
)
_CODES = (
    ("0", "done"),
    ("1", "nothing found"),
    ("2", "wrong use, or an id that fits several sessions"),
    ("3", "refused or failed"),
    ("130", "interrupted, or `resume --print` was left without a choice"),
)


def page() -> str:
    """The manual page in the format of man(7)."""
    lines = [
        '.\\" Made by `python -m tests.manual`.',
        ".TH LEAFMARK 1",
        ".SH NAME",
        "leafmark \\- find, read and resume the sessions of coding agents",
        ".SH SYNOPSIS",
        ".B leafmark",
        _text("[OPTIONS] [QUERY | SESSION]"),
        ".br",
        ".B leafmark",
        _text("[OPTIONS] COMMAND ..."),
        ".SH DESCRIPTION",
        _text(_DESCRIPTION),
        ".SH OPTIONS",
        *_options([*SHARED, *OWN]),
        *_item("--version", "print the version"),
        *_item("-h, --help", "print the help; after a command, print the help of the command"),
        ".SH COMMANDS",
    ]
    for name, command in COMMANDS.items():
        lines += [
            f".SS {_text(usage(name, command))}",
            _text(f"{command.help[:1].upper()}{command.help[1:]}."),
        ]
        lines += _options([*command.words, *command.options])
    lines.append(".SH QUERIES")
    lines.append("A query has words, phrases and filters. A session is found if all of them match.")
    for form, meaning, example in language_table():
        lines += _item(form, f"{meaning} (for example: {example})")
    lines.append(".SH FILES")
    for path, meaning in _FILES:
        lines += _item(path, meaning)
    lines.append(".SH EXIT STATUS")
    for code, meaning in _CODES:
        lines += _item(code, meaning)
    return "\n".join(lines) + "\n"


def usage(name: str, command: Command) -> str:
    """A command with its positional arguments."""
    forms = {"": "{}", "?": "[{}]", "*": "[{} ...]", "+": "{} ..."}
    return " ".join([name, *(forms[word.many].format(word.metavar) for word in command.words)])


def _options(parts: Iterable[Word | Option]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Word):
            yield from _item(part.metavar, part.help)
            continue
        names = [f"-{part.short}"] if part.short else []
        names += [f"--{part.name}"] + ([f"--no-{part.name}"] if part.has_opposite else [])
        yield from _item(", ".join(names) + (f" {part.metavar}" if part.metavar else ""), part.help)


def _item(name: str, text: str) -> list[str]:
    return [".TP", f".B {_text(name)}", _text(text)]


def _text(text: str) -> str:
    """A text in which groff reads no command and no escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^(?=[.'])", r"\\&", text)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
