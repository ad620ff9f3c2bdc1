"""`leafmark stats` against a slow program that reads the files itself."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Index, SessionManager

from app.cli import main
from app.index import current_figures, figures_path
from app.index.figures_file import unpacked
from app.index.statistics import GROUPS, statistics
from app.reports.stats import to_json as as_json
from app.setup import setup_from_demo
from app.stores import discover
from app.view.cells import width
from tests.benchmarks.corpus import build, stores
from tests.factory import write_session
from tests.truth.slow_statistics import can_read, totals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from leafmark import Row, Store

    from app.index.statistics import Group


ZONES = ("Asia/Kathmandu", "America/St_Johns")
"""Zones whose days begin at 18:15 and 3:30 or 2:30, UTC."""


@pytest.fixture(autouse=True)
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Set the zone of this process: the first of `ZONES`, and then any other."""

    def set_zone(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    set_zone(ZONES[0])
    yield set_zone
    monkeypatch.undo()
    time.tzset()


def compare(places: Sequence[Store], cache: str) -> None:
    """Compare the statistics of all sessions that the slow program can read, by each group."""
    index = Index(places, cache)
    try:
        index.scan()
        figures = current_figures(cache, index.rows())
        rows = [row for row in index.rows() if is_plain(row)]
        assert rows
        for group_by in GROUPS:
            found = statistics([(row, unpacked(figures[row.path])) for row in rows], group_by)
            total, groups = totals([(row.path, row.agent) for row in rows], group_by)
            assert as_told(found.total) == about({"key": "total", **total})
            ours = {group.key: as_told(group) for group in found.groups}
            assert ours.keys() == groups.keys(), group_by
            for key, group in groups.items():
                assert ours[key] == about({"key": key, **group}), (group_by, key)
    finally:
        index.close()


def as_told(group: Group) -> dict[str, Any]:
    """A group as it is printed; the slow program leaves out where estimates were spent."""
    told = as_json(group)
    if told["cost_estimated"]:
        del told["cost_abandoned"]
    return told


def is_plain(row: Row) -> bool:
    """Whether the slow program can read the session, which knows no clock and no times ahead of it."""
    is_known = row.dialect in ("pi", "omp", "indusagi", "agent", "claude", "codex")
    is_whole = row.ahead_ms is None and not row.problems and not row.torn
    return is_known and is_whole and can_read(row.path, row.agent)


def about(figures: dict[str, Any]) -> dict[str, Any]:
    """Sums of dollars and seconds depend on their order in the last digits."""
    return {
        name: pytest.approx(value, abs=1e-6) if isinstance(value, float) else value
        for name, value in figures.items()
    }


def test_the_corpus_read_by_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", 1)
    build(str(tmp_path / "corpus"), "tiny")
    env = {"HOME": str(tmp_path)}
    places = discover(env, str(tmp_path), str(tmp_path), extra=stores(str(tmp_path / "corpus")))
    compare(places, str(tmp_path / "cache"))


def test_the_examples(tmp_path: Path, in_zone: Callable[[str], None]) -> None:
    for zone in ZONES:
        in_zone(zone)
        compare(setup_from_demo(str(tmp_path / "demo")).stores, str(tmp_path / "cache"))


def answer(number: int) -> dict[str, Any]:
    usage = {"input": number, "output": 2 * number, "cacheRead": 3, "cost": {"total": number / 8}}
    call = {"type": "toolCall", "id": f"c{number}", "name": ("bash", "read")[number % 2], "arguments": {}}
    return {
        "role": "assistant",
        "provider": "p",
        "model": f"m{number % 3}",
        "content": [{"type": "text", "text": f"answer {number}"}, call],
        "usage": usage,
    }


class Family:
    """Sessions that are forked, copied and removed at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        self.env = {"HOME": str(root)}
        self.paths: list[str] = []
        self.number = 0

    def grow(self, manager: SessionManager) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.number += 1
            manager.append_message({"role": "user", "content": f"prompt {self.number}", "timestamp": 1})
            manager.append_message(answer(self.number))
            failed = self.number % 4 == 0
            result = {"role": "toolResult", "toolName": "bash", "toolCallId": "x", "isError": failed}
            manager.append_message({**result, "content": "x"})
            if self.random.random() < 0.3:
                manager.append_label_change(self.random.choice(manager.get_branch()).id, "l")
            if self.random.random() < 0.3:
                manager.branch(self.random.choice(manager.get_entries()).id)

    def step(self) -> None:
        choice = self.random.random()
        if not self.paths or choice < 0.15:
            manager = SessionManager.create(f"/w{len(self.paths) % 2}", env=self.env, agent=self.agent())
        else:
            path = self.random.choice(self.paths)
            manager = SessionManager.open(path, env=self.env)
            if choice < 0.35:
                manager = SessionManager.fork_from(path, "/fork", env=self.env)
            elif choice < 0.7:
                messages = [entry.id for entry in manager.get_branch() if entry.type == "message"]
                manager.create_branched_session(self.random.choice(messages[1:]))
            elif choice < 0.8 and len(self.paths) > 2:
                self.paths.remove(path)
                os.unlink(path)
                return
        self.grow(manager)
        if manager.session_file and os.path.exists(manager.session_file):
            self.paths = list(dict.fromkeys([*self.paths, manager.session_file]))

    def agent(self) -> str:
        return self.random.choice(["pi", "omp"])


@pytest.mark.parametrize("seed", range(6))
def test_forks_of_forks_whose_parents_may_be_gone(
    tmp_path: Path, in_zone: Callable[[str], None], seed: int
) -> None:
    in_zone(ZONES[seed % 2])
    family = Family(tmp_path, seed)
    for number in range(15):
        family.step()
        time.sleep(0.002)  # so that no session begins in the millisecond in which an entry was made
        if number % 3 == 2:
            compare(discover(family.env, str(tmp_path), str(tmp_path)), str(tmp_path / "cache"))


def entry(number: int, parent: int | None, minute: int, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": None if parent is None else f"{parent:08x}",
        "timestamp": f"2026-05-01T18:{minute:02}:00.000Z",
        "message": message,
    }


def head(session_id: str, minute: int, **more: Any) -> dict[str, Any]:
    stamp = f"2026-05-01T18:{minute:02}:00.000Z"
    return {"type": "session", "version": 3, "id": session_id, "timestamp": stamp, "cwd": "/w", **more}


def test_copies_whose_times_do_not_tell(tmp_path: Path) -> None:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    user = {"role": "user", "content": "hello"}
    lines = [entry(1, None, 0, user), entry(2, 1, 1, answer(2)), entry(3, 2, 9, answer(3))]
    first = write_session(folder / "a.jsonl", head("a", 0), *lines)
    # An id that both have, with another time, and a header as old as the copied entries.
    write_session(
        folder / "b.jsonl", head("b", 0, parentSession=str(first)), *lines[:2], entry(3, 2, 20, answer(5))
    )
    # A copy by hand that grew, and one whose parent is gone.
    shutil.copy(first, folder / "c.jsonl")
    with (folder / "c.jsonl").open("a") as file:
        file.write(json.dumps(entry(4, 1, 30, answer(7))) + "\n")
    write_session(
        folder / "d.jsonl", head("d", 40, parentSession="/gone.jsonl"), *lines[1:], entry(6, 3, 41, user)
    )
    # Two forks of nothing that share what nobody else has.
    lost = [entry(16, None, 5, {**user, "content": "lost"}), entry(17, 16, 6, answer(9))]
    for name in "ef":
        write_session(folder / f"{name}.jsonl", head(name, 50, parentSession="/gone2.jsonl"), *lost)
    # An entry of another type that has a message all the same.
    odd = {**entry(32, None, 50, answer(1)), "type": "custom", "customType": "x"}
    write_session(folder / "g.jsonl", head("g", 50), odd, entry(33, 32, 51, {**user, "content": "odd"}))
    # The clock was wrong.
    early = {**entry(48, None, 50, user), "timestamp": "1950-05-01T18:50:00.000Z"}
    write_session(folder / "h.jsonl", head("h", 50), early, entry(49, 48, 51, answer(2)))
    compare(discover({"HOME": str(tmp_path)}, str(tmp_path), "/"), str(tmp_path / "cache"))


def test_a_changed_copy_of_a_copy_leaves_the_entries_of_the_first(tmp_path: Path) -> None:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    user = {"role": "user", "content": "hello"}
    lines = [entry(1, None, 0, user), entry(2, 1, 1, answer(2)), entry(3, 2, 9, answer(3))]
    write_session(folder / "a.jsonl", head("a", 0), *lines[:2])
    write_session(folder / "b.jsonl", head("b", 8), *lines)
    # It has nothing of the first one.
    third = write_session(folder / "c.jsonl", head("c", 9), *lines[2:])
    places = discover({"HOME": str(tmp_path)}, str(tmp_path), "/")
    compare(places, str(tmp_path / "cache"))
    with open(third, "a") as file:
        file.write(json.dumps(entry(4, 3, 30, answer(7))) + "\n")
    compare(places, str(tmp_path / "cache"))


def test_a_damaged_file_of_figures_is_made_anew(tmp_path: Path) -> None:
    family = Family(tmp_path, 3)
    for _ in range(8):
        family.step()
    places = discover(family.env, str(tmp_path), str(tmp_path))
    cache = tmp_path / "cache"
    index = Index(places, str(cache))
    index.scan()
    rows = index.rows()
    index.close()
    expected = current_figures(str(cache), rows)
    path = Path(figures_path(str(cache)))
    whole = path.read_bytes()
    for seed in range(40):
        damaged = bytearray(whole)
        damaged[random.Random(seed).randrange(len(whole))] ^= 1 << seed % 8
        path.write_bytes(damaged[: len(whole) // 2] if seed == 0 else damaged)
        assert current_figures(str(cache), rows) == expected


def test_a_session_that_did_not_change_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    for name in "abc":
        write_session(folder / f"{name}.jsonl", head(name, 0), entry(ord(name), None, 1, answer(2)))
    index = Index(discover({"HOME": str(tmp_path)}, str(tmp_path), "/"), str(tmp_path / "cache"))
    steps: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        steps.append((done, total))

    index.scan()
    current_figures(str(tmp_path / "cache"), index.rows(), on_progress=progress)
    assert steps == [(0, 3), (1, 3), (2, 3)]
    steps.clear()
    with (folder / "b.jsonl").open("a") as file:
        file.write(json.dumps(entry(4, ord("b"), 3, answer(3))) + "\n")
    index.scan()
    figures = current_figures(str(tmp_path / "cache"), index.rows(), on_progress=progress)
    index.close()
    assert steps == [(0, 1)]
    assert sum(cell[2 + 1] for each in figures.values() for cell in unpacked(each).cells) == 4
    # The days of another time zone are others.
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    steps.clear()
    current_figures(str(tmp_path / "cache"), index.rows(), on_progress=progress)
    assert steps[-1] == (2, 3)


def test_only_the_conversation_is_active_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    user = {"role": "user", "content": "hello"}

    def other(number: int, minute: int, **fields: Any) -> dict[str, Any]:
        return {**entry(number, number - 1, minute, {}), **fields}

    write_session(
        tmp_path / ".pi/agent/sessions/--w--/a.jsonl",
        head("a", 0),
        entry(1, None, 0, user),
        other(2, 2, type="label", targetId="00000001", label="begin"),
        entry(3, 2, 4, answer(3)),  # four minutes after the prompt, whatever is between them
        other(4, 5, type="compaction", summary="short", firstKeptEntryId="00000001"),
        other(5, 20, type="session_info", name="later"),
        other(6, 21, type="model_change", provider="p", modelId="m"),
        entry(7, 6, 30, user),  # at most five minutes
        other(8, 50, type="label", targetId="00000007", label="end"),
    )
    assert main(["stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["active_seconds"] == (4 + 1 + 5) * 60


def test_the_command_prints_text_and_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".pi/agent/sessions/--w--"
    user = {"role": "user", "content": "hello"}
    write_session(
        folder / "a.jsonl", head("a", 0), entry(1, None, 0, user), entry(2, 1, 1, answer(2)), "no json"
    )

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["stats", *words])
        return code, *capsys.readouterr()

    code, out, err = run("--json", "--by", "model")
    expected = {
        "sessions": 1,
        "turns": 1,
        "messages": 2,
        "tool_calls": 1,
        "tool_errors": 0,
        "tokens": {"input": 2, "output": 4, "cache_read": 3, "cache_write": 0},
        "cost": 0.25,
        "cost_estimated": False,
        "cost_partial": False,
        "cost_abandoned": 0.0,
        "active_seconds": 60.0,
    }
    rows = [{"key": "p/m2", **expected}]
    assert json.loads(out) == {"schema": 3, "total": {"key": "total", **expected}, "rows": rows}
    assert (code, "1 damaged line was not counted" in err) == (0, True)
    # In a pipe, the values are separated by tabs.
    assert run("--by", "model")[1] == "p/m2\t1\t1\t2\t1\t0\t2\t4\t3\t0\t0.25\t0.0\t60.0\tfalse\tfalse\n"
    # On a terminal there are bars, a heat map and the totals, in the width of the terminal.
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for group_by, cells, ascii_only in product(GROUPS, (40, 100), (False, True)):
        monkeypatch.setenv("COLUMNS", str(cells))
        monkeypatch.setenv("LC_ALL", "C" if ascii_only else "C.UTF-8")
        code, out, _ = run("--by", group_by)
        assert code == 0
        assert out.startswith(group_by)
        assert "1 session, 1 prompt, 2 messages, 1 tool call" in out
        assert "Mon " in out
        assert "\x1b" not in out
        assert out.isascii() is ascii_only
        assert all(width(line) <= cells for line in out.splitlines()[:-5])
    assert run("hello")[0] == 0
    assert run("nothing-like-it")[0] == 1
    assert run("in:all")[0] == 2
