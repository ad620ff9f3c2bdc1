"""Token and dollar numbers beyond the range of floats: the session is still listed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.sessions import Branches, open_tree
from app.view import branch_text
from tests.cases import cases
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path

BEYOND = "9" * 400


def with_number(home: Path, field: str, number: str) -> Path:
    """A session with an answer in which one number is replaced, and a normal answer."""
    lines = chain("hello", "first", "and", "second", id="s")
    for line, mark in zip((lines[2], lines[4]), ('"MARK"', 7), strict=True):
        usage = {"input": 1, "output": 1, "cacheRead": 1, "cacheWrite": 1, "cost": {"total": 0.5}}
        (usage["cost"] if field == "total" else usage)[field] = mark
        line["message"]["usage"] = usage
    path = write_session(home / ".pi/agent/sessions/--work--/2026_s.jsonl", *lines)
    path.write_text(path.read_text().replace(json.dumps('"MARK"'), number))
    return path


@cases("number", [BEYOND, f"-{BEYOND}", "1e400", "1e308", "9" * 300])
@cases("field", ["input", "output", "cacheRead", "cacheWrite", "total"])
def test_a_session_with_such_a_number_has_a_row_and_branch_facts(run, home, field, number):
    path = with_number(home, field, number)
    done = run("list", "--json")
    assert done.code == 0
    (listed,) = json.loads(done.out)["sessions"]
    assert (listed["session_id"], listed["message_count"], listed["problems"]) == ("s", 4, 1)
    # The number counts as absent; the other numbers are used.
    names = ("input", "output", "cacheRead", "cacheWrite")
    assert [*listed["tokens"].values()] == [7 if name == field else 2 for name in names]
    assert listed["cost"] == (7.0 if field == "total" else 1.0)
    name_in_usage = "cost" if field == "total" else field
    assert (
        f"_s.jsonl:3: an invalid value counts as absent: message.usage.{name_in_usage}" in run("doctor").out
    )
    (facts,) = Branches(open_tree(str(path))).all()
    assert "2 turns" in branch_text(facts)
