"""What the rows of all sessions say, ready for a filter. How the sessions are arranged has no part in it: a
list that is arranged otherwise, or in which one session changes, is looked through as fast as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.session_filter import haystack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.view.list_line import ListLine

BLOCK = 64
"""So many lines are asked at once whether any of them matches, which mostly none does."""


class Block:
    """Some lines, in no order.

    text   what a filter looks at of all of them; None while it has to be put together
    found  those that have what was looked for last; None: nobody has looked since a session changed
    """

    __slots__ = ("found", "lines", "text")

    def __init__(self) -> None:
        self.lines: list[ListLine] = []
        self.text: str | None = None
        self.found: list[ListLine] | None = None

    def forget(self) -> None:
        """A session has come, gone or changed."""
        self.text = self.found = None

    def put_together(self) -> str:
        """The `text`, kept until a session changes."""
        # no word has a line's end in it
        text = self.text = "\n".join([line.folded or _fold(line) for line in self.lines])
        return text

    def look_for(self, words: Sequence[str]) -> list[ListLine]:
        """Find the lines with all the words."""
        text = self.text
        if text is None:
            text = self.put_together()
        found = self.lines
        for word in words:
            if word not in text:
                found = []
                break
        self.found = _having(found, words)
        return self.found


class RowTexts:
    """The lines, in blocks; and what was found in them, for whoever types on or asks again."""

    __slots__ = ("_blocks", "_words")

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._words: list[str] = []

    def come(self, lines: Sequence[ListLine]) -> None:
        """Sessions are new."""
        for line in lines:
            if not self._blocks or len(self._blocks[-1].lines) >= BLOCK:
                self._blocks.append(Block())
            block = line.block = self._blocks[-1]
            block.lines.append(line)
            block.forget()

    def change(self, line: ListLine) -> None:
        """A session is another now than it was."""
        line.folded = ""
        if line.block is not None:
            line.block.forget()

    def go(self, line: ListLine) -> None:
        """A session is here no more."""
        block, line.block = line.block, None
        if block is not None:
            block.lines.remove(line)
            block.forget()
            if not block.lines:
                self._blocks.remove(block)

    def prepare(self) -> None:
        """Have all ready, so that the first filter costs no more than others."""
        for block in self._blocks:
            if block.text is None:
                block.put_together()

    def having(self, words: list[str]) -> list[ListLine]:
        """The lines of which the row has all of some folded words, in no order."""
        if words != self._words:
            says_more = all(any(old in new for new in words) for old in self._words)
            self._words = words
            for block in self._blocks:
                if not says_more:
                    block.found = None
                elif block.found:
                    block.found = _having(block.found, words)
        found: list[ListLine] = []
        for block in self._blocks:
            some = block.found
            found += block.look_for(words) if some is None else some
        return found


def _having(lines: list[ListLine], words: Sequence[str]) -> list[ListLine]:
    for word in words:
        lines = [line for line in lines if word in (line.folded or _fold(line))]
    return lines


def _fold(line: ListLine) -> str:
    """What a filter looks at of a line, kept until its session changes."""
    if line.row is not None:
        line.folded = haystack(line.row, line.folder)
    return line.folded
