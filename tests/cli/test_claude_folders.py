"""The folder of a session of Claude Code (formats/README.md, "Folders of sessions")."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.claude_lines import line, write

if TYPE_CHECKING:
    from pathlib import Path


def lines_in(*folders: Path | str) -> list[str]:
    return [
        line("user", f"p{number}", f"p{number - 1}" if number else None, "x", cwd=str(folder))
        for number, folder in enumerate(folders)
    ]


def encoded(folder: Path | str) -> str:
    return re.sub("[^A-Za-z0-9]", "-", str(folder))


def state(original: Path | None) -> str:
    worktree = None if original is None else {"originalCwd": str(original)}
    return line("worktree-state", None, None, worktreeSession=worktree)


@pytest.fixture
def folders(tmp_path: Path) -> Any:
    def make(*names: str) -> list[Path]:
        found = [tmp_path / name for name in names]
        for folder in found:
            folder.mkdir(parents=True, exist_ok=True)
        return found

    return make


def listed(run: Any) -> str:
    [row] = json.loads(run("list", "--json").out)["sessions"]
    printed = run("resume", "--print", "one")
    assert f"cd {row['cwd']} && " in printed.out or "gone" in printed.err + printed.out
    return str(row["cwd"])


@pytest.fixture
def claude(home, monkeypatch) -> None:
    program = home / "bin/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")


def test_a_cd_moves_nothing(run, home, claude, folders) -> None:
    root, inner, other = folders("r", "r/a", "r/b")
    write(home, *lines_in(root, inner, other), folder=encoded(root))
    assert listed(run) == str(root)
    write(home, *lines_in(inner, root, other), folder=encoded(root))
    assert listed(run) == str(root)


def test_a_session_that_went_on_after_a_move_is_in_its_new_folder(run, home, claude, folders) -> None:
    new, inner = folders("new", "new/inner")
    write(home, *lines_in("/gone/app", inner, new), folder="-gone-app")
    assert listed(run) == str(new)


def test_a_history_folder_that_was_renamed(run, home, claude, folders) -> None:
    [new] = folders("new")
    write(home, *lines_in("/gone/app", new), folder="-renamed")
    assert listed(run) == str(new)


def test_without_any_folder_left_the_first_one_counts(run, home, claude) -> None:
    write(home, *lines_in("/gone/app", "/gone/too"), folder="-gone-app")
    assert listed(run) == "/gone/app"


def test_folders_are_looked_at_again_while_the_file_stays(run, home, claude, folders) -> None:
    old, new = folders("old", "new")
    write(home, *lines_in(old, new), folder=encoded(old))
    assert listed(run) == str(old)
    shutil.rmtree(old)
    assert listed(run) == str(new)


def test_a_session_of_a_worktree_that_is_gone_is_in_its_repository(run, home, claude, folders) -> None:
    repository, worktree, other = folders("repo", "repo/.claude/worktrees/x", "other")
    write(home, state(repository), *lines_in(worktree, other), folder=encoded(worktree))
    assert listed(run) == str(worktree)
    shutil.rmtree(worktree)
    assert listed(run) == str(repository)
    later = line("user", "q", "p0", "x", cwd=str(other))
    write(home, state(repository), *lines_in(worktree), state(None), later, folder=encoded(worktree))
    assert listed(run) == str(other)


def test_a_long_name_of_a_history_folder_is_cut(run, home, claude, folders) -> None:
    long, other = folders("/".join(["n" * 100] * 3), "other")
    write(home, *lines_in(long, other), folder=f"{encoded(long)[:200]}-1abc2d")
    assert listed(run) == str(long)
