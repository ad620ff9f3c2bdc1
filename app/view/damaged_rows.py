"""Lines of a session that are no entry, as rows of its tree.

They hang on nothing and nothing hangs on them, so no place in the tree is theirs: their rows follow its last
one, in the order of the file, where they pull nothing apart that belongs together. What counts entries, moves
between them or asks how they hang never meets them.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from app.formats.text import one_line
from app.view.cells import shorten, steady
from app.view.line import fit_line, line_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.header import Fault
    from app.sessions.tree.tree import SessionTree
    from app.view.line import Line
    from app.view.tree_row import Glyphs

SHOWN_IN = frozenset(("default", "all"))
"""The filters that show them; the others ask for entries of one kind."""


class DamagedLine(NamedTuple):
    """One of them.

    :param line: from 1; 0 where the whole file is meant.
    :param offset: where it begins in the file.
    :param reason: why it is no entry, inert.
    :param torn: it is the unfinished last line, which may still be being written.
    :param length: of that line, how many bytes there are of it by now.
    """

    line: int
    offset: int
    reason: str
    torn: bool
    length: int = 0

    @property
    def place(self) -> str:
        """Which line it is, in words."""
        return f"line {self.line:,}" if self.line else "the file"

    def is_now(self, other: DamagedLine) -> bool:
        """Whether it is what `other` was: the same line, where that was torn with more to it."""
        return self[:-1] == other[:-1] or (other.torn and self.offset == other.offset)


class DamagedRows:
    """Those of one tree, in file order. Each is put into words when it is looked at."""

    def __init__(self, tree: SessionTree) -> None:
        """:param tree: of one that is not whole no line is known by its number, and none has a row."""
        self._faults = damaged_faults(tree) if tree.is_whole else []
        self._torn = tree.torn if tree.is_whole else None

    def extend(self, faults: Sequence[Fault], torn: Fault | None) -> None:
        """Take in those that came, and what the unfinished last line is now."""
        self._faults += faults
        self._torn = torn

    def __len__(self) -> int:
        return len(self._faults) + (self._torn is not None)

    def __getitem__(self, at: int) -> DamagedLine:
        if at == len(self._faults) and self._torn is not None:
            return damaged_line(self._torn)
        return damaged_line(self._faults[at])

    def find(self, line: DamagedLine) -> int | None:
        """Which of them it is, from 0; None where it is none of them any more."""
        at = bisect_left(self._faults, line.offset, key=attrgetter("offset"))
        while at < len(self):
            found = self[at]
            if found.offset != line.offset:
                return None
            if found.is_now(line):
                return at
            at += 1
        return None


def damaged_line(fault: Fault) -> DamagedLine:
    """What there is to say of a line that is no entry."""
    return DamagedLine(fault.line or 0, fault.offset, one_line(fault.reason), fault.torn, fault.length)


def damaged_faults(tree: SessionTree, since: int = 0) -> list[Fault]:
    """The problems of a tree from number `since` on that are lines without an entry of their own; the
    unfinished last line is not among them.
    """
    return [fault for fault in tree.problems[since:] if is_apart(tree, fault)]


def is_apart(tree: SessionTree, fault: Fault) -> bool:
    """Whether a problem of a tree is a line that is no entry."""
    return tree.find(None, fault.offset) is None


def render_damaged_row(line: DamagedLine, cells: int, *, selected: bool, glyphs: Glyphs) -> Line:
    """Its row in exactly `cells` cells, at the level of the roots."""
    head: Line = [(glyphs.pointer if selected else " ", "pointer"), ("  ", "text")]
    room = max(cells - line_width(head), 0)
    said = shorten(steady(f"! {line.place}: {line.reason}"), room)
    return fit_line([*head, (said, "warning" if line.torn else "error")], cells)
