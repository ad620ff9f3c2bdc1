"""Statistics as text: the lines of the table."""

from __future__ import annotations

from app.index.statistics import GROUPS, SORTS, Group
from app.view import NO_COST, columns_of, group_line, head_line
from app.view.cells import width
from app.view.line import line_width
from tests.cases import cases


def group(key: str) -> Group:
    return Group(key, 3, 1_234, 5_678, 90_123, 45, 6_789_012, 3_456, 10**9, 0, 12_345.67, 8.9, 10**9)


@cases("group_by", GROUPS)
def test_a_line_fits_into_any_width_and_hostile_names_stay_inert(group_by: str) -> None:
    for key in ("", "2026-05-28", "a\x1b[31m\u202eb", "漢字" * 40):
        for cells in (16, 36, 60, 76, 156):
            line = group_line(group(key), group_by, 1.0, "/home/me", cells, {key: key[::-1]})
            assert line_width(line) <= cells
            assert "\x1b" not in "".join(text for text, _ in line)
            for sort in (None, *SORTS):
                assert width(head_line(group_by, cells, sort)) <= cells


def test_a_cost_that_is_not_known_is_a_dash() -> None:
    free = group("x")._replace(cost=0.0)
    for ascii_only, dash in ((False, "–"), (True, "-")):
        line = "".join(text for text, _ in group_line(free, "agent", 1.0, "", 100, {}, ascii_only=ascii_only))
        assert f"  {dash}  " in line
    assert NO_COST in columns_of(free, "agent")
