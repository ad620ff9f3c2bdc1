"""The loop over all lines of a block gives the same passages as each line alone."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.formats import read_header
from app.sessions.passages import unpack
from app.sessions.summaries import SummaryBuilder

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
    messages: list[tuple[str, str | list[dict[str, Any]]]],
) -> None:
    lines = [line(number, role, content) for number, (role, content) in enumerate(messages)]
    whole, by_lines = (SummaryBuilder(read_header("/s.jsonl", HEADER)) for _ in range(2))
    whole.feed(b"".join(lines), 7)
    offset = 7
    texts = []
    for one in lines:
        by_lines.feed(one, offset)
        texts += unpack(by_lines.text().folded)
        offset += len(one)
    assert [*unpack(whole.text().folded)] == texts
    assert [*whole.totals.tools] == [*by_lines.totals.tools]
