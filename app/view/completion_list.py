"""The list of completions below the search line: its rows, the marked one, and its lines with their frame."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.text import one_line
from app.index.query.completion import Completion
from app.view.cells import max_width, pad, shorten, shorten_start, stable_width, width
from app.view.line import Line, fit_line
from app.view.rules import edge_line

MOST_ROWS = 8
"""Values that are shown at a time. All names of filters are shown if there is room."""
_MOST_TEXT = 32
_MOST_HELP = 40
_BESIDE = 8
"""Cells of a row beside its text and explanation: both frames, the pointer, and the gaps."""


class CompletionList:
    """The candidates for the word at the cursor; one of them is marked. It is closed without candidates.

    title       the filter whose values are listed, inert
    prefix      stands before each candidate, such as the name of the filter with its colon
    items       the candidates
    marked      the number of the marked one
    is_chosen   the user has moved the mark
    """

    def __init__(self) -> None:
        self.title = ""
        self.prefix = ""
        self.items: Sequence[Completion] = ()
        self.marked = 0
        self.is_chosen = False

    @property
    def is_open(self) -> bool:
        """Whether there are candidates."""
        return bool(self.items)

    @property
    def picked(self) -> Completion:
        """The marked candidate of an open list."""
        return self.items[self.marked]

    def open(self, title: str, items: Sequence[Completion], prefix: str = "") -> None:
        """List other candidates. The mark goes to the first, unless the candidates are the same."""
        if items != self.items:
            self.marked, self.is_chosen = 0, False
        self.title, self.items, self.prefix = title, items, prefix

    def close(self) -> None:
        """Remove the candidates."""
        self.open("", ())

    def step(self, rows: int) -> None:
        """Move the mark."""
        self.marked = max(0, min(self.marked + rows, len(self.items) - 1))
        self.is_chosen = True

    # drawing

    @property
    def height(self) -> int:
        """Lines with the frame."""
        return (min(len(self.items), MOST_ROWS) if self.prefix else len(self.items)) + 2

    def cells(self, most: int) -> int:
        """The width with the frame, at most `most` cells."""
        text, explanation = self._columns()
        return min(most, max(text + explanation + _BESIDE, max_width(self.title) + 6))

    def _columns(self) -> tuple[int, int]:
        text = max((max_width(self._text(item)) for item in self.items), default=0)
        explanation = max((max_width(_help(item)) for item in self.items), default=0)
        return text, min(explanation, _MOST_HELP)

    def _text(self, item: Completion) -> str:
        """The candidate in at most `_MOST_TEXT` cells; the end of a path says more than its beginning."""
        prefix, text = stable_width(self.prefix), stable_width(one_line(item.text.strip()))
        return prefix + (shorten_start if "/" in text else shorten)(text, _MOST_TEXT - width(prefix))

    def first_row(self, rows: int) -> int:
        """The number of the candidate in the first of `rows` rows: the marked one is in view."""
        return max(0, min(self.marked - rows // 2, len(self.items) - rows))

    def lines(self, cells: int, height: int, keys: str) -> list[Line]:
        """The lines in exactly `cells` cells, with the frame.

        :param height: the lines that there is room for, at least 3.
        :param keys: the keys of the list, inert, for the lower frame.
        """
        rows = max(1, min(len(self.items), height - 2))
        first = self.first_row(rows)
        column = min(self._columns()[0], max(4, cells - _BESIDE))
        drawn = [edge_line(self.title, cells, "╭", "╮")]
        for number, item in enumerate(self.items[first : first + rows], first):
            is_marked = number == self.marked
            inner = fit_line(
                [
                    (" ❯ " if is_marked else "   ", "pointer"),
                    (pad(self._text(item), column), "strong" if is_marked else "text"),
                    ("  ", "text"),
                    (_help(item), "dim"),
                ],
                max(0, cells - 3),
            )
            drawn.append([("│", "border-focus"), *inner, (" ", "text"), ("│", "border-focus")])
        return [*drawn, edge_line(keys, cells, "╰", "╯")]

    def number_at(self, line: int, height: int) -> int | None:
        """The number of the candidate in a line of `lines`; None for the frame."""
        rows = max(1, min(len(self.items), height - 2))
        return self.first_row(rows) + line - 1 if 1 <= line <= rows else None


def _help(item: Completion) -> str:
    return stable_width(one_line(item.help, 100))
