"""What the background tells of the archives. Only who opens them imports this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.stores.archive import Archived


class ArchiveRead(Message):
    """What is in the archives, newest first."""

    def __init__(self, archived: Sequence[Archived]) -> None:
        self.archived = archived
        super().__init__()
