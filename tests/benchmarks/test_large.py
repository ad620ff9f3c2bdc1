"""The memory of commands does not grow with the file, and a long line is in memory at most twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.large import AGENTS, budget_of, peaks
from tests.benchmarks.measure import Setting

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(("line_mb", "lines_mb"), [(0, 96), (64, 1)], ids=["large file", "long line"])
def test_commands_stay_within_the_budget(agent: str, line_mb: int, lines_mb: int, tmp_path: Path) -> None:
    setting = Setting(str(tmp_path), str(tmp_path))
    budget = budget_of(line_mb)
    found = dict(peaks(setting, tmp_path, agent, line_mb, lines_mb))
    assert {name: peak for name, peak in found.items() if peak > budget} == {}
