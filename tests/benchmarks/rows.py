"""The rows of the result: a figure and its comparison."""

from __future__ import annotations

from typing import NamedTuple

SLACK = 4 / 3
"""Factor by which a result of `--ci` may exceed its limit before the run fails."""


class Result(NamedTuple):
    """A figure with its limit, or the reason why there is none.

    bar       the number of the measure (README.md, "Measures")
    what      what was measured
    figure    the figure as text ("84 ms")
    against   the figure that it is compared with ("floor 190 ms"), or other figures of the same measure
    ratio     `figure` divided by that of `against`; None without a comparison
    limit     the most that `ratio` (or, without one, `value`) may be; None: only reported
    value     the number itself if the limit is absolute
    ci        whether a result beyond its limit fails `--ci`
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
        """ "ok", "LOST", or "-" without a limit."""
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


def line(result: Result) -> str:
    """Return the row as it is printed."""
    return _columns(cells(result))


def cells(result: Result) -> tuple[str, ...]:
    """Return the texts of the row, in the order of `HEAD`."""
    ratio = "" if result.ratio is None else f"{result.ratio:.3f}x"
    limit = "" if result.limit is None else f"<= {result.limit:g}"
    return result.bar, result.what, result.figure, result.against, ratio, limit, result.verdict


def heading() -> str:
    return _columns(HEAD)


def _columns(cells: tuple[str, ...]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:,.0f} ms"


def mb(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
