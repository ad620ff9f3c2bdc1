"""The command line: one table of commands and options, from which argparse's parser is built."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from app import __version__
from app.formats.text import one_line
from app.options import Options
from app.reports.output import terminal_columns
from app.stores import AGENTS

if TYPE_CHECKING:  # a module of the type checker only
    from _typeshed import SupportsWrite

MANY = 1_000_000_000
"""A number greater than any count, and small enough for a database."""


class WrongValue(ValueError):
    """A value that an option does not take; the text says why."""


class Option:
    """An option `--name`: a flag, or an option with a value if it has a `metavar`. Its value is `field` of
    `Options`.

    :param convert: makes the value from its text; raises WrongValue.
    :param many: the option may be given several times; the values are collected.
    :param short: a letter, for `-x` beside `--name`; "" for none.
    :param has_opposite: a flag that `--no-name` turns off; without either the field keeps its default.
    """

    __slots__ = ("convert", "field", "has_opposite", "help", "many", "metavar", "name", "short")

    def __init__(
        self,
        name: str,
        help: str,
        metavar: str = "",
        convert: Callable[[str], Any] | None = None,
        *,
        many: bool = False,
        short: str = "",
        has_opposite: bool = False,
    ) -> None:
        self.name = name
        self.field = name.replace("-", "_")
        self.help = help
        self.metavar = metavar
        self.convert = convert
        self.many = many
        self.short = short
        self.has_opposite = has_opposite


class Word:
    """A positional argument. Its value is `field` of `Options`.

    :param many: "" for one word, "?" for one or none, "*" for any number and "+" for at least one; the words
        of the last two are collected.
    :param metavar: its name in the help; the field's name if empty.
    """

    __slots__ = ("field", "help", "many", "metavar")

    def __init__(self, field: str, help: str, many: str = "", metavar: str = "") -> None:
        self.field = field
        self.metavar = metavar or field.upper()
        self.help = help
        self.many = many


class Command:
    """One of leafmark's commands.

    words     its positional arguments, in order
    options   its own options
    signed    its words may begin with a dash
    """

    __slots__ = ("help", "options", "signed", "words")

    def __init__(self, help: str, *parts: Word | Option, signed: bool = False) -> None:
        self.help = help
        self.signed = signed
        self.words = [part for part in parts if isinstance(part, Word)]
        self.options = [part for part in parts if isinstance(part, Option)]


def _store(text: str) -> tuple[str, str]:
    agent, equals, folder = text.partition("=")
    names = [known.name for known in AGENTS]
    if not equals or not folder or agent not in names:
        raise WrongValue(f"{text!r} is not AGENT=FOLDER with AGENT one of {', '.join(names)}")
    return agent, folder


def _number(items: str, least: int = 0) -> Callable[[str], int]:
    """A converter for a number.

    :param items: the counted items, for the error message.
    :param least: the least number that is accepted. A number above `MANY` becomes `MANY`.
    """

    def convert(text: str) -> int:
        if not text.isdecimal():
            raise WrongValue(f"{text!r} is not a number of {items}")
        try:
            value = int(text)
        except ValueError:  # more digits than Python converts
            value = MANY
        if value < least:
            raise WrongValue(f"{text!r} is not a number of {items}")
        return min(value, MANY)

    return convert


def _one_of(*values: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text in values:
            return text
        if len(values) == 2:
            raise WrongValue(f"{text!r} is neither {values[0]} nor {values[1]}")
        raise WrongValue(f"{text!r} is none of {', '.join(values)}")

    return convert


# Options that may stand before or behind the command.
SHARED = (
    Option(
        "store",
        "also look in this folder (may be given several times)",
        metavar="AGENT=FOLDER",
        convert=_store,
        many=True,
    ),
    Option("demo", "use bundled example sessions in a throw-away folder"),
)
# Options of the screen: before the command, or behind a command with a screen.
OWN = (Option("theme", "colours of the screen", metavar="{dark,light}", convert=_one_of("dark", "light")),)
_JSON = Option("json", "as JSON")
_KEEP = Option(
    "keep", "go on from the entry itself, even if it is a prompt or has tool calls without results"
)
_SESSION = Word("session", "a path, an id, or the beginning of one id")
_ENTRY = "an entry's id, or the beginning of one"
# Commands that read, and commands that write to a session.
REPORTS = {
    "list": Command(
        "print the sessions, newest activity first",
        Word("query", "words, phrases, patterns and filters that must all match what a row says", many="*"),
        Option("limit", "at most N sessions", metavar="N", convert=_number("sessions")),
        _JSON,
    ),
    "search": Command(
        "find sessions by what was said in them",
        Word("query", "what to look for; behind --, a word may begin with a dash", many="+"),
        Option("all-text", "also in what tools were asked and gave back, and in everything else"),
        Option("every", "every place that matches, not one of each session"),
        Option("limit", "at most N hits", metavar="N", convert=_number("hits")),
        Option(
            "order",
            "newest activity first (the default), or what fits best",
            metavar="{recent,relevance}",
            convert=_one_of("recent", "relevance"),
        ),
        _JSON,
    ),
    "tree": Command(
        "print a session's tree",
        _SESSION,
        Option("ascii", "draw with plain characters"),
        _JSON,
    ),
    "labels": Command(
        "print the labels of a session, or of all",
        Word("session", "a path, an id, or the beginning of one id; all sessions without", many="?"),
        _JSON,
    ),
    "doctor": Command("what was found, and what was skipped and why", _JSON),
    "index": Command(
        "bring the index up to date",
        Option("rebuild", "forget it, and read all sessions again"),
        Option("verify", "compare it with the files"),
        Option("where", "where it is, and how large"),
        _JSON,
    ),
    "context": Command(
        "print the messages that the agent would send to the model, as JSON",
        _SESSION,
        Option("entry", f"as if this were the leaf: {_ENTRY} (default: the leaf)", metavar="ID"),
    ),
    "export": Command(
        "write sessions as HTML, Markdown, JSON or session files, without secrets",
        Word("sessions", "a path, an id, or the beginning of one id", many="+", metavar="SESSION"),
        Option(
            "to",
            "the format: a page, Markdown, the messages for the model, or a session (default: html)",
            metavar="{html,md,json,jsonl}",
            convert=_one_of("html", "md", "json", "jsonl"),
        ),
        Option("agent", "the agent that a jsonl is for (default: pi)", "{pi,omp}", _one_of("pi", "omp")),
        Option("branch", "the branch through this entry, to its newest end", metavar="LEAF"),
        Option("entry", "the path to this entry (default: to the leaf)", metavar="ID"),
        Option("all-branches", "every branch, the abandoned ones too"),
        Option(
            "output",
            "the file, a folder for several, or - for standard output (default: a name here)",
            metavar="FILE",
            short="o",
        ),
        Option("force", "replace a file that is there"),
        Option("open", "open the file when it is written"),
        Option("thinking", "with thinking (the default), or without", has_opposite=True),
        Option(
            "tools",
            "tool calls whole (the default), the first lines of their output, or none",
            metavar="{full,short,none}",
            convert=_one_of("full", "short", "none"),
        ),
        Option("images", "with images, from which no secret is removed"),
        Option(
            "redact",
            "replace secrets, home folders and user names (the default for html and md), or not",
            has_opposite=True,
        ),
        Option("review", "list what is replaced before anything is written"),
    ),
    "watch": Command("print a line for each change of a session, until interrupted", _JSON),
}
CHANGES = {
    "label": Command(
        "put a label on an entry, or take it off",
        _SESSION,
        Word("entry", _ENTRY),
        Word("text", "the label", many="?"),
        Option("clear", "take the label off"),
        _JSON,
    ),
    "rename": Command(
        "name a session",
        _SESSION,
        Word("name", 'the name; "" clears it'),
        _JSON,
    ),
    "tag": Command(
        "tag a session, or print its tags and its note",
        _SESSION,
        Word("changes", "+tag adds a tag, -tag removes it", many="*", metavar="TAGS"),
        Option("note", 'a note of one line; "" removes it', metavar="TEXT"),
        _JSON,
        signed=True,
    ),
    "branch": Command(
        "have the agent go on from another entry",
        _SESSION,
        Word("entry", f'{_ENTRY}; a prompt means the place before it; "root" that before all entries'),
        Option("summary", "what the model is told of the branch that is left", metavar="TEXT"),
        Option("new-file", "make a new session of the path to the entry"),
        _KEEP,
        _JSON,
    ),
    "fork": Command(
        "make a new session of a session",
        _SESSION,
        Option(
            "entry",
            "of the path to this entry; a prompt means the place before it (default: the leaf)",
            metavar="ID",
        ),
        _KEEP,
        Option("to", "for this working folder (default: that of the session)", metavar="DIR"),
        Option(
            "last",
            "of the last N messages (nickcecere/agent; default: 20)",
            metavar="N",
            convert=_number("messages", 1),
        ),
        _JSON,
    ),
    "trash": Command(
        "move sessions to the system's trash",
        Word("sessions", "a path, an id, or the beginning of one id", many="*", metavar="SESSION"),
        Option("anyway", "also where an agent may have it open"),
        Option("list", "print what is in the trash"),
        _JSON,
    ),
    "restore": Command(
        "bring sessions back from the trash, or from oh-my-pi's archive",
        Word("sessions", "where it was, where it lies, its id, or the beginning of one id", "+", "SESSION"),
        Option("join", "append what its agent wrote after it was trashed"),
        Option("aside", "trash what its agent wrote after it was trashed"),
        _JSON,
    ),
    "undo": Command("take back the last change that leafmark made", _JSON),
}
SCREENS = {
    "resume": Command(
        "choose a session and go on with it in its own program",
        Word("query", "the path or id of the session, else what to look for", many="*"),
        Option("print", "print the command instead of running it"),
        Option("anyway", "even if an agent may have the session open, or refuses its file"),
        *OWN,
    ),
}
COMMANDS = REPORTS | CHANGES | SCREENS


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
        first = _Parser(prog=self.prog, add_help=False, argument_default=argparse.SUPPRESS)
        _add(first, self.own)
        _add(first, SHARED, prefix=_BEHIND)
        namespace, words = first.parse_known_args(args[:end], namespace)
        if self.signed and not {"-h", "--help"} & set(words):
            return super().parse_known_args(["--", *words, *args[end + 1 :]], namespace)
        return super().parse_known_args([*words, *args[end:]], namespace)


def parse(words: Sequence[str]) -> Options:
    """Parse the command line.

    :raises SystemExit: help or the version was printed (0), or the words are wrong, and standard error has
        the reason (2).
    """
    options = parser().parse_args(words, Options())
    for option in SHARED:
        if option.many:
            behind = vars(options).pop(_BEHIND + option.field, [])
            getattr(options, option.field).extend(behind)
    return options


def parser() -> argparse.ArgumentParser:
    """The parser of argparse. It sets no defaults, which are in `Options`."""
    root = _Parser(
        prog="leafmark",
        formatter_class=_Formatter,
        description="Browse the sessions of pi, oh-my-pi, indusagi and nickcecere/agent, and resume them.",
        argument_default=argparse.SUPPRESS,
    )
    _add(root, SHARED)
    root.add_argument("--version", action="version", version=f"leafmark {__version__}")
    _add(root, OWN)
    # Without `prog`, argparse would format the usage to find it.
    commands = root.add_subparsers(
        dest="command", metavar="COMMAND", prog="leafmark", parser_class=_CommandParser
    )
    for name, command in COMMANDS.items():
        command_parser = commands.add_parser(
            name,
            help=command.help,
            formatter_class=_Formatter,
            argument_default=argparse.SUPPRESS,
        )
        command_parser.own = command.options
        command_parser.signed = command.signed
        if name == "search":
            command_parser.more = _language
        for word in command.words:
            nargs = word.many or None
            command_parser.add_argument(word.field, nargs=nargs, metavar=word.metavar, help=word.help)
        _add(command_parser, command.options)
        _add(command_parser, SHARED, prefix=_BEHIND)
    return root


def _language(columns: int) -> str:
    from app.index.query.filter_table import language_help  # only for help: it imports the query language

    return f"\nwhat a QUERY is made of; all of it must hold:\n{language_help(columns)}\n"


def _add(target: argparse.ArgumentParser, options: Iterable[Option], prefix: str = "") -> None:
    for option in options:
        kinds: dict[str, Any] = {"action": "store_true"}
        if option.metavar:
            kinds = {"metavar": option.metavar, "type": _type(option)}
        if option.has_opposite:
            kinds = {"action": argparse.BooleanOptionalAction}
        if option.many:
            kinds |= {"action": "append", "dest": prefix + option.field}
        names = [f"-{option.short}"] if option.short else []
        target.add_argument(*names, f"--{option.name}", help=option.help, **kinds)


def _type(option: Option) -> Callable[[str], Any]:
    """The option's converter, which raises the error that argparse expects."""
    convert = option.convert or str

    def converted(text: str) -> Any:
        try:
            return convert(text)
        except WrongValue as wrong:
            raise argparse.ArgumentTypeError(str(wrong)) from wrong

    return converted
