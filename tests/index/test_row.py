"""Rows: the order of their fields, and their JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from leafmark import Row

from app.index import FIELDS, refused_row, session_row, signature_of
from app.reports.listing import to_json
from app.sessions import Summary
from app.stores import Tagging
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = Summary(
    agent="pi",
    dialect="pi",
    id="abc",
    cwd="/work/app",
    name="Auth",
    title="Auth",
    title_source="name",
    first_message="fix\nthe login",
    last_prompt="now the tests",
    created=1_767_323_045_000,
    modified=1_767_323_046_123,
    message_count=4,
    entry_count=6,
    leaf_count=3,
    branch_count=2,
    labels=(("e1", "ckpt"),),
    leaf_id="e5",
    parent_session="/old.jsonl",
    models=("anthropic/claude",),
    tools=("bash", "read"),
    tokens=(1, 2, 3, 4),
    cost=0.25,
    errors=1,
    images=2,
    problems=1,
    torn=True,
    ending="waiting",
    spawned=False,
    linear=False,
)
MTIME_MS = 1_767_323_050_000
SIGNATURE = (7, 900, MTIME_MS * 1_000_000, 5)


def make() -> Row:
    return session_row("/s/a.jsonl", "/s", SUMMARY.values(), SIGNATURE, 99)


def test_a_row_can_be_made_from_its_values() -> None:
    row = make()
    assert Row(row.values()).values() == row.values()
    assert dict(zip(FIELDS, row.values(), strict=True))["grew_ms"] == 99
    assert row.signature == SIGNATURE


def test_the_row_has_every_field_of_the_summary() -> None:
    row = make()
    assert [getattr(row, field) for field in Summary._fields] == list(SUMMARY.values())


def test_values_of_another_version_are_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        Row((*make().values(), "more"))


def test_a_refused_row_has_the_reason_and_the_line() -> None:
    row = refused_row("/s/a.jsonl", "/s", SIGNATURE, "not JSON", 3)
    assert (row.refused, row.refused_line, row.signature) == ("not JSON", 3, SIGNATURE)
    assert Row(row.values()).values() == row.values()


def test_json_has_exactly_the_documented_fields() -> None:
    assert to_json(make(), "maybe", MTIME_MS) == {
        "agent": "pi",
        "session_id": "abc",
        "path": "/s/a.jsonl",
        "cwd": "/work/app",
        "name": "Auth",
        "title": "Auth",
        "first_message": "fix\nthe login",
        "created": "2026-01-02T03:04:05.000Z",
        "modified": "2026-01-02T03:04:06.123Z",
        "message_count": 4,
        "entry_count": 6,
        "leaf_count": 3,
        "labels": [{"entry_id": "e1", "label": "ckpt"}],
        "leaf_id": "e5",
        "parent_session": "/old.jsonl",
        "continued_in": None,
        "subagent": False,
        "size": 900,
        "models": ["anthropic/claude"],
        "tokens": {"input": 1, "output": 2, "cache_read": 3, "cache_write": 4},
        "cost": 0.25,
        "cost_estimated": False,
        "cost_partial": False,
        "state": "maybe",
        "ending": "waiting",
        "problems": 1,
        "tags": [],
        "note": None,
        "expires": None,
        "kept": False,
        "gone": False,
    }
    tagged = to_json(make(), "idle", 0, Tagging(("urgent", "ci"), "ask Ann"))
    assert (tagged["tags"], tagged["note"]) == (["urgent", "ci"], "ask Ann")
    assert json.loads(json.dumps(to_json(make(), "idle", 0), allow_nan=False))["state"] == "idle"


def test_a_session_without_a_time_has_no_created() -> None:
    row = make()
    row.created = None
    assert to_json(row, "idle", MTIME_MS)["created"] is None


@cases(("quiet_ms", "problems"), [(0, 1), (59_999, 1), (60_000, 2)])
def test_a_torn_line_counts_as_damage_after_a_minute_without_writes(quiet_ms: int, problems: int) -> None:
    assert to_json(make(), "idle", MTIME_MS + quiet_ms)["problems"] == problems


def test_a_signature_fits_into_the_database(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("x")
    status = list(os.stat(path))
    status[1] = (1 << 64) - 1
    huge = os.stat_result(status, {"st_mtime_ns": 1 << 70, "st_ctime_ns": 1 << 70})
    assert all(number < 1 << 63 for number in signature_of(huge))
