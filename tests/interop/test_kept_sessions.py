"""The real Claude Code deletes old sessions at a start, and leaves a restored one alone
(formats/README.md, "Sessions that Claude Code deletes").

CONTRIBUTING.md, "The real agents", says how it is installed. Without it this test is skipped.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.interop.provider import Provider
from tests.interop.read_only import PACKAGES, ClaudeMachine
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    not PACKAGES.is_dir(), reason="LEAFMARK_AGENTS names no folder with the agents"
)
DAY = 86_400


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture
def claude(tmp_path: Path, provider: Provider) -> ClaudeMachine:
    return ClaudeMachine(tmp_path, provider)


def run_with_a_sweep(claude: ClaudeMachine, prompt: str) -> None:
    """Run Claude Code with its sweep due, and hold its answer back until the sweep has ended."""
    mark = claude.home / ".claude/.last-cleanup"
    mark.unlink(missing_ok=True)
    claude.provider.before[prompt] = lambda: until(mark.exists)
    claude.run(prompt)
    assert mark.exists()


def age(path: Path, days: float) -> None:
    at = time.time() - days * DAY
    os.utime(path, (at, at))


def test_a_kept_session_is_restored_and_outlives_the_next_sweep(claude: ClaudeMachine) -> None:
    for prompt in ("the kept one", "the lost one"):
        claude.run(prompt)
    paths = {row.title: Path(row.path) for row in claude.rows()}
    kept, lost = paths["the kept one"], paths["the lost one"]
    before = kept.read_bytes()
    for path in paths.values():
        age(path, 31)
    claude.leafmark("keep", str(kept))
    run_with_a_sweep(claude, "a start that sweeps")
    assert not kept.exists()
    assert not lost.exists()
    claude.leafmark("restore", kept.stem)
    assert kept.read_bytes() == before
    run_with_a_sweep(claude, "another start that sweeps")
    assert kept.read_bytes() == before
    claude.go_on(claude.row(kept.stem), "go on")
    assert kept.read_bytes().startswith(before)
    assert claude.sent("go on")[0] == "the kept one"
