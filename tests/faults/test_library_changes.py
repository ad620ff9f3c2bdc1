"""Entries that are rewritten and sessions that are moved by a script, with every fault at every call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionError, SessionManager

from app.actions.journal import Journal
from app.actions.undo import settle_interrupted, undo
from app.stores import discover
from tests.factory import chain, write_session
from tests.faults.harness import FAULTS, KILLS, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions import Change

FOLDERS = {
    "pi": (".pi/agent/sessions/--work--", "--elsewhere--"),
    "omp": (".omp/agent/sessions/--work--", "--elsewhere--"),
}


class World:
    """A home folder with one session and its artifacts."""

    def __init__(self, root: Path, agent: str) -> None:
        self.root, self.agent = root, agent
        self.env = {"HOME": str(root / "home"), "PATH": os.defpath, "TMPDIR": str(root / "tmp")}
        self.state = str(root / "state")
        folder, other = FOLDERS[agent]
        self.path = root / "home" / folder / "2026_s.jsonl"
        self.moved = self.path.parent.with_name(other) / self.path.name
        lines = chain("one", "two", "three")
        write_session(self.path, {**lines[0], "cwd": "/work"}, *lines[1:])
        if agent == "omp":
            self.path.with_suffix("").mkdir()
            (self.path.with_suffix("") / "1.log").write_text("log")
        os.utime(self.path, (1, 1))
        self.before = self.path.read_bytes()

    def rewrite(self) -> int:
        manager = SessionManager.open(self.path, env=self.env, new=False)
        raw = manager.get_entries()[1].raw
        changed = {**raw, "message": {**raw["message"], "content": "changed"}}
        return self.journalled(lambda: manager.rewrite_entries([changed]))

    def move(self) -> int:
        manager = SessionManager.open(self.path, env=self.env, new=False)
        return self.journalled(lambda: manager.move_to("/elsewhere"))

    def journalled(self, write: Callable[[], Change]) -> int:
        try:
            with Journal(self.state).intend() as intent:
                intent.done(write())
        except (SessionError, OSError):
            return 3
        return 0

    def settled(self) -> list[Change]:
        """The changes of the journal, after those of a killed process were settled."""
        journal = Journal(self.state)
        settle_interrupted(journal, self.env, discover(self.env, self.env["HOME"], "/"), self.state)
        return [entry.change for entry in journal.active()]

    def files(self) -> dict[str, bytes]:
        """Every file below the store, without leftovers that no agent reads."""
        found = {}
        for folder, _, names in os.walk(self.root / "home"):
            for name in names:
                path = os.path.join(folder, name)
                if not name.startswith(".") and ".local" not in folder:
                    found[os.path.relpath(path, self.root / "home")] = Path(path).read_bytes()
        return found


@pytest.mark.parametrize("operation", ["rewrite", "move"])
@pytest.mark.parametrize("agent", FOLDERS)
def test_every_fault_leaves_the_session_before_or_after_and_undo_is_exact(
    tmp_path: Path, agent: str, operation: str
) -> None:
    plain = World(tmp_path / "plain", agent)
    start = plain.files()
    outcome = run(plain.root, getattr(plain, operation), plain.env)
    assert outcome.code == 0, outcome.err
    calls = len(outcome.calls)
    assert calls > 5
    done = plain.files()
    assert done != start
    for at in range(calls):
        for fault in FAULTS:
            world = World(tmp_path / f"{at}-{fault}", agent)
            result = run(world.root, getattr(world, operation), world.env, at, fault)
            where = f"{fault} at {at}: {outcome.calls[at]}"
            changes = world.settled()
            now = world.files()
            assert now in (start, done), f"{where}: {sorted(now)}"
            if fault in KILLS:
                assert bool(changes) is (now == done), where
            elif result.code == 0:
                assert now == done, where
            for change in reversed(changes):
                assert change.kind == operation
                undo(change, world.env)
            if changes:
                assert world.files() == start, where
