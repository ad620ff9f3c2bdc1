"""`in:all` searches every text of every kind of line that an agent writes, and those that only files have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Index, Store

from app.index.search import LineDecoder
from app.index.search.hit_branch import NOWHERE
from app.stores import agent_named
from tests.cases import cases
from tests.factory import NOW, header
from tests.index.search.helpers import World, marked

if TYPE_CHECKING:
    from pathlib import Path

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


@cases(
    ("dialect", "written"),
    [
        *((name, entry) for name in ("pi", "omp", "indusagi", "agent") for entry in ENTRIES),
        *(("agent", entry) for entry in SNAKE),
        *(("transcript", node | {"schema": "indus/transcript@1"}) for node in NODES),
        ("pi", {"type": "session", "id": "x", "cwd": "x", "parentSession": "*", "more": ["*"]}),
    ],
)
def test_every_text_of_every_kind_of_line_is_searched(dialect: str, written: Any) -> None:
    """All texts that a person may have written or read, in any dialect (help/search.md, `in:all`)."""
    planted: list[str] = []

    def plant(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plant(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plant(item) for item in value]
        if value != "*":
            return value
        planted.append(f"planted{len(planted)}.")
        return planted[-1]

    line = json.dumps(plant(written)).encode()
    text_of_line = "\n".join(piece.text for piece in LineDecoder(dialect).texts(line, 0, other=True))
    assert [text for text in planted if text not in text_of_line] == []


@cases("levels", [50, 900, 1_100, 3_000])
@cases(("opening", "closing"), [("[", "]"), ('{"named":', "}")])
def test_deeply_nested_values_are_searched(world: World, levels: int, opening: str, closing: str) -> None:
    """pi's parser accepts such values."""
    deep = opening * levels + '"%s"' + closing * levels
    call = '{"type":"toolCall","id":"c","name":"bash","arguments":{"x":' + deep % "asked" + "}}"
    messages = [
        '{"role":"assistant","content":[' + call + "]}",
        '{"role":"toolResult","toolCallId":"c","content":"","details":' + deep % "given" + "}",
    ]
    lines = [
        '{"type":"session","version":3,"id":"s","cwd":"/w"}',
        *(f'{{"type":"message","id":"{at}","message":{text}}}' for at, text in enumerate(messages)),
        '{"type":"custom","id":"2","data":' + deep % "kept" + "}",
    ]
    world.path("s").write_text("\n".join(lines) + "\n")
    world.scan()
    words = ["asked", "given", "kept", *(["named"] if "named" in opening else [])]
    assert [world.one(f"{word} in:all").entry_id for word in words] == ["0", "1", "2", "0"][: len(words)]


LONG = "a" * 600
"""Such a value could be base64 data or a path."""


def message_entry(**message: Any) -> dict[str, Any]:
    return {"type": "message", "message": message}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    block = {"type": "toolCall", "id": "call_1", "name": name, "arguments": arguments}
    return message_entry(role="assistant", content=[block])


def result(tool: str, text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return message_entry(role="toolResult", toolCallId="call_1", toolName=tool, content=content, **more)


def with_header(world: World, id: str, **fields: Any) -> None:
    """A session whose header also has these fields."""
    path = world.session(id, "hello", "hi")
    _, entries = path.read_text().split("\n", 1)
    path.write_text(json.dumps({**header(id, "/work/app"), **fields}) + "\n" + entries)


@pytest.mark.parametrize("scope", ["in:tools", "in:all"])
def test_long_values_that_look_like_base64_are_found(world: World, scope: str) -> None:
    world.session("s1", "hello", call("write", path="a.txt", content="needleinarg" + LONG))
    world.session("s2", "hello", result("write", "done", details={"d": "needleindet" + LONG + "="}))
    world.scan()
    hit = world.one(f"needleinarg {scope}")
    assert (hit.row.id, hit.role, marked(hit)) == ("s1", "assistant", ["needleinarg"])
    hit = world.one(f"needleindet {scope}")
    assert (hit.row.id, hit.role, marked(hit)) == ("s2", "toolResult", ["needleindet"])
    assert world.ids("needleinarg") == ["s1"]
    assert world.ids(f"re:needlein(arg|det)a+ {scope}") == ["s2", "s1"]


def test_an_image_is_not_searched(world: World) -> None:
    picture = {"type": "image", "mimeType": "image/png", "data": "needle" + LONG}
    world.session("s1", "hello", message_entry(role="user", content=[picture]))
    world.session("s2", "hello", result("look", "done", details={"shots": [picture]}))
    world.session("s3", "hello", call("draw", image_url="data:image/png;base64,needle" + LONG))
    world.session("s4", "hello", call("draw", path="needle" + LONG))
    world.scan()
    assert world.ids("needle in:all") == ["s4"]
    assert world.ids("image/png in:all") == ["s2", "s1"]


@pytest.mark.parametrize("query", ["in:all frobtool", "in:tools frobtool", "in:tools FrobTool role:tool"])
def test_the_tool_of_a_result_is_found(world: World, query: str) -> None:
    world.session("s1", "hello", result("FrobTool" if "F" in query else "frobtool", "out"))
    world.session("s2", "hello", result("other", "out"))
    world.scan()
    hit = world.one(query)
    assert (hit.row.id, hit.entry_id, hit.role) == ("s1", "s1-1", "toolResult")
    assert hit.snippet.startswith("out ")


def test_a_result_without_a_call_belongs_to_the_tool_it_names(world: World) -> None:
    world.session("s1", "hello", result("frobtool", "out of frobtool"))
    world.session("s2", "hello", call("bash", command="out"), result("bash", "out of bash"))
    world.session("s3", "frobtool", "out")
    world.scan()
    assert world.ids("in:tools out tool:frobtool") == ["s1"]
    assert world.ids("out tool:FROBTOOL") == ["s1"]
    assert world.ids("out tool:frobtool,bash") == ["s2", "s1"]
    assert world.ids("out tool:bash") == ["s2"]
    assert world.ids("out -bash tool:frobtool,bash") == ["s1"]
    # A filter of sessions: the tools that are called in them.
    assert world.ids("tool:frobtool") == []
    assert world.ids("in:tools out -tool:bash") == ["s1"]


@pytest.mark.parametrize("query", ["needle in:all", "NEEDLE in:all", "needle role:other", "re:need.e in:all"])
def test_the_header_is_searched(world: World, query: str) -> None:
    needle = "NEEDLE" if "N" in query else "needle"
    with_header(world, "s1", parentSession=f"/old/{needle}.jsonl")
    with_header(world, "s2", unheard={"of": [f"the {needle} there"]})
    with_header(world, "s3", cwd=f"/work/{needle}")
    world.session("s4", "hello", "hi")
    world.scan()
    folder = ["s3"] if "role" not in query else []
    assert sorted(world.ids(query)) == ["s1", "s2", *folder]
    for every in (False, True):
        hits = {hit.row.id: hit for hit in world.hits(query, every=every)}
        # The folder is found once, in the metadata.
        assert [hit.where for hit in hits.values() if hit.row.id == "s3"] == ["folder"] * len(folder)
        for id in ("s1", "s2"):
            hit = hits[id]
            assert (hit.where, hit.entry_id, hit.offset, hit.role) == ("header", None, -1, "")
            assert (marked(hit), hit.timestamp) == ([needle], None)
            assert world.index.place(hit) == NOWHERE
    assert world.ids("needle in:text") == []


def test_texts_come_before_the_header(world: World) -> None:
    with_header(world, "s1", parentSession="/old/hello")
    world.scan()
    assert (world.one("hello in:all").where, world.one("hello in:all").role) == ("text", "user")
    assert [hit.where for hit in world.hits("hello in:all", every=True)] == ["text", "header"]
    assert world.ids("old -parent in:all") == ["s1"]
    assert world.ids("hi -old in:all") == []


def test_a_header_after_a_byte_order_mark(world: World) -> None:
    with_header(world, "s1", parentSession="/old/needle")
    path = world.path("s1")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    world.scan()
    hit = world.one("needle in:all")
    assert (hit.where, hit.snippet) == ("header", "/old/needle")


@cases(
    ("agent", "head", "entry"),
    [
        (
            "indusagi",
            {"schema": "indus/transcript@1", "kind": "head", "sessionId": "one", "leaf": "a", "x": "needle"},
            {"kind": "entry", "id": "a", "role": "user", "message": {"role": "user", "content": "hello"}},
        ),
        (
            "agent",
            {"type": "session", "version": 1, "id": "one", "cwd": "/w", "parent_session": "needle"},
            {"type": "message", "id": "a", "message": {"role": "user", "content": "hello"}},
        ),
    ],
)
def test_the_headers_of_other_agents(
    tmp_path: Path, agent: str, head: dict[str, Any], entry: dict[str, Any]
) -> None:
    root = tmp_path / "store"
    root.mkdir()
    lines = (json.dumps(head), json.dumps(entry))
    (root / "one.jsonl").write_text("".join(f"{line}\n" for line in lines))
    index = Index([Store(agent_named(agent), str(root), "default")], str(tmp_path / "cache"), lambda: NOW)
    index.scan(lambda delta: None)
    try:
        for every in (False, True):
            (hit,) = [hit for page in index.query("needle in:all", every=every) for hit in page.hits]
            assert (hit.where, hit.entry_id, hit.snippet) == ("header", None, "needle")
        for words in ("one role:other", "indus role:other", "hello role:other"):
            assert not [hit for page in index.query(words) for hit in page.hits]
    finally:
        index.close()
