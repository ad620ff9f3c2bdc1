"""The reports of the command line: the list, search hits, a tree, a conversation, labels, contexts, exports,
the findings of the doctor, the state of the index, changes as they happen, and the help pages. Text is inert;
JSON is plain ASCII.
"""

from __future__ import annotations

from importlib import import_module

from app.options import WRONG_USE, Options, WrongUse
from app.reports.output import complain, say_missing
from app.setup import Setup

_MODULES = {
    "list": "listing",
    "tree": "tree",
    "show": "show",
    "labels": "labels",
    "context": "context",
    "export": "export",
    "search": "search",
    "stats": "stats",
    "disk": "disk",
    "index": "index",
    "watch": "watch",
    "doctor": "doctor",
    "config": "config",
    "skill": "skill",
    "completion": "shell",
    "init": "shell",
    "help": "help",
}
"""Command -> the module of this package that runs it."""


def run(options: Options, setup: Setup) -> int:
    """Run one command.

    :param options: ``command`` names the report.
    :return: the exit code (see ``app.cli``).
    """
    say_missing(options, setup)
    # One module only: a list does not wait for the imports of the other reports.
    module = import_module(f"app.reports.{_MODULES[options.command or '']}")
    try:
        code: int = module.run(options, setup)
    except WrongUse as error:
        complain(str(error))
        return WRONG_USE
    return code
