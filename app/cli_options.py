"""The parser of the command line, which argparse makes from the table of commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from app import __version__
from app.actions.shell_words import shell_line, shell_of
from app.command_table import AGENT_TITLES, COMMANDS, OWN, SHARED, OneOf, Option, WrongValue
from app.formats.text import one_line
from app.options import Options
from app.reports.output import terminal_columns

if TYPE_CHECKING:  # a module of the type checker only
    from _typeshed import SupportsWrite

# The prefix of the fields of values behind the command, which would otherwise replace those before it.
_BEHIND = "behind_"


class _Formatter(argparse.HelpFormatter):
    """Gets the width without `shutil`, whose import takes as long as adding all options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_columns() - 2)


class _Parser(argparse.ArgumentParser):
    """Reports an error in one inert line.

    more   makes the end of the help for a number of columns
    """

    more: Callable[[int], str] | None = None

    def format_help(self) -> str:
        """See `argparse`."""
        text = super().format_help()
        return text + self.more(terminal_columns() - 2) if self.more else text

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print a message; argparse itself would ignore an error of the stream.

        :raises OSError: the message cannot be written.
        """
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: -"):
            message += " (behind --, words may begin with a dash)"
        self.exit(2, f"{self.prog}: {one_line(message, 1_000)}; `{self.prog} --help` says more\n")


class _CommandParser(_Parser):
    """Parses a command's options first and its words then, so that they may come in any order: argparse takes
    an optional word as missing if an option precedes it.

    own      the options of the command
    signed   its words may begin with a dash
    """

    own: Sequence[Option] = ()
    signed = False

    def parse_known_args(  # type: ignore[override]  # as argparse calls it
        self, args: Sequence[str], namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """See `argparse`; the options are parsed first, then the remaining words."""
        end = args.index("--") if "--" in args else len(args)
        first = _Parser(
            prog=self.prog, formatter_class=_Formatter, add_help=False, argument_default=argparse.SUPPRESS
        )
        _add(first, self.own)
        _add(first, SHARED, prefix=_BEHIND)
        namespace, words = first.parse_known_args(args[:end], namespace)
        if self.signed and not {"-h", "--help"} & set(words):
            return super().parse_known_args(["--", *words, *args[end + 1 :]], namespace)
        return super().parse_known_args([*words, *args[end:]], namespace)


def parse(words: Sequence[str]) -> Options:
    """Parse the command line. Words that do not begin with a command are the query of the browser.

    :raises SystemExit: help or the version was printed (0), or the words are wrong, and standard error has
        the reason (2).
    """
    first = _first_word(words)
    command = ""
    if first is not None and not {"-h", "--help"} & set(words[:first]):
        command = words[first]
        if command not in COMMANDS:
            return _parse_query(words, first)
    options = parser(command).parse_args(words, Options())
    for option in SHARED:
        if option.many:
            behind = vars(options).pop(_BEHIND + option.field, [])
            getattr(options, option.field).extend(behind)
    return options


def _first_word(words: Sequence[str]) -> int | None:
    """The index of the first word that is neither an option nor its value, or of `--`; None without one."""
    with_value = [f"--{option.name}" for option in (*SHARED, *OWN) if option.metavar]
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--" or not word.startswith("-") or word == "-":
            return at
        # argparse accepts the beginning of a name.
        takes_value = len(word) > 2 and any(name.startswith(word) for name in with_value)
        at += 2 if takes_value else 1
    return None


def _parse_query(words: Sequence[str], first: int) -> Options:
    """The options of the browser with a query.

    :param first: the index of the first word of the query, or of `--`.
    :raises SystemExit: see `parse`.
    """
    reader = _Parser(prog="leafmark", add_help=False, argument_default=argparse.SUPPRESS)
    _add(reader, (*SHARED, *OWN))
    meant = "" if words[first] == "--" else near_command(words[first])
    if meant:
        shown = one_line(words[first], 60)
        search = shell_line(["leafmark", "--", shown], shell_of(os.environ))
        reader.error(f"{shown!r} is no command; did you mean {meant!r}? `{search}` searches for the word")
    end = words.index("--") if "--" in words else len(words)
    options, query = reader.parse_known_args(words[:end], Options())
    wrong = [word for word in query if word.startswith("-") and word != "-"]
    if wrong:
        reader.error(f"unrecognized arguments: {' '.join(wrong)}")
    options.query = [*query, *words[end + 1 :]]
    return options


SHORTEST_TYPO = 4
"""Letters. A shorter word is taken for a command with an error in it only if it has no vowel, like `lst`."""
SHORTEST_WRONG_LETTER = 6
"""Letters of a command that a word with one other letter is taken for: `work` is not `fork`."""


def near_command(word: str) -> str:
    """The command that a word was meant for: one letter is missing, doubled or swapped with the next, or, in
    a long command, wrong; "" if there is none.
    """
    typed = word.lower()
    if len(typed) < SHORTEST_TYPO - set("aeiouy").isdisjoint(typed):
        return ""
    return next((name for name in COMMANDS if typed != name and _is_near(typed, name)), "")


def _is_near(typed: str, name: str) -> bool:
    at = 0
    while at < min(len(typed), len(name)) and typed[at] == name[at]:
        at += 1
    rest, expected = typed[at:], name[at:]
    if rest[1:] == expected or rest == expected[1:]:
        return True
    if rest[:2] == expected[:2][::-1] and rest[2:] == expected[2:]:
        return True
    return len(name) >= SHORTEST_WRONG_LETTER and rest[1:] == expected[1:]


def parser(command: str = "") -> argparse.ArgumentParser:
    """The parser of argparse. It sets no defaults, which are in `Options`.

    :param command: the only command of the command line; "" for all. A list that is printed would wait
        as long for the parsers of all commands as for checking a thousand files.
    """
    root = _Parser(
        prog="leafmark",
        formatter_class=_Formatter,
        usage="leafmark [OPTIONS] [QUERY | SESSION]\n       leafmark [OPTIONS] COMMAND ...",
        description=(
            f"Find, read and resume the sessions of coding agents: {AGENT_TITLES}. `leafmark` opens the "
            "browser, `leafmark QUERY` opens it with a search, and `leafmark SESSION` opens it at the "
            "session with this id or path. `leafmark -- list` searches for a word that is also a command. "
            "`leafmark help` lists the help pages."
        ),
        argument_default=argparse.SUPPRESS,
    )
    _add(root, SHARED)
    root.add_argument("--version", action="version", version=f"leafmark {__version__}")
    _add(root, OWN)
    # Without `prog`, argparse would format the usage to find it.
    commands = root.add_subparsers(
        dest="command", metavar="COMMAND", prog="leafmark", parser_class=_CommandParser
    )
    for name in (command,) if command else COMMANDS:
        entry = COMMANDS[name]
        command_parser = commands.add_parser(
            name,
            help=entry.help,
            description=f"{entry.help[:1].upper()}{entry.help[1:]}.",
            formatter_class=_Formatter,
            argument_default=argparse.SUPPRESS,
        )
        command_parser.own = entry.options
        command_parser.signed = entry.signed
        command_parser.more = _help_of(name)
        for word in entry.words:
            nargs = word.many or None
            kinds: dict[str, Any] = {"type": _type(OneOf(*word.values))} if word.values else {}
            command_parser.add_argument(
                word.field, nargs=nargs, metavar=word.metavar, help=word.help, **kinds
            )
        _add(command_parser, entry.options)
        _add(command_parser, entry.shared, prefix=_BEHIND)
    return root


def _help_of(name: str) -> Callable[[int], str] | None:
    """The function that makes the end of the help of a command for a number of columns; None for no end."""
    if any(option.name == "format" for option in COMMANDS[name].options):
        return lambda columns: _language(name, columns) + _fields(name)
    return None


def _language(name: str, columns: int) -> str:
    if name != "search":
        return ""
    from app.index.query.filter_table import language_help  # only for help: it imports the query language

    return f"\nwhat a QUERY is made of; all of it must hold:\n{language_help(columns)}\n"


def _fields(name: str) -> str:
    # Only for help: these modules import most of what the commands need.
    from app.reports import fields, labels, listing, search, trash_list

    tables: dict[str, Iterable[str]] = {
        "list": fields.fields_help(listing.LIST_FIELDS, listing.LIST_PIPE),
        "search": fields.fields_help(search.HIT_FIELDS, search.HIT_PIPE),
        "labels": fields.fields_help(labels.LABEL_FIELDS, labels.LABEL_PIPE),
        "trash": fields.fields_help(trash_list.TRASH_FIELDS, trash_list.TRASH_PIPE),
    }
    return "\n" + "".join(f"{line}\n" for line in tables[name])


def _add(target: argparse.ArgumentParser, options: Iterable[Option], prefix: str = "") -> None:
    for option in options:
        kinds: dict[str, Any] = {"action": "store_true"}
        if option.metavar:
            kinds = {"metavar": option.metavar, "type": _type(option.convert or str)}
        if option.optional:
            kinds |= {"nargs": "?", "const": ""}
        if option.has_opposite:
            kinds = {"action": argparse.BooleanOptionalAction}
        if option.many:
            kinds |= {"action": "append", "dest": prefix + option.field}
        names = [f"-{option.short}"] if option.short else []
        names += [f"--{name}" for name in (option.name, option.also) if name]
        target.add_argument(*names, help=option.help, **{"dest": option.field, **kinds})


def _type(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """The converter of an option or a word, which raises the error that argparse expects."""

    def converted(text: str) -> Any:
        try:
            return convert(text)
        except WrongValue as wrong:
            raise argparse.ArgumentTypeError(str(wrong)) from wrong

    return converted
