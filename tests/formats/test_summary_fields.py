"""All lines of a block at once say what each says by itself, or nothing (formats/README.md, "pi")."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from app.formats.content import (
    ImageBlock,
    OtherBlock,
    RedactedBlock,
    ServerToolBlock,
    SnakeToolCallBlock,
    ToolCallBlock,
    string_of,
)
from app.formats.json_codec import BadLine
from app.formats.partial_entry import decode_partial
from app.formats.summary_fields import (
    ANSWER_TYPES,
    Answer,
    ExtensionMessage,
    Message,
    Prompt,
    SummaryFields,
    SummaryMessage,
    _message_time,
    decode_lines,
    summary_fields_of,
)

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
    """Entries; `junk` stands where it does not belong."""
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
    """What `decode_lines` finds. Where the lines begin has to be true as well."""
    found = decode_lines(block, snake=snake)
    if found is None:
        return None
    lines = block.split(b"\n")[:-1]
    assert found[1] == [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    return found[0]


def written(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode()


def plain(value: Any) -> Any:
    """A brief as plain values: a spelling's classes do not matter, nor what a time is that nobody counts."""
    if isinstance(value, list):
        return [plain(one) for one in value]
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
    """What `decode_lines` has to say where it says anything; None where it must not."""
    try:
        return [
            plain(summary_fields_of(decode_partial(line, snake=snake))) for line in block.split(b"\n")[:-1]
        ]
    except BadLine:
        return None


@given(st.lists(PLAIN, min_size=1, max_size=6), st.booleans(), st.sampled_from([b"", b'{"type":"mess', b"]"]))
def test_plain_lines_are_read_at_once(lines: list[dict[str, Any]], snake: bool, unfinished: bytes) -> None:
    block = b"".join(written(line) + b"\n" for line in lines)
    found = at_once(block + unfinished, snake=snake)
    assert found is not None
    assert [plain(brief) for brief in found] == one_by_one(block, snake=snake)
    assert all(isinstance(brief.message, Answer) == (type(brief.message) in ANSWER_TYPES) for brief in found)


@given(
    st.lists(ANY.map(written) | st.sampled_from([b"", b"{", b"}", b"[]", b"1"]), min_size=1), st.booleans()
)
def test_other_lines_say_the_same_or_nothing(lines: list[bytes], snake: bool) -> None:
    block = b"".join(line + b"\n" for line in lines)
    found = at_once(block, snake=snake)
    if found is not None:
        assert [plain(brief) for brief in found] == one_by_one(block, snake=snake)


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
def test_lines_that_are_json_only_together_are_no_entries(pieces: list[bytes]) -> None:
    block = b"".join(pieces) + b"\n"
    found = at_once(block)
    if found is not None:
        assert [plain(brief) for brief in found] == one_by_one(block, snake=False)


@pytest.mark.parametrize(
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
        b'{}\n{"x":' + b"[" * 3000 + b"]" * 3000 + b"}\n",
    ],
)
def test_what_the_lines_do_not_say_by_themselves_is_left_to_them(block: bytes) -> None:
    assert at_once(block) is None


def test_a_field_given_twice_counts_the_last_time() -> None:
    (brief,) = at_once(b'{"type":"label","type":"message","id":"a","id":"b"}\n') or []
    assert (brief.type, brief.id) == ("message", "b")
    # The role says how to read the other fields. If there are two, `decode_partial` takes the last one.
    assert at_once(b'{"message":{"role":"user","content":"","timestamp":1,"role":"toolResult"}}\n') is None


@pytest.mark.parametrize(
    ("message", "when"),
    [
        ('{"role":"user","content":"","timestamp":5}', 5),
        ('{"role":"user","content":null}', 1_771_236_000_000),
        ('{"role":"user","content":"","timestamp":"soon"}', 1_771_236_000_000),
        ('{"role":"user","timestamp":5}', None),
        ("null", None),
    ],
)
def test_the_time_of_a_message(message: str, when: int | None) -> None:
    line = f'{{"type":"message","timestamp":"2026-02-16T10:00:00Z","message":{message}}}'.encode()
    assert _message_time(decode_partial(line)) == when
