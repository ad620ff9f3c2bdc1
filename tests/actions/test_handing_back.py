"""A session of pi that was handed over to oh-my-pi and back is the one that it was, and the other way
round.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from app.sessions import UnknownEntry, UnknownLabelTarget
from tests.actions.handing import environment, handed, lines, opened, without_marker
from tests.interop.sides import Ours, Step, steps_text
from tests.interop.test_differential import OMPS_STEPS, PIS_STEPS
from tests.interop.test_going_on import sessions
from tests.sessions.strategies import LINES

OLD = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-05-01T10:00:00.000Z", "cwd": "/w"}


def there_and_back(path: str, home: Path, when: str, agent: str = "pi", other: str = "omp") -> None:
    before = opened(path, agent, home)
    if not any(
        entry.type in ("message", "custom_message", "compaction", "branch_summary")
        for entry in before.get_entries()
    ):
        return
    there = handed(path, other, home).change.after
    back = handed(there or "", agent, home).change.after
    after = opened(back, agent, home)
    found, expected = without_marker(lines(back)), lines(path)
    # pi has the name in an entry, which comes back as one more entry at the end.
    assert found[: len(expected)] == expected, when
    if agent == "pi":
        assert len(found) == len(expected), when
        assert after.leaf_id == before.leaf_id, when
    assert after.session_name == before.session_name, when
    labels = [before.get_label(entry.id) for entry in before.get_entries()]
    assert [after.get_label(entry.id) for entry in before.get_entries()] == labels, when
    assert after.build_session_context() == before.build_session_context(), when


@settings(max_examples=50)
@given(steps=PIS_STEPS)
def test_random_operations(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        ours = Ours("pi", "/work/app", home / "sessions", environment(home))
        for each in steps:
            ours.do(each)
        if ours.written:
            there_and_back(str(ours.file), home, steps_text(steps))


@settings(max_examples=50)
@given(steps=OMPS_STEPS)
def test_random_operations_of_oh_my_pi(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        ours = Ours("omp", "/work/app", home / "sessions", environment(home))
        for each in steps:
            ours.do(each)
        if ours.written:
            there_and_back(str(ours.file), home, steps_text(steps), "omp", "pi")


@settings(max_examples=50)
@given(lines_of_file=LINES)
def test_damaged_files_become_whole_ones(lines_of_file: list[bytes]) -> None:
    """Ids stand once, parents before their children, and nothing that was said is gone."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        path = home / "s.jsonl"
        path.write_bytes(b"\n".join([json.dumps(OLD).encode(), *lines_of_file, b""]))
        for target in ("pi", "omp"):
            try:
                made = handed(path, target, home).change.after
            except UnknownEntry:
                # Nothing was said in it.
                continue
            found = lines(made)
            ids = [entry["id"] for entry in found]
            assert len(set(ids)) == len(ids)
            assert all(ids.index(each["parentId"]) < at for at, each in enumerate(found) if each["parentId"])
            problems = opened(made, target, home).problems
            assert [problem for problem in problems if not isinstance(problem, UnknownLabelTarget)] == []


@settings(max_examples=50)
@given(entries=sessions())
def test_random_files(entries: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in [OLD, *entries]))
        there_and_back(str(path), Path(folder), path.read_text())
