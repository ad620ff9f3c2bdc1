"""Numbers of tokens and dollars that no float holds: one of them must not cost a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from app.cli import main
from app.formats.amounts import finite, whole
from app.sessions.branches import branch_facts
from app.sessions.tree import open_tree
from app.view.branch_table import branch_words
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path

BEYOND = "9" * 400
FIELDS = ["input", "output", "cacheRead", "cacheWrite", "total"]


@pytest.mark.parametrize("number", [int(BEYOND), -int(BEYOND), float("inf"), float("nan"), None, 0])
def test_what_no_sum_can_be_made_with_counts_as_nothing(number: float | None) -> None:
    assert finite(number) == 0
    assert number is None or whole(number) == 0


@pytest.mark.parametrize("number", [1, 2.5, -3, 10**300])
def test_all_others_are_taken_as_they_are(number: float) -> None:
    assert (finite(number), whole(number)) == (number, int(number))


def with_number(tmp_path: Path, field: str, number: str) -> Path:
    """A session with an answer of which one number is this, and another answer as usual."""
    lines = chain("hello", "first", "and", "second", id="s")
    for line, mark in zip((lines[2], lines[4]), ('"MARK"', 7), strict=True):
        usage = {"input": 1, "output": 1, "cacheRead": 1, "cacheWrite": 1, "cost": {"total": 0.5}}
        (usage["cost"] if field == "total" else usage)[field] = mark
        line["message"]["usage"] = usage
    path = write_session(tmp_path / "home/.pi/agent/sessions/--work--/2026_s.jsonl", *lines)
    path.write_text(path.read_text().replace(json.dumps('"MARK"'), number))
    return path


@pytest.mark.parametrize("number", [BEYOND, f"-{BEYOND}", "1e400", "1e308", "9" * 300])
@pytest.mark.parametrize("field", FIELDS)
def test_a_session_with_such_a_number_is_listed_and_its_branches_are_told(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    field: str,
    number: str,
) -> None:
    path = with_number(tmp_path, field, number)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LEAFMARK_CACHE_DIR", str(tmp_path / "cache"))
    assert main(["list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["sessions"]
    assert (listed["id"], listed["message_count"], listed["problems"]) == ("s", 4, 0)
    (facts,) = branch_facts(open_tree(str(path)))
    assert "2 turns" in branch_words(facts)
