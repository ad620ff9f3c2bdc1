"""The toast about problems with the settings."""

from __future__ import annotations

import pytest

from app.view.cells import width
from app.view.line import wrap
from app.view.notifications import settings_toast

FILE = "/home/me/.config/leafmark/config.toml"
SHOWN = "~/.config/leafmark/config.toml"


def test_one_problem_is_shown_unchanged() -> None:
    assert (
        settings_toast([f"{FILE}: keys: must be a table"], FILE, SHOWN, 80, 24)
        == f"{FILE}: keys: must be a table"
    )
    assert settings_toast([], FILE, SHOWN, 80, 24) == ""


def test_several_problems_name_the_file_once() -> None:
    problems = [f"{FILE}: ascii: must be true or false", "keys: no key is called 'x'"]
    assert settings_toast(problems, FILE, SHOWN, 80, 24).splitlines() == [
        f"{SHOWN} has 2 problems:",
        "ascii: must be true or false",
        "keys: no key is called 'x'",
    ]


@pytest.mark.parametrize(("lines", "named"), [(24, 17), (12, 5), (6, 1), (1, 1), (60, 40)])
def test_problems_without_room_are_counted(lines: int, named: int) -> None:
    problems = [f"{FILE}: setting_{number}: there is no such setting" for number in range(40)]
    text = settings_toast(problems, FILE, SHOWN, 80, lines).splitlines()
    assert text[1 : 1 + named] == [f"setting_{number}: there is no such setting" for number in range(named)]
    assert text[1 + named :] == ([] if named == 40 else [f"and {40 - named} more"])


def test_long_problems_take_more_lines() -> None:
    problems = [f"{FILE}: {'word ' * 30}{number}" for number in range(20)]
    text = settings_toast(problems, FILE, SHOWN, 80, 24)
    assert sum(1 for line in text.splitlines() for _ in wrap(line, 57)) <= 19
    assert width(text.splitlines()[0]) <= 57
    assert "and " in text
