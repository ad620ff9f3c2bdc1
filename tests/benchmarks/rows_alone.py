"""Run leafmark with a cold index that makes the rows and stores no text.

Workers read and decode every line as usual, and leave out only the texts of the search.
"""

from __future__ import annotations

import sys

START = "from tests.benchmarks.rows_alone import start; start()"
"""The program text for `python -c`, with leafmark's arguments behind it."""

_WORKER = "import sys; sys.path[:] = sys.argv[1:]; from tests.benchmarks.rows_alone import work; work()"


def start() -> None:
    """Run leafmark's command line with such workers."""
    from app.cli import start as run
    from app.index import worker_process

    worker_process.START = _WORKER
    sys.exit(run())


def work() -> None:
    """Run a worker."""
    from app.index import worker_process
    from app.sessions.passages import NO_TEXT
    from app.sessions.summaries.passage_builder import PassageBuilder

    assert hasattr(PassageBuilder, "pack"), "what is left out has another name by now"
    setattr(PassageBuilder, "pack", lambda self: NO_TEXT)  # noqa: B010 - a method is nothing to assign to
    worker_process.main()
