"""The loop over all lines of a block gives the same passages as each line alone."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.formats.header import read_header
from app.formats.summary_fields import decode_lines
from app.sessions.summaries.passage_builder import PassageBuilder, add_passages
from app.sessions.summaries.summary_builder import SummaryBuilder

HEADER = b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n'

TEXT = st.sampled_from(["", "One", 'a "b"\n', "ß\u0301", "\0", "C\\u"])
BLOCK = st.one_of(
    TEXT.map(lambda text: {"type": "text", "text": text}),
    TEXT.map(lambda text: {"type": "thinking", "thinking": text}),
    st.sampled_from(["read", "bash"]).map(
        lambda name: {"type": "toolCall", "id": "c", "name": name, "arguments": {}}
    ),
    st.just({"type": "image", "data": "", "mimeType": "image/png"}),
)
CONTENT = st.one_of(TEXT, st.lists(BLOCK, max_size=4))
ROLE = st.sampled_from(["user", "assistant", "toolResult", "custom", "hookMessage"])


def line(number: int, role: str, content: str | list[dict[str, Any]]) -> bytes:
    message = {"role": role, "content": content, "timestamp": number}
    entry = {"type": "message", "id": f"{number:08x}", "parentId": None, "message": message}
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


@given(st.lists(st.tuples(ROLE, CONTENT), min_size=1, max_size=6))
def test_a_block_gives_the_passages_of_its_single_lines(
    said: list[tuple[str, str | list[dict[str, Any]]]],
) -> None:
    block = b"".join(line(number, role, content) for number, (role, content) in enumerate(said))
    builder = SummaryBuilder(read_header("/s.jsonl", HEADER))
    builder.feed(block, 7)
    found = decode_lines(block, 7)
    assert found
    passages = PassageBuilder()
    called: list[str] = []
    for entry, at in zip(*found, strict=True):
        add_passages(entry, at, passages, called)
    assert builder.text() == passages.pack()
    assert [*builder.totals.tools] == [*dict.fromkeys(called)]
