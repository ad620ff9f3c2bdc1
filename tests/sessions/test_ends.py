"""The quick summary reads the two ends of a file: its fields are right or empty."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sessions import quick_summary, summarise
from app.sessions.summaries import quick_summary as quick_summary_module
from app.sessions.summaries.quick_summary import HEAD_BYTES, TAIL_BYTES, UNKNOWN_TITLE, _beginning
from tests.cases import cases
from tests.sessions.lines import HEADER, HEADER_MS, MTIME, answer, content, custom, put, user

if TYPE_CHECKING:
    from pathlib import Path

    from app.sessions import Summary

FILLING = [custom(f"f{at}", None, data="x" * 1_000) for at in range(100)]
"""More bytes than both ends have."""


def seen(folder: Path, *lines: dict[str, Any] | bytes, agent: str = "pi", **how: Any) -> Summary | None:
    return quick_summary(put(folder, *lines, **how), (agent,), MTIME)


def told(folder: Path, *lines: dict[str, Any] | bytes, agent: str = "pi", **how: Any) -> Summary:
    found = seen(folder, *lines, agent=agent, **how)
    assert found is not None
    return found


def name(text: str) -> dict[str, Any]:
    return {"type": "session_info", "id": "n", "parentId": None, "name": text}


def test_head_and_tail_make_a_row(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        {**HEADER, "parentSession": "/old.jsonl"},
        user("a", None, "first prompt", timestamp=HEADER_MS + 1),
        *FILLING,
        name("Auth"),
        answer("b", "a", timestamp=HEADER_MS + 5_000),
        custom("c", "b"),
    )
    assert (found.agent, found.dialect, found.id, found.cwd) == ("pi", "pi", "abc", "/work/app")
    assert (found.created, found.modified) == (HEADER_MS, HEADER_MS + 5_000)
    assert (found.name, found.title, found.first_message) == ("Auth", "Auth", "first prompt")
    assert found.parent_session == "/old.jsonl"


def test_fields_that_need_the_whole_file_are_empty(tmp_path: Path) -> None:
    found = told(tmp_path, HEADER, user("a", None), *FILLING)
    assert (found.message_count, found.entry_count, found.leaf_count, found.problems) == (0, 0, 0, 0)
    assert (found.labels, found.leaf_id, found.models, found.cost) == ((), None, (), 0)
    assert not found.torn


def test_only_the_two_ends_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    really = quick_summary_module.read_at

    def counting(descriptor: int, size: int, offset: int) -> bytes:
        data = really(descriptor, size, offset)
        read.append(len(data))
        return data

    monkeypatch.setattr(quick_summary_module, "read_at", counting)
    told(tmp_path, HEADER, user("a", None), *FILLING)
    assert sum(read) == HEAD_BYTES + TAIL_BYTES == 36 * 1024
    read.clear()
    assert seen(tmp_path, b"no session", *FILLING) is None
    assert sum(read) <= HEAD_BYTES + TAIL_BYTES


@cases("count", [0, 1, 3, 26])
def test_a_small_file_has_the_row_of_a_whole_read(tmp_path: Path, count: int) -> None:
    lines = [user("a", None, "hi", timestamp=HEADER_MS + 7), *FILLING[:count], name("n")]
    path = put(tmp_path, HEADER, *lines)
    found, whole = quick_summary(path, ("pi",), MTIME), summarise(path, ("pi",), MTIME).summary
    assert found is not None
    assert whole is not None
    for field in ("id", "cwd", "name", "title", "first_message", "created", "modified"):
        assert getattr(found, field) == getattr(whole, field), field


# the first prompt


def test_a_prompt_beyond_the_head_is_cut(tmp_path: Path) -> None:
    prompt = 'see “this” \\ "that"\n' * 1_000
    found = told(tmp_path, HEADER, user("a", None, prompt), *FILLING)
    assert len(found.first_message) > 1_000
    assert prompt.startswith(found.first_message)
    assert found.title == summarise(str(tmp_path / "session.jsonl"), ("pi",), 1).summary.title  # type: ignore[union-attr]


def test_a_prompt_after_the_head_is_unknown(tmp_path: Path) -> None:
    found = told(tmp_path, HEADER, *FILLING, user("a", None, "late"), *FILLING, user("b", "a", "later"))
    assert (found.first_message, found.title) == ("", UNKNOWN_TITLE)


def test_a_prompt_without_text_is_skipped(tmp_path: Path) -> None:
    image = user("a", None, [{"type": "image", "data": "eA==", "mimeType": "image/png"}])
    found = told(tmp_path, HEADER, image, answer("b", "a", "I see"), user("c", "b", "and now?"), *FILLING)
    assert found.first_message == "and now?"


def test_a_quoted_prompt_in_an_answer_is_no_prompt(tmp_path: Path) -> None:
    quoting = answer("a", None, 'he said {"role":"user","content":"no"} ' + "x" * HEAD_BYTES)
    assert told(tmp_path, HEADER, quoting, *FILLING).first_message == ""


BLOCKS = st.one_of(
    st.text(),
    st.lists(
        st.one_of(
            st.builds(lambda text: {"type": "text", "text": text}, st.text(min_size=1)),
            st.just({"type": "image", "data": "eA==", "mimeType": "image/png"}),
        ),
        max_size=3,
    ),
)


@given(blocks=BLOCKS, spaced=st.booleans(), ascii_only=st.booleans(), data=st.data())
def test_the_beginning_of_a_cut_prompt_is_right_at_any_offset(
    blocks: Any, spaced: bool, ascii_only: bool, data: st.DataObject
) -> None:
    separators = (", ", ": ") if spaced else (",", ":")
    line = json.dumps(user("a", None, blocks), separators=separators, ensure_ascii=ascii_only)
    raw = line.encode("utf-8", "surrogatepass")
    cut = raw[: data.draw(st.integers(0, len(raw)))]
    texts = [blocks] if isinstance(blocks, str) else [block.get("text", "") for block in blocks]
    first = next((text for text in texts if text), "")
    found = _beginning(cut)
    # The cut may leave only the first half of a pair of surrogates.
    assert first.startswith(found) or (first.startswith(found[:-1]) and found[-1] == "\ufffd")


def test_the_beginning_of_an_answer_is_no_prompt() -> None:
    assert _beginning(json.dumps(answer("a", None, "ok")).encode()[:-10]) == ""


# the name


@cases(
    ("agent", "names", "expected"),
    [
        ("pi", ["one", "two"], "two"),
        ("pi", ["one", ""], None),
        ("indusagi", ["one", ""], "one"),
        ("agent", ["one"], None),
    ],
)
def test_the_latest_name_counts_by_the_rule_of_the_agent(
    tmp_path: Path, agent: str, names: list[str], expected: str | None
) -> None:
    lines = [user("a", None, "prompt"), *map(name, names[:1]), *FILLING, *map(name, names[1:])]
    assert told(tmp_path, {**HEADER, "version": 1}, *lines, agent=agent).name == expected


def test_a_text_that_quotes_a_name_entry_is_no_name(tmp_path: Path) -> None:
    talk = answer("b", None, '{"type":"session_info","name":"no"}')
    assert told(tmp_path, HEADER, user("a", None, "prompt"), *FILLING, talk).name is None


def test_a_transcript_is_dated_by_its_first_entry(tmp_path: Path) -> None:
    head = {"schema": "indus/transcript@1", "kind": "head", "sessionId": "t1", "leaf": None}

    def node(entry: str, role: str, text: str, at: str) -> dict[str, Any]:
        entry_fields = {"id": entry, "prev": None, "role": role, "message": text, "at": at}
        return {"schema": "indus/transcript@1", "kind": "entry", **entry_fields}

    first = node("a", "user", "say it", "2026-02-16T10:00:00.000Z")
    last = node("b", "assistant", "x" * 40_000, "2026-02-16T10:00:01.000Z")
    found = told(tmp_path, head, first, last, {**head, "leaf": "b"}, agent="indusagi")
    assert (found.id, found.created, found.first_message) == ("t1", HEADER_MS, "say it")
    assert found.modified == MTIME, "the tail begins within the only message there"


# the time


def test_the_last_message_dates_the_session(tmp_path: Path) -> None:
    newest = user("b", "a", timestamp=HEADER_MS + 90)
    found = told(tmp_path, HEADER, user("a", None, timestamp=1), *FILLING, newest, *FILLING[:20])
    assert found.modified == HEADER_MS + 90


def test_the_time_of_the_entry_replaces_a_missing_message_time(tmp_path: Path) -> None:
    last = {**answer("b", "a"), "timestamp": "2026-02-16T10:00:03.000Z"}
    assert told(tmp_path, HEADER, *FILLING, last, b'{"torn').modified == HEADER_MS + 3_000


def test_the_file_time_counts_without_a_message_in_the_tail(tmp_path: Path) -> None:
    assert told(tmp_path, HEADER, user("a", None, timestamp=5), *FILLING).modified == MTIME


# damage


@cases(
    "before",
    [b"\xef\xbb\xbf", b"\n\n \n", b"not json\n", b'{"type":"custom","id":"x"}\n', b"\0\0\0\n"],
    ids=["bom", "blank lines", "damage", "an entry", "NULs"],
)
def test_a_header_after_other_lines_is_found(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(before + content(HEADER, user("a", None, "prompt"), *FILLING))
    found = quick_summary(str(path), ("pi",), MTIME)
    assert found is not None
    assert (found.id, found.first_message) == ("abc", "prompt")


@cases(
    "data",
    [
        b"",
        b"\n" * 50_000,
        b"x" * 50_000,
        b"[" * 50_000,
        b"\0" * 50_000,
        content({**HEADER, "cwd": "/long" * 2_000}, *FILLING),
        content(b"x" * HEAD_BYTES, HEADER, *FILLING),
        content({**HEADER, "id": 5}, *FILLING),
        json.dumps(HEADER).encode(),
    ],
    ids=["empty", "blank", "no lines", "deep", "NULs", "long header", "late header", "no id", "unfinished"],
)
def test_a_head_without_a_header_makes_no_row(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(data)
    assert quick_summary(str(path), ("pi",), MTIME) is None


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    null = {"type": "message", "id": "m", "parentId": None, "message": None}
    deep = b'{"type":"message","id":"d","message":{"role":"user","content":' + b"[" * 3_000
    found = told(
        tmp_path,
        HEADER,
        null,
        b'"user"',
        b'["user"]',
        {"type": "message", "id": 5, "message": {"role": "user", "content": 7}},
        user("a", None, "prompt \ud83d"),
        *FILLING,
        user("b", "a", timestamp=HEADER_MS + 4),
        null,
        deep,
        b"\xff\xfe",
        last=b'\n{"type":"message","id":"half","message":{"role":"user"',
    )
    assert (found.first_message, found.modified) == ("prompt \ufffd", HEADER_MS + 4)


@cases("kind", ["missing", "a folder", "a pipe"])
def test_an_unreadable_file_makes_no_row(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "session.jsonl"
    if kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    assert quick_summary(str(path), ("pi",), MTIME) is None
