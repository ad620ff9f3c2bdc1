"""The text that is stored for the search is the text of the entries.

`text_pieces` reads an entry as a whole, `SummaryBuilder` a file on its way through: both must hear the same.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hypothesis import example, given
from hypothesis import strategies as st

from app.formats import BadLine, dialect_named, read_header, text_kinds, text_pieces
from app.formats.utf8_text import fold, to_utf8
from app.sessions import extend, summarise
from app.sessions.passages import NO_TEXT, joined, unpack
from app.sessions.summaries import SummaryBuilder
from tests.cases import cases
from tests.sessions.lines import HEADER, MTIME, answer, content, put, user

if TYPE_CHECKING:
    from pathlib import Path

HEADERS: dict[str, dict[str, Any]] = {
    "pi": HEADER,
    "omp": HEADER,
    "indusagi": HEADER,
    "agent": {**HEADER, "version": 1},
    "transcript": {"schema": "indus/transcript@1", "kind": "head", "sessionId": "s", "leaf": None},
}
AGENTS = {"transcript": "indusagi"}

Piece = tuple[int, int, bytes]

# lines of every dialect

TEXTS = st.text(
    st.sampled_from('aZ \n\t"\\/ßÉİΣσςé\u0301\u0345\u1100\u1161ｱ한語😀—\u00a0\0\ud83d\udc00')
    | st.characters(),
    max_size=9,
)
JUNK: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-3, 2**70) | st.floats(0, 9) | TEXTS
    | st.lists(TEXTS, max_size=2) | st.dictionaries(TEXTS, TEXTS, max_size=2)
)  # fmt: skip
MAYBE = st.integers(0, 11).flatmap(lambda turn: JUNK if turn == 0 else st.nothing())


def mostly(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(usual, usual, usual, usual, JUNK)


BLOCKS = st.fixed_dictionaries(
    {
        "type": mostly(
            st.sampled_from(
                ["text", "thinking", "toolCall", "tool_call", "image", "redactedThinking", "fallback", "new"]
            )
        )
    },
    optional={
        "text": mostly(TEXTS),
        "thinking": mostly(TEXTS),
        "name": mostly(st.sampled_from(["bash", "read", ""])),
        "arguments": JUNK,
        "data": TEXTS,
        "textSignature": TEXTS,
    },
)
CONTENT = mostly(TEXTS | st.lists(mostly(BLOCKS), max_size=4))
ROLES = [
    *("user", "assistant", "toolResult", "tool_result", "bashExecution", "pythonExecution", "custom"),
    *("hookMessage", "fileMention", "branchSummary", "compactionSummary", "developer", "system", "nobody"),
]
MESSAGES = st.fixed_dictionaries(
    {"role": mostly(st.sampled_from(["user", "assistant", *ROLES])), "content": CONTENT},
    optional={
        "timestamp": mostly(st.integers(0, 9)),
        "summary": mostly(TEXTS),
        "stopReason": mostly(st.sampled_from(["stop", "error"])),
        "stop_reason": mostly(st.sampled_from(["stop", "error"])),
        "errorMessage": mostly(TEXTS),
        "error_message": mostly(TEXTS),
        "toolName": mostly(TEXTS),
        "details": JUNK,
        "command": TEXTS,
        "output": TEXTS,
    },
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "message": mostly(MESSAGES),
    "summary": mostly(TEXTS),
    "content": CONTENT,
    "branchSummary": mostly(TEXTS),
    "branch_summary": mostly(TEXTS),
    "label": TEXTS,
    "data": JUNK,
}
TYPES = ["message", "message", "compaction", "branch_summary", "branch", "custom_message", "custom", "new"]
ENTRIES = st.fixed_dictionaries(
    {"type": mostly(st.sampled_from(TYPES)), "id": st.sampled_from("abcdefgh"), "timestamp": st.just(1)},
    optional=FIELDS,
)
NODES = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["entry", "entry", "entry", "head"]),
        "id": st.sampled_from("abcd"),
        "role": mostly(st.sampled_from(["user", "assistant", "tool", "system", "condense", "note"])),
        "message": mostly(st.one_of(MESSAGES, TEXTS, st.fixed_dictionaries({"content": CONTENT}))),
    }
)
OF_DIALECT: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("pi", "omp", "indusagi", "agent"), ENTRIES),
    "transcript": NODES,
}


def written(value: Any, *, ascii_only: bool) -> bytes:
    """Return one line; lone surrogates become escapes, or bytes that are not UTF-8."""
    return json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


def lines(dialect: str) -> st.SearchStrategy[list[bytes]]:
    line = st.builds(
        lambda value, ascii_only: written(value, ascii_only=ascii_only), OF_DIALECT[dialect], st.booleans()
    )
    deep = b'{"type":"message","message":{"role":"user","content":"deep"},"x":' + b"[" * 2000 + b"]" * 2000
    odd = st.sampled_from([b"", b" ", b"{", b"[]", b"\0", deep + b"}", b'{"type":"message"}\r'])
    return st.lists(st.one_of(line, line, line, odd), max_size=8)


SESSIONS = st.sampled_from(sorted(HEADERS)).flatmap(lambda name: st.tuples(st.just(name), lines(name)))


def heard_by(builder: SummaryBuilder) -> list[Piece]:
    return [*unpack(builder.text().folded)]


def said_in(dialect: str, block: bytes) -> list[Piece]:
    """Return the passages of `block`, read with `text_pieces`."""
    found = []
    offset = 0
    for line in block.split(b"\n"):
        try:
            entries = dialect_named(dialect).entries(line)
        except BadLine:
            entries = []
        for entry in entries:
            for kind, text, _ in text_pieces(entry):
                if kind in text_kinds.CONVERSATION:
                    found.append((kind, offset, to_utf8(fold(text))))
        offset += len(line) + 1
    return found


def begun(dialect: str) -> tuple[SummaryBuilder, bytes]:
    head = json.dumps(HEADERS[dialect]).encode() + b"\n"
    builder = SummaryBuilder(read_header("x", head, (AGENTS.get(dialect, dialect),)))
    assert builder.dialect.name == dialect
    return builder, head


@example(("agent", [b'{"type":"branch","id":"d","branchSummary":"of another spelling"}']))
@given(SESSIONS)
def test_the_text_of_a_session_is_the_text_of_its_entries(session: tuple[str, list[bytes]]) -> None:
    dialect, found = session
    builder, head = begun(dialect)
    block = head + b"".join(line + b"\n" for line in found)
    assert builder.feed(block) == len(block)
    assert sorted(heard_by(builder)) == sorted(said_in(dialect, block))
    assert all(text for _, _, text in heard_by(builder))


@given(SESSIONS)
def test_a_damaged_line_does_not_change_the_text_of_the_others(session: tuple[str, list[bytes]]) -> None:
    # All lines of a block with a damaged line are read one by one.
    dialect, found = session
    block = b"".join(line + b"\n" for line in found)
    plain, head = begun(dialect)
    plain.feed(head)
    plain.feed(block, len(head))
    slow, _ = begun(dialect)
    slow.feed(head)
    slow.feed(block + b"garbage\n", len(head))
    assert heard_by(slow) == heard_by(plain)
    assert (slow.totals.tools, slow.totals.errors, slow.totals.images) == (
        plain.totals.tools,
        plain.totals.errors,
        plain.totals.images,
    )


@given(SESSIONS, st.integers(0, 8))
def test_the_text_of_two_parts_equals_that_of_the_whole(session: tuple[str, list[bytes]], cut: int) -> None:
    dialect, found = session
    whole, head = begun(dialect)
    first = head + b"".join(line + b"\n" for line in found[:cut])
    rest = b"".join(line + b"\n" for line in found[cut:])
    whole.feed(first + rest)
    begin, _ = begun(dialect)
    begin.feed(first)
    text = begin.text()
    begin.feed(rest, len(first))
    assert joined((text, begin.text())) == whole.text()
    assert begin.summary(MTIME) == whole.summary(MTIME)


@given(st.lists(st.integers(0, 60), max_size=4))
def test_pieces_of_a_file_may_be_cut_anywhere(cuts: list[int]) -> None:
    builder, head = begun("pi")
    block = head + content(user("a", None, "one"), answer("b", "a", "two"), b"garbage", user("c", "b", "end"))
    offset = 0
    for end in [*sorted(cuts), len(block)]:
        offset += builder.feed(block[offset:end], offset)
    assert heard_by(builder) == said_in("pi", block)


# every kind of text

BLOCK_TEXT = {"type": "text", "text": "Wörter"}
PLACES: list[tuple[str, dict[str, Any], int]] = [
    ("a prompt", {"type": "message", "message": {"role": "user", "content": "Wörter"}}, text_kinds.USER),
    ("a block", {"type": "message", "message": {"role": "user", "content": [BLOCK_TEXT]}}, text_kinds.USER),
    ("an answer", {"type": "message", "message": {"role": "assistant", "content": [BLOCK_TEXT]}}, 2),
    ("a plain answer", {"type": "message", "message": {"role": "assistant", "content": "Wörter"}}, 2),
    (
        "a thought",
        {
            "type": "message",
            "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "Wörter"}]},
        },
        text_kinds.THINKING,
    ),
    ("a compaction", {"type": "compaction", "summary": "Wörter"}, text_kinds.SUMMARY),
    ("a branch", {"type": "branch_summary", "summary": "Wörter"}, text_kinds.SUMMARY),
    ("a fork", {"type": "branch", "branchSummary": "Wörter"}, text_kinds.SUMMARY),
    ("a summed branch", {"type": "message", "message": {"role": "branchSummary", "summary": "Wörter"}}, 4),
    ("a summed past", {"type": "message", "message": {"role": "compactionSummary", "summary": "Wörter"}}, 4),
    ("an extension", {"type": "custom_message", "content": "Wörter"}, text_kinds.CUSTOM),
    ("its blocks", {"type": "custom_message", "content": [BLOCK_TEXT]}, text_kinds.CUSTOM),
    ("a custom message", {"type": "message", "message": {"role": "custom", "content": "Wörter"}}, 5),
    ("a hook", {"type": "message", "message": {"role": "hookMessage", "content": [BLOCK_TEXT]}}, 5),
]


@cases(("entry", "kind"), [place[1:] for place in PLACES], ids=[name for name, *_ in PLACES])
@cases("also", [[], [b"garbage"]], ids=["fast", "slow"])
def test_each_text_is_found_once_at_its_offset(
    tmp_path: Path, entry: dict[str, Any], kind: int, also: list[bytes]
) -> None:
    line = {"id": "a", "parentId": None, **entry}
    if isinstance(line.get("message"), dict):
        line["message"] = {**line["message"], "timestamp": 1}
    path = put(tmp_path, HEADER, line, *also)
    outcome = summarise(path, ("pi",), MTIME)
    ((found, offset, text),) = unpack(outcome.text.folded)
    assert (found, text) == (kind, b"worter")
    data = (tmp_path / "session.jsonl").read_bytes()
    assert data[offset:].startswith(json.dumps(line).encode())


@cases(
    "entry",
    [
        {"type": "message", "message": {"role": "toolResult", "content": [BLOCK_TEXT]}},
        {"type": "message", "message": {"role": "bashExecution", "command": "Wörter", "output": "Wörter"}},
        {"type": "message", "message": {"role": "system", "content": "Wörter"}},
        {
            "type": "message",
            "message": {
                "role": "assistant",
                "content": [{"type": "toolCall", "name": "Wörter", "arguments": {"Wörter": "Wörter"}}],
            },
        },
        {"type": "message", "message": {"role": "user", "content": [{"type": "thinking", "thinking": "W"}]}},
        {"type": "custom", "data": "Wörter", "summary": "Wörter", "content": "Wörter"},
        {"type": "label", "targetId": "a", "label": "Wörter"},
        {"type": "session_info", "name": "Wörter"},
    ],
)
def test_only_the_text_of_the_conversation_is_kept(tmp_path: Path, entry: dict[str, Any]) -> None:
    path = put(tmp_path, HEADER, {"id": "a", "parentId": None, **entry})
    assert summarise(path, ("pi",), MTIME).text == NO_TEXT


@cases(
    "line",
    [
        b'{"type":"message","id":"a","message":{"role":"user","content":"W',
        b'{"type":"message","id":"a","message":{"role":"user","content":"W"}}}',
        b'["message"]',
        b'{"type":"message","id":"a","message":{"role":"user","content":"W\x01"}}',
        b'{"type":"message","id":"a","message":{"role":"user","content":{"text":"W"}}}',
        b"\0\0\0",
    ],
)
def test_a_damaged_line_has_no_text(tmp_path: Path, line: bytes) -> None:
    path = put(tmp_path, HEADER, line, user("b", None, "after"))
    text = summarise(path, ("pi",), MTIME).text
    assert [said for _, _, said in unpack(text.folded)] == [b"after"]


def test_several_blocks_are_one_passage_for_each_kind(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "one"},
        {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"command": "ls"}},
        {"type": "text", "text": ""},
        {"type": "thinking", "thinking": "HM"},
        {"type": "text", "text": "two\0"},
    ]
    line = {"type": "message", "id": "a", "message": {"role": "assistant", "content": blocks, "timestamp": 1}}
    text = summarise(put(tmp_path, HEADER, line), ("pi",), MTIME).text
    assert {(kind, said) for kind, _, said in unpack(text.folded)} == {
        (text_kinds.THINKING, b"hm\nhm"),
        (text_kinds.ASSISTANT, b"one\ntwo"),
    }


def test_the_text_of_an_unfinished_last_line_is_kept_once(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, user("a", None, "first"), user("b", "a", "last"), last=b"")
    before = summarise(path, ("pi",), MTIME)
    assert before.summary is not None
    assert before.summary.message_count == 2
    assert before.text.folded.count(b"last") == 1
    with open(path, "ab") as file:
        file.write(b"\n")
    # The file must be read whole again.
    assert before.progress is None
    assert [*unpack(before.text.folded)] == [*unpack(summarise(path, ("pi",), MTIME).text.folded)]


def test_a_torn_last_line_is_read_when_it_is_finished(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, user("a", None, "first"), user("b", "a", "last"))
    data = (tmp_path / "session.jsonl").read_bytes()
    (tmp_path / "session.jsonl").write_bytes(data[:-20])
    before = summarise(path, ("pi",), MTIME)
    assert b"last" not in before.text.folded
    (tmp_path / "session.jsonl").write_bytes(data)
    assert before.progress is not None
    after = extend(path, before.progress, ("pi",), MTIME)
    assert after is not None
    assert [*unpack(joined((before.text, after.text)).folded)] == [
        *unpack(summarise(path, ("pi",), MTIME).text.folded)
    ]


def test_a_line_of_many_megabytes(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, user("a", None, "x" * 7_000_000 + " The End"), user("b", "a", "more"))
    outcome = summarise(path, ("pi",), MTIME)
    first, second = unpack(outcome.text.folded)
    assert first[2].endswith(b"xx the end")
    assert second[1] > 7_000_000
    assert outcome.progress is not None
    assert os.stat(path).st_size == outcome.progress.offset


# other totals

IMAGE = {"type": "image", "mimeType": "image/png", "data": "aGk="}
CALL = {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"type": "image"}}


@cases("also", [[], [b"garbage"]], ids=["fast", "slow"])
def test_tools_errors_and_images(tmp_path: Path, also: list[bytes]) -> None:
    def message(role: str, content: Any, **fields: Any) -> dict[str, Any]:
        return {"type": "message", "id": "a", "message": {"role": role, "content": content, **fields}}

    path = put(
        tmp_path,
        HEADER,
        message("user", [IMAGE, IMAGE, {"type": "text", "text": '{"type":"image"}'}], timestamp=1),
        message("assistant", [CALL, {**CALL, "name": "read"}, CALL], stopReason="error", timestamp=2),
        message("assistant", [CALL], stopReason="aborted", errorMessage="Request aborted", timestamp=3),
        message("assistant", "fine", stopReason="stop", timestamp=4),
        message("toolResult", [{"type": "text", "text": "error"}, IMAGE]),
        {"type": "custom_message", "id": "b", "content": [IMAGE]},
        {"type": "custom", "id": "c", "data": IMAGE},
        *also,
    )
    found = summarise(path, ("pi",), MTIME).summary
    assert found is not None
    assert (found.tools, found.errors, found.images) == (("bash", "read"), 2, 3)
