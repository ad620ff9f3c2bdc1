"""Every reader skips runs of NUL bytes and blank lines, which a crash leaves, in blocks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from leafmark import Index, SessionManager

from app.formats import Dialect
from app.sessions import extend, open_end, open_path, open_tree, quick_summary, summarise
from app.sessions.summaries import problems
from app.sessions.summaries import summary_builder as builder_module
from tests.cases import cases
from tests.index.helpers import pi_store
from tests.sessions.lines import HEADER, MTIME, answer, content, handed_out, user

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ("pi",)
LAST_MS = 1_771_300_000_000
LONG = 3 << 20
RUNS = {
    "newlines": b"\n" * LONG,
    "CRLF": b"\r\n" * (LONG // 2),
    "blanks": b" \n" * (LONG // 2),
    "NUL": b"\0" * LONG + b"\n",
    "mixed": b"\n" * LONG + b"\0" * LONG + b"\n" + b" \t\r\n" * 1000,
    "NUL before an entry": b"\0" * LONG,
}
DAMAGED = {"NUL": 1, "mixed": 1, "NUL before an entry": 1}


def entries(first: int, count: int) -> list[dict[str, Any]]:
    """Return a chain of questions and answers."""
    return [
        (answer if at % 2 else user)(f"e{at}", f"e{at - 1}" if at else None, f"words{at}", timestamp=LAST_MS)
        for at in range(first, first + count)
    ]


def entry_places(data: bytes) -> list[tuple[str, int, int]]:
    """Return id, line number and offset of every entry: of every line with its `id`."""
    found = []
    for match in re.finditer(rb'"id": ?"(e[0-9]+)"', data):
        offset = data.rfind(b"\n", 0, match.start()) + 1
        assert data[offset : offset + 1] == b"{"
        found.append((match[1].decode(), data.count(b"\n", 0, offset) + 1, offset))
    return found


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def data(run: str) -> bytes:
    """Return a session with two runs, each followed by entries."""
    before, between, behind = (content(*entries(at, 4)) for at in (0, 4, 8))
    # If a run ends in the middle of a line, that line is damaged.
    lost = b"{}\n" if run == "NUL before an entry" else b""
    middle = RUNS[run] + lost
    return content(HEADER) + before + middle + between + middle + behind


@pytest.fixture
def path(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "store" / "--a--" / "session.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return str(path)


def test_the_row_equals_that_of_the_file_without_the_runs(
    path: str, data: bytes, run: str, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(content(HEADER, *entries(0, 12)))
    expected = summarise(str(plain), AGENTS, MTIME).summary
    outcome = summarise(path, AGENTS, MTIME)
    assert expected is not None
    expected = expected._replace(problems=2 * DAMAGED.get(run, 0))
    assert outcome.summary == expected
    assert outcome.progress is not None
    assert outcome.progress.offset == len(data)
    cut = data.rfind(b"\n", 0, len(data) - len(RUNS[run]) // 2) + 1
    Path(path).write_bytes(data[:cut])
    first = summarise(path, AGENTS, MTIME)
    Path(path).write_bytes(data)
    assert first.progress is not None
    on = extend(path, first.progress, AGENTS, MTIME)
    assert on is not None
    assert on.summary == expected


def test_a_damaged_line_after_a_run_has_its_number_and_offset(path: str, data: bytes) -> None:
    with open(path, "ab") as file:
        file.write(b"damaged\n")
    last = problems(path, AGENTS)[-1]
    assert (last.line, last.offset) == (data.count(b"\n") + 1, len(data))
    tree = open_tree(path, AGENTS)
    assert (tree.problems[-1].line, tree.problems[-1].offset) == (last.line, last.offset)
    assert SessionManager.open(path, agents=AGENTS).problems[-1].line == last.line


def test_the_tree_and_the_library_have_every_entry(path: str, data: bytes) -> None:
    expected = entry_places(data)
    assert len(expected) == 12
    tree = open_tree(path, AGENTS)
    assert [(node.id, node.line, node.offset) for node in tree.entries] == expected
    assert [tree.read(node)["id"] for node in tree.entries] == [place[0] for place in expected]
    manager = SessionManager.open(path, agents=AGENTS)
    assert [(entry.id, entry.line) for entry in manager.get_entries()] == [place[:2] for place in expected]


def test_the_path_from_the_end_has_every_entry(path: str, data: bytes) -> None:
    expected = [(entry_id, offset) for entry_id, _, offset in entry_places(data)]
    opened = open_path(path, AGENTS)
    assert [(node.id, node.offset) for node in handed_out(opened, 3)] == expected


def test_a_file_search_finds_text_before_and_after_a_run(path: str, tmp_path: Path) -> None:
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"))
    try:
        index.scan()
        for word in ("words0", "words5", "words11"):
            (hit,) = [hit for page in index.query(f"{word} in:all") for hit in page.hits]
            assert hit.row.path == path
    finally:
        index.close()


@pytest.mark.parametrize("run", ["newlines", "CRLF", "blanks"], indirect=True)
def test_no_blank_line_of_a_run_is_decoded(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[None] = []

    def counted(function: Any) -> Any:
        def counting(*args: Any, **named: Any) -> Any:
            decoded.append(None)
            return function(*args, **named)

        return counting

    monkeypatch.setattr(Dialect, "partial_entries", counted(Dialect.partial_entries))
    monkeypatch.setattr(builder_module, "decode_lines", counted(builder_module.decode_lines))
    summarise(path, AGENTS, MTIME)
    problems(path, AGENTS)
    open_tree(path, AGENTS)
    # Whole blocks are decoded before their blank lines are found.
    assert len(decoded) < 2000


@cases("end", [b"\0" * LONG, b"\n" * LONG, b"\0\n" * 100 + b"\0" * LONG, b" \r\n" * LONG])
def test_the_quick_summary_finds_the_newest_message_before_a_run(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content(HEADER, *entries(0, 4)) + end)
    row = quick_summary(str(path), AGENTS, MTIME)
    assert row is not None
    assert row.modified == LAST_MS


def test_the_end_of_a_long_session_is_shown_before_nul_bytes(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content(HEADER, *entries(0, 20_000)) + b"\0" * LONG)
    end = open_end(str(path), AGENTS)
    assert end is not None
    assert end.leaf is not None
    assert end.leaf.id == "e19999"
    torn = open_tree(str(path), AGENTS).torn
    assert torn is not None
    assert torn.length == LONG


SPARSE = """
import json, resource, sys
sys.path.insert(0, sys.argv[1])
path, folder = sys.argv[2:]
from leafmark import Index
from app.sessions import SessionManager
from app.sessions.summaries.summarise import problems
from app.sessions.tree.path_reader import open_path
from app.sessions.tree.tree import open_end, open_tree
from app.stores import agent_named
from leafmark import Store
from app.index import worker_pool
limit = 1 << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
index = Index([Store(agent_named("pi"), folder, "default")], folder + "-cache")
index.scan()
rows = {row.path: row for row in index.rows()}
hits = [hit.row.path for page in index.query("words3 in:all") for hit in page.hits]
index.close()
manager = SessionManager.open(path, agents=("pi",))
found = [
    len(rows), rows[path].entry_count, rows[path].torn, path in hits,
    len(open_tree(path, ("pi",)).entries), len(manager.get_entries()),
    open_path(path, ("pi",)).start.id, len(problems(path, ("pi",))),
]
manager.append_label_change("e3", "here")
manager.refresh()
manager = SessionManager.open(path, agents=("pi",))
print(json.dumps([*found, manager.get_label("e3"), len(open_tree(path, ("pi",)).entries)]))
"""


@pytest.mark.skipif(not hasattr(os, "SEEK_DATA"), reason="the system tells nothing about holes")
def test_gigabytes_of_nul_bytes_after_a_session_take_no_memory(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    path = folder / "--a--" / "sparse.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(content(HEADER, *entries(0, 4)))
    os.truncate(path, 4 << 30)
    os.utime(path, (1_700_000_000, 1_700_000_000))  # a fresh unfinished line is left to its writer
    (path.parent / "other.jsonl").write_bytes(content({**HEADER, "id": "other"}, *entries(0, 2)))
    command = [sys.executable, "-c", SPARSE, str(ROOT), str(path), str(folder)]
    env = {"HOME": str(tmp_path), "PATH": os.defpath}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)
    assert done.returncode == 0, done.stderr
    # The label closes the unfinished line, and is one more entry.
    assert json.loads(done.stdout) == [2, 4, True, True, 4, 4, "e3", 1, "here", 5]
