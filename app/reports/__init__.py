"""What the command line prints: the list, a tree, the doctor's findings. Text is inert; JSON is plain
ASCII.
"""

from __future__ import annotations

from app.formats.text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from app.setup import Setup


def run(options: argparse.Namespace, setup: Setup) -> int:
    """Do one command.

    :param options: parsed by ``app.cli``; ``command`` names the report.
    :return: the exit code (see ``app.cli``).
    """
    _say_missing(options, setup)
    if options.command == "list":
        from app.reports import listing

        return listing.run(options, setup)
    if options.command == "tree":
        from app.reports import tree

        return tree.run(options, setup)
    from app.reports import doctor

    return doctor.run(options, setup)


def _say_missing(options: argparse.Namespace, setup: Setup) -> None:
    """A folder that the user named and that holds nothing is told of; those that were found may be
    missing.
    """
    from app.reports.output import complain

    for store in setup.stores:
        problem = store.problem() if store.source == "--store" and options.store else None
        if problem:
            complain(f"--store {store.agent.name}={one_line(store.root)}: {problem}")
