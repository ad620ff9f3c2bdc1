"""Writing to standard output and standard error."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from app.formats.text import inert, one_line
from app.index.query.query import QueryError
from app.index.scan.deltas import Delta
from app.options import Options
from app.paths import config_folder
from app.settings import read_settings
from app.setup import Setup
from app.view.cells import ELLIPSIS, width
from app.view.terminal import ascii_lines, is_ascii_terminal, spelled_for

CONFIG = "config.toml"
DEFAULT_COLUMNS = 80
"""The width of a terminal that does not tell its own."""


def columns() -> int | None:
    """The width to fit lines to: the terminal's; None when the output goes elsewhere, where nothing is
    cut.
    """
    return terminal_columns() if sys.stdout.isatty() else None


def terminal_columns() -> int:
    """How wide the terminal is: as the variable COLUMNS says, else as it says itself. One of no size, as
    programs start it that show nothing, does not say.
    """
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(1).columns or DEFAULT_COLUMNS
    except OSError:
        return DEFAULT_COLUMNS


def write_text(text: str) -> None:
    """Print a text, in plain characters where the user has set so, else where the locale says so (README,
    "Settings"); what the output's encoding lacks is spelt in plain characters in any case.
    """
    stream = sys.stdout
    stream.write(encodable_text(text, stream.encoding or "utf-8", os.environ))
    stream.flush()


def write_exactly(line: str) -> None:
    """Print a line that is to be run: with another character it would be another command. It has the bytes
    that paths have on this system, whatever the encoding of the output.
    """
    _write_bytes(sys.stdout, line)


def encodable_text(text: str, encoding: str, env: Mapping[str, str]) -> str:
    """`text` as it can be drawn in as many cells by a terminal with that environment and `encoding`."""
    if text.isascii():
        return text
    if wants_ascii(env):
        return ascii_lines(text)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return spelled_for(text, encoding)
    return text


def wants_ascii(env: Mapping[str, str]) -> bool:
    """Whether the user has set plain characters, or else the locale has no others."""
    if os.path.lexists(os.path.join(config_folder(env), CONFIG)):
        return read_settings(env).draws_ascii(env)
    return is_ascii_terminal(env)


def write_json(value: dict[str, Any]) -> None:
    """Print a value as one JSON document, in ASCII, so that no terminal takes anything in it for a
    command.
    """
    # In one write: piece by piece is several times slower.
    text = json.dumps(value, ensure_ascii=True, indent=1 if sys.stdout.isatty() else None)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def json_line(value: dict[str, Any]) -> str:
    """A value as JSON in one line, in ASCII."""
    return json.dumps(value, ensure_ascii=True)


def complain(message: str) -> None:
    """One line on standard error, inert whatever it names."""
    _write_error(f"leafmark: {one_line(message, 4_000)}\n")


def hint(command: str) -> None:
    """A command to be run by hand, on a line of standard error of its own and as it is: see
    `actions.resume.shell_quote`.
    """
    _write_bytes(sys.stderr, command)


def _write_bytes(stream: TextIO, line: str) -> None:
    stream.flush()
    stream.buffer.write(os.fsencode(line) + b"\n")
    stream.flush()


def _write_error(text: str) -> None:
    sys.stderr.write(encodable_text(text, sys.stderr.encoding or "utf-8", os.environ))


def say_missing(options: Options, setup: Setup) -> None:
    """A folder that the user named and that holds nothing is told of; those that were found may be
    missing.
    """
    for store in setup.stores:
        problem = store.problem() if store.source == "--store" and options.store else None
        if problem:
            complain(f"--store {store.agent.name}={one_line(store.root)}: {problem}")


FIRST_SECONDS, SECONDS = 0.25, 0.1
"""The line is first written after so long, so that short work is done without, and then no more often than
this.
"""


class Progress:
    """Shows the progress of a command in one line on standard error, on a terminal only. `end` removes it.

    read       callback for the deltas of a scan
    compared   callback for the (done, total) of a comparison
    Both are None without a terminal.
    """

    def __init__(self) -> None:
        terminal = sys.stderr.isatty()
        self.read: Callable[[Delta], object] | None = self._read if terminal else None
        self.compared: Callable[[int, int], object] | None = self._compared if terminal else None
        self._next = time.monotonic() + FIRST_SECONDS
        self._shown = False

    def _read(self, delta: Delta) -> None:
        self._say("reading", delta.done, delta.total)

    def _compared(self, done: int, total: int) -> None:
        self._say("comparing", done, total)

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _say(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if total and now >= self._next:
            self._next = now + SECONDS
            self._shown = True
            sys.stderr.write(f"\r{what} {done:,} of {total:,} files\x1b[K")
            sys.stderr.flush()


CONTEXT = 30
"""Characters of the query that are shown on either side of the wrong part."""
LONGEST_PART = 60
"""Characters that are shown of the wrong part, from its start."""


def complain_of_query(query: str, error: QueryError) -> None:
    """Three lines on standard error: why, the part of the query, and a line of carets under it."""
    complain(error.message)
    sys.stderr.write("".join(f"  {line}\n" for line in caret_lines(query, error.position, error.length)))


def caret_lines(query: str, position: int, length: int) -> tuple[str, str]:
    """The part of `query` with what stands around it, inert, and carets under it."""
    end = position + min(length, LONGEST_PART)
    start = max(0, position - CONTEXT)
    before = (ELLIPSIS if start else "") + _one_cell_blanks(query[start:position])
    part = _one_cell_blanks(query[position:end])
    behind = _one_cell_blanks(query[end : end + CONTEXT]) + (ELLIPSIS if end + CONTEXT < len(query) else "")
    return before + part + behind, " " * width(before) + "^" * max(1, width(part))


def _one_cell_blanks(text: str) -> str:
    """Inert and in one line, with a blank for each character of white space: carets count on their number."""
    return inert("".join(" " if each.isspace() else each for each in text))
