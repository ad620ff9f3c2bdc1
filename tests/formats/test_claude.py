"""Lines of Claude Code (formats/README.md, "Claude Code")."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from app.formats import (
    BadLine,
    MetadataRecord,
    NotASession,
    PartialEntry,
    dialect_named,
    read_header,
    text_pieces,
)
from app.formats.text_kinds import CALL, RESULT
from tests.cases import cases

CLAUDE = dialect_named("claude")


def line(kind: str, own: str | None, parent: str | None, **fields: Any) -> bytes:
    """A line of the conversation; `own` None for a line that is no entry."""
    ids = {} if own is None else {"uuid": own, "parentUuid": parent, "sessionId": "s", "cwd": "/w"}
    stamp = {"timestamp": "2026-02-10T21:11:56.846Z"}
    return json.dumps({"type": kind, **ids, **stamp, **fields}).encode()


def prompt(own: str, parent: str | None, text: str = "hi", **fields: Any) -> bytes:
    return line("user", own, parent, message={"role": "user", "content": text}, **fields)


def answer(own: str, parent: str | None, *blocks: dict[str, Any], id: str = "m", **fields: Any) -> bytes:
    message = {"role": "assistant", "id": id, "model": "opus", "content": list(blocks), **fields}
    return line("assistant", own, parent, message=message)


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"call {name}", "name": name, "input": {"file_path": "a.py"}}


def result(own: str, parent: str, *names: str, content: Any = "done", **fields: Any) -> bytes:
    blocks = [{"type": "tool_result", "tool_use_id": f"call {name}", "content": content} for name in names]
    return line("user", own, parent, message={"role": "user", "content": blocks}, **fields)


def read(*lines: bytes) -> tuple[list[PartialEntry], list[MetadataRecord]]:
    """The entries and the facts of a file."""
    reader = CLAUDE.reader()
    found = [each for each_line in lines for each in reader.partial_entries(each_line)]
    records = [each for each in found if isinstance(each, MetadataRecord)]
    return [each for each in found if not isinstance(each, MetadataRecord)], records


def links(*lines: bytes) -> list[tuple[str | None, str | None]]:
    return [(entry.id, entry.parent_id) for entry in read(*lines)[0]]


def names(*lines: bytes) -> list[str | None]:
    return [record.name for record in read(*lines)[1] if record.type == "session_info"]


def test_the_first_line_of_the_conversation_is_the_header() -> None:
    lines = [
        line("permission-mode", None, None),
        prompt("a", None, forkedFrom={"sessionId": "older", "messageUuid": "x"}),
        prompt("b", "a"),
    ]
    header = read_header("/p/-w/0198.jsonl", b"\n".join(lines), ("claude",))
    assert (header.agent, header.id, header.cwd, header.parent_session) == ("claude", "0198", "/w", "older")
    assert (header.created_ms, header.line, header.length, header.has_ids) == (1770757916846, 2, 0, True)
    for agents in ((), ("pi",)):
        with pytest.raises(NotASession):
            read_header("/p/-w/0198.jsonl", b"\n".join(lines), agents)
    with pytest.raises(NotASession):
        read_header("/p/-w/0198.jsonl", lines[0], ("claude",))


def test_results_of_calls_that_were_made_together_are_no_branches() -> None:
    found = links(
        prompt("p", None),
        answer("a1", "p", call("Read")),
        answer("a2", "a1", call("Edit")),
        result("r1", "a1", "Read"),
        result("r2", "a2", "Edit"),
        answer("b", "r2", {"type": "text", "text": "ok"}, id="m2"),
        prompt("q", "b"),
        prompt("other", "p"),
    )
    assert found == [
        ("p", None),
        ("a1", "p"),
        ("a2", "a1"),
        ("r1", "a2"),
        ("r2", "r1"),
        ("b", "r2"),
        ("q", "b"),
        ("other", "p"),
    ]


def test_lines_of_an_answer_that_hang_on_later_lines_are_no_root() -> None:
    assert links(
        prompt("p", None),
        answer("a", "p", call("x"), id="m1"),
        answer("c", "r", call("z"), id="m1"),
        answer("b", "a", call("y"), id="m1"),
        result("r", "b", "y"),
        result("s", "c", "z"),
        answer("d", "s", id="m2"),
    ) == [("p", None), ("a", "p"), ("c", "a"), ("b", "c"), ("r", "b"), ("s", "r"), ("d", "s")]


def test_lines_that_are_no_entries_pass_their_children_on() -> None:
    assert links(
        line("progress", "x", None, data={"type": "hook_progress"}),
        line("progress", "y", "x", data={"type": "hook_progress"}),
        prompt("p", "y"),
        line("file-history-snapshot", None, None, snapshot={}),
        line("progress", "z", "p", data={"type": "hook_progress"}),
        prompt("q", "z"),
    ) == [("p", None), ("q", "p")]


def test_a_compaction_goes_on_from_the_conversation_before_it() -> None:
    boundary = line(
        "system",
        "c",
        None,
        subtype="compact_boundary",
        logicalParentUuid="p",
        compactMetadata={"preTokens": 9},
    )
    entries, _ = read(prompt("p", None), boundary, prompt("s", "c", "All of it", isCompactSummary=True))
    assert [(entry.type, entry.parent_id) for entry in entries] == [
        ("message", None),
        ("custom", "p"),
        ("compaction", "c"),
    ]
    assert CLAUDE.raw_entry(boundary)["type"] == "custom"
    assert bytes(entries[2].summary) == b'"All of it"'
    elsewhere = boundary.replace(b'"logicalParentUuid": "p"', b'"logicalParentUuid": "gone"')
    assert links(prompt("p", None), elsewhere) == [("p", None), ("c", "p")]
    assert links(elsewhere) == [("c", None)]


def test_the_usage_of_an_answer_counts_once() -> None:
    told = {"input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7}
    entries, _ = read(
        answer("a", None, {"type": "thinking", "thinking": "hm"}, usage={**told, "output_tokens": 1}),
        answer("b", "a", {"type": "text", "text": "x"}, usage={**told, "output_tokens": 1}),
        answer("c", "b", call("Read"), usage={**told, "output_tokens": 40}),
        answer("d", "c", {"type": "text", "text": "y"}, id="next", usage={**told, "output_tokens": 2}),
    )
    usages = [entry.message.usage for entry in entries if entry.message and entry.message.usage]
    sums = [sum(getattr(usage, name) or 0 for usage in usages) for name in ("input", "output", "cache_read")]
    assert sums == [6, 42, 10]


@pytest.mark.parametrize("own", [None, "", 5])
def test_an_answer_without_an_id_counts_once_for_its_request(own: Any) -> None:
    def answered(uuid: str, parent: str | None, request: Any, tokens: int, written: int) -> bytes:
        usage = {"input_tokens": tokens, "output_tokens": written}
        message = {"role": "assistant", "id": own, "content": [call(uuid)], "usage": usage}
        return line("assistant", uuid, parent, message=message, requestId=request)

    entries, _ = read(
        answered("a", None, "r1", 3, 1),
        answered("b", "a", "r1", 3, 9),
        result("c", "a", "a"),
        answered("d", "c", "r2", 4, 2),
        answered("e", "d", None, 50, 0),
        answered("f", "e", 7, 50, 0),
    )
    usages = [entry.message.usage for entry in entries if entry.message and entry.message.usage]
    assert sum(usage.input or 0 for usage in usages) == 107
    assert sum(usage.output or 0 for usage in usages) == 11
    # The result does not make the other call of the request a branch.
    assert [entry.parent_id for entry in entries] == [None, "a", "b", "c", "d", "e"]


def test_a_result_knows_its_tool_and_shows_its_change() -> None:
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]
    edited = result("r", "a", "Edit", toolUseResult={"structuredPatch": patch, "originalFile": "a"})
    entries, _ = read(answer("a", None, call("Edit")), edited)
    assert entries[1].message is not None
    assert entries[1].message.tool_name == "Edit"
    assert CLAUDE.entry(edited)["message"]["details"] == {"diff": "@@ -1,1 +1,1 @@\n-a\n+b"}
    assert [
        piece.kind for piece in text_pieces(CLAUDE.entry(answer("a", None, call("Edit"))), other=False)
    ] == [CALL]
    assert [piece.kind for piece in text_pieces(CLAUDE.entry(edited))] == [RESULT]


def test_results_in_one_line_are_entries_of_their_own() -> None:
    both = result("r", "a", "Read", "Edit")
    assert links(both, prompt("p", "r")) == [("r#0", "a"), ("r", "r#0"), ("p", "r")]
    assert [CLAUDE.entry(both, part)["id"] for part in (0, 1)] == ["r#0", "r"]
    with pytest.raises(BadLine):
        CLAUDE.entry(both, 2)


def test_the_title_of_the_user_comes_before_that_of_the_agent() -> None:
    titles = [
        line("summary", None, None, summary="elsewhere", leafUuid="gone"),
        line("summary", None, None, summary="a summary", leafUuid="p"),
        prompt("p", None),
        line("ai-title", None, None, aiTitle="by the agent"),
        line("custom-title", None, None, customTitle=" by the user "),
        line("ai-title", None, None, aiTitle="later"),
    ]
    assert names(*titles) == ["a summary", "by the agent", "by the user"]
    assert names(*titles, line("custom-title", None, None, customTitle=""))[-1] == "later"


def test_the_leaf_is_the_last_entry_that_is_not_a_sub_agents() -> None:
    def leaf(*lines: bytes) -> str | None:
        return [record.target_id for record in read(*lines)[1] if record.type == "leaf"][-1]

    inside = prompt("s", None, isSidechain=True)
    assert leaf(prompt("p", None), inside) == "p"
    assert leaf(inside, prompt("t", "s", isSidechain=True)) == "t"


def test_what_the_user_did_not_type_is_no_prompt() -> None:
    queued = {"type": "queued_command", "prompt": "and this", "commandMode": "prompt"}
    notice = {"type": "queued_command", "prompt": "a task ended", "commandMode": "task-notification"}
    entries, _ = read(
        prompt("a", None, "Caveat", isMeta=True),
        line("attachment", "b", "a", attachment=queued),
        line("attachment", "c", "b", attachment=notice),
        line("something-new", "d", "c"),
        prompt("e", "d", "<task-notification>", promptSource="system", origin={"kind": "task-notification"}),
        prompt("f", "e", "Go on", promptSource="system", origin=[]),
        prompt("g", "f", "typed", promptSource="typed", origin={"kind": "human"}),
    )
    assert [(entry.type, entry.custom_type, entry.display) for entry in entries] == [
        ("custom_message", "meta", False),
        ("message", None, None),
        ("custom", "queued_command", None),
        ("custom", "something-new", None),
        ("custom_message", "task-notification", None),
        ("custom_message", "system", None),
        ("message", None, None),
    ]


def test_errors_images_and_thoughts_are_spelt_as_pi_spells_them() -> None:
    failed = line(
        "assistant",
        "a",
        None,
        isApiErrorMessage=True,
        message={"role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": "529"}]},
    )
    message = CLAUDE.entry(failed)["message"]
    assert (message["stopReason"], message["errorMessage"], message.get("model")) == ("error", "529", None)
    source = {"type": "base64", "media_type": "image/png", "data": "iVBO"}
    shown = line("user", "u", None, message={"content": [{"type": "image", "source": source}]})
    [image] = CLAUDE.entry(shown)["message"]["content"]
    assert image == {"type": "image", "mimeType": "image/png", "data": "iVBO"}
    thought = answer("t", None, {"type": "thinking", "thinking": "hm", "signature": "c2ln"})
    [block] = CLAUDE.entry(thought)["message"]["content"]
    assert block == {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"}


@cases("value", [b'{"no":"type"}', b"[1]", b'"text"', b"{", b'{"type":5}'])
def test_a_line_that_is_none_of_its_lines_is_refused(value: bytes) -> None:
    for reading in (CLAUDE.partial_entries, CLAUDE.reader().partial_entries, CLAUDE.entries):
        with pytest.raises(BadLine):
            reading(value)


@cases("kind", ["user", "assistant", "attachment", "system", "summary"])
def test_no_value_of_a_field_is_an_error(kind: str) -> None:
    fields = ("uuid", "parentUuid", "message", "attachment", "timestamp", "isMeta", "summary", "leafUuid")
    values: tuple[Any, ...] = (None, 7, "text", [], {}, [[]], {"content": [None, 5, {"type": 5}]})
    for field, value in product(fields, values):
        odd = json.dumps({"type": kind, "uuid": "a", "parentUuid": None, field: value}).encode()
        count = len(CLAUDE.entries(odd))
        for reader in (CLAUDE, CLAUDE.reader()):
            found = [each for each in reader.partial_entries(odd, []) if not isinstance(each, MetadataRecord)]
            assert len(found) == count
