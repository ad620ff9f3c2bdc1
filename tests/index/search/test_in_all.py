"""Of every kind of line that an agent writes, each text is looked through by `in:all`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.formats.everything import everything
from app.index.search.grep.entries import Entries
from app.index.search.originals import entries_of

if TYPE_CHECKING:
    from tests.index.search.helpers import World

MESSAGES: dict[str, Any] = {
    "user": {
        "role": "user",
        "content": [{"type": "text", "text": "*", "note": "*"}, "*"],
        "extra": {"k": "*"},
    },
    "spoken": {"role": "user", "content": "*"},
    "assistant": {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "*"},
            {"type": "text", "text": "*"},
            {
                "type": "toolCall",
                "id": "c",
                "name": "*",
                "arguments": {"a": ["*", {"b": "*"}]},
                "intent": "*",
            },
            {"type": "fallback", "from": {"model": "*"}},
        ],
        "provider": "*",
        "model": "*",
        "errorMessage": "*",
    },
    "result": {
        "role": "toolResult",
        "toolCallId": "c",
        "toolName": "*",
        "content": [{"type": "text", "text": "*"}],
        "details": {"type": "*", "diff": ["*"]},
    },
    "bash": {"role": "bashExecution", "command": "*", "output": "*", "fullOutputPath": "*"},
    "python": {"role": "pythonExecution", "code": "*", "output": "*"},
    "system": {"role": "system", "content": "*", "sections": [{"title": "*"}], "toolsAdded": ["*"]},
    "custom": {"role": "custom", "customType": "*", "content": "*", "details": "*"},
    "summed": {"role": "compactionSummary", "summary": "*", "shortSummary": "*"},
    "files": {"role": "fileMention", "files": [{"path": "*", "content": "*"}]},
    "unknown": {"role": "new", "content": {"k": "*"}, "more": ["*"]},
}
ENTRIES: list[dict[str, Any]] = [
    *({"type": "message", "message": message} for message in MESSAGES.values()),
    {
        "type": "compaction",
        "summary": "*",
        "shortSummary": "*",
        "details": {"readFiles": ["*"]},
        "warning": "*",
    },
    {"type": "branch_summary", "summary": "*", "fromId": "x", "details": ["*"]},
    {"type": "branch", "parentSessionPath": "*", "branchSummary": "*"},
    {"type": "custom", "customType": "*", "data": {"id": "*", "type": "*"}},
    {"type": "custom_message", "customType": "*", "content": [{"type": "text", "text": "*"}], "details": "*"},
    {"type": "label", "targetId": "x", "label": "*"},
    {"type": "session_info", "name": "*"},
    {"type": "title_change", "title": "*", "previousTitle": "*", "trigger": "*"},
    {"type": "model_change", "provider": "*", "modelId": "*", "model": "*"},
    {"type": "thinking_level_change", "thinkingLevel": "*"},
    {"type": "usage", "provider": "*", "model": "*", "note": "*"},
    {"type": "context_edit", "targetId": "x", "replacement": {"content": "*"}},
    {"type": "active_tools_change", "activeToolNames": ["*", "*"]},
    {"type": "session_init", "systemPrompt": "*", "task": "*", "tools": ["*"]},
    {"type": "new", "deep": [{"er": "*"}]},
]
WRITES: list[dict[str, Any]] = [
    *({"kind": "entry", **entry} for entry in ENTRIES),
    {"kind": "value", "namespace": "pi.entry.label", "key": "x", "value": "*", "note": "*"},
    {"kind": "value", "namespace": "pi.session.name", "key": "", "value": "*"},
    {"kind": "value", "namespace": "pi.branch.tip", "key": "*", "value": "x"},
    {"kind": "value", "namespace": "*", "key": "*", "value": {"k": ["*"]}},
    {"kind": "list", "namespace": "*", "key": "*", "op": "append", "value": "*"},
    {"kind": "usage", "model": "*", "note": "*"},
]
NODES: list[dict[str, Any]] = [
    *(
        {"kind": "entry", "role": role, "message": message, "meta": {"k": "*"}, "more": "*"}
        for message in (*MESSAGES.values(), "*")
        for role in ("user", "assistant", "tool", "system", "note", "condense")
    ),
    {"kind": "entry", "role": "condense", "message": {"summary": "*", "content": "*", "details": ["*"]}},
    {"kind": "entry", "role": "condense", "message": [{"type": "text", "text": "*"}, "*"]},
    {"kind": "head", "sessionId": "x", "leaf": "x", "note": "*"},
]
SNAKE = [
    {
        "type": "message",
        "message": {"role": "tool_result", "tool_name": "*", "content": "*", "details": ["*"]},
    },
    {"type": "branch", "parent_session_path": "*", "branch_summary": "*", "more": "*"},
]


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        *((name, entry) for name in ("pi", "omp", "indusagi", "agent") for entry in ENTRIES),
        *(("agent", entry) for entry in SNAKE),
        *(("lanes", write) for write in WRITES),
        *(("lanes", [WRITES[0], write]) for write in WRITES),
        *(("transcript", node | {"schema": "indus/transcript@1"}) for node in NODES),
        ("pi", {"type": "session", "id": "x", "cwd": "x", "parentSession": "*", "more": ["*"]}),
        ("lanes", {"kind": "header", "v": 4, "id": "x", "cwd": "x", "parentSessionPath": "*", "more": ["*"]}),
    ],
)
def test_every_text_of_every_kind_of_line_is_looked_through(dialect: str, written: Any) -> None:
    """Wherever a person may have written or read something, whatever the dialect (README, `in:all`)."""
    planted: list[str] = []

    def plant(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plant(each) for key, each in value.items()}
        if isinstance(value, list):
            return [plant(each) for each in value]
        if value != "*":
            return value
        planted.append(f"planted{len(planted)}.")
        return planted[-1]

    line = json.dumps(plant(written)).encode()
    found = "\n".join(piece.text for piece in Entries(dialect).pieces(line, 0))
    assert [text for text in planted if text not in found] == []
    again = "\n".join(said.text for entry in entries_of(line, dialect) for said in everything(entry))
    assert again == found


@pytest.mark.parametrize("levels", [50, 900, 1_100, 3_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"named":', "}")])
def test_what_is_nested_deeply_is_looked_through(
    world: World, levels: int, opening: str, closing: str
) -> None:
    """pi's parser does not mind."""
    deep = opening * levels + '"%s"' + closing * levels
    call = '{"type":"toolCall","id":"c","name":"bash","arguments":{"x":' + deep % "asked" + "}}"
    messages = [
        '{"role":"assistant","content":[' + call + "]}",
        '{"role":"toolResult","toolCallId":"c","content":"","details":' + deep % "given" + "}",
    ]
    lines = [
        '{"type":"session","version":3,"id":"s","cwd":"/w"}',
        *(f'{{"type":"message","id":"{at}","message":{said}}}' for at, said in enumerate(messages)),
        '{"type":"custom","id":"2","data":' + deep % "kept" + "}",
    ]
    world.path("s").write_text("\n".join(lines) + "\n")
    world.scan()
    words = ["asked", "given", "kept", *(["named"] if "named" in opening else [])]
    assert [world.one(f"{word} in:all").entry_id for word in words] == ["0", "1", "2", "0"][: len(words)]
