"""Writing to standard output and standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from app.formats.text import inert, one_line
from app.options import Options
from app.paths import CONFIG, config_folder
from app.setup import Setup
from app.view.cells import ELLIPSIS, pad, shorten, width
from app.view.terminal import ascii_lines, can_place_text, is_ascii_terminal, spelled_for

if TYPE_CHECKING:
    from app.index.query.query import QueryError
    from app.index.scan.deltas import Delta

SCHEMA = 3
"""The `schema` of every JSON document that a command prints; it changes when a field changes its meaning."""
NO_SESSIONS = "no sessions found; `leafmark doctor` says where it looked"
DEFAULT_COLUMNS = 80
"""The width of a terminal whose width is unknown."""


def columns() -> int | None:
    """The width to fit lines to: that of the terminal; None if the output is no terminal, so that nothing is
    cut.
    """
    return terminal_columns() if sys.stdout.isatty() else None


def wants_colour(env: Mapping[str, str]) -> bool:
    """Whether standard output is a terminal with colours."""
    return sys.stdout.isatty() and not env.get("NO_COLOR") and can_place_text(env)


DIM, BOLD, GREEN, CYAN, YELLOW, PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[32m", "\x1b[36m", "\x1b[33m", "\x1b[0m"


def painted(text: str, style: str, *, colour: bool) -> str:
    """`text` in a style, if `colour` and there is one; blanks around it stay plain."""
    shown = text.strip(" ")
    if not (colour and style and shown):
        return text
    before, _, after = text.partition(shown)
    return f"{before}{style}{shown}{PLAIN}{after}"


def aligned(
    names: Sequence[str],
    lines: Sequence[Sequence[str]],
    styles: Sequence[str],
    cells: int,
    most: int,
    *,
    colour: bool,
) -> list[str]:
    """A table for a terminal: the texts of each line side by side, inert, below the names of the columns.
    The last text gets the room that is left.

    :param styles: of the columns; "" for none.
    :param cells: the width to fit to.
    :param most: the most cells of a column, apart from the last one, which has at least as many.
    """
    rows = [list(names)]
    for *first, last in lines:
        rows.append([*(shorten(one_line(text), most) for text in first), one_line(last, 4_000)])
    widths = [max(map(width, column)) for column in list(zip(*rows, strict=True))[:-1]]
    room = max(most, cells - sum(widths) - 2 * len(widths))
    table = []
    for number, (*first, last) in enumerate(rows):
        texts = [*map(pad, first, widths), shorten(last, room)]
        shown = styles if number else [BOLD] * len(texts)
        pairs = zip(texts, shown, strict=True)
        table.append("  ".join([painted(text, style, colour=colour) for text, style in pairs]).rstrip())
    return table


def terminal_columns() -> int:
    """The width of the terminal: the variable COLUMNS, else the size that the system reports, else
    `DEFAULT_COLUMNS`. Some programs start a terminal with the size 0, which counts as unknown.
    """
    value = os.environ.get("COLUMNS", "")
    if value.isdecimal() and int(value):
        return int(value)
    try:
        return os.get_terminal_size(1).columns or DEFAULT_COLUMNS
    except OSError:
        return DEFAULT_COLUMNS


def write_text(text: str) -> None:
    """Print a text; `encodable_text` replaces the characters that cannot be drawn."""
    stream = sys.stdout
    stream.write(encodable_text(text, stream.encoding or "utf-8", os.environ))
    stream.flush()


def write_lines(lines: Iterable[str]) -> None:
    """Print lines, as `write_text` does."""
    write_text("".join(f"{line}\n" for line in lines))


def write_exactly(line: str) -> None:
    """Print a command line unchanged: with another character it would be another command. Paths keep their
    bytes, whatever the encoding of the output.
    """
    _write_bytes(sys.stdout, line)


def encodable_text(text: str, encoding: str, env: Mapping[str, str]) -> str:
    """`text` as a terminal with this environment and `encoding` can draw it, in as many cells. It is spelt in
    ASCII if `wants_ascii`; otherwise only the characters that the encoding lacks are.
    """
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
    """Whether to print ASCII only: the setting decides, else the locale (help/settings.md)."""
    if os.path.lexists(os.path.join(config_folder(env), CONFIG)):
        # Imported here: most users have no settings file, and a list would wait for it.
        from app.settings import read_settings

        return read_settings(env).draws_ascii(env)
    return is_ascii_terminal(env)


def write_json(value: dict[str, Any]) -> None:
    """Print a value as one JSON document, in ASCII, so that a terminal obeys no character in it."""
    # Imported here: a list for a reader does not need it.
    import json

    # One write: writing in pieces is several times slower.
    text = json.dumps(value, ensure_ascii=True, indent=1 if sys.stdout.isatty() else None)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def json_line(value: dict[str, Any]) -> str:
    """A value as JSON in one line, in ASCII."""
    # Imported here, as above.
    import json

    return json.dumps(value, ensure_ascii=True)


def complain(message: str) -> None:
    """Print one line on standard error. The message need not be inert."""
    write_error(f"leafmark: {one_line(message, 4_000)}\n")


def hint(command: str) -> None:
    """Print a command to be run by hand on its own line of standard error, unchanged; see
    `app.actions.shell_words`.
    """
    _write_bytes(sys.stderr, command)


def _write_bytes(stream: TextIO, line: str) -> None:
    stream.flush()
    stream.buffer.write(os.fsencode(line) + b"\n")
    stream.flush()


def write_error(text: str) -> None:
    """Print inert lines on standard error; `encodable_text` replaces the characters that cannot be drawn."""
    sys.stderr.write(encodable_text(text, sys.stderr.encoding or "utf-8", os.environ))


def say_missing(options: Options, setup: Setup) -> None:
    """Report the problems of folders from `--store`. The other stores may be missing without a report."""
    for store in setup.stores:
        problem = store.problem() if store.source == "--store" and options.store else None
        if problem:
            complain(f"--store {store.agent.name}={one_line(store.root)}: {problem}")


FIRST_SECONDS = 0.25
"""Seconds before the progress is first shown: short work shows none."""
SECONDS = 0.1
"""Least seconds between two updates of the progress."""


class Progress:
    """Shows the progress of a command in one line of standard error, if that is a terminal. The end of the
    `with` removes the line.

    read       callback for the deltas of a scan; None without a terminal
    compared   callback for the (done, total) of a comparison; None without a terminal
    counted    callback for the (done, total) of statistics; None without a terminal
    kept       callback for the (done, total) of copies; None without a terminal
    touched    callback for the (done, total) of touched files; None without a terminal
    """

    def __init__(self) -> None:
        self.read: Callable[[Delta], object] | None = None
        self.compared: Callable[[int, int], object] | None = None
        self.counted: Callable[[int, int], object] | None = None
        self.kept: Callable[[int, int], object] | None = None
        self.touched: Callable[[int, int], object] | None = None
        if sys.stderr.isatty():
            self.read = lambda delta: self._show("reading", delta.done, delta.total)
            self.compared = partial(self._show, "comparing")
            self.counted = partial(self._show, "counting")
            self.kept = partial(self._show, "keeping")
            self.touched = partial(self._show, "reading")
        self._next = time.monotonic() + FIRST_SECONDS
        self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if total and now >= self._next:
            self._next = now + SECONDS
            self._shown = True
            sys.stderr.write(f"\r{what} {done:,} of {total:,} files\x1b[K")
            sys.stderr.flush()


CONTEXT = 30
"""Characters of the query that are shown on either side of the invalid part."""
LONGEST_PART = 60
"""Characters of the invalid part that are shown, from its start."""


def complain_of_query(query: str, error: QueryError) -> None:
    """Print three lines on standard error: the reason, the part of the query, and carets under it."""
    complain(error.message)
    sys.stderr.write("".join(f"  {line}\n" for line in caret_lines(query, error.position, error.length)))


def caret_lines(query: str, position: int, length: int) -> tuple[str, str]:
    """The invalid part of `query` with the text around it, inert; and a line of carets under that part."""
    end = position + min(length, LONGEST_PART)
    start = max(0, position - CONTEXT)
    before = (ELLIPSIS if start else "") + _one_cell_blanks(query[start:position])
    part = _one_cell_blanks(query[position:end])
    behind = _one_cell_blanks(query[end : end + CONTEXT]) + (ELLIPSIS if end + CONTEXT < len(query) else "")
    return before + part + behind, " " * width(before) + "^" * max(1, width(part))


def _one_cell_blanks(text: str) -> str:
    """The text inert and in one line: each character of white space becomes one blank, so that the carets are
    under their part.
    """
    return inert("".join(" " if char.isspace() else char for char in text))
