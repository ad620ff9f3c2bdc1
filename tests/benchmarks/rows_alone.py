"""leafmark whose cold index makes the rows and keeps no text, as it was before
texts were kept. Workers read and decode every line as ever, and leave out only what is for the search.
"""

from __future__ import annotations

import sys

START = "from tests.benchmarks.rows_alone import start; start()"
"""The program text for `python -c`, with leafmark's arguments behind it."""

_WORKER = "import sys; sys.path[:] = sys.argv[1:]; from tests.benchmarks.rows_alone import work; work()"


def start() -> None:
    """Run leafmark's command line, with such workers."""
    from app.cli import start as run
    from app.index.workers import worker

    worker.START = _WORKER
    sys.exit(run())


def work() -> None:
    """The inside of a worker."""
    from app.index.workers import worker

    load = worker.load

    def load_and_leave_out() -> None:
        # First what it loads itself, in its order.
        load()
        from app.sessions.extract_text import Heard

        assert hasattr(Heard, "packed"), "what is left out has another name by now"
        setattr(Heard, "packed", lambda self: b"")  # noqa: B010 - a method is nothing to assign to

    worker.load = load_and_leave_out
    worker.main()
