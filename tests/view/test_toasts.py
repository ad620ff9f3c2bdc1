"""What is said of the settings, in one toast."""

from __future__ import annotations

import pytest

from app.view.cells import width
from app.view.toasts import settings_toast
from app.view.wrapping import wrap

FILE = "/home/me/.config/leafmark/config.toml"
SHOWN = "~/.config/leafmark/config.toml"


def test_one_fault_is_said_as_it_is() -> None:
    assert (
        settings_toast([f"{FILE}: keys: must be a table"], FILE, SHOWN, 80, 24)
        == f"{FILE}: keys: must be a table"
    )
    assert settings_toast([], FILE, SHOWN, 80, 24) == ""


def test_several_name_the_file_once() -> None:
    faults = [f"{FILE}: ascii: must be true or false", "keys: no key is called 'x'"]
    assert settings_toast(faults, FILE, SHOWN, 80, 24).splitlines() == [
        f"{SHOWN} has 2 faults:",
        "ascii: must be true or false",
        "keys: no key is called 'x'",
    ]


@pytest.mark.parametrize(("lines", "named"), [(24, 17), (12, 5), (6, 1), (1, 1), (60, 40)])
def test_what_has_no_room_is_counted(lines: int, named: int) -> None:
    faults = [f"{FILE}: setting_{number}: there is no such setting" for number in range(40)]
    said = settings_toast(faults, FILE, SHOWN, 80, lines).splitlines()
    assert said[1 : 1 + named] == [f"setting_{number}: there is no such setting" for number in range(named)]
    assert said[1 + named :] == ([] if named == 40 else [f"and {40 - named} more"])


def test_long_ones_take_more_lines() -> None:
    faults = [f"{FILE}: {'word ' * 30}{number}" for number in range(20)]
    said = settings_toast(faults, FILE, SHOWN, 80, 24)
    assert sum(1 for line in said.splitlines() for _ in wrap(line, 57)) <= 19
    assert width(said.splitlines()[0]) <= 57
    assert "and " in said
