"""How the event loop is watched, and the crowd that it is watched with. The figures are not tested."""

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
    # put back afterwards
    monkeypatch.setattr(asyncio.Handle, "_run", asyncio.Handle._run)
    found: list[Callback] = []
    watch(found)

    async def work() -> None:
        await asyncio.sleep(0)
        sum(range(300_000))

    async def main() -> None:
        await asyncio.create_task(work(), name="hard work")

    asyncio.run(main())
    steps = [one for one in found if one.name == "hard work"]
    assert len(steps) == 2
    # The second did the work.
    assert steps[1].processor > 10 * steps[0].processor
    assert steps[0].began + steps[0].clock <= steps[1].began


def test_callbacks_belong_to_what_was_going_on_when_they_began() -> None:
    callbacks = [Callback(at, 0.5, 0.1, "x") for at in (1.0, 2.0, 3.0, 3.5, 9.0)]
    found = by_phase(callbacks, [("early", 2.0), ("late", 3.2), ("never", 99.0)])
    assert {name: [one.began for one in some] for name, some in found.items()} == {
        "early": [2.0, 3.0],
        "late": [3.5, 9.0],
        "never": [],
    }


def test_a_watched_program_leaves_its_callbacks_behind(tmp_path: Path) -> None:
    """Without a terminal there is no loop; the file is there all the same."""
    told = tmp_path / "callbacks"
    command = [sys.executable, "-m", "tests.benchmarks.watched", str(told), "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("leafmark ")
    assert told.read_text() == "0\n"


def test_the_crowd_is_whole_grows_by_whole_lines_and_goes(tmp_path: Path) -> None:
    crowd = Crowd(str(tmp_path), str(tmp_path / "sessions"), 24)
    for number in range(2 * GROWING):
        crowd.append(f"more {number}")
    lines = []
    for path in crowd.paths:
        with open(path, encoding="utf-8") as file:
            lines.append([json.loads(text) for text in file])
    assert {each[0]["cwd"] for each in lines} == {crowd.folder}
    assert [len(each) for each in lines].count(5) == GROWING
    forks = [at for at, each in enumerate(lines) if each[0].get("parentSession") in crowd.paths]
    assert forks == [FORK_EVERY - 1, 2 * FORK_EVERY - 1, 3 * FORK_EVERY - 1]
    assert lines[3][1]["message"]["content"][0]["text"] == title(3)
    grown = lines[24 // 2]
    assert [entry["parentId"] for entry in grown[2:]] == [entry["id"] for entry in grown[1:-1]]
    crowd.close()
    assert os.listdir(tmp_path / "sessions") == []
