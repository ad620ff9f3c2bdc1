"""Formats whose lines depend on the lines before them: every way of reading a file tells the same."""

from __future__ import annotations

import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats import read_header
from app.sessions import EntryStore, open_tree, summarise
from app.sessions.summaries import SummaryBuilder, read_figures
from tests.search.random_sessions import Written, sessions

IDS = [f"{number:04x}" for number in range(9)]


@st.composite
def odd_claude(draw: st.DrawFn) -> Written:
    """Lines of Claude Code with answers in several lines, unknown and repeated ids, loops and titles."""
    lines: list[Any] = [
        {"type": "user", "uuid": "first", "sessionId": "s", "cwd": "/w", "message": {"content": ""}}
    ]
    ids = st.sampled_from(IDS)
    for _ in range(draw(st.integers(0, 20))):
        kind = draw(
            st.sampled_from(("user", "assistant", "result", "progress", "system", "title", "boundary"))
        )
        line: dict[str, Any] = {"uuid": draw(ids), "parentUuid": draw(st.none() | ids), "sessionId": "s"}
        line["timestamp"] = f"2026-02-10T21:11:{draw(st.integers(10, 59))}.000Z"
        line["isSidechain"] = draw(st.integers(0, 9)) == 0
        call = {"type": "tool_use", "id": draw(ids), "name": "Read", "input": {}}
        if kind == "title":
            line = {
                "type": draw(st.sampled_from(("summary", "ai-title", "custom-title"))),
                "leafUuid": draw(ids),
            }
            line |= dict.fromkeys(
                ("summary", "aiTitle", "customTitle"), draw(st.sampled_from(("one", "two", "")))
            )
        elif kind == "assistant":
            usage = {"input_tokens": 3, "output_tokens": draw(st.integers(0, 9))}
            message = {"id": draw(st.sampled_from("mn")), "content": [call], "usage": usage, "model": "opus"}
            line |= {"type": kind, "message": message}
        elif kind == "result":
            results = [{"type": "tool_result", "tool_use_id": draw(ids), "content": "x"}] * draw(
                st.integers(1, 2)
            )
            line |= {"type": "user", "message": {"content": results}}
        elif kind == "boundary":
            line |= {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": draw(ids)}
        else:
            line |= {"type": kind, "message": {"content": "hi"}}
        lines.append(line)
    return Written("claude", b"".join(json.dumps(line).encode() + b"\n" for line in lines))


@st.composite
def odd_codex(draw: st.DrawFn) -> Written:
    """Lines of Codex with equal lines, unknown calls, sums of tokens, and turns that were rolled back."""
    base = {"history_base": {"thread_id": "before"}} if draw(st.booleans()) else {}
    # Tokens belong to an entry.
    first = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "hi"}}
    lines: list[Any] = [{"type": "session_meta", "payload": {"id": "s", "cwd": "/w", **base}}, first]
    numbers = st.integers(0, 3)
    for _ in range(draw(st.integers(0, 20))):
        kind = draw(st.sampled_from(("user", "assistant", "call", "result", "back", "tokens", "compacted")))
        number = draw(numbers)
        if kind in ("user", "assistant"):
            content = [{"type": "input_text", "text": f"text {number}"}]
            payload: dict[str, Any] = {"type": "message", "role": kind, "content": content}
        elif kind == "call":
            payload = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": f"c{number}"}
        elif kind == "result":
            payload = {"type": "function_call_output", "call_id": f"c{number}", "output": "x"}
        elif kind == "back":
            payload = {"type": "thread_rolled_back", "num_turns": number}
        elif kind == "tokens":
            sums = {"total_token_usage": {"input_tokens": draw(st.integers(0, 99))}}
            payload = {"type": "token_count", "info": sums | {"last_token_usage": {"input_tokens": number}}}
        else:
            payload = {"message": "all of it"}
        line = {"back": "event_msg", "tokens": "event_msg", "compacted": kind}.get(kind, "response_item")
        lines.append({"type": line, "payload": payload})
    return Written("codex", b"".join(json.dumps(line).encode() + b"\n" for line in lines))


written_sessions = sessions(("claude", "codex")) | odd_claude() | odd_codex()


@settings(max_examples=60)
@given(written_sessions)
def test_summary_tree_entries_and_figures_agree(written: Written) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.jsonl")
        path.write_bytes(written.content)
        agents = (written.dialect,)
        row = summarise(str(path), agents, 0).summary
        tree = open_tree(str(path), agents)
        figures = read_figures(str(path), agents)
    assert row is not None
    entries = EntryStore(str(path), written.dialect, 3)
    entries.read(written.content)
    again = entries.reader.again()
    if again is not None:
        entries = EntryStore(str(path), written.dialect, 3, reader=again)
        entries.read(written.content)
    ids = [node.id for node in tree.entries]
    assert row.entry_count == len(tree.entries) == len(entries.entries) == len(figures)
    assert ids == [entry.id or None for entry in entries.entries]
    assert (tree.leaf.id if tree.leaf else None) == row.leaf_id == entries.leaf_id
    assert tree.name == row.name == entries.name
    assert sum(figure.input for figure in figures) == row.tokens[0]
    if written.dialect == "claude":
        assert sum(node.usage.output or 0 for node in tree.entries if node.usage is not None) == row.tokens[1]
        messages = [entry.normalized.get("message") or {} for entry in entries.entries]
        assert sum(message.get("usage", {}).get("output", 0) for message in messages) == row.tokens[1]
    if len(set(ids)) == len(ids):
        assert [node.parent_id for node in tree.entries] == [entry.parent_id for entry in entries.entries]


@settings(max_examples=40)
@given(written_sessions, st.lists(st.integers(0, 25), max_size=5))
def test_a_builder_fed_in_pieces_gives_the_row_of_the_whole(written: Written, cuts: list[int]) -> None:
    lines = written.content.removesuffix(b"\n").split(b"\n")
    header = read_header("/p/s.jsonl", written.content, (written.dialect,))

    def whole(number: int) -> SummaryBuilder:
        builder = SummaryBuilder(header)
        builder.feed(b"".join(line + b"\n" for line in lines[:number]))
        return builder

    builder = SummaryBuilder(header)
    offset = 0
    for start, end in pairwise(sorted({min(cut, len(lines)) for cut in cuts} | {0, len(lines)})):
        block = b"".join(line + b"\n" for line in lines[start:end])
        builder.feed(block, offset)
        offset += len(block)
        assert builder.summary(0) == whole(end).summary(0)
