"""The table of the command line: its commands, and the words and options of each. The parser, the completion
in shells and the manual page are made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.stores import AGENTS

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
    :param optional: the value may be left out, and is "" then.
    :param field: its field of `Options`; the name with underscores if empty.
    :param has_opposite: a flag that `--no-name` turns off; without either the field keeps its default.
    """

    __slots__ = ("convert", "field", "has_opposite", "help", "many", "metavar", "name", "optional", "short")

    def __init__(
        self,
        name: str,
        help: str,
        metavar: str = "",
        convert: Callable[[str], Any] | None = None,
        *,
        many: bool = False,
        short: str = "",
        field: str = "",
        optional: bool = False,
        has_opposite: bool = False,
    ) -> None:
        self.name = name
        self.field = field or name.replace("-", "_")
        self.help = help
        self.metavar = metavar
        self.convert = convert
        self.many = many
        self.short = short
        self.optional = optional
        self.has_opposite = has_opposite

    @property
    def values(self) -> tuple[str, ...]:
        """The values that it takes; empty if they are not fixed."""
        return self.convert.values if isinstance(self.convert, OneOf) else ()


class Word:
    """A positional argument. Its value is `field` of `Options`.

    :param many: "" for one word, "?" for one or none, "*" for any number and "+" for at least one; the words
        of the last two are collected.
    :param metavar: its name in the help; the field's name if empty.
    :param values: the words that it takes; empty for any.
    """

    __slots__ = ("field", "help", "many", "metavar", "values")

    def __init__(
        self, field: str, help: str, many: str = "", metavar: str = "", values: tuple[str, ...] = ()
    ) -> None:
        self.field = field
        self.values = values
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


class OneOf:
    """A converter for one of some values."""

    __slots__ = ("values",)

    def __init__(self, *values: str) -> None:
        self.values = values

    def __call__(self, text: str) -> str:
        if text in self.values:
            return text
        if len(self.values) == 2:
            raise WrongValue(f"{text!r} is neither {self.values[0]} nor {self.values[1]}")
        raise WrongValue(f"{text!r} is none of {', '.join(self.values)}")


GROUPS = ("day", "week", "project", "model", "agent", "tool")
"""By what `stats` groups sessions (`app.index.statistics`)."""


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
OWN = (
    Option(
        "theme", "the theme of the screen: dark, light, gruvbox and others (F2 lists them)", metavar="NAME"
    ),
)
_JSON = Option("json", "as JSON")
_FORMAT = Option("format", "a line for each item, such as '{id}\\t{title}'; fields below", metavar="FORMAT")
_FOR_AGENT = (
    Option("for-agent", "for a coding agent: this folder, at most 20 kB, quoted, without secrets"),
    Option("all-folders", "with --for-agent, sessions of other folders too"),
)
_KEEP = Option(
    "keep", "go on from the entry itself, even if it is a prompt or has tool calls without results"
)
_SHELL = Word("shell", "bash, zsh or fish", values=("bash", "zsh", "fish"))
_SESSION = Word("session", "a path, an id, or the beginning of one id")
_ENTRY = "an entry's id, or the beginning of one"
# Commands that read, and commands that write to a session.
REPORTS = {
    "list": Command(
        "print the sessions, newest activity first",
        Word("query", "filters and words, which must all match (see `leafmark search --help`)", many="*"),
        Option("limit", "at most N sessions", metavar="N", convert=_number("sessions")),
        _FORMAT,
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
            convert=OneOf("recent", "relevance"),
        ),
        *_FOR_AGENT,
        _FORMAT,
        _JSON,
    ),
    "stats": Command(
        "print turns, tool calls, tokens, cost and time of sessions, each entry once",
        Word("query", "words, phrases, patterns and filters that must all match what a row says", many="*"),
        Option(
            "by",
            "one line for each of these (default: day)",
            metavar=f"{{{','.join(GROUPS)}}}",
            convert=OneOf(*GROUPS),
        ),
        _JSON,
    ),
    "tree": Command(
        "print a session's tree",
        _SESSION,
        Option("ascii", "draw with plain characters"),
        *_FOR_AGENT,
        _JSON,
    ),
    "labels": Command(
        "print the labels of a session, or of all",
        Word("session", "a path, an id, or the beginning of one id; all sessions without", many="?"),
        _FORMAT,
        _JSON,
    ),
    "doctor": Command(
        "what was found, and what was skipped and why",
        Option(
            "report",
            "write a text file for a bug report, without secrets and names (default: leafmark-report.txt)",
            metavar="FILE",
            optional=True,
        ),
        _JSON,
    ),
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
        *_FOR_AGENT,
    ),
    "export": Command(
        "write sessions as HTML, Markdown, JSON or session files, without secrets",
        Word("sessions", "a path, an id, or the beginning of one id", many="+", metavar="SESSION"),
        Option(
            "to",
            "the format: a page, Markdown, the messages for the model, or a session (default: html)",
            metavar="{html,md,json,jsonl}",
            convert=OneOf("html", "md", "json", "jsonl"),
        ),
        Option("agent", "the agent that a jsonl is for (default: pi)", "{pi,omp}", OneOf("pi", "omp")),
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
            convert=OneOf("full", "short", "none"),
        ),
        Option("images", "with images, from which no secret is removed"),
        Option(
            "redact",
            "replace secrets, home folders and user names (the default for html and md), or not",
            has_opposite=True,
        ),
        Option("review", "list what is replaced before anything is written"),
    ),
    "help": Command(
        "print a help page, or what a command does",
        Word("topic", "a page or a command (default: the list of the pages)", many="?"),
    ),
    "config": Command(
        "print where the settings file is, make it, check it, or edit it",
        Option("path", "print its path (the default)"),
        Option("init", "make it, with every setting as a comment; a file that is there is kept"),
        Option("check", "report wrong settings and clashes of keys"),
        Option("edit", "open it in $VISUAL or $EDITOR, and check it then"),
    ),
    "skill": Command("print a skill file that tells a coding agent how to read past sessions"),
    "completion": Command("print the completion script of a shell", _SHELL),
    "init": Command("print a script for a shell that resumes a session with Alt+R", _SHELL),
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
            "fork up to this entry; a prompt means the place before it (default: the leaf)",
            metavar="ID",
        ),
        _KEEP,
        Option("to", "the working folder of the fork (default: the session's)", metavar="DIR"),
        Option(
            "last",
            "the last N messages (nickcecere/agent; default: 20)",
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
        _FORMAT,
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
        Option("last", "the newest session of this folder, without choosing", field="newest"),
        Option("print", "print the command instead of running it"),
        Option("anyway", "even if an agent may have the session open, or refuses its file"),
        *OWN,
    ),
}
COMMANDS = REPORTS | CHANGES | SCREENS
