"""Pins, arrangement, undo journal, trash and catalog of the version before are read as they were then."""

from __future__ import annotations

from tests.golden.record import load, read_state


def test_what_the_version_before_left_is_read_as_it_was_then():
    recorded = load("state")
    now = read_state(recorded["files"])
    assert now["screen"] == recorded["read"]["screen"]
    for was, is_now in zip(recorded["read"]["commands"], now["commands"], strict=True):
        assert is_now == was
