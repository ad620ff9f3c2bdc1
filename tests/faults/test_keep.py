"""After every fault at every call of keep, restore, replace and drop, every line of a session is in the
store, in the trash or in a copy that opens, and the same command does the rest.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.claude_lines import line, write
from tests.faults.harness import EIO, ENOSPC, KILL_AFTER, KILL_BEFORE, SHORT, Outcome, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

GONE = "gone"
"""The agent deletes the session."""
COMMANDS: dict[str, tuple[list[tuple[str, ...]], tuple[int, ...]]] = {
    "keep": ([("keep", "one")], (0,)),
    "keep again": ([("keep", "one"), ("grow",), ("keep", "one")], (0,)),
    "keep a session that shrank": ([("keep", "one"), ("shrink",), ("keep", "one")], (0,)),
    "replace": ([("keep", "one", "--replace")], (0, 1)),
    "restore": ([("keep", "one"), (GONE,), ("restore", "one")], (0, 1)),
    "drop": ([("keep", "one"), ("keep", "--drop", "one")], (0, 1)),
    "drop of a gone session": ([("keep", "one"), (GONE,), ("keep", "--drop", "one")], (0, 1)),
}
"""The steps before a command, and the command, which is disturbed; and its exit codes if it is repeated."""


class Home:
    """A home folder with a session of Claude Code and a sub-agent of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.env = {"HOME": str(self.home), "PATH": os.defpath}
        self.projects = self.home / ".claude/projects"
        self.state = self.home / ".local/state/leafmark"

    def reset(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        lines = [line("user", "u", None, "question"), line("assistant", "a", "u", "answer")]
        self.path = write(self.home, *lines, name="one")
        inner = self.path.with_suffix("") / "subagents/agent-x.jsonl"
        inner.parent.mkdir(parents=True)
        inner.write_text(line("user", "s", None, "a task") + "\n")
        os.utime(self.path, (1_700_000_000, 1_700_000_000))

    def step(self, *words: str, at: int = -1, fault: str = "") -> Outcome:
        if words == (GONE,):
            shutil.rmtree(self.projects / "-work-app")
        elif words == ("grow",):
            with self.path.open("a") as file:
                file.write(line("user", "more", "a", "and more") + "\n")
        elif words == ("shrink",):
            self.path.write_text(line("user", "u", None, "question") + "\n")
        else:
            return run(self.root, list(words), self.env, at, fault)
        return Outcome(0, [], "", "")

    def lines(self) -> set[bytes]:
        """The lines of the session and its sub-agent that are somewhere."""
        found: set[bytes] = set()
        for folder in (self.projects, self.home / ".local/share/Trash/files", self.state):
            for path in folder.rglob("*"):
                if path.is_file() and path.name.endswith((".jsonl", ".gz")) and "journal" not in path.name:
                    data = path.read_bytes()
                    found.update((gzip.decompress(data) if path.suffix == ".gz" else data).splitlines())
        return found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Make a home with the trash of the process, so that a command can be disturbed within a move."""
    monkeypatch.setattr("app.actions.trash._imported_under", None)
    for name in [name for name in sys.modules if name.startswith("send2trash")]:
        monkeypatch.delitem(sys.modules, name)
    return Home(tmp_path)


def faults_at(calls: list[str]) -> Iterator[tuple[int, str]]:
    """Each fault that makes a difference at each call outside of the cache."""
    for at, call in enumerate(calls):
        if ".cache" in call:
            continue
        for fault in (KILL_BEFORE, ENOSPC, EIO, *([SHORT] if call.startswith("write ") else [])):
            yield at, fault
    yield len(calls) - 1, KILL_AFTER


@pytest.mark.parametrize(("commands", "codes"), COMMANDS.values(), ids=COMMANDS)
def test_no_line_is_lost(home: Home, commands: list[tuple[str, ...]], codes: tuple[int, ...]) -> None:
    home.reset()
    for words in commands:
        outcome = home.step(*words)
        assert outcome.code == 0, outcome.err
    assert len([call for call in outcome.calls if ".cache" not in call]) > 3
    done = home.lines()
    for at, fault in faults_at(outcome.calls):
        where = (outcome.calls[at], at, fault)
        home.reset()
        for words in commands[:-1]:
            assert home.step(*words).code == 0
        before = home.lines()
        disturbed = home.step(*commands[-1], at=at, fault=fault)
        assert home.lines() >= before, where
        assert disturbed.code in (None, 0, 1, 3), (where, disturbed)
        again = home.step(*commands[-1])
        assert again.code in codes, (where, again)
        assert home.lines() == done, where


def swept_while(home: Home, path: Path) -> Callable[[], object]:
    return lambda: shutil.rmtree(path.parent, ignore_errors=True)


def test_a_sweep_at_any_call_of_keep_leaves_a_whole_copy_or_none(home: Home) -> None:
    home.reset()
    calls = home.step("keep", "one").calls
    whole = 0
    for at in range(len(calls)):
        home.reset()
        data = home.path.read_bytes()
        outcome = run(home.root, ["keep", "one"], home.env, at, swept_while(home, home.path))
        copies = [path for path in home.state.rglob("*.jsonl.gz") if path.name == "one.jsonl.gz"]
        assert [gzip.decompress(copy.read_bytes()) for copy in copies] in ([], [data]), calls[at]
        assert bool(copies) is (outcome.code == 0), (calls[at], outcome)
        whole += len(copies)
    assert whole


@pytest.mark.parametrize("what", ["grow", "shrink", "replace"])
def test_a_change_at_any_call_of_keep_gives_a_copy_of_one_state(home: Home, what: str) -> None:
    home.reset()
    calls = home.step("keep", "one").calls
    for at in range(len(calls)):
        home.reset()
        states = [home.path.read_bytes()]

        def change() -> None:
            if what == "replace":
                other = home.path.with_name("other")
                other.write_text(line("user", "other", None, "another session") + "\n")
                other.replace(home.path)
            else:
                home.step(what)

        run(home.root, ["keep", "one"], home.env, at, change)
        states.append(home.path.read_bytes())
        [copy] = home.state.rglob("one.jsonl.gz")
        assert gzip.decompress(copy.read_bytes()) in states, calls[at]
        assert home.step("keep", "one").code == 0
        assert gzip.decompress(copy.read_bytes()) == states[-1], calls[at]


def test_two_keeps_at_a_time_leave_the_newest_copy(home: Home) -> None:
    home.reset()
    calls = home.step("keep", "one").calls
    # From there on, the other process waits for this one.
    last = next(
        at for at, call in enumerate(calls) if call.startswith(("link ", "replace home/.local/state"))
    )
    for at in range(last):
        home.reset()

        def other() -> None:
            home.step("grow")
            child = os.fork()
            if child == 0:
                os.chdir("/")
                from app.cli import main

                os._exit(main(["keep", "one"]))
            os.waitpid(child, 0)

        run(home.root, ["keep", "one"], home.env, at, other)
        [copy] = home.state.rglob("one.jsonl.gz")
        assert gzip.decompress(copy.read_bytes()) == home.path.read_bytes(), calls[at]
