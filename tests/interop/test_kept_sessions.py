"""The real Claude Code deletes old sessions at a start, and leaves a restored one alone
(formats/README.md, "Sessions that Claude Code deletes").

CONTRIBUTING.md, "The real agents", says how it is installed. Without it this test is skipped.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from app.stores import retention_ms
from tests.interop.provider import Provider
from tests.interop.read_only import PACKAGES, ClaudeMachine
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    not PACKAGES.is_dir(), reason="LEAFMARK_AGENTS names no folder with the agents"
)
DAY = 86_400
USER, PROJECT, LOCAL = (
    "home/.claude/settings.json",
    "work/.claude/settings.json",
    "work/.claude/settings.local.json",
)


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


@pytest.mark.parametrize(
    ("files", "gone"),
    [
        ({}, {33, 60}),
        ({USER: '\ufeff{"cleanupPeriodDays": 10}'}, {12, 33, 60}),
        ({USER: '{"cleanupPeriodDays": 0}'}, set()),
        ({USER: '{"cleanupPeriodDays": 10,,'}, set()),
        ({USER: "[]"}, set()),
        ({PROJECT: "{"}, set()),
        ({USER: '{"cleanupPeriodDays": 3}', PROJECT: '{"cleanupPeriodDays": 5}', LOCAL: " "}, {12, 33, 60}),
    ],
)
def test_the_settings_mean_the_same_to_the_real_program(
    claude: ClaudeMachine, files: dict[str, str], gone: set[int]
) -> None:
    claude.run("the first one")
    [row] = claude.rows()
    first = Path(row.path)
    paths = {days: first.with_name(f"{uuid4()}.jsonl") for days in (4, 12, 33, 60)}
    for days, path in paths.items():
        path.write_bytes(first.read_bytes())
        age(path, days)
    for name, text in files.items():
        path = claude.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    log, mark = claude.folder / "log", claude.home / ".claude/.last-cleanup"
    mark.unlink(missing_ok=True)
    claude.provider.before["the second one"] = lambda: until(
        lambda: mark.exists() or "leanup: " in log.read_text()
    )
    claude.run("--debug-file", str(log), "the second one")
    assert {days for days, path in paths.items() if not path.exists()} == gone
    days = retention_ms(str(claude.home / ".claude/projects"), "claude", [str(claude.work)])
    # A start in another folder sweeps as well, unless the settings of the user forbid it.
    assert days is None or days // (DAY * 1_000) <= min(gone, default=30)


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
