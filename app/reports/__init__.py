"""What the command line prints: the list, a tree, the doctor's findings. Text is inert; JSON is plain
ASCII.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from app.setup import Setup


def run(options: argparse.Namespace, setup: Setup) -> int:
    """Do one command.

    :param options: parsed by ``app.cli``; ``command`` names the report.
    :return: the exit code (see ``app.cli``).
    """
    if options.command == "list":
        from app.reports import listing

        return listing.run(options, setup)
    if options.command == "tree":
        from app.reports import tree

        return tree.run(options, setup)
    from app.reports import doctor

    return doctor.run(options, setup)
