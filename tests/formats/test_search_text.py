"""The texts of an entry for the search, and their kinds."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.formats import TextPiece, decode, dialect_named, text_kinds, text_pieces
from tests.cases import cases


def message(role: str, content: Any = None, **fields: Any) -> dict[str, Any]:
    body = {"role": role, "content": content, "timestamp": 1, **fields}
    return {"type": "message", "id": "e1", "parentId": "e0", "timestamp": "2026", "message": body}


CALL = {
    "type": "toolCall",
    "id": "toolu_1",
    "name": "edit",
    "arguments": {"path": "src/a.py", "edits": [{"old": "x", "line": 3, "all": True, "none": None}]},
    "thoughtSignature": "c2lnbmF0dXJl",
}
EDITED = "edit\npath\nsrc/a.py\nedits\nold\nx\nline\n3\nall\ntrue\nnone\nedit\nfree text"
IMAGE = {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="}


@cases(
    ("entry", "expected"),
    [
        (message("user", "Hi"), [TextPiece(text_kinds.USER, "Hi")]),
        (
            message("user", [{"type": "text", "text": "a"}, IMAGE, {"type": "text", "text": "b"}]),
            [TextPiece(text_kinds.USER, "a\nb"), TextPiece(text_kinds.OTHER, "image/png")],
        ),
        (
            message(
                "assistant",
                [
                    {"type": "thinking", "thinking": "hm", "thinkingSignature": "x"},
                    {"type": "text", "text": "done", "textSignature": "y"},
                    CALL,
                    {**CALL, "name": "bash", "arguments": {"command": "ls"}, "intent": "look"},
                    {**CALL, "arguments": "free text"},
                    {"type": "redactedThinking", "data": "cmVk"},
                ],
                provider="anthropic",
                model="opus",
                api="messages",
                stopReason="error",
                errorMessage="overloaded",
                usage={"input": 3},
            ),
            [
                TextPiece(text_kinds.THINKING, "hm"),
                TextPiece(text_kinds.ASSISTANT, "done"),
                TextPiece(text_kinds.CALL, EDITED, "edit"),
                TextPiece(text_kinds.CALL, "bash\ncommand\nls", "bash"),
                TextPiece(text_kinds.OTHER, "look\nanthropic\nopus\noverloaded"),
            ],
        ),
        (
            message(
                "toolResult",
                [{"type": "text", "text": "out"}, IMAGE],
                toolName="bash",
                details={"diff": ["+a", 1]},
            ),
            [TextPiece(text_kinds.RESULT, "out\n+a\nbash", "bash"), TextPiece(text_kinds.OTHER, "image/png")],
        ),
        (
            message("bashExecution", command="ls", output="a.py", exitCode=0),
            [TextPiece(text_kinds.SHELL, "ls\na.py")],
        ),
        (message("pythonExecution", code="1+1", output="2"), [TextPiece(text_kinds.SHELL, "1+1\n2")]),
        (message("branchSummary", summary="left", fromId="e7"), [TextPiece(text_kinds.SUMMARY, "left")]),
        (message("compactionSummary", summary="past"), [TextPiece(text_kinds.SUMMARY, "past")]),
        (
            message("custom", "note", customType="todo"),
            [TextPiece(text_kinds.CUSTOM, "note"), TextPiece(text_kinds.OTHER, "todo")],
        ),
        (message("system", "You are"), [TextPiece(text_kinds.OTHER, "You are")]),
        (message("fileMention", files=[{"path": "a.md"}]), [TextPiece(text_kinds.OTHER, "a.md")]),
        (
            {
                "type": "compaction",
                "id": "a",
                "summary": "long",
                "shortSummary": "short",
                "firstKeptEntryId": "e",
            },
            [TextPiece(text_kinds.SUMMARY, "long"), TextPiece(text_kinds.OTHER, "short")],
        ),
        (
            {"type": "branch", "id": "a", "parentSessionPath": "/s.jsonl", "branchSummary": "why"},
            [TextPiece(text_kinds.SUMMARY, "why"), TextPiece(text_kinds.OTHER, "/s.jsonl")],
        ),
        (
            {
                "type": "custom_message",
                "id": "a",
                "customType": "x",
                "content": "told",
                "details": {"id": "T-1"},
            },
            [TextPiece(text_kinds.CUSTOM, "told"), TextPiece(text_kinds.OTHER, "x\nT-1")],
        ),
        (
            {"type": "label", "id": "a", "targetId": "b", "label": "here"},
            [TextPiece(text_kinds.OTHER, "here")],
        ),
        ({"type": "session_info", "id": "a", "name": "Named"}, [TextPiece(text_kinds.OTHER, "Named")]),
        (
            {"type": "model_change", "id": "a", "provider": "p", "modelId": "m"},
            [TextPiece(text_kinds.OTHER, "p\nm")],
        ),
        (
            {"type": "new", "id": "a", "deep": {"er": ["still", {"here": "x"}]}},
            [TextPiece(text_kinds.OTHER, "still\nx")],
        ),
        ({"type": "label", "id": "a", "targetId": "b"}, []),
    ],
)
def test_each_text_has_its_kind(entry: dict[str, Any], expected: list[TextPiece]) -> None:
    assert text_pieces(entry) == expected


CODED = "QUJD" * 300
UNREAD: list[Any] = [
    f"data:image/png;base64,{CODED}==",
    {"type": "image", "data": CODED},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": CODED}},
    {"uri": "file:///a.png", "mimeType": "image/png", "blob": CODED},
    {"type": "image_generation_call", "result": CODED},
    {"type": "reasoning", "encrypted_content": CODED},
]


@cases("value", UNREAD)
def test_images_and_encrypted_values_are_not_texts(value: Any) -> None:
    block = {"type": "toolCall", "id": "1", "name": "draw", "arguments": {"given": [value]}}
    entries = (
        message("toolResult", [{"type": "text", "text": "x"}], details={"a": value}),
        message("user", [{"type": "text", "text": "x"}, value]),
        message("assistant", [{"type": "text", "text": "x"}], payload={"items": [value]}),
        message("assistant", [block]),
    )
    for entry in entries:
        assert text_pieces(entry)
        assert not [said for said in text_pieces(entry) if CODED in said.text]


@cases("text", [CODED, f"{CODED}==", f"data:{CODED}", f"data:text/plain;base64,{CODED}"])
def test_text_that_looks_like_base64_is_kept(text: str) -> None:
    block = {"type": "toolCall", "id": "1", "name": "write", "arguments": {"content": [text], "type": ["x"]}}
    assert text_pieces(message("assistant", [block])) == [
        TextPiece(text_kinds.CALL, f"write\ncontent\n{text}\ntype\nx", "write")
    ]
    entry = message("toolResult", [], toolName="read", details={"type": 1, "data": text})
    assert text_pieces(entry) == [TextPiece(text_kinds.RESULT, f"{text}\nread", "read")]
    assert text_pieces(message("user", text)) == [TextPiece(text_kinds.USER, text)]
    assert text_pieces({"type": "custom", "data": text}) == [TextPiece(text_kinds.OTHER, text)]


def test_the_text_of_a_header() -> None:
    head = {"type": "session", "version": 3, "id": "one", "cwd": "/w", "parentSession": "/old", "x": ["y"]}
    assert text_pieces(head) == [TextPiece(text_kinds.OTHER, "/old\ny")]


def test_nul_and_lone_surrogates() -> None:
    assert text_pieces(message("user", "a\0b\ud83d")) == [TextPiece(text_kinds.USER, "ab\ufffd")]
    assert text_pieces(message("user", "\0")) == []


def test_an_entry_of_nickcecere_agent_has_the_same_kinds() -> None:
    line = (
        b'{"type":"message","id":"a","parent_id":null,"message":{"role":"assistant","content":['
        b'{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"ls"}}]}}'
    )
    assert text_pieces(dialect_named("agent").entry(line)) == [
        TextPiece(text_kinds.CALL, "bash\ncommand\nls", "bash")
    ]
    line = (
        b'{"type":"message","message":{"role":"tool_result","tool_name":"bash",'
        b'"content":[{"type":"text","text":"x"}]}}'
    )
    assert text_pieces(dialect_named("agent").entry(line)) == [
        TextPiece(text_kinds.RESULT, "x\nbash", "bash")
    ]


def test_every_entry_of_a_line() -> None:
    node = b'{"kind":"entry","id":"a","role":"condense","message":{"summary":"past"}}'
    assert [text_pieces(entry) for entry in dialect_named("transcript").entries(node)] == [
        [TextPiece(text_kinds.SUMMARY, "past")]
    ]
    assert dialect_named("transcript").entries(b'{"kind":"head","leaf":null}') == []
    assert dialect_named("pi").entries(b'{"type":"label"}') == [{"type": "label"}]


WORDS = st.sampled_from(["message", "user", "text", "toolCall", "image"])
KEYS = st.sampled_from(["type", "role", "content", "message", "text", "name", "arguments", "details", "x"])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["type", "message", "content", "summary", "x"]), ANY, max_size=4))
def test_any_entry_has_texts_without_an_error(entry: dict[str, Any]) -> None:
    pieces = text_pieces(entry)
    assert all(piece.text and "\0" not in piece.text for piece in pieces)
    assert len({(piece.kind, piece.tool) for piece in pieces}) == len(pieces)


def test_a_deeply_nested_entry_is_read() -> None:
    deep = decode(b'{"type":"x","a":' + b"[" * 900 + b'"end"' + b"]" * 900 + b"}")
    assert len(text_pieces(deep)) == 1


TEXT = {"type": "text", "text": "past"}


@cases(
    "message",
    [
        "past",
        [TEXT],
        {"role": "compactionSummary", "summary": "past"},
        {"role": "condense", "content": "past"},
        {"role": "condense", "content": [TEXT]},
        {"content": [TEXT], "summary": ""},
        {"content": [TEXT, {"type": "text", "text": ""}], "summary": None, "type": "x", "timestamp": 5},
    ],
)
def test_every_form_of_a_summary_of_a_transcript_is_read(message: Any) -> None:
    """leafmark's demo writes the summary as content (formats/README.md, "indusagi")."""
    written = {"kind": "entry", "id": "a", "prev": "b", "role": "condense", "message": message, "at": 1}
    node = json.dumps(written).encode()
    assert text_pieces(dialect_named("transcript").entry(node)) == [TextPiece(text_kinds.SUMMARY, "past")]
    (partial,) = dialect_named("transcript").partial_entries(node)
    assert (partial.type, partial.id, bytes(partial.summary)) == ("compaction", "a", b'"past"')
