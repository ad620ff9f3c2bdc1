"""`.ci/removed_tests.py` names the commits that remove tests and do not say why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "removed_tests.py"
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
ONE = "def test_one():\n    assert 1\n"
TWO = "async def test_two():\n    assert 2\n"


class Checkout:
    """A repository with tests; each commit is an hour after the one before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hour = 0
        self.git("init", "-q", "-b", "main")
        (folder / "tests").mkdir()

    def git(self, *arguments: str) -> str:
        times = {
            f"GIT_{who}_DATE": f"@{1_700_000_000 + self.hour * 3600} +0000" for who in ("AUTHOR", "COMMITTER")
        }
        run = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**ENVIRONMENT, **times},
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout.strip()

    def commit(self, message: str, **files: str) -> str:
        """Write `files`, by name without suffix, below `tests`, and commit; return the short id."""
        for name, text in files.items():
            (self.folder / "tests" / f"{name}.py").write_text(text)
        self.hour += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("log", "-1", "--format=%h")

    def named(self, *arguments: str) -> list[str]:
        """The lines that the script prints."""
        run = subprocess.run(
            [sys.executable, SCRIPT, *arguments],
            cwd=self.folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout.splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_commit_that_removes_tests_is_named_unless_it_gives_the_reason(checkout: Checkout) -> None:
    base = checkout.commit("Begin", first=ONE + TWO)
    checkout.commit("Move a test", first=ONE, second=TWO)
    lost = checkout.commit("Take a lock", first="", second=TWO)
    checkout.commit("Drop an option\n\nTests removed: the option that it checked is gone.", second="")
    checkout.commit("Add one", first=ONE)
    renamed = checkout.commit("Rename a test", first=ONE.replace("one", "first"))
    silent = checkout.commit("Empty it\n\nTests removed:", first="")

    assert checkout.named(base) == [
        f"{lost} Take a lock: removes test_one and does not say why",
        f"{renamed} Rename a test: removes test_one and does not say why",
        f"{silent} Empty it: removes test_first and does not say why",
        f"6 commits since {base[:8]}: 3 of them remove tests without a reason",
    ]


def test_without_a_base_the_commits_of_four_hours_are_examined(checkout: Checkout) -> None:
    old = checkout.commit("Begin", first=ONE + TWO)
    checkout.commit("Remove one", first=TWO)
    checkout.hour += 5
    last = checkout.commit("Remove another", first="")

    lines = checkout.named()

    assert lines[0] == f"{last} Remove another: removes test_two and does not say why"
    assert len(lines) == 2
    assert not any(old in line for line in lines)


def test_a_history_of_one_push_is_said_to_have_no_base(checkout: Checkout) -> None:
    checkout.commit("Begin", first=ONE)

    assert checkout.named() == ["no commit is old enough to compare with: removed tests are not looked for"]


def test_many_names_are_counted(checkout: Checkout) -> None:
    tests = "".join(f"def test_{number}():\n    pass\n" for number in range(11))
    base = checkout.commit("Begin", first=tests)
    checkout.commit("Remove all", first="")

    first, _ = checkout.named(base)

    assert first.endswith("test_5, test_6 and 3 more and does not say why")
