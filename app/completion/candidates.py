"""The candidates for the word at the cursor of a command line: commands, options, sessions, labels, filters.

A shell runs `leafmark __complete` at each Tab, so this module imports nothing that a candidate does not need.
Sessions come from the stored catalog alone: nothing is scanned or written.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from urllib.parse import quote

from app.command_table import COMMANDS, OWN, SHARED, Command, Option, Word
from app.formats.text import one_line
from app.index.catalog.catalog import Catalog
from app.index.catalog.db_errors import Doubt
from app.index.catalog.queries import ROW, ids_of, newest, row_of
from app.index.catalog.schema import encode
from app.index.row import Row, catalog_in
from app.setup import Setup, setup_from_process
from app.stores import AGENTS
from app.stores.base import Store
from app.view.formatting import age_or_date, counted, short_id

Candidate = tuple[str, str]
"""The word, and what it is in a few words."""


class Session(tuple[str, str]):
    """The candidate of a session, whose id says nothing to people. bash shows what it is beside it."""

    __slots__ = ()

    def __new__(cls, word: str, help: str) -> Session:
        return super().__new__(cls, (word, help))


_SESSIONS = {"session", "sessions"}
_ENTRIES = {"entry", "branch"}

_BUSY_SECONDS = 0.05
"""Seconds to wait for another process that writes the catalog."""
_MOST_SESSIONS = 200
"""Sessions that are read from the catalog, to offer the labels of the newest ones."""
_MOST_OFFERED = 10
"""Sessions that are offered. Typing another character is quicker than reading a longer list."""


def run(arguments: Sequence[str]) -> int:
    """Print the candidates, one a line: the word, a tab, and what it is. For bash, a tab and "#" follow
    behind a session, which is shown with what it is.

    :param arguments: `--`, then the words behind the program's name, of which the last one is being typed;
        or `--line` and the whole line up to the cursor.
    :return: the exit code: 0, also without candidates.
    """
    is_bash = arguments[:1] == ["--line"] and len(arguments) > 1
    words = split_line(arguments[1])[1:] if is_bash else []
    if arguments[:1] == ["--"]:
        words = list(arguments[1:])
    for candidate in candidates(words or [""]):
        word, help = candidate
        if "\t" not in word and "\n" not in word:
            data = f"{one_line(word, 1_000)}\t{one_line(help, 80)}\n"
            if is_bash and isinstance(candidate, Session):
                data = f"{data[:-1]}\t#\n"
            sys.stdout.write(data.encode("utf-8", "replace").decode("utf-8"))
    sys.stdout.flush()
    return 0


def split_line(line: str) -> list[str]:
    """The words of a line as a shell splits it; the last one is the one at its end, "" behind a blank.
    A quote that is not closed goes on to the end.
    """
    for end in ("", "'", '"'):
        with suppress(ValueError):
            # The added character makes a word of what follows a blank at the end.
            *words, last = shlex.split(f"{line}x{end}")
            return [*words, last[:-1]]
    return []


def candidates(words: Sequence[str]) -> Iterator[Candidate]:
    """The candidates for the last of `words`; those of files are left to the shell."""
    *before, typed = words
    name, given, option, is_closed = _read(before)
    command = COMMANDS.get(name)
    if option is not None:
        yield from _of_value(option, typed, given)
        return
    if typed.startswith("-") and not is_closed and not (command and command.signed):
        yield from _options(command, typed, given)
        return
    if command is None:
        if not given and not is_closed:
            yield from ((each, COMMANDS[each].help) for each in COMMANDS if each.startswith(typed))
        if typed or given:
            yield from _of_query(typed)
            yield from _of_session(typed)
        return
    word = _word(command, len(given))
    if word is not None:
        yield from _of_word(name, word, given, typed)


def _read(words: Sequence[str]) -> tuple[str, list[str], Option | None, bool]:
    """The command of a line, "" for none; the words that it has so far; the option whose value is next; and
    whether a `--` ended the options.
    """
    name = ""
    given: list[str] = []
    waiting: Option | None = None
    for at, word in enumerate(words):
        if waiting is not None:
            waiting = None
        elif word == "--":
            return name, [*given, *words[at + 1 :]], None, True
        elif word.startswith("-") and len(word) > 1:
            known = _known_options(COMMANDS.get(name))
            found = [each for each in known if word in (f"--{each.name}", f"-{each.short}")]
            waiting = found[0] if found and found[0].metavar else None
        elif not name and not given and word in COMMANDS:
            name = word
        else:
            given.append(word)
    return name, given, waiting, False


def _known_options(command: Command | None) -> list[Option]:
    return [*OWN, *SHARED] if command is None else [*command.options, *command.shared]


def _options(command: Command | None, typed: str, given: Sequence[str]) -> Iterator[Candidate]:
    named, equals, value = typed.partition("=")
    for option in _known_options(command):
        names = [f"--{option.name}"] + ([f"--no-{option.name}"] if option.has_opposite else [])
        if equals and named == names[0] and option.metavar:
            yield from ((f"{named}={word}", help) for word, help in _of_value(option, value, given))
        elif not equals:
            yield from ((each, option.help) for each in names if each.startswith(typed))
    if command is None and "--version".startswith(typed):
        yield "--version", "print the version"
    if "--help".startswith(typed):
        yield "--help", "print the help"


def _of_value(option: Option, typed: str, given: Sequence[str]) -> Iterator[Candidate]:
    """:param given: the words before it, of which the first one may name a session."""
    if option.field in _ENTRIES:
        yield from _of_entry("", given, typed)
    if option.name == "store":
        yield from ((f"{agent.name}=", agent.title) for agent in AGENTS if agent.name.startswith(typed))
    if option.name == "theme":
        from app.theme_files import theme_names  # only this option needs the themes

        yield from ((name, "a theme") for name in theme_names(os.environ) if name.startswith(typed))
    for value in option.values:
        if value.startswith(typed):
            yield value, option.help


def _word(command: Command, index: int) -> Word | None:
    """The positional argument with this index; the last one takes all that follow if it is of many."""
    if index < len(command.words):
        return command.words[index]
    return command.words[-1] if command.words and command.words[-1].many in ("*", "+") else None


def _of_word(name: str, word: Word, given: Sequence[str], typed: str) -> Iterator[Candidate]:
    if word.values:
        yield from ((value, word.help) for value in word.values if value.startswith(typed))
    elif word.field == "query":
        yield from _of_query(typed)
        if name == "resume" and not given:
            yield from _of_session(typed)
    elif name == "restore":
        yield from _of_trash(typed)
    elif word.field in _SESSIONS:
        yield from _of_session(typed)
    elif word.field in _ENTRIES:
        yield from _of_entry(name, given, typed)
    elif word.field == "text":
        yield from _of_label(typed)
    elif word.field == "changes":
        yield from _of_tag(typed)
    elif word.field == "topic":
        from app.help.pages import TOPICS  # only this command needs the pages

        yield from ((topic, "a page") for topic in TOPICS if topic.startswith(typed))
        yield from ((each, COMMANDS[each].help) for each in COMMANDS if each.startswith(typed))


def _rows(beginning: str) -> tuple[list[Row], Setup]:
    setup = setup_from_process()
    return _sessions_with_id(beginning, setup.stores, setup.cache_folder), setup


def _sessions_with_id(beginning: str, stores: Sequence[Store], cache_folder: str) -> list[Row]:
    """The stored sessions whose id begins so, the newest first; at most `_MOST_SESSIONS`. None are
    known if there is no catalog, or it cannot be read now.

    :param beginning: "" for the newest sessions.
    """
    path = catalog_in(cache_folder)
    if not os.path.isfile(path):
        return []
    try:
        connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
        try:
            roots = Catalog(cache_folder, stores).roots(connection)
            if not beginning:
                return newest(connection, roots, _MOST_SESSIONS)[0]
            # The id is somewhere in the bytes of the row, so that few rows are decoded.
            records = connection.execute(
                f"SELECT {ROW} FROM sessions NOT INDEXED"
                f" WHERE listed AND store IN ({ids_of(roots)}) AND instr(row, ?)"
                " ORDER BY modified DESC, path",
                (encode(beginning),),
            )
            rows = (row_of(roots, *record) for record in records)
            return list(islice((row for row in rows if row.id.startswith(beginning)), _MOST_SESSIONS))
        finally:
            connection.close()
    except (sqlite3.Error, Doubt, OSError):
        return []


def _of_session(typed: str) -> Iterator[Candidate]:
    rows, setup = _rows(typed)
    now_ms = setup.now_ms()
    for row in rows[:_MOST_OFFERED]:
        word = row.id[: len(short_id(row.id))]
        if not word.startswith(typed) or sum(other.id.startswith(word) for other in rows) > 1:
            word = row.id
        yield Session(word, f"{row.agent} {age_or_date(row.newest, now_ms)}: {row.title}")


def _of_entry(name: str, given: Sequence[str], typed: str) -> Iterator[Candidate]:
    """The entries that the catalog knows of the named session: those with labels, and the leaf."""
    rows = [row for row in _rows(given[0])[0] if given]
    if name == "branch":
        yield from _beginning([("root", "before all entries")], typed)
    if len(rows) == 1:
        known = [(entry_id, f"label {label}") for entry_id, label in rows[0].labels]
        yield from _beginning([*known, (rows[0].leaf_id or "", "the leaf")], typed)


def _of_label(typed: str) -> Iterator[Candidate]:
    labels = {label: row.title for row in reversed(_rows("")[0]) for _, label in row.labels}
    yield from _beginning(labels.items(), typed)


def _of_query(typed: str) -> Iterator[Candidate]:
    """Filters and their values, as in the search line of the program."""
    # Imported here: other words need nothing of the query language.
    from app.index.query.completion import complete, vocabulary
    from app.stores.tags import known_tags, read_taggings

    if not typed:
        return
    values = None
    if ":" in typed:
        rows, setup = _rows("")
        values = vocabulary(rows, setup.home).with_tags(known_tags(read_taggings(setup.state_folder)))
    for found in complete(typed, len(typed), values):
        yield found.applied(typed), found.help


def _of_tag(typed: str) -> Iterator[Candidate]:
    # Imported here, as in `_of_query`.
    from app.stores.tags import known_tags, read_taggings

    sign, beginning = (typed[:1] or "+"), typed[1:]
    tags = known_tags(read_taggings(setup_from_process().state_folder))
    known = ((f"{sign}{tag}", counted(count, "session")) for tag, count in tags.items())
    yield from _beginning(known, f"{sign}{beginning}")


def _of_trash(typed: str) -> Iterator[Candidate]:
    # Imported here: it reads the system's trash, which only this command needs.
    from app.actions.restore import list_trashed

    setup = setup_from_process()
    trashed = list_trashed(setup.agent_env, setup.stores, setup.state_folder)
    yield from _beginning(((each.session_id, each.title) for each in trashed), typed)


def _beginning(known: Iterable[Candidate], typed: str) -> Iterator[Candidate]:
    return ((word, help) for word, help in known if word and word.startswith(typed))
