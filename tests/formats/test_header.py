"""Headers of every format and version (formats/README.md, "pi")."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import Header, NotASession, find_header, read_header, slot_line
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

SCAN_LIMIT = 1 << 20  # bytes within which a header begins

TIME = "2026-02-16T10:20:30.000Z"
MS = 1_771_237_230_000


def head(**fields: Any) -> bytes:
    values = {"type": "session", "version": 3, "id": "abc", "timestamp": TIME, "cwd": "/work/app", **fields}
    return json.dumps({key: value for key, value in values.items() if value is not ...}).encode() + b"\n"


def slot(title: str = "A title", size: int = 256) -> bytes:
    line = {"type": "title", "v": 1, "title": title, "updatedAt": TIME, "pad": ""}
    line["pad"] = " " * max(0, size - 1 - len(json.dumps(line)))
    return json.dumps(line).encode() + b"\n"


def read(data: bytes, *agents: str, path: str = "/s/2026_x.jsonl") -> Header:
    return read_header(path, data, agents)


def test_a_header_of_pi() -> None:
    header = read(head(parentSession="/other.jsonl"), "pi")
    assert (header.agent, header.dialect, header.version, header.id) == ("pi", "pi", 3, "abc")
    assert (header.cwd, header.created_ms, header.parent_session) == ("/work/app", MS, "/other.jsonl")
    assert (header.line, header.offset, header.length) == (1, 0, len(head(parentSession="/other.jsonl")) - 1)
    assert header.has_ids
    assert not header.faults


def test_a_folder_with_a_nul_byte_counts_as_missing() -> None:
    header = read(head(cwd="/tmp/a\0b"), "pi")
    assert header.cwd == ""
    [fault] = header.faults
    assert (fault.line, fault.offset) == (1, 0)
    assert "NUL" in fault.reason


@cases(
    ("written", "version", "has_ids"),
    [
        (..., 1, False),
        (1, 1, False),
        (2, 2, True),
        (3, 3, True),
        (9, 9, True),
        ("3", 3, True),
        (None, 1, False),
        *[([], 3, True), (2.5, 2, True), (1e300, 3, True), (True, 3, True)],
    ],
)
def test_a_header_of_any_version(written: Any, version: int, has_ids: bool) -> None:
    header = read(head(version=written), "pi")
    assert (header.version, header.has_ids) == (version, has_ids)


def test_an_old_parent_and_odd_fields() -> None:
    header = read(head(branchedFrom="/old.jsonl", cwd=5, timestamp={"a": 1}), "pi")
    assert (header.parent_session, header.cwd, header.created_ms) == ("/old.jsonl", "", None)


def test_a_title_line_decides_the_name_of_a_session_of_omp() -> None:
    header = read(slot("From the slot") + head(title="from the header"), "omp")
    assert (header.agent, header.name, header.title_slot, header.slot_writable) == (
        "omp",
        "From the slot",
        True,
        True,
    )
    assert header.line == 2
    assert read(slot("") + head(title="from the header"), "omp").name is None
    assert read(head(title=" from the header "), "omp").name == "from the header"


def test_a_short_title_line_is_read_but_may_not_be_written_in_place() -> None:
    header = read(slot("Short", size=0) + head(), "omp")
    assert (header.name, header.title_slot, header.slot_writable) == ("Short", True, False)
    assert not header.faults


@cases("before", [b"\n", b"\xef\xbb\xbf"])
def test_a_title_line_that_is_not_at_the_start_may_not_be_written_in_place(before: bytes) -> None:
    assert not read(before + slot() + head(), "omp").slot_writable


@cases(
    ("data", "agent"),
    [
        (head(), "pi"),
        (slot() + head(), "omp"),
        (head(title="x"), "omp"),
        (head(titleSource="auto"), "omp"),
        (head(previousSessionFiles=[]), "omp"),
    ],
)
@cases("agents", [("pi", "omp"), ("omp", "pi"), ()])
def test_the_agent_of_a_file_in_a_shared_folder(data: bytes, agent: str, agents: tuple[str, ...]) -> None:
    assert read(data, *agents).agent == agent


def test_in_a_folder_of_its_own_an_agent_owns_every_file() -> None:
    assert read(head(), "omp").agent == "omp"
    assert read(head(title="x"), "pi").agent == "pi"
    assert read(head(), "indusagi").dialect == "indusagi"


def test_a_title_line_in_a_store_of_pi_is_a_fault() -> None:
    header = read(slot("Named") + head(), "pi")
    assert (header.agent, header.dialect, header.name) == ("pi", "omp", "Named")
    assert [(fault.line, fault.offset) for fault in header.faults] == [(1, 0)]


def test_the_version_of_nickcecere_agent_is_1() -> None:
    header = read(head(version=1, timestamp="2026-02-16T10:20:30Z"), "agent")
    assert (header.agent, header.dialect, header.created_ms, header.has_ids) == ("agent", "agent", MS, True)
    assert read(head(version=1)).dialect == "agent"
    assert read(head(version=...)).dialect == "pi"


def test_a_transcript() -> None:
    line = b'{"schema":"indus/transcript@1","kind":"head","sessionId":"abc","leaf":null}\n'
    header = read(line, "indusagi")
    assert (header.agent, header.dialect, header.id, header.cwd, header.has_ids) == (
        "indusagi",
        "transcript",
        "abc",
        "",
        True,
    )
    entry = b'{"schema":"indus/transcript@1","kind":"entry","id":"a","prev":null,"role":"user"}\n'
    assert read(entry, "indusagi", path="/x/my-session.ndjson").id == "my-session"


BOM = b"\xef\xbb\xbf"
INCOMPLETE = b'{"type":"title","v":1,"title":"T","updatedAt":""}\n'
TITLE = INCOMPLETE.replace(b"}", b',"pad":""}')
COPY = "`leafmark fork` copies the active path to a file that {} opens"
ENTRY = b'{"type":"custom","id":"a","parentId":null}\n'


def test_a_byte_order_mark_is_accepted_and_reported() -> None:
    for agent in ("omp", "agent"):
        header = read(BOM + head(), agent)
        assert (header.id, header.offset, header.has_bom, header.refusal) == ("abc", 3, True, "")
        assert [fault.reason for fault in header.faults] == ["the file begins with a byte order mark"]


@cases("agent", ["pi", "indusagi"])
@cases(
    ("before", "line", "what"),
    [
        (BOM, 1, "a byte order mark before the header"),
        (TITLE, 1, "a title line before the header"),
        (INCOMPLETE, 1, "a title line before the header"),
        (b"junk\n" + TITLE, 2, "a title line before the header"),
        (ENTRY, 1, "a line before the header"),
        (b"\n5\n", 2, "a line before the header"),
        (BOM + b"\n" + ENTRY, 2, "a line before the header"),
    ],
)
def test_a_refusal_by_pi_is_reported_with_the_repair(agent: str, before: bytes, line: int, what: str) -> None:
    header = read(before + head(), agent)
    does = {"pi": "refuses", "indusagi": "overwrites"}[agent]
    assert header.refusal == f"{what}: {agent} {does} such a file; {COPY.format(agent)}"
    assert (line, header.refusal) in [(fault.line, fault.reason) for fault in header.faults]


@cases(
    ("before", "line", "what", "repair"),
    [
        (INCOMPLETE, 1, "a title line", "`leafmark rename` writes it anew"),
        (b"\n" + TITLE, 2, "a title line", "`leafmark rename` writes it anew"),
        (slot_line("T", "user", 0) + TITLE, 2, "a title line", COPY.format("omp")),
        (ENTRY, 1, "a line", COPY.format("omp")),
        (b"null\n", 1, "a line", COPY.format("omp")),
    ],
)
def test_a_refusal_by_omp_is_reported_with_the_repair(
    before: bytes, line: int, what: str, repair: str
) -> None:
    header = read(before + head(), "omp")
    assert header.refusal == f"{what} before the header: omp refuses such a file; {repair}"
    assert [(fault.line, fault.reason) for fault in header.faults] == [(line, header.refusal)]


@cases(
    ("agent", "before"),
    [
        ("pi", b""),
        ("pi", b"\n \njunk\n\0\n"),
        ("pi", b'null\nfalse\n0\n""\r\n'),
        ("pi", BOM + b"\n"),
        ("pi", BOM + TITLE),
        ("omp", BOM + b"junk\n"),
        ("omp", TITLE),
        ("omp", BOM + TITLE),
        ("omp", slot_line("T", None, 0)),
    ],
)
def test_lines_that_the_agents_skip_are_no_refusal(agent: str, before: bytes) -> None:
    assert read(before + head(), agent).refusal == ""


def test_unreadable_lines_before_the_header_are_skipped() -> None:
    header = read(b'\n#!/bin/sh\n{"half\n{"type":"message","id":"a"}\n' + head(), "pi")
    assert (header.id, header.line) == ("abc", 5)


@cases(
    ("data", "line", "reason"),
    [
        (b"", 0, "empty file"),
        (b"\n \n", 0, "only blank lines"),
        (b"\nnotes\n", 2, "no session header"),
        (b'{"type":"message","id":"a"}\n', 1, "no session header"),
        (b'{"a":1}\n' + head(id=5), 2, "the header has no id"),
        (slot(), 1, "no session header"),
        (b"x" * (1 << 20) + b"\n" + head(), 1, "no session header"),
        (bytes(4096), 1, "no session header"),
    ],
)
def test_a_file_without_a_session_is_refused_with_a_reason(data: bytes, line: int, reason: str) -> None:
    with pytest.raises(NotASession) as caught:
        read(data, "pi")
    assert (caught.value.line, caught.value.reason) == (line, reason)
    assert caught.value.path == "/s/2026_x.jsonl"


def test_lone_surrogates_in_a_header_are_replaced() -> None:
    header = read(b'{"type":"session","version":3,"id":"a\\ud83d","cwd":"/x\\udc00"}\n', "pi")
    assert (header.id, header.cwd) == ("a\ufffd", "/x\ufffd")


JSON = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just([]) | st.just({})
)


@given(
    st.dictionaries(
        st.sampled_from(
            ["type", "id", "version", "timestamp", "cwd", "title", "schema", "kind", "v", "createdAt"]
        ),
        JSON | st.sampled_from(["session", "title", "header", "indus/transcript@1", "entry"]),
    )
)
def test_any_bytes_are_a_header_or_are_refused(fields: dict[str, Any]) -> None:
    try:
        header = read(json.dumps(fields).encode(), "pi", "omp")
    except NotASession:
        return
    assert isinstance(header.id, str)
    assert isinstance(header.cwd, str)


def test_a_long_header_late_in_the_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    before = (b"[%*d]\n" % (SCAN_LIMIT // 4, 1)) * 3
    path.write_bytes(before + head(more="x" * SCAN_LIMIT) + b'{"type":"message"')
    descriptor = os.open(path, os.O_RDONLY)
    try:
        assert find_header(str(path), descriptor).id == "abc"
    finally:
        os.close(descriptor)
