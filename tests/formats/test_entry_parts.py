"""The parts of an entry in the entry pane."""

from __future__ import annotations

import base64
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.formats import EmbeddedImage, dialect_named
from app.formats.entry_parts import Part, entry_parts
from tests.cases import cases

KINDS = {"text", "thinking", "tool_call", "tool_result", "diff", "image", "error", "meta", "raw", "details"}


def of_message(**message: Any) -> list[Part]:
    return entry_parts(
        {
            "type": "message",
            "id": "a1",
            "parentId": "p0",
            "timestamp": "2026-02-16T10:20:30Z",
            "message": message,
        }
    )


def test_the_parts_of_an_answer_keep_their_order() -> None:
    parts = of_message(
        role="assistant",
        content=[
            {"type": "thinking", "thinking": "hmm"},
            {"type": "text", "text": "Reading it."},
            {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a.py", "limit": 5}},
        ],
        provider="anthropic",
        model="opus",
        stopReason="toolUse",
        usage={"input": 1200, "output": 20, "cacheRead": 0, "cost": {"total": 0.0123}},
        timestamp=1_771_237_230_500,
    )
    assert [(part.kind, part.title, part.text) for part in parts[:3]] == [
        ("thinking", "thinking", "hmm"),
        ("text", "", "Reading it."),
        ("tool_call", "read", "path: a.py\nlimit: 5"),
    ]
    assert parts[3][:3] == (
        "meta",
        "",
        "role: assistant\nmodel: anthropic/opus\nstopped: toolUse\ntime: 2026-02-16T10:20:30.500Z\n"
        "tokens: 1,200 input, 20 output\ncost: $0.0123\nid: a1\nparent: p0",
    )


def test_a_tool_result_and_a_failed_one() -> None:
    content = [{"type": "text", "text": "out"}]
    ok = of_message(role="toolResult", toolName="bash", content=content, isError=False)
    failed = of_message(role="toolResult", toolName="bash", content=content, isError=True)
    assert ok[0] == Part("tool_result", "bash", "out")
    assert failed[0] == Part("error", "bash", "out")


def test_an_image_has_its_type_and_size() -> None:
    data = base64.b64encode(bytes(34_200)).decode()
    parts = of_message(role="user", content=[{"type": "image", "data": data, "mimeType": "image/png"}])
    image = EmbeddedImage("image/png", data)
    assert parts[0] == Part("image", "image", "image/png, 34.2 kB (34,200 bytes)", image=image)
    blob = of_message(
        role="user", content=[{"type": "image", "data": "blob:sha256:ab", "mimeType": "image/png"}]
    )
    assert blob[0].text == "image/png, kept as blob:sha256:ab"


def test_images_in_the_details_are_shown_like_those_in_the_content() -> None:
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    shown = Part("image", "image", "image/png, 3 bytes", image=EmbeddedImage("image/png", "AAAA"))
    content = [{"type": "text", "text": "plotted"}]
    parts = of_message(
        role="toolResult", toolName="eval", content=content, details={"images": [picture], "n": 1}
    )
    assert parts[1] == shown
    assert [part.text for part in parts if part.kind == "details"] == ["n: 1"]
    parts = of_message(role="bashExecution", command="plot", output="", images=[picture, picture])
    assert parts[2:4] == [shown, shown]
    assert not [part for part in parts if part.kind == "details"]
    # what is none is told as whatever else there is
    for odd in ("x", [1], [{}], [picture, {"data": 3}]):
        parts = of_message(role="toolResult", content=content, details={"images": odd})
        assert [part.kind for part in parts] == ["tool_result", "details", "meta"]


def test_a_command_of_the_user() -> None:
    parts = of_message(role="bashExecution", command="make", output="boom", exitCode=2)
    assert parts[:2] == [
        Part("tool_call", "bash", "make", value={"command": "make"}),
        Part("tool_result", "exit code 2", "boom"),
    ]
    assert of_message(role="bashExecution", command="x", cancelled=True)[1].title == "cancelled"


def test_an_error_is_a_part_of_its_own() -> None:
    parts = of_message(role="assistant", content=[], stopReason="error", errorMessage="overloaded")
    assert parts[0] == Part("error", "error", "overloaded")


def test_arguments_of_several_lines_start_on_their_own() -> None:
    call = {"type": "toolCall", "name": "write", "arguments": {"path": "a", "content": "x\ny", "n": [1]}}
    parts = of_message(role="assistant", content=[call])
    assert parts[0].text == "path: a\ncontent:\n  x\n  y\nn: [1]"


@cases(
    ("entry", "kind", "text"),
    [
        ({"type": "custom_message", "content": "injected"}, "text", "injected"),
        ({"type": "compaction", "summary": "so far"}, "text", "so far"),
        ({"type": "branch_summary", "summary": "left"}, "text", "left"),
        ({"type": "session_info", "name": "Auth"}, "text", "Auth"),
        ({"type": "label", "label": "here"}, "text", "here"),
        ({"type": "label"}, "text", "(cleared)"),
        ({"type": "branch", "parentSessionPath": "/p.jsonl"}, "text", "/p.jsonl"),
        ({"type": "new_thing", "x": 1}, "raw", "x: 1"),
    ],
)
def test_each_type_of_entry_has_a_main_part_and_facts(entry: dict[str, Any], kind: str, text: str) -> None:
    parts = entry_parts(entry)
    assert (parts[0].kind, parts[0].text) == (kind, text)
    assert parts[-1].kind == "meta"


@cases(
    ("message", "expected"),
    [
        (
            {
                "summary": "so far",
                "content": [{"type": "state", "open": ["auth.py"]}, {"type": "image", "data": "x"}, 5],
            },
            [
                ("raw", "state", 'type: state\nopen: ["auth.py"]'),
                ("image", "image", "image, 0 bytes"),
                ("raw", "block", "5"),
            ],
        ),
        ({"summary": "so far", "content": "besides"}, [("text", "", "besides")]),
        ({"summary": "so far", "content": {"a": 1}}, [("raw", "content", "a: 1")]),
        ([{"type": "text", "text": "so far"}, {"type": "x", "y": "z"}], [("raw", "x", "type: x\ny: z")]),
        # of a text that is told above, what is left says nothing
        ([{"type": "text", "text": "so far", "textSignature": "s"}], []),
    ],
)
@cases("role", ["condense", "branchSummary"])
def test_a_summary_of_a_transcript_shows_its_other_fields(message: Any, expected: Any, role: str) -> None:
    if isinstance(message, dict):
        message = {"role": role, **message}
    node = {"kind": "entry", "id": "a", "prev": "b", "role": "condense", "message": message, "at": 1}
    parts = entry_parts(dialect_named("transcript").entry(json.dumps(node).encode()))
    assert [(part.kind, part.title, part.text) for part in parts[:-1]] == [
        ("text", "summary", "so far"),
        *expected,
    ]
    assert parts[-1].kind == "meta"


def test_an_edit_has_a_diff_and_other_fields_come_before_the_facts() -> None:
    parts = of_message(
        role="toolResult",
        toolName="edit",
        content=[{"type": "text", "text": "done"}],
        details={"diff": "-1 a\n+1 b", "firstChangedLine": 1},
        attribution="agent",
    )
    assert [(part.kind, part.text) for part in parts[:-1]] == [
        ("tool_result", "done"),
        ("diff", "-1 a\n+1 b"),
        ("details", "attribution: agent\nfirstChangedLine: 1"),
    ]


def test_a_message_of_an_unknown_role_is_shown() -> None:
    parts = of_message(role="fileMention", files=[{"path": "a.py", "content": "x"}])
    assert parts[0] == Part("details", "details", "files:\n  - path: a.py\n    content: x", parts[0].fields)


def test_a_call_without_arguments() -> None:
    parts = of_message(role="assistant", content=[{"type": "toolCall", "name": "list", "arguments": {}}])
    assert parts[0] == Part("tool_call", "list", "")


def test_a_cost_is_shown_with_its_parts() -> None:
    usage = {"input": 1, "cost": {"input": 0.5, "output": 0.25, "cacheRead": 0, "total": 0.75}}
    parts = of_message(role="assistant", content=[], usage=usage)
    assert "cost: $0.7500 ($0.5000 input, $0.2500 output)" in parts[-1].text


def test_text_is_not_changed() -> None:
    hostile = "\x1b[2J\u202e\ud83d"
    assert of_message(role="user", content=hostile)[0].text == hostile


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "role", "content", "message", "usage", "cost", "total", "data", "input"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["message", "custom_message", "compaction", "label", "other"]), JSON)
def test_any_entry_has_parts(message: Any, kind: str, content: Any) -> None:
    entry = {"type": kind, "message": message, "content": content, "summary": content, "timestamp": content}
    for part in entry_parts(entry):
        assert part.kind in KINDS
        assert isinstance(part.text, str)
    for part in entry_parts(
        {"type": "message", "message": {"role": "user", "content": message, "usage": content}}
    ):
        assert part.kind in KINDS
