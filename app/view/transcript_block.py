"""The parts of a transcript: turns, which are entries, and blocks, which are parts of an entry that a user
reads, folds and copies as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from app.sessions.tree.entry_ref import EntryRef
from app.view.document_line import DocumentLine, own_line
from app.view.formatting import counted
from app.view.line import Line

if TYPE_CHECKING:
    from app.sessions.tree.node import Node

LEGEND = (
    "▌ prompt  ▸ folded  ▾ unfolded  × failed  ◆ label  ← leaf  ≡ summary  Ψ other branches start here"
    "  + − added and removed lines"
)
FOLDED, SHORT, FULL = range(3)
"""The states of a block that can be folded: its head, its beginning, all of it."""


@dataclass(eq=False)
class Block:
    """A part of an entry: a prompt, the text of an answer, a tool call with its result, and so on.

    kind         "prompt", "answer", "thinking", "tool", "summary", "command" or "custom"; "tools" for the
                 line that stands for a run of calls
    head         its first line; None for a block without one
    open_head    the look of that line while the block is unfolded; None if it cannot be folded
    body         the lines below the head; while it is `FULL`, all of them
    more         the number of lines that `body` leaves out; `is_tail` if they are above and not below
    state        `FOLDED`, `SHORT` or `FULL`
    found        the index of the line with a match, -1 for none
    brief        the call in a few words, for the line of its run; empty for a block that is no call
    has_failed   the call has failed
    in_open_run  the run of calls that it is in is unfolded
    text, codes  as it was written, and the code in it; released before the block is shown
    """

    kind: str
    body: list[DocumentLine]
    head: DocumentLine | None = None
    open_head: DocumentLine | None = None
    state: int = FULL
    more: int = 0
    is_tail: bool = False
    text: str = ""
    codes: list[str] = field(default_factory=list)
    found: int = -1
    brief: str = ""
    has_failed: bool = False
    in_open_run: bool = False

    @property
    def folds(self) -> bool:
        """Whether it can be folded."""
        return self.open_head is not None

    @property
    def is_tight(self) -> bool:
        """Whether no blank line separates it from a block of the same kind."""
        return self.kind in ("tool", "tools", "thinking")

    @property
    def lines(self) -> list[DocumentLine]:
        """The lines in its present state, with the key that shows those that are left out."""
        return self._lines(" (Space)")

    @property
    def printed_lines(self) -> list[DocumentLine]:
        """The same for a page without keys."""
        return self._lines("")

    def _lines(self, key: str) -> list[DocumentLine]:
        if self.head is None:
            return self.body
        if self.folds and self.state == FOLDED:
            return [self.head]
        head = [self.open_head or self.head]
        if not self.more:
            return head + self.body
        if self.is_tail:
            return [*head, own_line(f"    … {counted(self.more, 'line')} above{key}"), *self.body]
        return [*head, *self.body, own_line(f"    … {counted(self.more, 'more line')}{key}")]


def fold_head(
    name: str, name_style: str, text: str, right: Line, text_style: str = "dim"
) -> tuple[DocumentLine, DocumentLine]:
    """The heads of a folded and of an unfolded block. The texts are inert."""
    made = []
    for mark in ("▸ ", "▾ "):
        spans: Line = [("  ", "text"), (mark, "dim"), (name, name_style)]
        if text:
            spans.append(("  " + text, text_style))
        made.append(DocumentLine(spans, own=3, right=right))
    return made[0], made[1]


@dataclass(eq=False)
class Turn:
    """The blocks of one entry.

    entry_id, offset   the id of the entry, and the offset of its line in the file
    node               the entry, from which it can be read again; None in tests
    blocks             empty for an entry without text, and for a result that is shown with its call
    joined_to          the offset of the entry with that call; -1 for no such entry
    results            the results that are shown in this turn, by the id of the call
    found              the index of the block with a match, -1 for none
    model              the model of an answer; "" if it is not known
    day, clock         when it was written, as they are shown; "" if that is not known
    """

    entry_id: str | None
    offset: int
    blocks: list[Block]
    node: Node | None = None
    joined_to: int = -1
    results: Mapping[str, Node] = field(default_factory=dict)
    found: int = -1
    model: str = ""
    day: str = ""
    clock: str = ""

    @property
    def anchor(self) -> EntryRef:
        """A reference to the entry."""
        return EntryRef(self.entry_id, self.offset)

    @property
    def main_block(self) -> int:
        """The number of the block with the label of the entry: its text, else its first block."""
        return next((at for at, block in enumerate(self.blocks) if block.kind in ("answer", "prompt")), 0)

    @property
    def rows(self) -> int:
        """About how many lines it takes, of which a run of calls may need fewer."""
        return sum(1 if block.is_tight else len(block.lines) + 1 for block in self.blocks)

    @property
    def lines(self) -> list[DocumentLine]:
        """The lines of all blocks."""
        return [line for block in self.blocks for line in block.lines]

    def release_texts(self) -> Turn:
        """Forget the texts, which may be large: they are read again when they are needed."""
        for block in self.blocks:
            block.text = ""
            block.codes = []
        return self


class Part(NamedTuple):
    """A part of a transcript, as it is sent to the screen.

    above, below   the turns before and behind the shown ones, in the order of the path
    at_root        whether no turn precedes `above`
    at_end         whether no turn follows `below`
    total          the number of entries on the path; None if it is not known
    opened         whether it replaces the shown path by another. `below` then begins with the requested
                   entry, or with the last one if none was requested
    found          whether the requested entry is on the path
    changed        turns that replace those of the same offsets: results of their calls were read
    """

    above: Sequence[Turn]
    below: Sequence[Turn]
    at_root: bool
    at_end: bool
    total: int | None
    opened: bool = False
    found: bool = False
    changed: Sequence[Turn] = ()
