"""``leafmark completion`` and ``leafmark init``: the scripts for shells."""

from __future__ import annotations

from app.completion.scripts import COMPLETION, KEY
from app.options import Options
from app.reports.output import write_text
from app.setup import Setup


def run(options: Options, setup: Setup) -> int:
    """Print the script of the shell."""
    write_text((COMPLETION if options.command == "completion" else KEY)[options.shell])
    return 0
