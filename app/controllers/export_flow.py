"""Exporting sessions, or the path to an entry: a dialog asks how and where, and a message says what became of
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.export.choice import file_name
from app.view.notifications import exported_text, quoted
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.controllers.dialog_host import DialogHost
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.panes.sessions_pane import SessionsPane
    from app.services.session_exporter import ExportResult, SessionExporter
    from app.setup import Setup


@dataclass(eq=False, repr=False)
class ExportFlow:
    """Asks how to export, and does it.

    :param exporter: exports.
    """

    _host: DialogHost
    _messages: StatusMessages
    _prompt: RowPrompt
    _pane: SessionsPane
    _exporter: SessionExporter
    _setup: Setup

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
        setup, first = self._setup, rows[0]
        is_one = len(rows) == 1
        dialog = ExportDialog(
            quoted(first.title) if is_one else f"{len(rows):,} sessions",
            partial(file_name, first.agent, first.id) if is_one else None,
            entry_id=entry_id,
            here=setup.here[0],
            home=setup.home,
        )
        answer = await self._host.open(dialog)
        if answer is not None:
            rows = await self._prompt.rows_of(selection)
            if rows:
                self._show(await self._exporter.export(rows, answer.order, answer.path, force=answer.force))

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
            text = exported_text(
                [each.path for each in result.exported],
                sum(counts) if counts else None,
                result.title,
                self._setup.home,
            )
            self._messages.show_done(lambda key: text, is_undo=False)
        problems = sum(len(each.problems) for each in result.exported)
        if problems:
            self._messages.warn(f"{problems:,} damaged line{'' if problems == 1 else 's'} not exported")
        if result.of:
            self._messages.warn(f"Stopped: {len(result.exported):,} of {result.of:,} exported")
