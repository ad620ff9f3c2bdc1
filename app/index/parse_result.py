"""What one reading of a file gave: its row, and where the next reading may go on.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.index.row import Row
    from app.index.text.segment import Span
    from app.sessions.tally.halves import Halves


class Reading:
    """A row, the resume point and the text that belong to it; they are stored together or not at all.

    offset        the byte after the last newline that was read
    fingerprint   of the bytes before `offset`: while it holds, a larger file has only grown
    state         what `sessions.tally.summarise.extend` needs to go on from there (`sessions.tally.halves`)
    spans         where what was said up to `offset` lies in the text store, in order; None: it is not kept
    """

    __slots__ = ("fingerprint", "offset", "row", "spans", "state")

    def __init__(
        self,
        row: Row,
        offset: int = 0,
        fingerprint: bytes = b"",
        state: Halves = (),
        spans: tuple[Span, ...] | None = None,
    ) -> None:
        self.row = row
        self.offset = offset
        self.fingerprint = fingerprint
        self.state = state
        self.spans = spans
