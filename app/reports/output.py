"""Writing to standard output."""

from __future__ import annotations

import os
import sys

from app.formats.text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from app.options import Options
    from app.setup import Setup


def columns() -> int | None:
    """The width to fit lines to: the terminal's; None when the output goes elsewhere, where nothing is
    cut.
    """
    if not sys.stdout.isatty():
        return None
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 80


def write_text(text: str) -> None:
    """Print a text; what the output's encoding lacks becomes a question mark."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


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
    sys.stderr.write(f"leafmark: {one_line(message, 4_000)}\n")


def say_missing(options: Options, setup: Setup) -> None:
    """A folder that the user named and that holds nothing is told of; those that were found may be
    missing.
    """
    for store in setup.stores:
        problem = store.problem() if store.source == "--store" and options.store else None
        if problem:
            complain(f"--store {store.agent.name}={one_line(store.root)}: {problem}")
