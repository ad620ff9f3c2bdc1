"""The fields of an outline equal those of the whole line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.formats.content import read_content
from app.formats.json_codec import DECODE_ERRORS, BadLine
from app.formats.partial_entry import Raw, decode_partial
from app.sessions.tree.node import contains_text, skeleton_decoder
from tests.cases import cases
from tests.sessions.strategies import entries

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", " ", "text", "type", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "id", "role", "content"]), inner, max_size=4)
    ),
    max_leaves=8,
)


ENDS = st.sampled_from([b"", b"}", b" \r", b"\x00", b',"id":"z"}'])


@given(entry=entries(), damage=ENDS, snake=st.booleans())
def test_an_outline_agrees_with_its_line(entry: dict[str, Any], damage: bytes, snake: bool) -> None:
    line = json.dumps(entry).encode() + damage
    try:
        outline = skeleton_decoder(snake=snake)(memoryview(line))
    except DECODE_ERRORS:
        return
    whole = decode_partial(line, snake=snake)
    for name in ("type", "id", "parent_id", "timestamp"):
        assert getattr(outline, name) == getattr(whole, name)
    assert (outline.message is None) == (whole.message is None)
    if outline.message is not None and whole.message is not None:
        for name in ("role", "stop_reason", "content"):
            assert getattr(outline.message, name) == getattr(whole.message, name)


@cases("damage", [b'"\\x"', b'"\\ud8"', b'"a\nb"', b"01", b"NaN", b"[1,]", b'{"a" 1}', b"tru"])
def test_damage_in_an_unused_field_is_damage(damage: bytes) -> None:
    line = b'{"type":"message","id":"a","message":{"role":"user","unknown":' + damage + b"}}"
    with pytest.raises(DECODE_ERRORS):
        skeleton_decoder(snake=False)(memoryview(line))
    with pytest.raises(BadLine):
        decode_partial(line)


@given(content=JSON)
@example(content=[{"type": "text", "text": 5}, {"type": "text", "text": "said"}])
@example(content=[{"type": "text", "text": "\n\t "}])
@example(content=[{"type": "toolCall", "arguments": {"type": "text", "text": "x"}}])
@example(content=[5, {"type": "text", "text": "said"}])
def test_content_with_a_visible_text_block_contains_text(content: Any) -> None:
    raw = Raw(json.dumps(content).encode())
    read = read_content(raw)
    texts = [read] if isinstance(read, str) else [block.text or "" for block in read if block.type == "text"]
    assert contains_text(raw) == any(text.strip() for text in texts)


def test_empty_content_contains_no_text() -> None:
    assert not contains_text(Raw(b""))
    assert not contains_text(Raw(b'["half'))
