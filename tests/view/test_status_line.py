"""The line above the keys."""

from __future__ import annotations

from app.stores import LIVE, MAYBE, Verdict
from app.view import in_use_line, resume_line, shown_command, with_right
from app.view.line import plain_text
from tests.cases import cases

PATH = "/home/me/.pi/agent/sessions/--work--/2026_abc.jsonl"
UUID = "01994f2a-1c3e-7000-8000-41ec8d520000"


def resumed(cells, command, folder="~/work/shop", **fields):
    options = {"key": "Enter", "problem": "", "warning": ""} | fields
    return plain_text(resume_line(cells, command=command, folder=folder, **options))


def test_the_line_names_key_command_and_folder():
    command = shown_command(["pi", "--session", PATH], PATH, UUID)
    assert resumed(80, command).rstrip() == " Enter runs pi --session 01994f2a-1c3e in ~/work/shop"
    assert resumed(80, command, key="").rstrip() == " pi --session 01994f2a-1c3e in ~/work/shop"
    assert resumed(40, ["pi", "--session", "41ec8d52"]).rstrip() == " pi --session 41ec8d52 in ~/work/shop"
    assert not resumed(40, []).strip()


def test_a_long_folder_loses_its_beginning_and_a_long_argument_too():
    command = ["pi", "--session", "41ec8d52"]
    assert resumed(50, command, "~/work/clients/2026/shop").rstrip().endswith("52 in …s/2026/shop")
    narrow = resumed(36, ["pi", "--session", PATH], "~/w")
    assert len(narrow) == 36
    assert "abc.jsonl in ~/w" in narrow


def test_the_line_says_why_a_session_cannot_be_resumed():
    assert resumed(80, ["pi"], problem="the folder ~/x is gone").startswith(" ! the folder ~/x is gone ")


def test_an_argument_with_escapes_is_inert():
    assert "\x1b" not in "".join(shown_command(["pi", "\x1b[31m", PATH], PATH, "\x1b]0;x"))


@cases(
    ("cells", "state", "shown"),
    [
        (80, LIVE, "● Open in omp (pid 4711, ttys003). Enter asks: fork, read, cancel."),
        (60, LIVE, "● Open in omp (pid 4711). Enter asks: fork, read, cancel."),
        (80, MAYBE, "◐ May be open in omp (pid 4711 runs in ~/work/shop). Enter asks first."),
        (60, MAYBE, "◐ May be open in omp (pid 4711). Enter asks first."),
        (44, MAYBE, "◐ May be open in omp. Enter asks first."),
    ],
)
def test_the_line_says_who_has_a_session_open(cells, state, shown):
    verdict = Verdict(state, "a reason", 4711, "ttys003")
    line = in_use_line(cells, "omp", "~/work/shop", verdict, forks=True)
    assert plain_text(line).strip() == shown
    without = in_use_line(cells, "omp", "~/work/shop", verdict, forks=False)
    assert plain_text(without).strip() == shown.replace("fork, ", "")


@cases(
    ("cells", "right"),
    [
        (70, "ask Ada about it · 13 hidden (.)"),
        (58, "ask Ada … · 13 hidden (.)"),
        (44, "13 hidden (.)"),
        (30, ""),
    ],
)
def test_the_right_side_has_what_is_hidden_and_the_note(cells, right):
    left = " Enter runs pi --session 1"
    line = [(left, "text"), (" " * (cells - len(left)), "text")]
    shown = plain_text(with_right(line, cells, note="ask Ada \x1babout it", hidden="13 hidden (.)"))
    assert len(shown) == cells
    assert "\x1b" not in shown
    if "…" in right:
        assert shown.rstrip().endswith("… · 13 hidden (.)")
    elif right:
        assert shown.replace("␛", "").rstrip().endswith(f"  {right}")
    else:
        assert not shown[len(left) :].strip()
