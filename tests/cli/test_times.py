"""The time of a session: one far ahead of the clock, one in seconds, and one that no line has."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.rollouts import write_rollout

DAY = 24 * 3600


def stamp(days: float) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def claude(home, name, at, cwd):
    def one(role, uuid, parent, text):
        shared = {"sessionId": name, "cwd": cwd, "timestamp": at, "version": "2.1.300", "isSidechain": False}
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        return {"type": role, "uuid": uuid, "parentUuid": parent, "message": message, **shared}

    path = home / ".claude" / "projects" / "-w" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (one("user", f"{name}1", None, name), one("assistant", f"{name}2", f"{name}1", "ok"))
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def codex(home, name, at, cwd):
    session_id = f"019c8a52-7f3a-7bd2-9d5e-{name.encode().hex():0<12}"[:36]
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": name}]}
    lines = (
        {"timestamp": at, "type": "session_meta", "payload": {"id": session_id, "timestamp": at, "cwd": cwd}},
        {"timestamp": at, "type": "response_item", "payload": said},
    )
    return write_rollout(home, *lines, name=f"rollout-2026-02-23T11-40-29-{session_id}.jsonl")


def pi(home, name, at, cwd):
    folder = home / ".pi" / "agent" / "sessions" / "--w--"
    folder.mkdir(parents=True, exist_ok=True)
    head = {"type": "session", "version": 3, "id": f"{name}-id", "timestamp": at, "cwd": cwd}
    message = {"role": "user", "content": name}
    entry = {"type": "message", "id": "00000001", "parentId": None, "timestamp": at, "message": message}
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (head, entry)))
    return path


@pytest.mark.parametrize("write", [claude, codex, pi])
def test_a_session_far_ahead_of_the_clock_has_the_place_of_its_file(write, leafmark, tmp_path):
    home, cwd = tmp_path / "home", str(tmp_path)
    for name, days in (("old", -2 / 24), ("year", 365), ("days", 3), ("zone", 0.5)):
        path = write(home, name, stamp(days), cwd)
        if days > 1:
            then = time.time() - 5 * DAY
            os.utime(path, (then, then))
    write(home, "end", "9999-12-31T00:00:00.000Z", cwd)
    rows = json.loads(leafmark("list", "--json").stdout)["sessions"]
    titles = [row["title"] for row in rows]
    assert titles.index("zone") < titles.index("old") < min(titles.index("year"), titles.index("days"))
    assert [row["title"] for row in rows if row["problems"]] == [
        title for title in titles if title in ("year", "days", "end")
    ]
    for row in rows:
        if row["title"] == "year":
            assert row["modified"][:4] == str(datetime.now(UTC).year + 1)
    recent = leafmark("list", "date:<2d", "--format", "{title}").stdout.split()
    assert sorted(recent) == ["old", "zone"]
    ages = dict(
        line.split("\t") for line in leafmark("list", "--format", "{title}\t{age}").stdout.splitlines()
    )
    assert ages["end"] == "9999"
    assert ages["year"] == str(datetime.now(UTC).year + 1)
    assert ages["days"] not in ("now", "0m")
    doctor = leafmark("doctor").stdout
    assert doctor.count("ahead of the clock") == 3
    command = leafmark("resume", "--last", "--print", cwd=tmp_path)
    zone = next(row for row in rows if row["title"] == "zone")
    assert zone["session_id"] in command.stdout or zone["path"] in command.stdout


@pytest.mark.parametrize("write", [claude, codex, pi])
def test_figures_of_a_session_far_ahead_of_the_clock_count_on_the_day_of_its_file(write, leafmark, tmp_path):
    home, cwd = tmp_path / "home", str(tmp_path)
    for name, days in (("old", -2), ("year", 365), ("end", 400)):
        path = write(home, name, stamp(days), cwd)
        if days > 1:
            then = time.time() - 5 * DAY
            os.utime(path, (then, then))
    days_of = {days: (datetime.now() + timedelta(days=days)).date() for days in (-5, -2)}
    by_day = json.loads(leafmark("stats", "--json").stdout)["rows"]
    assert [(row["key"], row["sessions"], row["turns"]) for row in by_day] == [
        (days_of[-5].isoformat(), 2, 2),
        (days_of[-2].isoformat(), 1, 1),
    ]
    weeks = {"{}-W{:02}".format(*day.isocalendar()[:2]) for day in days_of.values()}
    by_week = json.loads(leafmark("stats", "--by", "week", "--json").stdout)["rows"]
    assert {row["key"] for row in by_week} == weeks


def test_numbers_may_be_seconds(leafmark, tmp_path):
    folder = tmp_path / "home" / ".pi" / "agent" / "sessions" / "--w--"
    folder.mkdir(parents=True)
    at = 1_771_846_829
    head = {"type": "session", "version": 3, "id": "seconds", "timestamp": at, "cwd": "/w"}
    message = {"role": "user", "content": "hi", "timestamp": at + 60}
    entry = {"type": "message", "id": "00000001", "parentId": None, "timestamp": at + 60, "message": message}
    (folder / "s.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (head, entry)))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert (row["created"], row["modified"]) == ("2026-02-23T11:40:29.000Z", "2026-02-23T11:41:29.000Z")


def test_a_first_rollout_is_as_old_as_its_file(leafmark, tmp_path):
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    first = {
        "id": "5973b6c0-94b8-487b-a530-2aeb6098ae0e",
        "timestamp": "2025-05-07T17:24:21.123Z",
        "instructions": None,
    }
    path = write_rollout(tmp_path / "home", first, said)
    os.utime(path, (1_771_846_829, 1_771_846_829))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert (row["created"][:10], row["modified"][:10]) == ("2025-05-07", "2026-02-23")
