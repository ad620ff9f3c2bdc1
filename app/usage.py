"""The command line as argparse reads it, built from the table of `app.arguments`: help, complaints, and what
is not spelled plainly.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from app import __version__
from app.arguments import COMMANDS, OWN, SHARED, WrongValue
from app.formats.text import one_line
from app.options import Options
from app.reports.output import terminal_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NoReturn

    from _typeshed import SupportsWrite

    from app.arguments import Option

# What was given behind the command is read under a name of its own, or it would undo what stood before it.
_BEHIND = "behind_"


class _Formatter(argparse.HelpFormatter):
    """Finds the width without `shutil`, which takes as long to import as all options to add."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_columns() - 2)


class _Parser(argparse.ArgumentParser):
    """Complains in one line, whatever it names.

    more   what help ends with, made for so many columns
    """

    more: Callable[[int], str] | None = None

    def format_help(self) -> str:
        """See `argparse`."""
        text = super().format_help()
        return text + self.more(terminal_columns() - 2) if self.more else text

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print as argparse does, which keeps it to itself where the stream takes no more.

        :raises OSError: it cannot be written.
        """
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: -"):
            message += " (behind --, words may begin with a dash)"
        self.exit(2, f"{self.prog}: {one_line(message, 1_000)}; `{self.prog} --help` says more\n")


class _CommandParser(_Parser):
    """Reads a command's words wherever its options stand between them: argparse itself gives up a word that
    may be missing as soon as an option comes first.

    own   the options of the command
    """

    own: Sequence[Option] = ()

    def parse_known_args(  # type: ignore[override]  # as argparse calls it
        self, args: Sequence[str], namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """See `argparse`: the options first, then what they leave."""
        end = args.index("--") if "--" in args else len(args)
        first = _Parser(prog=self.prog, add_help=False, argument_default=argparse.SUPPRESS)
        _add(first, self.own)
        _add(first, SHARED, prefix=_BEHIND)
        namespace, left = first.parse_known_args(args[:end], namespace)
        return super().parse_known_args([*left, *args[end:]], namespace)


def parse(words: Sequence[str]) -> Options:
    """What the words ask for.

    :raises SystemExit: help or the version was asked for and is printed (0), or the words mean nothing and
        why is said on standard error (2).
    """
    options = parser().parse_args(words, Options())
    for option in SHARED:
        if option.many:
            behind = vars(options).pop(_BEHIND + option.field, [])
            getattr(options, option.field).extend(behind)
    return options


def parser() -> argparse.ArgumentParser:
    """argparse's parser. Nothing in it has a default: those are in `Options`."""
    made = _Parser(
        prog="leafmark",
        formatter_class=_Formatter,
        description="Browse the sessions of pi, oh-my-pi, indusagi and nickcecere/agent, and resume them.",
        argument_default=argparse.SUPPRESS,
    )
    _add(made, SHARED)
    made.add_argument("--version", action="version", version=f"leafmark {__version__}")
    _add(made, OWN)
    # with `prog` given, no help is laid out to find it
    commands = made.add_subparsers(
        dest="command", metavar="COMMAND", prog="leafmark", parser_class=_CommandParser
    )
    for name, command in COMMANDS.items():
        report = commands.add_parser(
            name,
            help=command.help,
            formatter_class=_Formatter,
            argument_default=argparse.SUPPRESS,
        )
        report.own = command.options
        if name == "search":
            report.more = _language
        for word in command.words:
            report.add_argument(word.field, nargs=word.many or None, metavar=word.metavar, help=word.help)
        _add(report, command.options)
        _add(report, SHARED, prefix=_BEHIND)
    return made


def _language(columns: int) -> str:
    # Only for help: the table of filters brings the stores along.
    from app.index.query.describe import as_text

    return f"\nwhat a QUERY is made of; all of it must hold:\n{as_text(columns)}\n"


def _add(to: argparse.ArgumentParser, options: Iterable[Option], prefix: str = "") -> None:
    for option in options:
        kinds: dict[str, Any] = {"action": "store_true"}
        if option.metavar:
            kinds = {"metavar": option.metavar, "type": _type(option)}
        if option.many:
            kinds |= {"action": "append", "dest": prefix + option.field}
        to.add_argument(f"--{option.name}", help=option.help, **kinds)


def _type(option: Option) -> Callable[[str], Any]:
    """The option's conversion, complaining as argparse expects it."""
    convert = option.convert or str

    def converted(text: str) -> Any:
        try:
            return convert(text)
        except WrongValue as wrong:
            raise argparse.ArgumentTypeError(str(wrong)) from wrong

    return converted
