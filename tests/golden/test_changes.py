"""A change and its undo print what was recorded, and leave the recorded bytes in the sessions."""

from __future__ import annotations

import pytest

from tests.golden.changes import CHANGES
from tests.golden.record import change, load


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_and_its_undo_are_as_recorded(name):
    assert change(name) == load("changes")[name]
