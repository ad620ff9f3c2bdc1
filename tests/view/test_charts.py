"""Bars, sparklines and heat maps."""

from __future__ import annotations

from datetime import date

from app.view.cells import width
from app.view.charts import bar, heat_map, longest, sparkline
from tests.cases import cases


@cases(("part", "drawn"), [(0, ""), (0.001, "▏"), (0.5, "████"), (0.55, "████▍"), (1, "█" * 8)])
def test_a_bar_is_exact_to_an_eighth_of_a_cell(part: float, drawn: str) -> None:
    assert bar(part, 8) == drawn
    assert bar(part, 8, ascii_only=True).isascii()
    assert bool(bar(part, 8, ascii_only=True)) is bool(drawn)


def test_a_sparkline_has_a_cell_for_each_amount() -> None:
    assert sparkline([0, 1, 4, 8]) == " ▂▅█"
    assert sparkline([0, 0]) == "  "
    assert sparkline([0, 1, 4, 8], ascii_only=True).isascii()


def test_a_heat_map_ends_in_this_week_and_begins_a_year_ago() -> None:
    today = date(2026, 11, 27)  # a Friday
    amounts = {
        today.toordinal(): 8.0,
        date(2026, 11, 23).toordinal(): 1.0,
        date(2025, 11, 24).toordinal(): 2.0,
        date(2025, 11, 23).toordinal(): 9.0,  # more than a year ago
    }
    months, *days, legend = heat_map(amounts, today.toordinal(), 80, "$ a day")
    assert legend == "    · none  ░▒▓█ few to many  $ a day"
    assert months.split() == [
        "Nov",
        "Jan",
        "Feb",
        "Mar",
        "Apr",
        "May",
        "Jun",
        "Jul",
        "Aug",
        "Sep",
        "Oct",
        "Nov",
    ]
    assert [line[:4].strip() for line in days] == ["Mon", "", "Wed", "", "Fri", "", "Sun"]
    assert (days[0][4], days[0][56], days[4][56]) == ("▓", "░", "█")
    assert len(days[5]) == 56, "the days after today are blank"
    assert sum(line.count("·") for line in days) == 53 * 7 - 2 - 3
    for cells in (4, 20, 57):
        lines = heat_map(amounts, today.toordinal(), cells, "$ a day", ascii_only=True)
        assert all(line.isascii() and width(line) <= cells for line in lines)
    assert heat_map({date(2025, 11, 23).toordinal(): 9.0}, today.toordinal(), 80, "$ a day") == []


@cases(
    ("amounts", "expected"),
    [([], 1), ([0, 0], 1), ([5, 0], 5), ([3, 4, 5], 5), ([1, 2, 100], 4), ([100, 90, 1], 100)],
)
def test_one_amount_that_dwarfs_the_others_does_not_flatten_their_bars(amounts, expected) -> None:
    assert longest(amounts) == expected
    if expected == 4:
        assert sparkline(amounts) == "▃▅█"
        assert [bar(amount / expected, 8) for amount in amounts] == ["██", "████", "███████▶"]
        assert bar(100 / expected, 8, ascii_only=True) == "#######>"
