"""Compare every field of every row with the truth that the corpus generator recorded."""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from leafmark import Index

from app.formats import iso
from app.index import current_figures
from app.index.figures_file import unpacked
from app.index.statistics import SESSION, statistics
from app.index.subagents import with_subagents
from app.reports.listing import to_json
from app.sessions import quick_summary
from app.sessions.summaries.quick_summary import HEAD_BYTES, TAIL_BYTES, UNKNOWN_TITLE
from app.stores import discover
from tests.benchmarks.corpus import build, stores
from tests.benchmarks.corpus.compare import differences
from tests.benchmarks.corpus.truth import FIELDS

if TYPE_CHECKING:
    from pathlib import Path

    from app.index.statistics import Group
    from tests.benchmarks.corpus.truth import Record

NOW_MS = 1_795_000_000_000
"""Weeks after the corpus' last file was written: an unfinished last line is damage by then."""

HARMFUL = {"Cc", "Cs", "Zl", "Zp"}
OVERRIDES = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Found(NamedTuple):
    """The truth, the rows by path, the refused files (path -> reason), and the statistics by session."""

    truth: list[Record]
    rows: dict[str, dict[str, Any]]
    refused: dict[str, str]
    figures: dict[str, Group]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """The tiny corpus, indexed by a first scan and read back from the catalog by a second index."""
    folder = tmp_path_factory.mktemp("truth")
    truth = build(str(folder / "corpus"), "tiny")
    before = _everything_below(folder / "corpus")
    env = {"HOME": str(folder)}
    places = discover(env, str(folder), str(folder), extra=stores(str(folder / "corpus")))
    cache = str(folder / "cache")
    for _ in range(2):
        index = Index(places, cache)
        try:
            index.scan()
            rows = [to_json(row, "idle", NOW_MS) for row in index.rows(full=True)]
            complaints = dict(index.complaints)
            refused = {row.path: row.refused or "" for row in index.problem_files()}
            sessions, subagents = with_subagents(places, index.rows())
            counted = current_figures(cache, sessions, subagents)
        finally:
            index.close()
    refused.update(complaints)
    made = statistics([(row, unpacked(counted[row.path])) for row in sessions], SESSION)
    figures = {group.key: group for group in made.groups}
    assert _everything_below(folder / "corpus") == before, "looking wrote into a store"
    return Found(truth, {row["path"]: row | {"id": row["session_id"]} for row in rows}, refused, figures)


def _everything_below(folder: Path) -> dict[str, tuple[int, int, int]]:
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def _sessions(truth: list[Record]) -> list[Record]:
    return [record for record in truth if not record["refused"] and not record["hidden"]]


def test_the_list_is_complete_and_nothing_else(found: Found) -> None:
    assert sorted(found.rows) == sorted(record["path"] for record in _sessions(found.truth))


def test_every_field_of_every_row_is_true(found: Found) -> None:
    wrong = [
        f"{record['kind']}: {sentence} ({os.path.basename(record['path'])})"
        for record in _sessions(found.truth)
        for sentence in differences(record, found.rows.get(record["path"], {}))
    ]
    assert wrong == []


def test_statistics_count_every_token_once(found: Found) -> None:
    sessions = _sessions(found.truth)
    kinds = {record["kind"] for record in sessions if "counted" in record}
    assert {"claude copy", "codex copy of a copy", "codex sub-agent", "with artifacts"} <= kinds
    wrong = []
    for record in sessions:
        group = found.figures[record["path"]]
        counted = record.get("counted", list(record["tokens"].values()))
        tokens = [group.input, group.output, group.cache_read, group.cache_write]
        if "tokens" not in record["open"] and tokens != counted:
            wrong.append(f"{record['kind']}: {tokens} is not {counted} ({record['path']})")
        if not ({"cost"} & set(record["open"]) or "counted" in record):
            assert group.cost == pytest.approx(record["cost"] or 0, abs=1e-9), record["kind"]
    assert wrong == []


def test_every_refused_file_is_reported_with_a_reason(found: Found) -> None:
    expected = {record["path"] for record in found.truth if record["refused"]}
    assert {path for path, reason in found.refused.items() if reason} == expected


def test_files_inside_a_session_are_not_listed(found: Found) -> None:
    hidden = {record["path"] for record in found.truth if record["hidden"]}
    assert hidden
    assert not hidden & (found.rows.keys() | found.refused.keys())


def test_newest_activity_comes_first(found: Found) -> None:
    times = [row["modified"] for row in found.rows.values()]
    assert times == sorted(times, reverse=True)


def test_titles_are_inert(found: Found) -> None:
    for row in found.rows.values():
        title = row["title"]
        assert not {unicodedata.category(char) for char in title} & HARMFUL, repr(title)
        assert not OVERRIDES & set(title), repr(title)


def test_two_files_with_one_id_are_two_rows(found: Found) -> None:
    twins = [record["path"] for record in found.truth if record["kind"] == "one id in two files"]
    assert len({found.rows[path]["id"] for path in twins}) == 1
    assert len({found.rows[path]["entry_count"] for path in twins}) == 2


CERTAIN = ("agent", "id", "cwd", "created", "parent_session", "name")


def test_the_values_of_a_provisional_row_are_true(found: Found) -> None:
    """For sessions of every size: a value of the row is true, and an unknown field is empty."""
    wrong = []
    told = dict.fromkeys(("title", "modified", "name"), 0)
    for record in _sessions(found.truth):
        if record["size"] <= HEAD_BYTES:
            continue
        row = quick_summary(record["path"], (record["agent"],), NOW_MS)
        if row is None:
            wrong.append(f"{record['kind']}: nothing is told")
            continue
        claims: dict[str, Any] = {field: getattr(row, field) for field in CERTAIN}
        claims["created"] = None if row.created is None else iso(row.created)
        claims["modified"] = None if row.modified == NOW_MS else iso(row.modified)
        claims["title"] = None if row.title == UNKNOWN_TITLE else row.title
        if record["name"] and not row.name:
            # The name stands in the middle of the file: until it is read, the first prompt is the title.
            claims["title"] = None
        claims = {field: value for field, value in claims.items() if value}
        record = {**record, "open": [field for field in FIELDS if field not in claims] + record["open"]}
        wrong += [f"{record['kind']}: {sentence}" for sentence in differences(record, claims)]
        if row.first_message and not (record["first_message"] or "").startswith(row.first_message[:-1]):
            wrong.append(f"{record['kind']}: first_message: {row.first_message[:80]!r}")
        for field in told:
            told[field] += field in claims
    assert wrong == []
    assert all(told.values())


def test_the_ends_of_a_file_give_most_titles(found: Found) -> None:
    large = [record for record in _sessions(found.truth) if record["size"] > HEAD_BYTES + TAIL_BYTES]
    rows = [quick_summary(record["path"], (record["agent"],), NOW_MS) for record in large]
    untold = [row for row in rows if row is None or row.title == UNKNOWN_TITLE]
    assert large
    assert len(untold) * 5 < len(large)
