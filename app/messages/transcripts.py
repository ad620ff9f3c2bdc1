"""What the background tells of a transcript. Only who opens one imports this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from app.view.transcript import Part


class TranscriptRead(Message):
    """A part of a session's transcript was read; every request is answered with at least one of these."""

    def __init__(self, generation: int, part: Part) -> None:
        self.generation = generation
        self.part = part
        super().__init__()


class TranscriptFailed(Message):
    """A session's transcript could not be read."""

    def __init__(self, generation: int, reason: str) -> None:
        self.generation = generation
        self.reason = reason
        super().__init__()
