"""Reads the entries that have labels, in a thread: their texts and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.errors import Cancelled
from app.messages import LabelledRead
from app.services.background import BackgroundService
from app.sessions.errors import SessionError
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row

LARGEST = 64 << 20
"""Bytes. The entries of a larger session are not read: the label itself is enough to go there."""


class LabelReader(BackgroundService):
    """Posts a ``LabelledRead`` for each session."""

    thread_name = "labels"

    def read(self, rows: Sequence[Row]) -> None:
        """Read the labelled entries of sessions, in this order. A later request replaces an earlier one."""
        self._worker.submit(lambda is_stale: self._read(list(rows), is_stale))

    def _read(self, rows: list[Row], is_stale: Callable[[], bool]) -> None:
        for row in rows:
            if is_stale():
                return
            if row.size > LARGEST:
                continue
            try:
                tree = open_tree(row.path, (row.agent,), lambda: not is_stale())
                nodes = [tree.by_id[id] for id, _ in row.labels if id in tree.by_id]
                tree.read_rows(nodes)
            except (Cancelled, SessionError, OSError):
                # The session is gone, or is no longer one: its labels are shown without their entries.
                continue
            entries = {
                node.id: (
                    node.row_text.text if node.row_text is not None else "",
                    node.role or node.type,
                    node.timestamp,
                )
                for node in nodes
                if node.id is not None
            }
            self._post(LabelledRead(row.path, entries))
