"""The disk space of sessions."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

from tests.claude_lines import line, write
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path


def du(*folders: Path) -> int:
    """The bytes that `du` counts."""
    out = subprocess.run(["du", "-sk", *map(str, folders)], capture_output=True, text=True, check=True).stdout
    return sum(int(each.split()[0]) * 1024 for each in out.splitlines())


def disk(run: Any, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("disk", "--json", *words).out)
    return found


def make(home: Path) -> list[Path]:
    """Sessions with artifacts, sub-agents, links, hard links and files that belong to none."""
    paths = []
    for number in range(3):
        path = write(home, line("user", f"u{number}", None, "x" * 9_000 * number), name=f"s{number}")
        inner = path.with_suffix("") / "subagents/agent-1.jsonl"
        inner.parent.mkdir(parents=True)
        inner.write_text(line("user", "a", None, "y" * 5_000) + "\n")
        (path.with_suffix("") / "tool-results").mkdir()
        (path.with_suffix("") / "tool-results/1.txt").write_text("z" * 20_000)
        paths.append(path)
    os.link(paths[0], paths[0].with_name("again.txt"))
    os.symlink(home, paths[0].with_suffix("") / "link")
    (paths[0].parent / "orphan/tool-results").mkdir(parents=True)
    (paths[0].parent / "orphan/tool-results/1.txt").write_text("w" * 12_345)
    return paths


def test_totals_equal_those_of_du(run: Any, home: Path) -> None:
    make(home)
    run("keep", "s1")
    total = disk(run)["total"]
    projects = home / ".claude/projects"
    parts = sum(total[name] for name in ("files", "artifacts", "subagents", "rest"))
    assert parts == du(projects)
    assert total["kept"] + total["kept_rest"] == du(home / ".local/state/leafmark/kept")
    assert total["index"] == du(home / ".cache/leafmark")
    assert total["total"] == parts + total["kept"] + total["kept_rest"] + total["index"]
    assert total["saved"] > 0
    assert (total["sessions"], total["blobs"]) == (3, 0)


def test_groups_add_up_and_stand_in_order(run: Any, home: Path) -> None:
    paths = make(home)
    write_session(home / ".pi/agent/sessions/--w--/1_a.jsonl", *chain("q", "a", id="pi-1", cwd="/w"))
    for group in ("project", "session"):
        found = disk(run, "--by", group)
        assert [row["total"] for row in found["rows"]] == sorted(
            (row["total"] for row in found["rows"]), reverse=True
        )
        for name in ("files", "artifacts", "subagents", "sessions"):
            assert sum(row[name] for row in found["rows"]) == found["total"][name]
    assert {row["key"] for row in disk(run, "--by", "project")["rows"]} == {"/work/app", "/w"}
    one = disk(run, "id:s2")["total"]
    assert one["sessions"] == 1
    assert one["files"] == du(paths[2])
    assert one["artifacts"] + one["subagents"] == du(paths[2].with_suffix(""))
    assert "index" not in one
    assert run("disk", "nothing-like-it").code == 1


def test_the_history_that_a_fork_repeats_is_counted(run: Any, home: Path) -> None:
    folder = home / ".pi/agent/sessions/--w--"
    lines = chain("question", "answer", "more", id="one")
    parent = write_session(folder / "1_one.jsonl", *lines)
    write_session(
        folder / "2_two.jsonl", {**lines[0], "id": "two", "parentSession": str(parent)}, *lines[1:3]
    )
    repeated = sum(len(each) + 1 for each in parent.read_text().splitlines()[1:3])
    assert disk(run)["total"]["repeated"] == repeated


def test_the_lines_that_a_fork_of_claude_code_was_given_are_counted(run: Any, home: Path) -> None:
    write(home, line("user", "u", None, "question"), line("assistant", "a", "u", "answer"), name="one")
    given = [
        line("user", "u2", None, "question", forkedFrom={"sessionId": "one", "messageUuid": "u"}),
        line("assistant", "a2", "u2", "answer", forkedFrom={"sessionId": "one", "messageUuid": "a"}),
    ]
    # Claude Code writes JSON without blanks.
    given = [json.dumps(json.loads(each), separators=(",", ":")) for each in given]
    write(home, *given, line("user", "more", "a2", "another question"), name="two")
    assert disk(run)["total"]["repeated"] == sum(len(each) + 1 for each in given)


def test_size_finds_sessions_by_the_bytes_of_their_files(run: Any, home: Path) -> None:
    make(home)

    def found(query: str) -> list[str]:
        rows = json.loads(run("list", "--json", "--", query).out)["sessions"]
        return sorted(row["session_id"] for row in rows)

    assert found("size:>10k") == ["s2"]
    assert found("size:<1k") == ["s0"]
    assert found("size:1k..10k") == ["s1"]
    assert found("-size:>1g") == ["s0", "s1", "s2"]
    assert run("list", "size:big").code == 2
