"""The table of the command line: its commands, and the words and options of each. The parser, the completion
in shells and the manual page are made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.actions.shell_words import SHELLS
from app.index.sorting import BEST, SORTS
from app.stores import AGENTS

TARGETS = tuple(agent.name for agent in AGENTS if agent.takes_over)
"""The agents that a session can be handed over to."""
MARKDOWN = "markdown"
AGENT_TITLES = "pi, oh-my-pi, Claude Code, Codex, indusagi and nickcecere/agent"
"""The agents, as texts name them."""
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
    :param also: an older name, which is accepted as well; "" for none.
    :param has_opposite: a flag that `--no-name` turns off; without either the field keeps its default.
    """

    __slots__ = (
        *("also", "convert", "field", "has_opposite", "help", "many", "metavar", "name", "optional"),
        "short",
    )

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
        also: str = "",
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
        self.also = also
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
    shared    the options of all commands that mean something here: those of `SHARED`, or none if it looks at
              no session
    """

    __slots__ = ("help", "options", "shared", "signed", "words")

    def __init__(
        self, help: str, *parts: Word | Option, signed: bool = False, looks_at_sessions: bool = True
    ) -> None:
        self.help = help
        self.signed = signed
        self.shared = SHARED if looks_at_sessions else ()
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


def _sort_option(help: str, *values: str, also: str = "") -> Option:
    return Option("sort", help, metavar=f"{{{','.join(values)}}}", convert=OneOf(*values), also=also)


GROUPS = ("day", "week", "project", "model", "agent", "tool", "session")
"""By what `stats` groups sessions (`app.index.statistics`)."""


# Options that may stand before or behind the command.
SHARED = (
    Option(
        "store",
        "look for sessions of this agent in this folder too (may be given several times)",
        metavar="AGENT=FOLDER",
        convert=_store,
        many=True,
    ),
    Option("demo", "show example sessions in a temporary folder instead of your own sessions"),
)
# Options of the screen: before the command, or behind a command with a screen.
OWN = (
    Option(
        "theme", "the theme of the screen: dark, light, gruvbox and others (F2 lists them)", metavar="NAME"
    ),
)
_JSON = Option("json", "print JSON")
_FORMAT = Option(
    "format",
    "print a line like this for each item: '{id}\\t{title}' (--help lists the fields)",
    metavar="FORMAT",
)
_FOR_AGENT = (
    Option("for-agent", "print for a coding agent: this folder only, at most 20 kB, quoted, without secrets"),
    Option("all-folders", "with --for-agent: sessions of other folders too"),
)
_KEEP = Option(
    "keep", "continue from the entry itself, even if it is a prompt or has tool calls without results"
)
_SHELL = Word("shell", "bash, zsh or fish", values=("bash", "zsh", "fish"))
_WHICH = "the path of a session file, a session id, or the beginning of an id"
_SESSION = Word("session", _WHICH)
_ENTRY = "the id of an entry, or its beginning"
_QUERY = "words, phrases and filters, which must all match (see `leafmark help search`)"
# Commands that read, and commands that write to a session.
REPORTS = {
    "list": Command(
        "print the sessions, the most recently active first",
        Word("query", _QUERY, many="*"),
        _sort_option("the order of the sessions (default: recent)", *SORTS),
        Option("limit", "print at most N sessions", metavar="N", convert=_number("sessions")),
        _FORMAT,
        _JSON,
    ),
    "search": Command(
        "find sessions by what was said in them",
        Word(
            "query",
            "words, phrases and filters, which must all match; after --, a word may begin with a dash",
            many="+",
        ),
        Option("all-text", "not needed: every search covers tool calls and their output"),
        Option("every", "print every place that matches, not only one of each session"),
        Option("limit", "print at most N hits", metavar="N", convert=_number("hits")),
        _sort_option(
            "the order of the sessions; best puts the best match first (default: best)",
            *(BEST, *SORTS, "relevance"),
            also="order",
        ),
        *_FOR_AGENT,
        _FORMAT,
        _JSON,
    ),
    "stats": Command(
        "print the prompts, tool calls, tokens, cost and time of sessions",
        Word("query", _QUERY, many="*"),
        Option(
            "by",
            "print one line for each of these (default: day)",
            metavar=f"{{{','.join(GROUPS)}}}",
            convert=OneOf(*GROUPS),
        ),
        _sort_option(
            "the highest first of these (default: days in their order, others by cost)",
            *("cost", "tokens", "time", "prompts"),
        ),
        _JSON,
    ),
    "disk": Command(
        "print the disk space of sessions, of kept copies and of the index",
        Word("query", _QUERY, many="*"),
        Option(
            "by",
            "print one line for each of these, the largest first",
            metavar="{project,session}",
            convert=OneOf("project", "session"),
        ),
        _JSON,
    ),
    "tree": Command(
        "print the tree of a session",
        _SESSION,
        Option("ascii", "draw with plain characters"),
        *_FOR_AGENT,
        _JSON,
    ),
    "show": Command(
        "print the conversation of a session, on a terminal through $PAGER",
        _SESSION,
        Option("branch", "print the branch through this entry, to its newest end", metavar="LEAF"),
        Option("entry", "print the path to this entry (default: the path to the leaf)", metavar="ID"),
        Option(
            "last",
            "print the last N prompts of the path, and what follows them",
            metavar="N",
            convert=_number("prompts", 1),
        ),
        Option("plain", "without colours, and not through a pager"),
    ),
    "labels": Command(
        "print the labels of a session, or of all sessions",
        Word("session", f"{_WHICH} (default: all sessions)", many="?"),
        _FORMAT,
        _JSON,
    ),
    "doctor": Command(
        "print which sessions were found, and which files were skipped and why",
        Option(
            "report",
            "write a file for a bug report, without secrets and user names (default: leafmark-report.txt)",
            metavar="FILE",
            optional=True,
        ),
        _JSON,
    ),
    "index": Command(
        "bring the index up to date",
        Option("rebuild", "delete the index, and read all sessions again"),
        Option("verify", "compare the index with the files, and repair it"),
        Option("where", "print where the index is, and how large"),
        _JSON,
    ),
    "context": Command(
        "print the context that the agent builds from a session, as JSON",
        _SESSION,
        Option("entry", f"print the messages up to this entry: {_ENTRY} (default: the leaf)", metavar="ID"),
        *_FOR_AGENT,
    ),
    "export": Command(
        "export sessions to HTML or Markdown without secrets, or to JSON or session files",
        Word("sessions", _WHICH, many="+", metavar="SESSION"),
        Option(
            "to",
            "the format: a web page, Markdown, the context, or a session file (default: html)",
            metavar="{html,md,json,jsonl}",
            convert=OneOf("html", "md", "json", "jsonl"),
        ),
        Option("agent", "the agent that a jsonl file is for (default: pi)", "{pi,omp}", OneOf("pi", "omp")),
        Option("branch", "export the branch through this entry, to its newest end", metavar="LEAF"),
        Option("entry", "export the path to this entry (default: the path to the leaf)", metavar="ID"),
        Option("all-branches", "export every branch"),
        Option(
            "output",
            "the file to write, a folder for several sessions, or - for standard output",
            metavar="FILE",
            short="o",
        ),
        Option("force", "replace an existing file"),
        Option("open", "open the file when it is written"),
        Option("thinking", "include thinking (the default), or leave it out", has_opposite=True),
        Option(
            "tools",
            "include tool calls and all their output (the default), its first lines only, or no tool calls",
            metavar="{full,short,none}",
            convert=OneOf("full", "short", "none"),
        ),
        Option("images", "include images; secrets in them stay"),
        Option(
            "redact",
            "replace secrets, home folders and user names (the default for html and md), or not",
            has_opposite=True,
        ),
        Option("review", "list what will be replaced, before the file is written"),
    ),
    "help": Command(
        "print a help page, or the help of a command",
        Word("topic", "a page or a command (default: print the list of pages)", many="?"),
        looks_at_sessions=False,
    ),
    "config": Command(
        "print where the settings file is, or create, check or edit it",
        Option("path", "print the path of the file (the default)"),
        Option("init", "create the file, with every setting as a comment; an existing file is kept"),
        Option("check", "report wrong settings, and keys that two commands have"),
        Option("edit", "open the file in $VISUAL or $EDITOR, and check it afterwards"),
        looks_at_sessions=False,
    ),
    "skill": Command(
        "print a skill file that tells a coding agent how to read past sessions", looks_at_sessions=False
    ),
    "completion": Command("print the completion script of a shell", _SHELL, looks_at_sessions=False),
    "init": Command(
        "print a shell script that makes Alt+R resume a session", _SHELL, looks_at_sessions=False
    ),
    "watch": Command("print a line for each change of a session, until you interrupt it", _JSON),
}
CHANGES = {
    "label": Command(
        "label an entry, or remove its label",
        _SESSION,
        Word("entry", _ENTRY),
        Word("text", "the label", many="?"),
        Option("clear", "remove the label"),
        _JSON,
    ),
    "rename": Command(
        "name a session",
        _SESSION,
        Word("name", 'the new name; "" removes the name'),
        _JSON,
    ),
    "tag": Command(
        "tag a session or write a note on it, or print its tags and note",
        _SESSION,
        Word("changes", "+tag adds a tag, -tag removes it", many="*", metavar="TAGS"),
        Option("note", 'write a note of one line; "" removes it', metavar="TEXT"),
        _JSON,
        signed=True,
    ),
    "branch": Command(
        "move the leaf, so that the agent continues from another entry",
        _SESSION,
        Word("entry", f'{_ENTRY}; a prompt means the entry before it; "root" means before the first entry'),
        Option("summary", "a summary of the branch that you leave, for the model", metavar="TEXT"),
        Option("new-file", "make a new session from the path to the entry; the old one stays as it is"),
        _KEEP,
        _JSON,
    ),
    "fork": Command(
        "copy a session, up to an entry, into a new session",
        _SESSION,
        Option(
            "entry",
            "fork up to this entry; a prompt means the entry before it (default: the leaf)",
            metavar="ID",
        ),
        _KEEP,
        Option("to", "the working folder of the fork (default: the session's)", metavar="DIR"),
        Option(
            "last",
            "copy the last N messages (nickcecere/agent only; default: 20)",
            metavar="N",
            convert=_number("messages", 1),
        ),
        _JSON,
    ),
    "handoff": Command(
        "make a session of another agent from a session, with all branches",
        _SESSION,
        Option(
            "to",
            "the agent, or Markdown: print a short text to paste into any agent, without secrets",
            "{pi,omp,markdown}",
            OneOf(*TARGETS, MARKDOWN),
        ),
        Option(
            "entry",
            "continue from this entry; a prompt means the entry before it (default: the leaf)",
            metavar="ID",
        ),
        Option("path-only", "hand over the path to the entry alone, without other branches"),
        Option("dir", "the working folder of the new session (default: the session's)", metavar="DIR"),
        Option("dry-run", "write nothing, and print what would be lost"),
        Option(
            "limit",
            "print at most N bytes, with --to markdown (default: 8000)",
            metavar="N",
            convert=_number("bytes", 1_000),
        ),
        _JSON,
    ),
    "trash": Command(
        "move sessions to the system's trash",
        Word("sessions", _WHICH, many="*", metavar="SESSION"),
        Option("anyway", "even if an agent may have the session open, or another session goes on from it"),
        Option("list", "print the sessions in the trash"),
        _FORMAT,
        _JSON,
    ),
    "keep": Command(
        "keep compressed copies of sessions, which stay when their agent deletes the sessions",
        Word("query", f"{_WHICH}; or {_QUERY}", many="*", metavar="SESSION"),
        Option("list", "print the kept sessions"),
        Option("drop", "move the copies of sessions to the system's trash; the sessions stay"),
        Option("verify", "read the copies; keep a session again if its copy is damaged"),
        Option("replace", "keep sessions, and move them to the system's trash"),
        Option("anyway", "with --replace: even if an agent may have the session open"),
        _JSON,
    ),
    "restore": Command(
        "bring sessions back from the trash, from kept copies, or from oh-my-pi's archive",
        Word(
            "sessions",
            "its path before it was trashed or deleted, its path now, its id, or the beginning of its id",
            "+",
            "SESSION",
        ),
        Option("join", "append to the session what its agent wrote while it was in the trash"),
        Option("aside", "trash what its agent wrote while the session was in the trash"),
        _JSON,
    ),
    "undo": Command("undo the last change that leafmark made", _JSON),
}
SCREENS = {
    "resume": Command(
        "choose a session and resume it in its agent",
        Word("query", "the path or id of a session, or what to search for", many="*"),
        Option("last", "resume the newest session of this folder, without choosing", field="newest"),
        Option("print", "print the command instead of running it"),
        Option(
            "shell",
            "with --print: the shell that the command is quoted for (default: sh)",
            metavar="{bash,zsh,fish,sh}",
            convert=OneOf(*SHELLS),
        ),
        Option("anyway", "even if an agent may have the session open, or its agent refuses the file"),
        *OWN,
    ),
}
COMMANDS = REPORTS | CHANGES | SCREENS
