"""The fast decoder of a line and the lenient one agree."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from app.formats import ABSENT, BadLine, decode_partial, decode_partial_leniently, replace_surrogates
from app.formats.content import read_content, text_of
from tests.cases import cases

TEXT = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=8)
JUNK = st.none() | st.booleans() | st.integers() | TEXT | st.just([]) | st.just({"a": [1]})
STAMP = st.integers(0, 2**53) | st.floats(0, 1e15) | TEXT
USAGE = st.fixed_dictionaries(
    {},
    optional={
        "input": st.integers(0, 10**9) | JUNK,
        "cacheRead": st.integers(0, 10**9),
        "cache_read": st.integers(0, 10**9),
        "cost": st.fixed_dictionaries({}, optional={"total": st.floats(0, 9) | JUNK}) | JUNK,
    },
)
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "toolCall", "image"]) | JUNK},
    optional={"text": TEXT | JUNK, "id": TEXT},
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant", "toolResult"]) | JUNK,
        "content": TEXT | st.lists(BLOCK | JUNK, max_size=3) | JUNK,
        "timestamp": STAMP | JUNK,
        "usage": USAGE | JUNK,
        "stopReason": TEXT | JUNK,
        "stop_reason": TEXT,
        "toolCallId": TEXT | JUNK,
    },
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["message", "label", "session"]) | JUNK,
        "id": TEXT | JUNK,
        "parentId": TEXT | JUNK,
        "parent_id": TEXT | JUNK,
        "timestamp": STAMP | JUNK,
        "message": MESSAGE | JUNK,
        "label": TEXT | JUNK,
        "targetId": TEXT,
        "name": TEXT | JUNK,
        "summary": TEXT | JUNK,
        "tokensBefore": st.integers() | JUNK,
        "usage": USAGE | JUNK,
        "extra": JUNK,
    },
)


def plain(value: Any) -> Any:
    """Return a partial entry as plain values, with raw JSON decoded."""
    if isinstance(value, Raw):
        return ("raw", json.loads(bytes(value)) if bytes(value) else None, bool(bytes(value)))
    if isinstance(value, Struct):
        return [(name, plain(getattr(value, name))) for name in value.__struct_fields__]
    return value


@given(ENTRY, st.booleans(), st.booleans())
def test_both_decoders_agree_on_an_entry(entry: dict[str, Any], snake: bool, ascii_only: bool) -> None:
    line = json.dumps(entry, ensure_ascii=ascii_only).encode()
    assert plain(decode_partial(line, snake=snake)) == plain(decode_partial_leniently(line, snake=snake))


@given(st.binary(max_size=40) | st.text(alphabet='{}[]":,0e-.ntul \\\ud83d', max_size=16).map(
    lambda text: b'{"x":' + text.encode("utf-8", "surrogatepass") + b"}"
))  # fmt: skip
def test_both_decoders_refuse_the_same_lines(line: bytes) -> None:
    def outcome(read: Any) -> Any:
        try:
            return plain(read(line))
        except BadLine:
            return "bad"

    assert outcome(decode_partial) == outcome(decode_partial_leniently)


@cases(
    ("line", "expected"),
    [
        (b'{"type":"message","id":17,"parentId":4}', ("message", None, None)),
        (b'{"type":"message","id":"\\ud83d"}', ("message", "\ufffd", None)),
        (b'{"type":"message","id":"\xff","parentId":"p"}', ("message", "\ufffd", "p")),
        (b'{"type":"m","id":"x","deep":' + b"[" * 3000 + b"]" * 3000 + b"}", ("m", "x", None)),
        (b'{"type":["list"]}', (None, None, None)),
    ],
)
def test_lines_that_the_fast_decoder_refuses_are_read_leniently(
    line: bytes, expected: tuple[str | None, ...]
) -> None:
    partial = decode_partial(line)
    assert (partial.type, partial.id, partial.parent_id) == expected


def test_missing_and_null_content_differ() -> None:
    absent = decode_partial(b'{"message":{}}').message
    null = decode_partial(b'{"message":{"content":null}}').message
    assert absent is not None
    assert null is not None
    assert absent.content is ABSENT
    assert null.content is not ABSENT


@cases(
    ("content", "text"),
    [
        ('"plain"', "plain"),
        ('[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]', "a b"),
        ('[{"type":"text"}]', ""),
        ('[null,5,{"type":"text","text":"x"}]', "x"),
        ("null", ""),
        ("7", ""),
        ('"\\ud83d!"', "\ufffd!"),
        ('[{"type":"text","text":"a\\udc00"}]', "a\ufffd"),
        ("[]", ""),
        ('{"type":"text","text":"x"}', ""),
    ],
)
def test_text_of_any_content(content: str, text: str) -> None:
    partial = decode_partial(f'{{"message":{{"content":{content}}}}}'.encode())
    assert partial.message is not None
    assert text_of(partial.message.content) == text


def test_content_with_bad_utf8_reads_as_replacements() -> None:
    partial = decode_partial(b'{"message":{"content":"caf\xe9 au lait"}}')
    assert partial.message is not None
    assert text_of(partial.message.content) == "caf\ufffd au lait"
    assert read_content(ABSENT) == []


@given(st.text(alphabet=st.characters(blacklist_categories=()), max_size=20))
def test_clean_text_can_be_encoded(text: str) -> None:
    cleaned = replace_surrogates(text)
    cleaned.encode()
    if not any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        assert cleaned == text
