"""How sessions end: what the agent did last on the active path."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.sessions import (
    ABORTED,
    DONE,
    FAILED,
    INTERRUPTED,
    WAITING,
    extend,
    open_tree,
    quick_summary,
    summarise,
)
from tests.cases import cases
from tests.sessions.lines import HEADER, MTIME, answer, content, custom, label, put, user

Line = dict[str, Any]


def call(*names: str, kind: str = "toolCall") -> list[Line]:
    """Return the content of an answer that calls tools."""
    return [
        {"type": "text", "text": "now"},
        *({"type": kind, "id": f"c{at}", "name": name, "arguments": {}} for at, name in enumerate(names)),
    ]


def message(entry_id: str, parent: str | None, role: str, **fields: Any) -> Line:
    body = {"role": role, "content": [{"type": "text", "text": "x"}], **fields}
    return {"type": "message", "id": entry_id, "parentId": parent, "message": body}


def chain(*messages: Line) -> list[Line]:
    """Return entries with these messages, each below the one before."""
    return [
        {"type": "message", "id": f"e{at}", "parentId": f"e{at - 1}" if at else None, "message": body}
        for at, body in enumerate(messages)
    ]


PROMPT: Line = {"role": "user", "content": "go"}
STOPPED: Line = {"role": "assistant", "content": [{"type": "text", "text": "x"}], "stopReason": "stop"}
READING: Line = {"role": "assistant", "content": call("read"), "stopReason": "toolUse"}
ASKING: Line = {"role": "assistant", "content": call("ask"), "stopReason": "toolUse"}
ASKING_TOO: Line = {"role": "assistant", "content": call("todo_write", "ask"), "stopReason": "toolUse"}
RESULT: Line = {"role": "toolResult", "toolCallId": "c0", "toolName": "read", "content": "x"}
SNAKE_CALL = call("read", kind="tool_call")
SHELL: Line = {"role": "bashExecution", "command": "ls", "output": "a"}

CASES = [
    ([], ""),
    ([SHELL], ""),
    ([{"role": "developer", "content": "x"}], ""),
    ([PROMPT, STOPPED], DONE),
    ([PROMPT, STOPPED, SHELL], DONE),
    ([PROMPT, STOPPED | {"stopReason": None}], DONE),
    ([PROMPT, STOPPED | {"stopReason": "unheard of"}], DONE),
    ([PROMPT, STOPPED | {"content": "text"}], DONE),
    ([PROMPT, STOPPED | {"stopReason": "length"}], INTERRUPTED),
    ([PROMPT, STOPPED | {"stopReason": "deferred"}], INTERRUPTED),
    ([PROMPT, STOPPED | {"stopReason": "aborted"}], ABORTED),
    ([PROMPT, READING | {"stopReason": "aborted"}], ABORTED),
    ([PROMPT, ASKING | {"stopReason": "aborted"}], ABORTED),
    ([PROMPT, STOPPED | {"stopReason": "aborted", "errorMessage": "Request was aborted"}], ABORTED),
    ([PROMPT, STOPPED | {"stopReason": "error", "errorMessage": "overloaded"}], FAILED),
    ([PROMPT, STOPPED | {"stopReason": None, "errorMessage": "overloaded"}], FAILED),
    ([PROMPT, STOPPED | {"stopReason": "error"}, STOPPED], DONE),
    ([PROMPT, STOPPED | {"stopReason": "error"}, SHELL], FAILED),
    ([PROMPT], INTERRUPTED),
    ([PROMPT, STOPPED, PROMPT], INTERRUPTED),
    ([PROMPT, READING], INTERRUPTED),
    ([PROMPT, READING | {"stopReason": "stop"}], INTERRUPTED),
    ([PROMPT, READING, RESULT], INTERRUPTED),
    ([PROMPT, READING, RESULT, STOPPED], DONE),
    ([PROMPT, ASKING], WAITING),
    ([PROMPT, ASKING | {"stopReason": None}], WAITING),
    ([PROMPT, ASKING, SHELL], WAITING),
    ([PROMPT, ASKING, RESULT], INTERRUPTED),
    ([PROMPT, ASKING, RESULT, READING], INTERRUPTED),
    ([PROMPT, ASKING, RESULT, READING, RESULT], INTERRUPTED),
    ([PROMPT, ASKING, PROMPT], INTERRUPTED),
    ([PROMPT, ASKING, PROMPT, STOPPED], DONE),
    ([PROMPT, ASKING_TOO], WAITING),
    ([PROMPT, ASKING_TOO, RESULT], WAITING),
    ([PROMPT, ASKING_TOO, RESULT, RESULT], INTERRUPTED),
]


def ending(folder: Path, *lines: Line, agent: str = "pi") -> str:
    found = summarise(put(folder, *lines), (agent,), MTIME).summary
    assert found is not None
    return found.ending


@cases(("messages", "expected"), CASES)
def test_the_ending_of_a_file_that_grows_line_by_line(
    tmp_path: Path, messages: list[Line], expected: str
) -> None:
    path = put(tmp_path, HEADER)
    step = summarise(path, ("omp",), MTIME)
    for line in chain(*messages):
        with open(path, "ab") as file:
            file.write(content(line))
        assert step.progress is not None
        grown = extend(path, step.progress, ("omp",), MTIME)
        assert grown is not None
        assert grown.bytes_read == len(content(line))
        step = grown
    assert step.summary is not None
    assert step.summary.ending == expected
    assert step.summary == summarise(path, ("omp",), MTIME).summary


@cases(("messages", "expected"), CASES)
def test_the_ending_of_other_formats(tmp_path: Path, messages: list[Line], expected: str) -> None:
    without_ids = [{"type": "message", "message": body} for body in messages]
    version_1 = {key: value for key, value in HEADER.items() if key != "version"}
    assert ending(tmp_path, version_1, *without_ids) == expected
    head: Line = {"schema": "indus/transcript@1", "kind": "head", "sessionId": "t"}
    nodes = [
        {"schema": "indus/transcript@1", "kind": "entry", "id": entry["id"], "prev": entry["parentId"]}
        | {"at": 1, "role": entry["message"]["role"], "message": entry["message"]}
        for entry in chain(*messages)
    ]
    head["leaf"] = nodes[-1]["id"] if nodes else None
    assert ending(tmp_path, *nodes, head, agent="indusagi") == expected


@cases(
    ("last", "expected"),
    [
        ({"role": "assistant", "content": "x", "stop_reason": "stop"}, DONE),
        ({"role": "assistant", "content": SNAKE_CALL, "stop_reason": "tool_use"}, INTERRUPTED),
        ({"role": "assistant", "content": SNAKE_CALL}, INTERRUPTED),
        ({"role": "tool_result", "tool_call_id": "c0", "content": "x"}, INTERRUPTED),
        ({"role": "assistant", "content": "x", "stop_reason": "error"}, FAILED),
        ({"role": "assistant", "content": "x", "stop_reason": "aborted"}, ABORTED),
        ({"role": "user", "content": "x"}, INTERRUPTED),
    ],
)
def test_the_ending_of_nickcecere_agent(tmp_path: Path, last: Line, expected: str) -> None:
    opening = {"type": "session", "version": 1, "id": "s", "timestamp": "2026-02-16T10:00:00Z", "cwd": "/w"}
    entry = {"type": "message", "id": "b", "parent_id": "a", "role": last["role"], "message": last}
    first = {"type": "message", "id": "a", "role": "user", "message": PROMPT}
    assert ending(tmp_path, opening, first, entry, agent="agent") == expected


BRANCHED = [
    user("a", None),
    answer("b", "a", stopReason="stop"),
    user("c", "b"),
    answer("d", "c", stopReason="error"),
    user("e", "b"),
    answer("f", "e", stopReason="aborted"),
]


@cases(
    ("more", "expected"),
    [
        ([], ABORTED),
        ([label("x", "f", "a", "here"), custom("y", "x")], ABORTED),
        # The leaf is moved with an entry that is no message.
        ([custom("x", "d")], FAILED),
        ([custom("x", "b"), label("y", "x", "a", "here")], DONE),
        ([custom("x", "c")], INTERRUPTED),
        ([custom("x", None)], ""),
        ([custom("x", "d"), custom("y", "f")], ABORTED),
        ([custom("x", "d"), user("y", "x"), answer("z", "y", stopReason="stop")], DONE),
        ([{"type": "branch_summary", "id": "x", "parentId": "b", "summary": "s", "fromId": "f"}], DONE),
        ([{"type": "compaction", "id": "x", "parentId": "f", "summary": "s"}], ABORTED),
    ],
)
def test_the_ending_is_that_of_the_active_path(tmp_path: Path, more: list[Line], expected: str) -> None:
    assert ending(tmp_path, HEADER, *BRANCHED, *more) == expected


def test_a_marked_leaf_decides(tmp_path: Path) -> None:
    schema: Line = {"schema": "indus/transcript@1"}
    nodes = [
        {**schema, "kind": "entry", "id": entry["id"], "prev": entry["parentId"], "at": 1}
        | {"role": entry["message"]["role"], "message": entry["message"]}
        for entry in BRANCHED
    ]
    for leaf, expected in (("b", DONE), ("d", FAILED), ("f", ABORTED), ("a", INTERRUPTED)):
        head = {**schema, "kind": "head", "sessionId": "t", "leaf": leaf}
        assert ending(tmp_path, *nodes, head, agent="indusagi") == expected


def test_a_provisional_row_does_not_say_how_the_session_ended(tmp_path: Path) -> None:
    found = quick_summary(put(tmp_path, HEADER, *BRANCHED), ("pi",), MTIME)
    assert found is not None
    assert found.ending == ""


def test_damaged_messages_change_nothing(tmp_path: Path) -> None:
    fault: Line = {"type": "message", "id": "x", "parentId": "f", "message": None}
    assert ending(tmp_path, HEADER, *BRANCHED, fault) == ABORTED
    odd = answer("x", "f", stopReason=7, errorMessage=[])
    assert ending(tmp_path, HEADER, *BRANCHED, odd) == DONE


FAILING = [STOPPED | {"stopReason": reason} for reason in ("error", "aborted")]
BODIES = st.sampled_from([PROMPT, STOPPED, READING, RESULT, SHELL, *FAILING])


@st.composite
def trees(draw: st.DrawFn) -> list[Line]:
    """Draw entries, each below the one before, an earlier one, or none."""
    found: list[Line] = []
    for number in range(draw(st.integers(0, 14))):
        earlier = draw(st.sampled_from([None, *range(number), *[number - 1] * (6 if number else 0)]))
        parent = None if earlier is None else f"{earlier:08x}"
        if draw(st.integers(0, 2)):
            body = draw(BODIES)
            found.append({"type": "message", "id": f"{number:08x}", "parentId": parent, "message": body})
        else:
            found.append(custom(f"{number:08x}", parent))
    return found


SAYING = {"user": INTERRUPTED, "toolResult": INTERRUPTED}
REASONS = {"stop": DONE, "toolUse": INTERRUPTED, "error": FAILED, "aborted": ABORTED}


@given(trees(), st.sets(st.integers(1, 13)))
def test_the_ending_is_that_of_the_last_message_above_the_leaf(lines: list[Line], cuts: set[int]) -> None:
    with TemporaryDirectory() as folder:
        path = put(Path(folder), HEADER)
        step = summarise(path, ("pi",), MTIME)
        borders = sorted({0, len(lines), *(cut for cut in cuts if cut < len(lines))})
        for start, end in pairwise(borders):
            with open(path, "ab") as file:
                file.write(content(*lines[start:end]))
            assert step.progress is not None
            grown = extend(path, step.progress, ("pi",), MTIME)
            assert grown is not None
            step = grown
        by_id = {line["id"]: line.get("message") for line in lines}
        messages = [by_id[node.id] for node in open_tree(path, ("pi",)).active_path()]
        endings = [
            SAYING.get(body["role"]) or REASONS[body["stopReason"]]
            for body in messages
            if body is not None and body is not SHELL
        ]
        assert step.summary is not None
        assert step.summary.ending == (endings[-1] if endings else "")
        assert step.summary == summarise(path, ("pi",), MTIME).summary
