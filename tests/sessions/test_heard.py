"""What is heard in the loop over all lines is what is heard of each line alone."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.formats.brief import briefs
from app.formats.header import read_header
from app.sessions.extract_text import Heard, hear
from app.sessions.tally.taking import take
from app.sessions.tally.tally import SummaryBuilder

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
def test_together_as_one_by_one(said: list[tuple[str, str | list[dict[str, Any]]]]) -> None:
    block = b"".join(line(number, role, content) for number, (role, content) in enumerate(said))
    found = briefs(block, 7)
    assert found
    tally = SummaryBuilder(read_header("/s.jsonl", HEADER))
    taken = take(tally, *found)
    heard = Heard()
    called: list[str] = []
    for entry, at in zip(*found, strict=True):
        hear(entry, at, heard, called)
    assert taken == heard.packed()
    assert [*tally.sums.tools] == [*dict.fromkeys(called)]
