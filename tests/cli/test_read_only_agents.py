"""Sessions of agents that leafmark only reads, through the commands (formats/README.md, "Claude Code")."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING

from app.formats import find_header
from app.formats.lines import opened
from tests.cases import cases
from tests.claude_lines import line, picture, write

if TYPE_CHECKING:
    from pathlib import Path

NOT_READ = "leafmark: {} not read; `leafmark doctor` says why\n"
MB = 1 << 20


@cases(
    ("before", "content"),
    [
        ([], [picture(5 * MB), {"type": "text", "text": "look"}]),
        ([], [{"type": "text", "text": "look"}, *[picture(2 * MB)] * 3]),
        ([line("file-history-snapshot", None, None, snapshot={"x": "y" * 5 * MB})], "look"),
        ([line("file-history-snapshot", None, None, snapshot="y" * MB)] * 9, "look"),
        ([line("summary", None, None, summary="y" * 1_000)] * 6_000, "look"),
        (["not JSON" * (MB // 2 + 9)], "look"),
    ],
)
def test_any_number_of_bytes_may_come_before_the_conversation(run, home, before, content) -> None:
    lines = [line("user", "a", None, content), line("assistant", "b", "a", "found it")]
    write(home, *before, *lines)
    listed = json.loads(run("list", "--json").out)["sessions"]
    assert [(row["session_id"], row["cwd"], row["message_count"]) for row in listed] == [
        ("one", "/work/app", 2)
    ]
    for words in (("search", "found"), ("tree", "one"), ("context", "one"), ("stats",)):
        done = run(*words)
        assert (done.code, "not read" in done.err) == (0, False), words


def test_a_first_line_of_32_megabytes_takes_little_memory_besides(tmp_path: Path) -> None:
    big = line("user", "a", None, [picture(32 * MB)])
    path = write(tmp_path, line("mode", None, None), big)
    tracemalloc.start()
    with opened(str(path)) as descriptor:
        header = find_header(str(path), descriptor, ("claude",))
    assert (header.cwd, header.line) == ("/work/app", 2)
    assert tracemalloc.get_traced_memory()[1] < 5 * len(big)
    tracemalloc.stop()


def test_files_without_a_session_are_counted_once(run, home) -> None:
    write(home, line("user", "a", None, "hello"))
    write(home, line("summary", None, None, summary="no conversation"), name="none")
    write(home, "", name="empty")
    rollout = home / ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-x.jsonl.zst"
    rollout.parent.mkdir(parents=True)
    rollout.write_bytes(b"\x28\xb5\x2f\xfd")
    note = NOT_READ.format("3 files were")
    for words in (["list"], ["list", "--json"], ["list", "--limit", "1"], ["stats"], ["search", "hello"]):
        for _ in range(2):
            assert run(*words).err.count(note) == 1, words
    reasons = {entry["path"]: entry["reason"] for entry in json.loads(run("doctor", "--json").out)["skipped"]}
    assert len(reasons) == 3
    assert reasons[str(rollout)].startswith("compressed")
