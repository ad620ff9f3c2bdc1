"""Exports sessions to files in a thread, one after the other."""

from __future__ import annotations

import os
from queue import Queue
from threading import Event, Thread
from typing import TYPE_CHECKING

from app.export.choice import file_name
from app.formats.errors import Cancelled
from app.messages import ActionsProgressed, ExportDone, ServiceFailed
from app.services.background import GilYielder
from app.sessions.errors import SessionError
from app.view.notifications import ActionProgress, reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.export.choice import Order
    from app.export.to_file import Exported
    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup

WHAT = "export"
"""The name of an export among the actions."""


class SessionExporter:
    """Posts ``ActionsProgressed`` and one ``ExportDone`` for each request; no request is dropped."""

    def __init__(self, setup: Setup, post: Post) -> None:
        self._setup = setup
        self._post = post
        self._requests: Queue[tuple[list[Row], Order, str, bool] | None] = Queue()
        self._thread: Thread | None = None
        self._stop = Event()
        self._progress: ActionProgress | None = None

    def export(self, rows: Sequence[Row], order: Order, path: str, *, force: bool) -> None:
        """Export the sessions of `rows`.

        :param path: the file, or an existing folder, in which each session gets a file.
        :param force: replace files that are there.
        """
        self._requests.put((list(rows), order, path, force))
        if self._thread is None:
            self._thread = Thread(target=self._run, name="leafmark-export", daemon=True)
            self._thread.start()

    def cancel(self) -> bool:
        """Stop the export that runs; no half of a file is left. False: none runs."""
        progress = self._progress
        if progress is None:
            return False
        progress.is_stopped = True
        return True

    def stop(self) -> None:
        """End the thread, and the export that runs in it."""
        self._stop.set()
        self.cancel()
        self._requests.put(None)

    def _run(self) -> None:
        while (request := self._requests.get()) is not None and not self._stop.is_set():
            try:
                self._export(*request)
            except Exception as error:
                self._post(ServiceFailed(f"{type(error).__name__}: {error}"))
            finally:
                self._progress = None
                self._post(ActionsProgressed(None))

    def _export(self, rows: list[Row], order: Order, path: str, force: bool) -> None:
        progress = self._progress = ActionProgress(WHAT)
        progress.total = len(rows)
        exported: list[Exported] = []
        failed: list[tuple[Row, str]] = []
        title = ""
        for row in rows:
            if progress.is_stopped:
                break
            progress.done = len(exported) + len(failed)
            self._post(ActionsProgressed(progress))
            try:
                exported.append(self._export_one(row, order, path, force, progress))
                title = title or row.title
            except Cancelled:
                break
            except FileExistsError as error:
                failed.append((row, f"{os.path.basename(error.filename or path)} is there, and is kept"))
            except (SessionError, OSError) as error:
                failed.append((row, reason_of(error)))
        of = len(rows) if progress.is_stopped else 0
        self._post(ExportDone(exported, failed, title=title, of=of))

    def _export_one(
        self, row: Row, order: Order, path: str, force: bool, progress: ActionProgress
    ) -> Exported:
        # Imported here, in the thread: few runs export, and loading it would delay the first key.
        from app.export.exporter import Surroundings
        from app.export.output_file import Target
        from app.export.session_lines import TARGETS
        from app.export.to_file import export_to_file, redactor_for

        setup = self._setup
        surroundings = Surroundings(setup.stores, setup.agent_env, setup.home, setup.now_ms())
        if os.path.isdir(path):
            path = os.path.join(path, file_name(row.agent, row.id, order.format))
        yielder = GilYielder(lambda: progress.is_stopped)
        if row.agent in TARGETS:
            order = order._replace(target=row.agent)
        target = Target(path, force=force, kept=[row.path, *setup.kept_files()])
        redactor = redactor_for(row.path, setup.env, setup.home) if order.redacts else None
        return export_to_file(
            row.path, (row.agent,), order, surroundings, target, redactor, yielder.keep_going
        )
