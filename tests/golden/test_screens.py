"""The text of the screen after a tour of keys is what was recorded."""

from __future__ import annotations

import difflib

import pytest

from tests.golden.record import load, picture, start
from tests.golden.screens import SIZES, TOURS
from tests.golden.world import world


def _expect(there, terminal, recorded, when):
    try:
        terminal.wait_for(lambda it: picture(there, it) == recorded, 15)
    except TimeoutError:
        now = picture(there, terminal)
        pytest.fail(
            f"{when}:\n" + "\n".join(difflib.unified_diff(recorded, now, "recorded", "now", lineterm="", n=0))
        )


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", TOURS)
def test_the_screen_of_a_tour_is_as_recorded(name, size):
    first, *last = load("screens")[f"{name} at {size[0]}x{size[1]}"]
    with world("small") as there, start(there, name, size) as terminal:
        _expect(there, terminal, first, "before the first key")
        terminal.press(*TOURS[name].keys)
        for recorded in last:
            _expect(there, terminal, recorded, "after the last key")
