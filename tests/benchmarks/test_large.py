"""The memory of commands does not grow with the file, and a long line is in memory at most twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.large import AGENTS, Case, peaks
from tests.benchmarks.measure import Setting

if TYPE_CHECKING:
    from pathlib import Path

CASES = [
    Case("large file", lines_mb=96),
    Case("long line", line_mb=64),
    Case("texts in a line", line_mb=64, texts=8),
]


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_all_stays_within_the_budget(agent: str, case: Case, tmp_path: Path) -> None:
    found = dict(peaks(Setting(str(tmp_path), str(tmp_path)), tmp_path, agent, case))
    screen = found.pop("screen")
    assert {name: peak for name, peak in found.items() if peak > case.budget} == {}
    assert screen <= case.screen_budget
