"""Exporting sessions, or the path to an entry: a dialog asks how and where, and a message says what became of
it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.export.file_name import export_folder
from app.keys import key_of
from app.services.background import in_background
from app.view.formatting import tilde
from app.view.notifications import exported_text, quoted
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.controllers.dialog_host import DialogHost
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.panes.sessions_pane import SessionsPane
    from app.services.session_exporter import ExportResult, SessionExporter
    from app.settings import Settings
    from app.setup import Setup


@dataclass(eq=False, repr=False)
class ExportFlow:
    """Asks how to export, and does it.

    :param exporter: exports.
    :param settings: has the folder for exports.
    """

    _host: DialogHost
    _messages: StatusMessages
    _prompt: RowPrompt
    _pane: SessionsPane
    _exporter: SessionExporter
    _setup: Setup
    _settings: Settings

    def __post_init__(self) -> None:
        # what was exported last: a file, or the folder of several; "" for nothing yet
        self._last = ""

    def export(self, rows: Sequence[Row], entry_id: str = "") -> None:
        """Ask how to export these sessions, and export them.

        :param entry_id: of the entry to which the path can be exported, of a single session.
        """
        if rows:
            self._host.start(self._ask(list(rows), entry_id))
        else:
            self._messages.show("Nothing to export: move to a session, or mark some")

    async def _ask(self, rows: list[Row], entry_id: str) -> None:
        from app.dialogs.export import ExportDialog

        selection = StableSelection(self._pane.model, rows)
        setup, is_one = self._setup, len(rows) == 1
        folder = await in_background(
            lambda: export_folder(self._settings.export_folder, setup.env, setup.home)
        )
        dialog = ExportDialog(
            quoted(rows[0].title) if is_one else f"{len(rows):,} sessions",
            await self._exporter.offer(rows, folder),
            is_folder=not is_one,
            made=folder,
            entry_id=entry_id,
            here=setup.here[0],
            home=setup.home,
        )
        answer = await self._host.open(dialog)
        if answer is not None:
            rows = await self._prompt.rows_of(selection)
            if rows:
                self._show(
                    await self._exporter.export(
                        rows, answer.order, answer.path, force=answer.force, made=folder
                    )
                )

    def open_last(self) -> None:
        """Open what was exported last in the program of the system for it."""
        if self._last:
            self._host.start(self._open(self._last))
        else:
            self._messages.show("Nothing was exported since the start")

    async def _open(self, path: str) -> None:
        if not await in_background(lambda: open_with_system(path, self._setup.env)):
            self._messages.complain(f"No program was found that opens {tilde(path, self._setup.home)}")

    def stop_running(self) -> bool:
        """Stop the export that runs. False: none runs."""
        return self._exporter.cancel()

    def _show(self, result: ExportResult) -> None:
        """Show what was exported, and what was not."""
        for row, reason in result.failed[:1]:
            others = f", and {len(result.failed) - 1:,} more" if len(result.failed) > 1 else ""
            self._messages.complain(f"Not exported: {reason} – {quoted(row.title)}{others}")
        if result.exported:
            counts = [each.replaced for each in result.exported if each.replaced is not None]
            paths = [each.path for each in result.exported]
            self._last = paths[0] if len(paths) == 1 else os.path.dirname(paths[0])
            text = exported_text(
                paths,
                sum(each.size for each in result.exported),
                sum(counts) if counts else None,
                self._setup.home,
                key_of("export.open"),
            )
            self._messages.show_done(lambda key: text, is_undo=False)
        problems = sum(len(each.problems) for each in result.exported)
        if problems:
            self._messages.warn(f"{problems:,} damaged line{'' if problems == 1 else 's'} not exported")
        if result.of:
            self._messages.warn(f"Stopped: {len(result.exported):,} of {result.of:,} exported")


def open_with_system(path: str, env: Mapping[str, str]) -> bool:
    """Open a file in the program that the system has for it, without waiting for its end. False: there is
    none.
    """
    opener = shutil.which("open" if sys.platform == "darwin" else "xdg-open", path=env.get("PATH"))
    if opener is None:
        return False
    nothing = subprocess.DEVNULL
    # A session of its own: a browser for terminals must not write over the screen.
    subprocess.Popen(
        [opener, path], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True, env=dict(env)
    )
    return True
