"""The table of all facts about a session."""

from __future__ import annotations

from app.formats import Spending
from app.index.subagents import SubagentTotals
from app.sessions import WAITING
from app.stores import Tagging
from app.view import details_lines, session_facts
from app.view.line import line_width, plain_text
from tests.cases import cases
from tests.factory import NOW, make_row

ROW = make_row(
    "0a1b",
    name="Flaky login",
    path="/home/me/.pi/agent/sessions/--work--/2026_0a1b.jsonl",
    labels=(("1", "cause found"), ("2", "ready")),
    tokens=(1_000, 20, 300, 4),
    cost=0.05,
    ending=WAITING,
    modified=NOW - 120_000,
)
NO_TAGS = Tagging()


def facts(row=ROW, tagging=NO_TAGS, **more):
    return dict(session_facts(row, tagging, home="/home/me", now_ms=NOW, **more))


def test_the_facts_of_a_session():
    shown = facts(tagging=Tagging(("ci", "urgent"), "ask Ada"), pinned=True, state="process 4711 has it open")
    assert shown["Name"] == "Flaky login"
    assert shown["File"] == "~/.pi/agent/sessions/--work--/2026_0a1b.jsonl"
    assert (shown["Id"], shown["Tags"], shown["Note"]) == ("0a1b", "#ci #urgent", "ask Ada")
    assert shown["Labels"] == "cause found, ready"
    assert shown["Tokens"] == "1,020: 1,000 in, 20 out; cached: 300 read, 4 written"
    assert (shown["Ended"], shown["Pinned"], shown["Cost"]) == ("waits for an answer", "yes", "$0.05")
    assert shown["Open"] == "process 4711 has it open"
    assert shown["Last activity"].endswith("Z (2m ago)")


def test_the_spending_of_sub_agents_stands_beside_that_of_the_session():
    shown = facts(subagents=SubagentTotals(3, (1, 1, 1, 1), Spending(1.5)))
    assert shown["Cost"] == "own $0.05, with 3 sub-agents $1.55"
    own = "1,020: 1,000 in, 20 out; cached: 300 read, 4 written"
    together = "1,022: 1,001 in, 21 out; cached: 301 read, 5 written"
    assert shown["Tokens"] == f"own {own}; with 3 sub-agents {together}"
    assert "Cost" not in facts(make_row("x", tokens=(5, 0, 0, 0)), subagents=SubagentTotals(1, (1, 0, 0, 0)))
    claude = facts(make_row("x", agent="claude", tokens=(5, 1, 0, 0)))
    assert claude["Tokens"] == "6: 5 in, 1 out; cached: 0 read, 0 written, without compactions"


def test_what_a_session_does_not_have_is_left_out():
    assert not {"Note", "Tags", "Open", "Pinned", "Labels", "Parent", "Errors"} & facts(make_row("x")).keys()
    assert facts(make_row("x", continued_in="y"))["Went on in"] == "y"
    row = make_row("x")
    row.provisional = True
    assert "Messages" not in facts(row)


@cases("cells", [10, 34, 60, 120])
def test_long_and_hostile_values_are_wrapped_and_inert(cells):
    bad = "\x1b[31m" + "道" * 80 + "\n\u202e" + "word " * 80
    row = make_row("x", name=bad, cwd=bad)
    for line in details_lines(session_facts(row, Tagging(), home="", now_ms=NOW), cells):
        assert line_width(line) <= cells
        assert not set("\x1b\n\u202e") & set(plain_text(line))
