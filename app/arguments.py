"""What may stand on the command line: one table for `plain`, which reads it at once, and for `app.usage`.

Importing argparse and building its parser takes longer than everything else that a list does. So what is
spelled plainly is read here, and argparse is asked for help, for complaints, and about every spelling that
is not plain. It stays the judge: what `plain` reads, argparse reads the same (a test holds the two together).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


MANY = 1_000_000_000
"""Nobody has so much of anything that is counted, and a database takes it."""


class WrongValue(ValueError):
    """A value that an option does not take; the text says why."""


class Option:
    """`--name`: a flag, or followed by a value when it has a `metavar`. It goes to `field` of `Options`.

    :param convert: the value of its text; raises WrongValue.
    :param many: may be given several times; its values are collected.
    """

    __slots__ = ("convert", "field", "help", "many", "metavar", "name")

    def __init__(
        self,
        name: str,
        help: str,
        metavar: str = "",
        convert: Callable[[str], Any] | None = None,
        *,
        many: bool = False,
    ) -> None:
        self.name = name
        self.field = name.replace("-", "_")
        self.help = help
        self.metavar = metavar
        self.convert = convert
        self.many = many


class Word:
    """What a word without dashes is. It goes to `field` of `Options`.

    :param many: "" for one word, "?" for one or none, "*" for any number and "+" for at least one, which are
        collected.
    :param metavar: what stands for it in the help; the field's name where empty.
    """

    __slots__ = ("field", "help", "many", "metavar")

    def __init__(self, field: str, help: str, many: str = "", metavar: str = "") -> None:
        self.field = field
        self.metavar = metavar or field.upper()
        self.help = help
        self.many = many


class Command:
    """One of leafmark's commands: its words, which stand in this order, and the options of its own."""

    __slots__ = ("help", "options", "words")

    def __init__(self, help: str, *parts: Word | Option) -> None:
        self.help = help
        self.words = [part for part in parts if isinstance(part, Word)]
        self.options = [part for part in parts if isinstance(part, Option)]


def _store(text: str) -> tuple[str, str]:
    from app.stores import AGENTS

    agent, equals, folder = text.partition("=")
    names = [each.name for each in AGENTS]
    if not equals or not folder or agent not in names:
        raise WrongValue(f"{text!r} is not AGENT=FOLDER with AGENT one of {', '.join(names)}")
    return agent, folder


def _number(of: str, least: int = 0) -> Callable[[str], int]:
    """How many of something, not less than `least`; more than `MANY` is as good as all."""

    def convert(text: str) -> int:
        if not text.isdecimal():
            raise WrongValue(f"{text!r} is not a number of {of}")
        try:
            value = int(text)
        except ValueError:  # Python reads no number of so many digits
            value = MANY
        if value < least:
            raise WrongValue(f"{text!r} is not a number of {of}")
        return min(value, MANY)

    return convert


def _one_of(one: str, other: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in (one, other):
            raise WrongValue(f"{text!r} is neither {one} nor {other}")
        return text

    return convert


# Before the command and behind it.
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
# Of what is shown full screen: before the command, and behind the one that has a screen.
OWN = (Option("theme", "colours of the screen", metavar="{dark,light}", convert=_one_of("dark", "light")),)
_JSON = Option("json", "as JSON")
_KEEP = Option(
    "keep", "go on from the entry itself, even if it is a prompt or has tool calls without results"
)
_SESSION = Word("session", "a path, an id, or the beginning of one id")
_ENTRY = "an entry's id, or the beginning of one"
# What looks, and what writes to a session.
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


def plain(words: Sequence[str]) -> Options | None:
    """What the words ask for if they are spelled plainly, else None: then argparse has to say what they mean.

    Plain are options by their full names, each value in a word of its own that does not begin with a dash,
    and a command's words side by side.
    """
    options = Options()
    known = {option.name: option for option in (*SHARED, *OWN)}
    command: Command | None = None
    named: list[str] = []
    ended = False
    waiting = iter(words)
    for word in waiting:
        if word.startswith("-"):
            # Words of a command that stand apart are not plain.
            ended = bool(named)
            option = known.get(word[2:]) if word.startswith("--") else None
            if option is None or not _take(option, waiting, options):
                return None
        elif command is None:
            command = COMMANDS.get(word)
            if command is None:
                return None
            options.command = word
            known = {option.name: option for option in (*SHARED, *command.options)}
        elif ended:
            return None
        else:
            named.append(word)
    if command is not None and not _place(command.words, named, options):
        return None
    return options


def _place(words: Sequence[Word], named: list[str], options: Options) -> bool:
    """Put what was `named` into `options`; False when that is too little or too much."""
    at = 0
    for word in words:
        if word.many in ("*", "+"):
            if word.many == "+" and at == len(named):
                return False
            setattr(options, word.field, named[at:])
            at = len(named)
        elif at < len(named):
            setattr(options, word.field, named[at])
            at += 1
        elif word.many != "?":
            return False
    return at == len(named)


def _take(option: Option, words: Iterator[str], options: Options) -> bool:
    """Put an option into `options`, with its value from `words`; False when that is not plain."""
    if not option.metavar:
        setattr(options, option.field, True)
        return True
    text = next(words, "-")
    if text.startswith("-"):
        return False
    try:
        value = option.convert(text) if option.convert else text
    except WrongValue:
        return False
    if option.many:
        getattr(options, option.field).append(value)
    else:
        setattr(options, option.field, value)
    return True
