"""A thread that does the newest of what it was asked and drops the rest."""

from __future__ import annotations

from threading import Condition, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Job = Callable[[Callable[[], bool]], None]


class LatestOnlyWorker:
    """One background thread for requests of which only the newest matters (the tree under a moving cursor).

    A job gets a function that says whether it was overtaken; a long one asks between its steps. What a job
    raises is handed to ``failed``. The thread starts with the first job, is a daemon, and never touches a
    widget.
    """

    def __init__(self, name: str, failed: Callable[[BaseException], None]) -> None:
        self._name = name
        self._failed = failed
        self._condition = Condition()
        self._job: Job | None = None
        self._number = 0
        self._stopped = False
        self._thread: Thread | None = None

    def ask(self, job: Job, *, overtakes: bool = True) -> None:
        """Do this next; a job that waits is dropped.

        :param overtakes: one that runs is told that it was overtaken; else it comes to its end first.
        """
        with self._condition:
            self._job = job
            self._number += overtakes
            if self._thread is None and not self._stopped:
                self._thread = Thread(target=self._run, name=f"leafmark-{self._name}", daemon=True)
                self._thread.start()
            self._condition.notify()

    def stop(self) -> None:
        """Take no more jobs; the running one is told that it was overtaken."""
        with self._condition:
            self._stopped = True
            self._job = None
            self._number += 1
            self._condition.notify()

    def _run(self) -> None:
        while True:
            with self._condition:
                while self._job is None and not self._stopped:
                    self._condition.wait()
                if self._stopped:
                    return
                job, number = self._job, self._number
                self._job = None
            try:
                if job is not None:
                    job(lambda number=number: self._number != number)  # type: ignore[misc]
            except Exception as error:
                self._failed(error)
            # what it was about may be large, and the next one may be long in coming
            job = None
