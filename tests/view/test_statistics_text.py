"""Statistics as text: the lines of the table, and the queries behind its figures."""

from __future__ import annotations

import pytest

from app.index.statistics import DAY, GROUPS, MODEL, PROJECT, WEEK, Group
from app.view.cells import width
from app.view.line import line_width
from app.view.statistics import group_line, head_line, query_of
from tests.factory import make_row

NOON = 1_779_969_600_000  # 28 May 2026


def group(key: str) -> Group:
    return Group(key, 3, 1_234, 5_678, 90_123, 45, 6_789_012, 3_456, 10**9, 0, 12_345.67, 8.9, 10**9)


@pytest.mark.parametrize("group_by", GROUPS)
def test_a_line_fits_into_any_width_and_hostile_names_stay_inert(group_by: str) -> None:
    for key in ("", "2026-05-28", "a\x1b[31m\u202eb", "漢字" * 40):
        for cells in (16, 36, 60, 76, 156):
            line = group_line(group(key), group_by, 1.0, "/home/me", cells)
            assert line_width(line) <= cells
            assert "\x1b" not in "".join(text for text, _ in line)
            assert width(head_line(group_by, cells)) <= cells


def test_a_query_is_a_filter_if_that_is_exact_else_the_ids() -> None:
    rows = [make_row("one", modified=NOON), make_row("two", modified=NOON)]
    ids = "id:one,two"
    assert query_of(group("2026-05-28"), DAY, (), rows, "/home/me") == "date:2026-05-28"
    later = [*rows, make_row("three", modified=NOON + 3 * 86_400_000)]
    assert query_of(group("2026-05-28"), DAY, (), later, "/home/me") == f"{ids},three"
    assert query_of(group("2026-W22"), WEEK, (), later, "/home/me") == "date:2026-05-25..2026-05-31"
    assert query_of(group("2026-05-28"), DAY, (), later * 50, "/home/me") == "date:2026-05-28"
    projects = ("/home/me/shop", "/home/me/my shop")
    assert query_of(group(projects[0]), PROJECT, projects, rows, "/home/me") == "dir:~/shop/"
    assert query_of(group(projects[1]), PROJECT, projects, rows, "/home/me") == 'dir:"~/my shop/"'
    models = ("anthropic/opus", "anthropic/opus-4", "")
    assert query_of(group(models[0]), MODEL, models, rows, "/home/me") == ids
    assert query_of(group(models[1]), MODEL, models, rows, "/home/me") == "model:anthropic/opus-4"
    assert query_of(group(models[2]), MODEL, models, rows, "/home/me") == ids
