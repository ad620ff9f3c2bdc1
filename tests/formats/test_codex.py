"""Lines of Codex (formats/README.md, "Codex")."""

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
from app.formats.text_kinds import CALL, RESULT, THINKING, USER
from tests.cases import cases

CODEX = dialect_named("codex")
META = {"id": "019c", "timestamp": "2026-02-23T11:40:23.298Z", "cwd": "/w", "model_provider": "openai"}


def line(kind: str, **payload: Any) -> bytes:
    return json.dumps({"timestamp": "2026-02-23T11:40:29.277Z", "type": kind, "payload": payload}).encode()


def item(kind: str, **fields: Any) -> bytes:
    return line("response_item", type=kind, **fields)


def message(role: str, *texts: str) -> bytes:
    content = [
        {"type": "output_text" if role == "assistant" else "input_text", "text": text} for text in texts
    ]
    return item("message", role=role, content=content)


def event(kind: str, **fields: Any) -> bytes:
    return line("event_msg", type=kind, **fields)


def read(*lines: bytes) -> tuple[list[PartialEntry], list[MetadataRecord]]:
    """The entries and the facts of a file."""
    reader = CODEX.reader()
    found = [each for each_line in lines for each in reader.partial_entries(each_line)]
    records = [each for each in found if isinstance(each, MetadataRecord)]
    return [each for each in found if not isinstance(each, MetadataRecord)], records


def kinds(*lines: bytes) -> list[tuple[str | None, str | None]]:
    return [(entry.type, entry.message.role if entry.message else None) for entry in read(*lines)[0]]


def test_the_first_line_is_the_header() -> None:
    forked = line("session_meta", **META, forked_from_id="older")
    lines = b"\n".join([forked, line("session_meta", **{**META, "id": "older"}), message("user", "hi")])
    header = read_header("/s/2026/02/23/rollout-x.jsonl", lines, ("codex",))
    assert (header.agent, header.id, header.cwd, header.parent_session) == ("codex", "019c", "/w", "older")
    assert (header.created_ms, header.line, header.has_ids) == (1771846823298, 1, True)
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "main", "depth": 1}}}
    assert not header.spawned
    header = read_header("/s/r.jsonl", line("session_meta", **META, source=spawned), ("codex",))
    assert (header.parent_session, header.spawned) == ("main", True)
    assert read_header(
        "/s/r.jsonl", line("session_meta", **META, thread_source="subagent"), ("codex",)
    ).spawned
    for data, agents in ((lines, ("pi",)), (lines, ()), (message("user", "hi"), ("codex",))):
        with pytest.raises(NotASession):
            read_header("/s/rollout-x.jsonl", data, agents)


def test_a_rollout_of_the_first_versions_is_read() -> None:
    context = "<environment_context>\n  <cwd>/old/w</cwd>\n</environment_context>"
    old = [
        {"id": "5973", "timestamp": "2025-08-12T09:00:00.000Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": context}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": json.dumps({"output": "a.txt", "metadata": {"exit_code": 1}}),
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    ]
    lines = [json.dumps(each).encode() for each in old]
    header = read_header("/s/rollout-x.jsonl", b"\n".join(lines), ("codex",))
    assert (header.id, header.cwd) == ("5973", "/old/w")
    entries, _ = read(*lines)
    assert [entry.type for entry in entries] == ["custom_message", *["message"] * 4]
    result = CODEX.entry(lines[5])["message"]
    assert (result["content"], result["isError"]) == ([{"type": "text", "text": "a.txt"}], True)
    # The two prompts are the same line.
    assert entries[4].id == f"{entries[1].id}#1"
    assert [entry.parent_id for entry in entries] == [None, *[entry.id for entry in entries[:-1]]]


def test_what_codex_put_in_the_users_role_is_no_prompt() -> None:
    lines = [
        message("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe kind\n</INSTRUCTIONS>"),
        message("user", "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"),
        message("developer", "<permissions instructions>"),
        message("user", "<environment_context>x</environment_context>", "and my question"),
        message("user", "<b>bold</b> is not what I want"),
    ]
    found = [(entry.type, entry.display) for entry in read(*lines)[0]]
    assert found == [("custom_message", False)] * 3 + [("message", None)] * 2


def test_notes_for_the_screen_are_no_entries() -> None:
    assert kinds(
        line("session_meta", **META),
        event("user_message", message="hi"),
        message("user", "hi"),
        event("agent_reasoning", text="hm"),
        item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="x"),
        item("reasoning", summary=[], encrypted_content="x"),
        event("agent_message", message="ok"),
        message("assistant", "ok"),
        line("compacted", message="All of it", replacement_history=[]),
        line("world_state", full=True),
        event("turn_aborted", reason="interrupted"),
        event("error", message="overloaded"),
    ) == [
        ("message", "user"),
        ("message", "assistant"),
        ("message", "assistant"),
        ("compaction", None),
        ("message", "assistant"),
        ("message", "assistant"),
    ]


def test_a_prompt_whose_note_comes_with_the_next_lines_stays_a_prompt() -> None:
    reader = CODEX.reader()
    first = [message("user", "hi"), event("user_message", message="hi"), message("user", "go on")]
    later = [event("user_message", message="go on"), message("user", "Warning: no such file")]
    roles = []
    for lines in (first, [*later, message("assistant", "ok")]):
        reader.foresee(b"\n".join(lines) + b"\n")
        for each_line in lines:
            entries = reader.partial_entries(each_line)
            roles += [entry.message.role for entry in entries if entry.message is not None]
    assert roles == ["user", "user", "assistant"]


def test_a_short_prompt_makes_no_other_text_a_prompt() -> None:
    reader = CODEX.reader()
    lines = [
        *(message("user", "A"), event("user_message", message="A")),
        message("user", "<user_action>\n  <context>A review</context>\n</user_action>"),
        message("user", "Warning: ALL is not well"),
        *(
            message("user", "Begin. Look at the second file of the folder"),
            event("user_message", message="Look at the second file of the folder"),
        ),
    ]
    reader.foresee(b"\n".join(lines) + b"\n")
    found = [entry for each_line in lines for entry in reader.partial_entries(each_line)]
    assert [entry.type for entry in found if not isinstance(entry, MetadataRecord)] == [
        *("message", "custom_message", "custom_message", "message")
    ]


def test_answers_have_the_model_of_their_turn_and_results_the_name_of_their_tool() -> None:
    entries, records = read(
        line("session_meta", **META),
        line("turn_context", model="gpt-5.3-codex"),
        item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="c"),
        item("function_call_output", call_id="c", output="Process exited with code 2\nOutput:\n"),
        line("turn_context", model="gpt-5.2"),
        message("assistant", "done"),
    )
    told = [(each.message.provider, each.message.model) for each in entries if each.message]
    assert told == [("openai", "gpt-5.3-codex"), (None, None), ("openai", "gpt-5.2")]
    assert entries[1].message is not None
    assert (entries[1].message.tool_name, entries[1].message.is_error) == ("exec_command", True)
    assert [record.target_id for record in records] == [entry.id for entry in entries]


def test_tokens_count_once_and_without_what_was_cached() -> None:
    def count(sent: int, cached: int, received: int) -> bytes:
        told = {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": received}
        return event("token_count", info={"total_token_usage": told, "last_token_usage": {}})

    lines = [count(100, 40, 7), count(100, 40, 7), event("token_count", info=None), count(150, 60, 9)]
    usages = [record.usage for record in read(*lines, count(30, 0, 1))[1] if record.usage]
    assert [(usage.input, usage.cache_read, usage.output) for usage in usages] == [
        (60, 40, 7),
        (0, 0, 0),
        (30, 20, 2),
        (30, 0, 1),
    ]


def test_a_rollout_that_goes_on_from_another_names_it_and_counts_its_own_tokens() -> None:
    own = "01a21f33-0a6a-7863-b008-c14faefb1e66"
    base = {"thread_id": META["id"], "end_ordinal_exclusive": 47, "end_byte_offset": 77717}
    rewound = line("session_meta", **META, history_base=base)
    header = read_header(f"/s/rollout-2026-11-27T22-49-28-{META['id']}_{own}.jsonl", rewound, ("codex",))
    assert (header.id, header.parent_session) == (own, META["id"])
    # A fork names the thread, and the very file of the thread.
    forked = line(
        "session_meta", **{**META, "id": "fork"}, forked_from_id=META["id"], history_base={"thread_id": own}
    )
    header = read_header("/s/rollout-2026-11-27T22-51-22-fork.jsonl", forked, ("codex",))
    assert (header.id, header.parent_session) == ("fork", own)

    def count(total: int, last: int) -> bytes:
        names = {"total_token_usage": total, "last_token_usage": last}
        info = {
            name: {"input_tokens": 10 * tokens, "output_tokens": tokens} for name, tokens in names.items()
        }
        return event("token_count", info=info)

    entries, records = read(rewound, message("user", "hi"), count(100, 7), count(100, 7), count(103, 3))
    assert [entry.type for entry in entries] == ["custom_message", "message"]
    assert entries[1].parent_id == entries[0].id
    assert CODEX.entry(rewound)["content"] == f"Goes on from {META['id']}, after its first 47 lines"
    assert CODEX.entry(forked)["content"] == f"Goes on from {own}"
    assert [record.usage.output for record in records if record.usage] == [7, 0, 3]


@cases("base", [None, 7, "x", [], {}, {"thread_id": None}, {"thread_id": ""}, {"thread_id": []}])
def test_a_base_that_names_no_rollout_is_none(base: Any) -> None:
    odd = line("session_meta", **META, history_base=base)
    for name in ("rollout-019c.jsonl", "rollout-019c_.jsonl", "_", "x_y.jsonl", "rollout-019c_a_b.jsonl"):
        header = read_header(f"/s/{name}", odd, ("codex",))
        assert (header.id, header.parent_session) == ("019c", None)
    assert CODEX.entries(odd) == []


def test_turns_that_were_rolled_back_are_a_branch() -> None:
    def turn(number: int) -> list[bytes]:
        return [message("user", f"{number}?"), message("assistant", f"{number}!")]

    context = message("user", "<environment_context>x</environment_context>")
    lines = [context, *turn(1), *turn(2), *turn(3), event("thread_rolled_back", num_turns=2), *turn(4)]
    entries, records = read(*lines)
    ids = [entry.id for entry in entries]
    assert [entry.parent_id for entry in entries] == [None, *ids[:6], ids[2], ids[7]]
    assert [record.target_id for record in records] == [*ids[:7], ids[2], *ids[7:]]
    # Two turns are left, and more than those cannot be rolled back.
    entries, records = read(*lines, event("thread_rolled_back", num_turns=9), *turn(5))
    assert [entry.parent_id for entry in entries[-2:]] == [ids[0], entries[-2].id]


@cases("turns", [0, -1, None, "2", True, 1.5, [], 1 << 70])
def test_a_number_of_turns_that_is_none_rolls_nothing_back(turns: Any) -> None:
    lines = [message("user", "hi"), event("thread_rolled_back", num_turns=turns), message("assistant", "ok")]
    entries, _ = read(*lines, event("thread_rolled_back"), message("user", "still here"))
    assert [entry.parent_id for entry in entries] == [None, *[entry.id for entry in entries[:-1]]]
    assert read(event("thread_rolled_back", num_turns=1)) == ([], [])


def test_the_texts_of_items_have_their_kinds() -> None:
    def pieces(each: bytes) -> list[tuple[int, str]]:
        return [(piece.kind, piece.text) for piece in text_pieces(CODEX.entry(each), other=False)]

    patch = "*** Begin Patch\n*** Update File: a.py"
    assert pieces(message("user", "one", "two")) == [(USER, "one\ntwo")]
    assert pieces(item("reasoning", summary=[{"type": "summary_text", "text": "hm"}])) == [(THINKING, "hm")]
    assert pieces(item("custom_tool_call", name="apply_patch", input=patch, call_id="c")) == [
        (CALL, f"apply_patch\ninput\n{patch}")
    ]
    assert pieces(
        item("custom_tool_call_output", call_id="c", output=[{"type": "input_text", "text": "ok"}])
    ) == [(RESULT, "ok")]
    search = item("web_search_call", id="ws", action={"type": "search", "query": "rust"})
    assert "rust" in pieces(search)[0][1]
    url = "data:image/png;base64,iVBO"
    shown = item("message", role="user", content=[{"type": "input_image", "image_url": url}])
    [image] = CODEX.entry(shown)["message"]["content"]
    assert image == {"type": "image", "data": "iVBO", "mimeType": "image/png"}


def test_a_name_that_the_user_gives_is_a_fact() -> None:
    names = [record.name for record in read(event("thread_name_updated", thread_name="Fix it"))[1]]
    assert names == ["Fix it"]
    assert CODEX.metadata_entries(event("thread_name_updated", thread_name="Fix it"))[0]["name"] == "Fix it"


@cases("value", [b'{"no":"type"}', b"[1]", b'"text"', b"{", b'{"type":5}'])
def test_a_line_that_is_none_of_its_lines_is_refused(value: bytes) -> None:
    for reading in (CODEX.partial_entries, CODEX.reader().partial_entries, CODEX.entries):
        with pytest.raises(BadLine):
            reading(value)


@cases("kind", ["session_meta", "turn_context", "response_item", "event_msg", "compacted"])
def test_no_value_of_a_field_is_an_error(kind: str) -> None:
    types = ("message", "reasoning", "function_call", "function_call_output", "token_count", "error", "new")
    fields = ("role", "content", "summary", "output", "arguments", "info", "name", "model", "call_id", "type")
    values: tuple[Any, ...] = (None, 7, "text", [], {}, [[], 5, {"type": 5}], {"total_token_usage": 3})
    for own, field, value in product(types, fields, values):
        odd = line(kind, **{"type": own, field: value})
        count = len(CODEX.entries(odd))
        for reader in (CODEX, CODEX.reader()):
            found = [each for each in reader.partial_entries(odd, []) if not isinstance(each, MetadataRecord)]
            assert len(found) == count
    assert CODEX.entries(b'{"type":"response_item","payload":7}') == []
