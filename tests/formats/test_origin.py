from __future__ import annotations

import pytest

from app.formats.origin import branch_count, is_origin


@pytest.mark.parametrize(
    ("leaves", "dialect", "parent", "branches"),
    [
        (0, "agent", None, 0),
        (1, "agent", None, 1),
        (2, "agent", None, 2),
        (1, "agent", "/old.jsonl", 1),
        (2, "agent", "/old.jsonl", 1),
        (3, "agent", "/old.jsonl", 2),
        (2, "pi", "/old.jsonl", 2),
    ],
)
def test_what_a_fork_says_of_where_it_comes_from_is_no_branch(
    leaves: int, dialect: str, parent: str | None, branches: int
) -> None:
    assert branch_count(leaves, dialect, parent) == branches


def test_only_nickcecere_agent_writes_such_entries() -> None:
    assert is_origin("branch", "agent")
    assert not is_origin("branch", "pi")
    assert not is_origin("message", "agent")
