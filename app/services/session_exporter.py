"""Exports sessions to files in a thread, one after the other."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from app.export.choice import FORMATS
from app.formats.errors import Cancelled
from app.messages import ActionsProgressed
from app.services.background import GilYielder, in_background
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


class ExportResult(NamedTuple):
    """The result of an export.

    exported   one for each session that was exported
    failed     the others, each with the reason; raw
    of         the number of sessions of an export that was stopped before its end; else 0
    """

    exported: Sequence[Exported]
    failed: Sequence[tuple[Row, str]]
    of: int


class SessionExporter:
    """Runs exports, one after the other; posts ``ActionsProgressed``."""

    def __init__(self, setup: Setup, post: Post) -> None:
        self._setup = setup
        self._post = post
        self._one_by_one = asyncio.Lock()
        self._progress: ActionProgress | None = None

    async def offer(self, rows: Sequence[Row], folder: str) -> dict[str, str]:
        """Find where the sessions of `rows` would be exported: by format, the path of a file in `folder`, or
        the folder itself for several sessions.
        """
        return await in_background(lambda: self._offer(rows, folder))

    def _offer(self, rows: Sequence[Row], folder: str) -> dict[str, str]:
        return {
            format: self._path_in(folder, rows[0], format) if len(rows) == 1 else folder for format in FORMATS
        }

    def _path_in(self, folder: str, row: Row, format: str, taken: Sequence[str] = ()) -> str:
        from app.export.file_name import free_path
        from app.export.to_file import private_name, redactor_for

        redactor = redactor_for(row.path, self._setup.env, self._setup.home)
        name = private_name(row.title, row.agent, row.id, format, redactor)
        return free_path(os.path.join(folder, name), row.id, taken)

    async def export(
        self, rows: Sequence[Row], order: Order, path: str, *, force: bool, made: str
    ) -> ExportResult:
        """Export the sessions of `rows`.

        :param path: the file, or a folder, in which each session gets a file.
        :param force: replace files that are there.
        :param made: a folder that is created if it is `path`, or the file is in it.
        """
        async with self._one_by_one:
            try:
                return await in_background(lambda: self._export(list(rows), order, path, force, made))
            finally:
                self._progress = None
                self._post(ActionsProgressed(None))

    def cancel(self) -> bool:
        """Stop the export that runs; no half of a file is left. False: none runs."""
        progress = self._progress
        if progress is None:
            return False
        progress.is_stopped = True
        return True

    def _export(self, rows: list[Row], order: Order, path: str, force: bool, made: str) -> ExportResult:
        progress = self._progress = ActionProgress(WHAT)
        progress.total = len(rows)
        exported: list[Exported] = []
        failed: list[tuple[Row, str]] = []
        with contextlib.suppress(OSError):  # then the files cannot be written, which is reported
            if made in (path, os.path.dirname(path)):
                os.makedirs(made, exist_ok=True)
        in_folder = os.path.isdir(path)
        for row in rows:
            if progress.is_stopped:
                break
            progress.done = len(exported) + len(failed)
            self._post(ActionsProgressed(progress))
            try:
                taken = [each.path for each in exported]
                file = self._path_in(path, row, order.format, taken) if in_folder else path
                exported.append(self._export_one(row, order, file, force, progress))
            except Cancelled:
                break
            except FileExistsError as error:
                failed.append((row, f"{os.path.basename(error.filename or path)} is there, and is kept"))
            except (SessionError, OSError) as error:
                failed.append((row, reason_of(error)))
            except Exception as error:
                # A fault of leafmark is reported like any other error, and the next session follows.
                failed.append((row, f"{type(error).__name__}: {error}"))
        return ExportResult(exported, failed, len(rows) if progress.is_stopped else 0)

    def _export_one(
        self, row: Row, order: Order, path: str, force: bool, progress: ActionProgress
    ) -> Exported:
        # Imported here, in the thread: few runs export, and loading it would delay the first key.
        from app.export.exporter import Surroundings
        from app.export.output_file import Target
        from app.export.session_lines import TARGETS
        from app.export.to_file import export_to_file, redactor_for

        setup = self._setup
        surroundings = Surroundings(setup.stores, setup.agent_env, setup.home, setup.now_ms(), setup.prices)
        yielder = GilYielder(lambda: progress.is_stopped)
        if row.agent in TARGETS:
            order = order._replace(target=row.agent)
        target = Target(path, force=force, kept=[row.path, *setup.kept_files()])
        redactor = redactor_for(row.path, setup.env, setup.home) if order.redacts else None
        return export_to_file(
            row.path, (row.agent,), order, surroundings, target, redactor, yielder.keep_going
        )
