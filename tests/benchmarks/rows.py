"""One row of the result for each bar: a figure beside what it is measured against."""

from __future__ import annotations

from typing import NamedTuple

SLACK = 4 / 3
"""How much worse than its bar a CI-safe ratio may be before a run on a shared machine fails."""


class Result(NamedTuple):
    """A figure, or why there is none.

    bar       the number in PERFORMANCE part 5
    what      what was measured
    figure    as a person reads it ("84 ms")
    against   the same of what it is compared with ("floor 190 ms"), or why there is nothing
    ratio     figure through the other one; None where there is no comparison
    limit     what `ratio` (or, without one, `value`) must not exceed; None: only told
    value     the bare figure where the bar is absolute
    ci        True where a lost bar fails `--ci`
    """

    bar: str
    what: str
    figure: str
    against: str = ""
    ratio: float | None = None
    limit: float | None = None
    value: float | None = None
    ci: bool = False

    @property
    def measured(self) -> float | None:
        return self.ratio if self.ratio is not None else self.value

    @property
    def verdict(self) -> str:
        """ "ok", "LOST", or "-" where there is no bar to hold."""
        if self.limit is None or self.measured is None:
            return "-"
        return "ok" if self.measured <= self.limit else "LOST"

    @property
    def fails_ci(self) -> bool:
        if not self.ci or self.limit is None or self.measured is None:
            return False
        return self.measured > self.limit * SLACK


HEAD = ("bar", "what", "figure", "against", "ratio", "limit", "")
WIDTHS = (4, 50, 20, 30, 9, 9, 4)


def cells(result: Result) -> tuple[str, ...]:
    """The row, a text for each of `HEAD`."""
    ratio = "" if result.ratio is None else f"{result.ratio:.3f}x"
    limit = "" if result.limit is None else f"<= {result.limit:g}"
    return (result.bar, result.what, result.figure, result.against, ratio, limit, result.verdict)


def line(result: Result) -> str:
    """The row as it is printed."""
    return _columns(cells(result))


def heading() -> str:
    return _columns(HEAD)


def _columns(cells: tuple[str, ...]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:,.0f} ms"


def mb(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
