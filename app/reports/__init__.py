"""What the command line prints: the list, hits of a search, a tree, labels, the doctor's findings, what
became of the index, what changes. Text is inert; JSON is plain ASCII.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.reports.output import say_missing

if TYPE_CHECKING:
    from app.options import Options
    from app.setup import Setup


def run(options: Options, setup: Setup) -> int:
    """Do one command.

    :param options: ``command`` names the report.
    :return: the exit code (see ``app.cli``).
    """
    say_missing(options, setup)
    if options.command == "list":
        from app.reports import listing

        return listing.run(options, setup)
    if options.command == "tree":
        from app.reports import tree

        return tree.run(options, setup)
    if options.command == "labels":
        from app.reports import labels

        return labels.run(options, setup)
    if options.command == "search":
        from app.reports import search

        return search.run(options, setup)
    if options.command == "index":
        from app.reports import index

        return index.run(options, setup)
    if options.command == "watch":
        from app.reports import watch

        return watch.run(options, setup)
    from app.reports import doctor

    return doctor.run(options, setup)
