"""The timing of the event loop, and the crowded project that is used for it. The figures are not tested."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.benchmarks.crowd import FORK_EVERY, GROWING, Crowd, title
from tests.benchmarks.loop import by_phase
from tests.benchmarks.measure import ROOT
from tests.benchmarks.watched import Callback, watch

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_callbacks_are_timed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # Restores the method after the test.
    monkeypatch.setattr(asyncio.Handle, "_run", asyncio.Handle._run)
    callbacks: list[Callback] = []
    watch(callbacks)

    async def work() -> None:
        await asyncio.sleep(0)
        sum(range(300_000))

    async def main() -> None:
        await asyncio.create_task(work(), name="hard work")

    asyncio.run(main())
    steps = [callback for callback in callbacks if callback.name == "hard work"]
    assert len(steps) == 2
    # The second step did the work.
    assert steps[1].processor > 10 * steps[0].processor
    assert steps[0].began + steps[0].clock <= steps[1].began


def test_callbacks_belong_to_the_phase_in_which_they_began() -> None:
    callbacks = [Callback(began, 0.5, 0.1, "x") for began in (1.0, 2.0, 3.0, 3.5, 9.0)]
    phase_callbacks = by_phase(callbacks, [("early", 2.0), ("late", 3.2), ("never", 99.0)])
    assert {
        name: [callback.began for callback in in_phase] for name, in_phase in phase_callbacks.items()
    } == {
        "early": [2.0, 3.0],
        "late": [3.5, 9.0],
        "never": [],
    }


def test_a_watched_program_writes_its_callbacks_to_a_file(tmp_path: Path) -> None:
    """Without a terminal there is no event loop, and the file has no callbacks."""
    report = tmp_path / "callbacks"
    command = [sys.executable, "-m", "tests.benchmarks.watched", str(report), "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("leafmark ")
    assert report.read_text() == "0\n"


def test_the_crowd_grows_by_whole_lines_and_is_removed_at_the_end(tmp_path: Path) -> None:
    crowd = Crowd(str(tmp_path), str(tmp_path / "sessions"), 24)
    for number in range(2 * GROWING):
        crowd.append(f"more {number}")
    sessions = []
    for path in crowd.paths:
        with open(path, encoding="utf-8") as file:
            sessions.append([json.loads(text) for text in file])
    assert {session[0]["cwd"] for session in sessions} == {crowd.folder}
    assert [len(session) for session in sessions].count(5) == GROWING
    forks = [
        number for number, session in enumerate(sessions) if session[0].get("parentSession") in crowd.paths
    ]
    assert forks == [FORK_EVERY - 1, 2 * FORK_EVERY - 1, 3 * FORK_EVERY - 1]
    assert sessions[3][1]["message"]["content"][0]["text"] == title(3)
    grown = sessions[24 // 2]
    assert [entry["parentId"] for entry in grown[2:]] == [entry["id"] for entry in grown[1:-1]]
    crowd.close()
    assert os.listdir(tmp_path / "sessions") == []
