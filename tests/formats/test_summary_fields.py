"""Decoding a block at once gives the fields of each line, or nothing (formats/README.md, "pi")."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from app.formats import (
    Answer,
    BadLine,
    ExtensionMessage,
    Message,
    Prompt,
    SummaryFields,
    SummaryMessage,
    decode_lines,
    decode_partial,
    summary_fields_of,
)
from app.formats.content import (
    ImageBlock,
    OtherBlock,
    RedactedBlock,
    ServerToolBlock,
    SnakeToolCallBlock,
    ToolCallBlock,
    string_of,
)
from tests.cases import cases

LAST_MS = 253_402_300_799_999
TEXT = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=8)
TIME = st.integers(0, LAST_MS)
ODD_TIME = st.integers(-5, -1) | st.integers(LAST_MS + 1, 2**54)
JUNK: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.floats(0, 9) | st.just([]) | st.just({"a": [1]}) | TEXT
)


def entries(
    junk: st.SearchStrategy[Any], odd_time: st.SearchStrategy[int], roles: list[str]
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for entries with `junk` in fields of other types."""
    usage = st.fixed_dictionaries(
        {},
        optional={
            "input": st.integers(0, 99) | junk,
            "cacheRead": st.integers(0, 99),
            "cache_read": st.integers(0, 99),
            "cost": st.fixed_dictionaries({}, optional={"total": st.floats(0, 9) | junk}),
        },
    )
    block = st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "thinking", "toolCall", "tool_call", "image", "fallback"]) | junk},
        optional={"text": TEXT | junk, "thinking": TEXT | junk, "name": TEXT | junk, "arguments": JUNK},
    )
    content = st.none() | TEXT | st.lists(block | junk, max_size=3) | junk
    message = st.fixed_dictionaries(
        {"role": st.sampled_from(roles) | junk, "content": content, "timestamp": TIME | odd_time | junk},
        optional={
            "usage": usage | junk,
            "provider": TEXT | junk,
            "model": TEXT,
            "stopReason": TEXT | junk,
            "errorMessage": TEXT | junk,
            "summary": TEXT | junk,
            "extra": JUNK,
        },
    )
    return st.fixed_dictionaries(
        {"type": st.sampled_from(["message", "label", "session", "new"]) | junk},
        optional={
            "id": TEXT | junk,
            "parentId": TEXT | junk,
            "parent_id": TEXT | junk,
            "timestamp": JUNK,
            "message": message | junk,
            "targetId": TEXT | junk,
            "target_id": TEXT,
            "label": TEXT | junk,
            "name": TEXT | junk,
            "usage": usage | junk,
            "parent_session_path": TEXT | junk,
            "summary": TEXT | junk,
            "content": content,
            "branchSummary": TEXT | junk,
        },
    )


PLAIN = entries(
    st.nothing(), st.nothing(), ["user", "assistant", "toolResult", "tool_result", "custom", "branchSummary"]
)
ANY = entries(
    JUNK, ODD_TIME, ["user", "assistant", "toolResult", "hookMessage", "compactionSummary", "nobody"]
)


def at_once(block: bytes, *, snake: bool = False) -> list[SummaryFields] | None:
    """Return the fields from `decode_lines`; check its offsets."""
    result = decode_lines(block, snake=snake)
    if result is None:
        return None
    lines = block.split(b"\n")[:-1]
    assert result[1] == [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    return result[0]


def as_line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode()


def plain(value: Any) -> Any:
    """Return fields as plain values, without the classes of a spelling and without unused times."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Raw):
        return string_of(value)
    if not isinstance(value, Struct):
        return value
    if isinstance(value, SnakeToolCallBlock):
        value = ToolCallBlock(value.name)
    if isinstance(value, ImageBlock | RedactedBlock | ServerToolBlock):
        value = OtherBlock()
    known = (Answer, Prompt, ExtensionMessage, SummaryMessage, Message, SummaryFields)
    kind = next((kind for kind in known if isinstance(value, kind)), type(value))
    fields = {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if "timestamp" in fields and not 0 < fields["timestamp"] <= LAST_MS:
        fields["timestamp"] = 0
    if fields.get("summary") == "":
        fields["summary"] = None
    return kind.__name__.removeprefix("Camel"), fields


def one_by_one(block: bytes, *, snake: bool) -> list[Any] | None:
    """Return the expected result of `decode_lines`, if it gives any; None if it must not."""
    try:
        return [
            plain(summary_fields_of(decode_partial(line, snake=snake))) for line in block.split(b"\n")[:-1]
        ]
    except BadLine:
        return None


@given(st.lists(PLAIN, min_size=1, max_size=6), st.booleans(), st.sampled_from([b"", b'{"type":"mess', b"]"]))
def test_plain_lines_are_read_at_once(lines: list[dict[str, Any]], snake: bool, unfinished: bytes) -> None:
    block = b"".join(as_line(line) + b"\n" for line in lines)
    decoded = at_once(block + unfinished, snake=snake)
    assert decoded is not None
    assert [plain(fields_of_line) for fields_of_line in decoded] == one_by_one(block, snake=snake)


@given(
    st.lists(ANY.map(as_line) | st.sampled_from([b"", b"{", b"}", b"[]", b"1"]), min_size=1), st.booleans()
)
def test_other_lines_give_the_same_or_nothing(lines: list[bytes], snake: bool) -> None:
    block = b"".join(line + b"\n" for line in lines)
    decoded = at_once(block, snake=snake)
    if decoded is not None:
        assert [plain(fields_of_line) for fields_of_line in decoded] == one_by_one(block, snake=snake)


PIECES = st.sampled_from(
    [
        b"{}",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b'"a"',
        b"1",
        b"\n",
        b"\n",
        b" ",
        b"\r",
        b"\t",
        b"\\",
        b'"message"',
    ]
)


@given(st.lists(PIECES, max_size=30))
def test_lines_that_are_json_only_together_are_not_entries(pieces: list[bytes]) -> None:
    block = b"".join(pieces) + b"\n"
    decoded = at_once(block)
    if decoded is not None:
        assert [plain(fields_of_line) for fields_of_line in decoded] == one_by_one(block, snake=False)


@cases(
    "block",
    [
        b'{}\n{"a":\n1}\n',
        b'{}\n{"a":[1\n2]}\n{},{}\n',
        b"{}\n{}{}\n\n",
        b'{}\n{}][{}\n{"a":["\n"]}\n',
        b'{}\n{"a":[]\n[]}\n',
        b'{}\n{"a":"\n"}\n',
        b'{}\n{"a":[\n]}\n{}][{}\n',
        b"{}\n{},\n{}\n",
        b"{}\n\xef\xbb\xbf{}\n",
        b"{}\n[{}]\n",
        b"{}\n]\n[\n",
        b"{}\n\n",
        b"\n{}\n",
        b"{}]\n[{}\n",
        b'{}\n{"id":"\\ud800"}\n',
        b'{}\n{"id":"\xff"}\n',
        b'{}\n{"x":"\x01"}\n',
        b'{}\n{"x":NaN}\n',
        b'{}\n{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    ],
)
def test_blocks_that_cannot_be_decoded_at_once_give_nothing(block: bytes) -> None:
    assert at_once(block) is None


def test_the_last_of_two_equal_fields_counts() -> None:
    (fields_of_line,) = at_once(b'{"type":"label","type":"message","id":"a","id":"b"}\n') or []
    assert (fields_of_line.type, fields_of_line.id) == ("message", "b")
    # The role decides how to read the other fields. `decode_partial` takes the last of two roles.
    assert at_once(b'{"message":{"role":"user","content":"","timestamp":1,"role":"toolResult"}}\n') is None


@cases(
    ("message", "when"),
    [
        ('{"role":"user","content":"","timestamp":5}', 5),
        ('{"role":"user","content":null}', 1_771_236_000_000),
        ('{"role":"user","content":"","timestamp":"soon"}', 1_771_236_000_000),
        ('{"role":"user","timestamp":5}', 0),
        ("null", None),
    ],
)
def test_the_time_of_a_message(message: str, when: int | None) -> None:
    line = f'{{"type":"message","timestamp":"2026-02-16T10:00:00Z","message":{message}}}'.encode()
    found = summary_fields_of(decode_partial(line)).message
    assert getattr(found, "timestamp", None) == when
