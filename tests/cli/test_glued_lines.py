"""Whole records of a line are read, though another record or NUL bytes stand before them."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_times import claude, codex, pi

STAMP = "2026-03-01T10:00:00.000Z"


def glue(records):
    return [records[0], records[1] + records[2], *records[3:]]


def torn(records):
    return [records[0], records[1][:-30] + records[1], *records[2:]]


def behind_nuls(records):
    return [records[0], b"\0" * 500 + records[1], *records[2:]]


def whole_and_torn(records):
    return [records[0], records[1] + records[1][: len(records[1]) // 2], *records[2:]]


def records_of(write, home):
    """Four records of an agent with the texts zero to three, and the path of the file."""
    path = write(home, "zero", STAMP, "/w")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    last = lines[-1]
    for number, word in enumerate(("zebra", "quagga", "okapi"), 1):
        text = json.dumps(last).replace('"ok"', f'"{word}"').replace('"zero"', f'"{word}"')
        more = json.loads(text)
        if "uuid" in more:
            more |= {"uuid": f"u{number}", "parentUuid": lines[-1].get("uuid"), "sessionId": "zero"}
        elif "parentId" in more:
            more |= {"id": f"0000000{number + 1}", "parentId": lines[-1]["id"]}
        lines.append(more)
    head = lines[:-3]
    return (
        path,
        [json.dumps(each).encode() for each in head],
        [json.dumps(each).encode() for each in lines[-3:]],
    )


@pytest.mark.parametrize("break_lines", [glue, torn, behind_nuls, whole_and_torn])
@pytest.mark.parametrize("write", [claude, codex, pi])
def test_the_whole_records_of_a_line_are_read(write, break_lines, leafmark, tmp_path):
    path, head, records = records_of(write, tmp_path / "home")
    path.write_bytes(b"\n".join([*head, *break_lines([head[-1], *records])[1:], b""]))
    for word in ("zebra", "quagga", "okapi"):
        assert word in leafmark("search", word).stdout
        assert word in leafmark("tree", path).stdout
        assert word in leafmark("context", path).stdout
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["leaf_count"] == 1
    assert row["problems"] == 1
    assert "skipped (1)" in leafmark("doctor").stdout
    exported = leafmark("export", path, "--to", "md", "-o", "-").stdout
    assert all(word in exported for word in ("zebra", "quagga", "okapi"))


@pytest.mark.parametrize("write", [claude, codex, pi])
def test_a_part_of_a_torn_record_is_no_record(write, leafmark, tmp_path):
    path, head, records = records_of(write, tmp_path / "home")
    for cut in range(1, 60):
        path.write_bytes(b"\n".join([*head, records[0][:-cut], records[1], b""]))
        entries = json.loads(leafmark("context", path).stdout)["messages"]
        assert not [each for each in entries if "zebra" in str(each)], cut
