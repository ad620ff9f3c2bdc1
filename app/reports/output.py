"""Writing to standard output."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.paths import config_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TextIO

    from app.options import Options
    from app.setup import Setup


CONFIG = "config.toml"
USUAL_COLUMNS = 80
"""Of a terminal that does not say how wide it is."""


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
        return os.get_terminal_size(1).columns or USUAL_COLUMNS
    except OSError:
        return USUAL_COLUMNS


def write_text(text: str) -> None:
    """Print a text, in plain characters where the user has set so, else where the locale says so (README,
    "Settings"); what the output's encoding lacks is spelt in plain characters in any case.
    """
    stream = sys.stdout
    stream.write(spelled(text, stream.encoding or "utf-8", os.environ))
    stream.flush()


def write_exactly(line: str) -> None:
    """Print a line that is to be run: with another character it would be another command. It has the bytes
    that paths have on this system, whatever the encoding of the output.
    """
    _put(sys.stdout, line)


def spelled(text: str, encoding: str, env: Mapping[str, str]) -> str:
    """`text` as it can be drawn in as many cells by a terminal with that environment and `encoding`."""
    if text.isascii():
        return text
    if wants_ascii(env):
        from app.view.ascii_text import ascii_lines

        return ascii_lines(text)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from app.view.ascii_text import encodable

        return encodable(text, encoding)
    return text


def wants_ascii(env: Mapping[str, str]) -> bool:
    """Whether the user has set plain characters, or else the locale has no others."""
    if os.path.lexists(os.path.join(config_folder(env), CONFIG)):
        from app.settings import read_settings

        return read_settings(env).draws_ascii(env)
    from app.view.terminal import is_ascii_terminal

    return is_ascii_terminal(env)


def write_json(value: dict[str, Any]) -> None:
    """Print a value as one JSON document, in ASCII, so that no terminal takes anything in it for a
    command.
    """
    import json

    # In one go: piece by piece is several times slower.
    text = json.dumps(value, ensure_ascii=True, indent=1 if sys.stdout.isatty() else None)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def json_line(value: dict[str, Any]) -> str:
    """A value as JSON in one line, in ASCII."""
    import json

    return json.dumps(value, ensure_ascii=True)


def complain(message: str) -> None:
    """One line on standard error, inert whatever it names."""
    _say(f"leafmark: {one_line(message, 4_000)}\n")


def hint(command: str) -> None:
    """A command to be run by hand, on a line of standard error of its own and as it is: see
    `actions.resume.quoted`.
    """
    _put(sys.stderr, command)


def _put(stream: TextIO, line: str) -> None:
    stream.flush()
    stream.buffer.write(os.fsencode(line) + b"\n")
    stream.flush()


def _say(text: str) -> None:
    sys.stderr.write(spelled(text, sys.stderr.encoding or "utf-8", os.environ))


def say_missing(options: Options, setup: Setup) -> None:
    """A folder that the user named and that holds nothing is told of; those that were found may be
    missing.
    """
    for store in setup.stores:
        problem = store.problem() if store.source == "--store" and options.store else None
        if problem:
            complain(f"--store {store.agent.name}={one_line(store.root)}: {problem}")
