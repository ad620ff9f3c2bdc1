"""What the commands print, and their exit codes, are what was recorded."""

from __future__ import annotations

import pytest

from tests.golden.commands import ANYWHERE, DEMO, REAL, SMALL
from tests.golden.contexts import CONTEXTS
from tests.golden.record import digests, load, outputs
from tests.golden.world import REAL as REAL_FOLDER


@pytest.mark.parametrize(
    ("part", "kind", "commands"),
    [
        ("anywhere", "empty", ANYWHERE),
        ("demo", "empty", DEMO),
        ("small", "small", SMALL),
        ("contexts", "contexts", CONTEXTS),
    ],
)
def test_the_output_of_each_command_is_as_recorded(part, kind, commands):
    recorded = load(part)
    assert [line[0] for line in recorded] == [list(words) for words in commands]
    for was, now in zip(recorded, outputs(kind, commands), strict=True):
        assert now == was


@pytest.mark.skipif(not REAL_FOLDER.is_dir(), reason="the real sessions are not beside this checkout")
def test_the_output_about_real_sessions_is_as_recorded():
    recorded = load("real")
    assert [line[0] for line in recorded] == [list(words) for words in REAL]
    for was, now in zip(recorded, digests(), strict=True):
        assert now == was
