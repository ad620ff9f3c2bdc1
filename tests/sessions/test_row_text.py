"""The text of the row of every kind of entry."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.formats import Raw, call_line, partial_entry_of, shortened_arguments
from app.sessions.tree import RowText, calls_of, row_text_of
from tests.cases import cases

TEXT_LIMIT = 200  # characters that a row keeps of a text

ARGUMENTS_LIMIT = 1_024  # characters that a row keeps of arguments


def row(*entries: dict[str, Any], version: int = 3) -> RowText:
    """Return the row of the last of `entries`, which may answer a call of an earlier one."""
    skims = [partial_entry_of(entry) for entry in entries]
    calls: dict[str, tuple[str, bytes]] = {}
    for skim in skims:
        if skim.message is not None:
            calls |= calls_of(skim.message)
    message = skims[-1].message
    call = calls.get(message.tool_call_id or "") if message is not None else None
    return row_text_of(skims[-1], version, call)


def message(role: Any, content: Any = None, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": content, **fields}}


def text(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": one} for one in texts]


@cases(
    ("entry", "kind", "shown"),
    [
        (message("user", "fix\nthe  login"), "user", "user: fix the login"),
        (message("user", text("two", "blocks")), "user", "user: two blocks"),
        (message("user", None), "user", "user: "),
        (message("assistant", text("Done.")), "assistant", "assistant: Done."),
        (message("assistant", [], stopReason="aborted"), "assistant", "assistant: (aborted)"),
        (message("assistant", [], errorMessage="e" * 99), "error", f"assistant: {'e' * 79}…"),
        (message("assistant", None), "assistant", "assistant: (no content)"),
        (message("toolResult", text("x"), toolName="read"), "tool", "[read]"),
        (message("toolResult", text("x")), "tool", "[tool]"),
        (message("tool_result", text("x"), toolName="read"), "tool", "[read]"),
        (message("bashExecution", command="ls -l\n| wc"), "bash", "[bash]: ls -l | wc"),
        (message("custom", "note", customType="plan"), "custom", "[plan]: note"),
        (message("branchSummary", summary="tried caching"), "summary", "[branch summary]: tried caching"),
        (message("compactionSummary", summary="so far"), "compaction", "[compaction summary]: so far"),
        (message("system", "you are"), "system", "[system]: you are"),
        (message("system", ""), "system", "[system]"),
        (message("developer", "be brief"), "system", "[developer]: be brief"),
        (message("fileMention", "x"), "system", "[fileMention]: x"),
        (message("elsewhere", "x"), "unknown", "[elsewhere]: x"),
        (message(None, "x"), "unknown", "[message]: x"),
        ({"type": "message", "message": None}, "unknown", "[message]: "),
        ({"type": "custom_message", "customType": "plan", "content": text("a")}, "custom", "[plan]: a"),
        (
            {"type": "compaction", "tokensBefore": 42_499, "summary": "s"},
            "compaction",
            "[compaction: 42k tokens]",
        ),
        ({"type": "compaction", "tokensBefore": 42_500}, "compaction", "[compaction: 43k tokens]"),
        ({"type": "compaction"}, "compaction", "[compaction]"),
        ({"type": "branch_summary", "summary": "left"}, "summary", "[branch summary]: left"),
        ({"type": "branch"}, "summary", "[forked]"),
        (
            {"type": "branch", "parentSessionPath": "/home/u/a.jsonl", "branchSummary": "was\nmending"},
            "summary",
            "[forked from a.jsonl]: was mending",
        ),
        ({"type": "branch", "parentSessionPath": "C:\\u\\a.jsonl"}, "summary", "[forked from a.jsonl]"),
        ({"type": "model_change", "provider": "p", "modelId": "opus"}, "meta", "[model: opus]"),
        ({"type": "model_change", "model": "p/opus"}, "meta", "[model: p/opus]"),
        ({"type": "thinking_level_change", "thinkingLevel": "high"}, "meta", "[thinking: high]"),
        ({"type": "custom", "customType": "session_exit"}, "meta", "[custom: session_exit]"),
        ({"type": "context_edit", "targetId": "a1", "replacement": None}, "meta", "[context omit: a1]"),
        ({"type": "context_edit", "targetId": "a1", "replacement": {}}, "meta", "[context replace: a1]"),
        ({"type": "label", "targetId": "a1", "label": "here"}, "meta", "[label: here]"),
        ({"type": "label", "targetId": "a1"}, "meta", "[label: (cleared)]"),
        ({"type": "session_info", "name": "Auth"}, "meta", "[title: Auth]"),
        ({"type": "session_info", "name": ""}, "meta", "[title: empty]"),
        ({"type": "title_change", "title": "New"}, "meta", "[title: New]"),
        ({"type": "mode_change"}, "unknown", "[mode_change]"),
        ({}, "unknown", "[]"),
    ],
)
def test_every_kind_of_entry_has_a_row(entry: dict[str, Any], kind: str, shown: str) -> None:
    found = row(entry)
    assert (found.kind, found.prefix + found.text) == (kind, shown)


def test_a_hook_message_of_version_2_reads_as_custom() -> None:
    assert row(message("hookMessage", "x", customType="plan"), version=2).prefix == "[plan]: "


@cases(
    ("name", "arguments", "shown"),
    [
        ("read", {"path": "a.py"}, "[read: a.py]"),
        ("read", {"file_path": "a.py", "offset": 1, "limit": 40}, "[read: a.py:1-40]"),
        ("read", {"path": "a.py", "offset": 11}, "[read: a.py:11]"),
        ("read", {"path": "a.py", "limit": 5}, "[read: a.py:1-5]"),
        ("Read", {"path": 5, "limit": "x"}, "[Read: ]"),
        ("write", {"path": "a.py", "content": "x" * 5000}, "[write: a.py]"),
        ("edit", {"path": "a.py"}, "[edit: a.py]"),
        ("bash", {"command": "ls\n-l"}, "[bash: ls -l]"),
        ("bash", {"command": "x" * 151}, f"[bash: {'x' * 151}]"),
        ("bash", {}, "[bash: ]"),
        ("grep", {"pattern": "a+", "path": "src"}, "[grep: /a+/ in src]"),
        ("grep", {"pattern": "a+"}, "[grep: /a+/ in .]"),
        ("find", {"pattern": "*.py"}, "[find: *.py in .]"),
        ("ls", {}, "[ls: .]"),
        ("web", {"q": "x"}, '[web: {"q":"x"}]'),
        ("web", {"query": "y" * 99}, f'[web: {{"query":"{"y" * 99}"}}]'),
        ("web", {}, "[web]"),
    ],
)
@cases("block", ["toolCall", "tool_call"])
def test_a_tool_result_shows_the_call_it_answers(
    name: str, arguments: dict[str, Any], shown: str, block: str
) -> None:
    call = message("assistant", [{"type": block, "id": "c1", "name": name, "arguments": arguments}])
    found = row(call, message("toolResult", text("out"), toolCallId="c1", toolName=name))
    assert found == RowText("tool", "", shown)


def test_a_call_with_a_long_argument_has_a_short_row() -> None:
    arguments = Raw(json.dumps({"content": "x" * 100_000, "path": "a.py", "n": "\ud83d"}).encode())
    kept = shortened_arguments("write", arguments)
    assert len(kept) <= ARGUMENTS_LIMIT
    assert call_line("write", kept) == "[write: a.py]"
    assert len(shortened_arguments("other", arguments)) <= ARGUMENTS_LIMIT


@cases("arguments", [b"", b"null", b"[1]", b"{", b"\xff", b'{"path":null}', b'"text"'])
@cases("name", ["read", "bash", "grep", "find", "ls", "other", ""])
def test_odd_arguments_do_not_crash(name: str, arguments: bytes) -> None:
    assert call_line(name, arguments).startswith(f"[{name}")


HOSTILE = "\x1b[2J\u202e\n\t\ud83d\u2028\U000e0041"
FIELD = st.text(alphabet=st.characters(blacklist_categories=()), max_size=400) | st.just(HOSTILE)


@given(
    kind=st.sampled_from(
        [
            "message",
            "custom_message",
            "compaction",
            "branch_summary",
            "model_change",
            "label",
            "session_info",
            "x",
        ]
    )
    | FIELD,
    role=st.sampled_from(["user", "assistant", "toolResult", "bashExecution", "custom"]) | FIELD,
    said=FIELD,
)
def test_rows_are_short_inert_lines(kind: str, role: str, said: str) -> None:
    entry = {
        "type": kind,
        "message": {
            "role": role,
            "content": said,
            "command": said,
            "errorMessage": said,
            "toolName": said,
            "customType": said,
        },
        "customType": said,
        "content": said,
        "summary": said,
        "modelId": said,
        "label": said,
        "name": said,
    }
    found = row(entry)
    shown = found.prefix + found.text
    assert len(found.text) <= TEXT_LIMIT
    assert len(shown) <= TEXT_LIMIT + 90
    shown.encode()
    assert not set(shown) & set("\x1b\u202e\n\t\u2028\U000e0041\x9b\0")
