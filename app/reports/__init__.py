"""The reports of the command line: the list, hits of a search, a tree, labels, the findings of the doctor,
the state of the index, changes as they happen. Text is inert; JSON is plain ASCII.
"""

from __future__ import annotations

from importlib import import_module

from app.options import Options
from app.reports.output import say_missing
from app.setup import Setup

_MODULES = {
    "list": "listing",
    "tree": "tree",
    "labels": "labels",
    "search": "search",
    "index": "index",
    "watch": "watch",
    "doctor": "doctor",
}
"""Command -> the module of this package that runs it."""


def run(options: Options, setup: Setup) -> int:
    """Run one command.

    :param options: ``command`` names the report.
    :return: the exit code (see ``app.cli``).
    """
    say_missing(options, setup)
    # A list does not wait for what the other reports import.
    module = import_module(f"app.reports.{_MODULES[options.command or '']}")
    code: int = module.run(options, setup)
    return code
