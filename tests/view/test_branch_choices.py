"""What the choices of "Continue from here" run and write, and why some are impossible."""

from __future__ import annotations

from dataclasses import replace

from app.actions import Plan
from app.actions.branch_options import BranchOption, BranchOptions
from app.sessions import Target
from app.view.branch_choices import (
    Choice,
    first_possible,
    key_label,
    places,
    prompt_note,
    runs,
    summaries,
    writes,
)
from app.view.cells import width
from app.view.formatting import moment

PLAN = Plan(["pi", "--session", "/store/a.jsonl"], "/work", {}, "/bin/pi", None)
OPTION = BranchOption("", PLAN)
QUESTION = BranchOptions(
    "/store/a.jsonl",
    "pi",
    "e1",
    "e9",
    Target("e1", "say"),
    False,
    (),
    (),
    OPTION,
    OPTION,
    ("x",),
    False,
    True,
)


def test_the_prompt_says_when_it_was_sent_and_how_far_back() -> None:
    minute = 60_000
    question = replace(QUESTION, sent_ms=7 * minute, turns_back=3)
    sent = moment(7 * minute, 9 * minute)
    assert prompt_note(question, 9 * minute) == f"sent {sent}, 3 turns back; edit it or leave it"
    assert prompt_note(QUESTION, 0) == "edit it or leave it"
    assert prompt_note(replace(question, target=Target("e1", None)), 0) == "optional"


def test_an_impossible_place_stays_with_its_reason() -> None:
    question = replace(QUESTION, here=BranchOption("open in pi (pid 7)", PLAN))
    assert [option.why_not for option in places(question)] == ["", "open in pi (pid 7)", ""]
    assert first_possible(places(question), "here") == "new"
    nowhere = replace(question, elsewhere=BranchOption("only read here", PLAN))
    assert first_possible(places(nowhere)) == "new"


def test_a_summary_needs_this_session_a_branch_and_a_command() -> None:
    assert [option.why_not for option in summaries(QUESTION, "here", ("sum",))] == ["", "", ""]
    assert summaries(QUESTION, "here", ())[2].why_not == "no summary_command in config.toml"
    assert summaries(QUESTION, "new", ("sum",))[1].why_not == "only in this session"
    assert summaries(replace(QUESTION, left=()), "here", ("sum",))[1].why_not == "no branch is left"


def test_each_choice_says_what_it_runs_and_writes() -> None:
    new, here = Choice("new", text="say \x1b[31m"), Choice("here", text="say", summary="write")
    assert runs(QUESTION, here, "~/work", 60) == 'pi --session /store/a.jsonl "say"  in ~/work'
    assert "\x1b" not in runs(QUESTION, new, "~/work", 60)
    assert all(width(runs(QUESTION, new, "~/語" * 30, cells)) <= cells for cells in (60, 30, 12))
    assert writes(QUESTION, new, "z") == "a new file; this session stays as it is"
    assert writes(QUESTION, here, "z") == "one line: the leaf moves here, with the summary (z to undo)"
    draft = replace(QUESTION, takes_draft=True)
    assert writes(draft, here, "").endswith("the prompt waits in the editor of pi")
    assert key_label(QUESTION, "new") == "start pi"


def test_without_the_agent_it_says_what_is_left_to_do() -> None:
    plan = Plan([], "/work", {}, None, "pi is not installed")
    question = replace(QUESTION, here=BranchOption("", plan))
    assert runs(question, Choice("here"), "~/work", 60) == "nothing: pi is not installed"
    assert key_label(question, "here") == "move the leaf"
