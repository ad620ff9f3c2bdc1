"""Rows equal what pi counts, and keep what pi would drop (formats/README.md, "pi")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.sessions import NO_MESSAGES, NO_PROMPT, Summary, summarise
from app.sessions.summaries import Outcome, problems
from tests.cases import cases
from tests.sessions.lines import HEADER, HEADER_MS, MTIME, answer, content, custom, label, put, user

if TYPE_CHECKING:
    from pathlib import Path

FIRST_MESSAGE_LIMIT = 65_536  # characters

USAGE = {"input": 10, "output": 4, "cacheRead": 3, "cacheWrite": 2, "cost": {"input": 1, "total": 0.25}}


def row(
    folder: Path, *lines: dict[str, Any] | bytes, agents: tuple[str, ...] = ("pi",), **how: Any
) -> Summary:
    path = put(folder, *lines, **how)
    found = summarise(path, agents, MTIME).summary
    assert found is not None
    # The count of problems equals the number of listed problems.
    listed = problems(path, agents)
    assert [problem.torn for problem in listed].count(False) == found.problems
    assert any(problem.torn for problem in listed) == found.torn
    return found


@cases("name", ["\u200b\u200d\ufeff", "\u2800", "\u3164", " \n"])
def test_an_invisible_name_is_no_title(tmp_path: Path, name: str) -> None:
    info = {"type": "session_info", "id": "b", "parentId": "a", "name": name}
    found = row(tmp_path, HEADER, user("a", None, "first prompt"), info)
    assert found.title == "first prompt"
    assert found.name == (name.strip(" \n\ufeff") or None)
    assert row(tmp_path, HEADER, user("a", None, "\u200b"), info).title == NO_PROMPT


def test_the_row_of_an_ordinary_session(tmp_path: Path) -> None:
    found = row(
        tmp_path,
        HEADER,
        user("a", None, "first prompt", timestamp=HEADER_MS + 1_000),
        answer("b", "a", provider="anthropic", model="opus", usage=USAGE, timestamp=HEADER_MS + 2_000),
        {"type": "session_info", "id": "c", "parentId": "b", "name": " The name "},
        label("d", "c", "a", "here"),
    )
    assert dict(zip(Summary._fields, found.values(), strict=True)) == {
        "agent": "pi",
        "dialect": "pi",
        "id": "abc",
        "cwd": "/work/app",
        "name": "The name",
        "title": "The name",
        "title_source": "name",
        "first_message": "first prompt",
        "last_prompt": "first prompt",
        "created": HEADER_MS,
        "modified": HEADER_MS + 2_000,
        "message_count": 2,
        "entry_count": 4,
        "leaf_count": 1,
        "branch_count": 1,
        "labels": (("a", "here"),),
        "leaf_id": "d",
        "parent_session": None,
        "models": ("anthropic/opus",),
        "tools": (),
        "tokens": (10, 4, 3, 2),
        "cost": 0.25,
        "errors": 0,
        "images": 0,
        "problems": 0,
        "torn": False,
        "linear": True,
        "ending": "done",
        "spawned": False,
        "folders": (),
        "continued_in": "",
        "first_id": "",
        "own_prompt": "",
        "is_behind": False,
        "unpriced": (),
    }
    assert Summary(*found.values()) == found


def test_the_row_of_a_header_alone(tmp_path: Path) -> None:
    found = row(tmp_path, HEADER)
    assert (found.entry_count, found.leaf_count, found.leaf_id, found.title) == (0, 0, None, NO_MESSAGES)
    assert found.modified == HEADER_MS


def test_the_file_time_counts_without_any_other_time(tmp_path: Path) -> None:
    found = row(tmp_path, {**HEADER, "timestamp": "never"}, user("a", None))
    assert (found.created, found.modified) == (None, MTIME)


@cases(
    ("entry", "modified"),
    [
        (
            {"timestamp": "2026-03-01T00:00:00Z", "message": {"role": "user", "content": "x"}},
            1_772_323_200_000,
        ),
        ({"timestamp": 1_772_323_200_000, "message": {"role": "user", "content": None}}, 1_772_323_200_000),
        ({"timestamp": "x", "message": {"role": "user", "content": "x", "timestamp": 5.5}}, 5),
        ({"timestamp": "2026-03-01T00:00:00Z", "message": {"role": "user"}}, HEADER_MS),
        ({"timestamp": "2026-03-01T00:00:00Z", "message": {"role": "toolResult", "content": []}}, HEADER_MS),
        ({"timestamp": "x", "message": {"role": "user", "content": "x", "timestamp": -5}}, HEADER_MS),
        ({"timestamp": "x", "message": {"role": "user", "content": "x", "timestamp": 10**18}}, HEADER_MS),
    ],
)
def test_modified_is_the_newest_message_of_user_or_assistant(
    tmp_path: Path, entry: dict[str, Any], modified: int
) -> None:
    found = row(tmp_path, HEADER, {"type": "message", "id": "a", "parentId": None, **entry})
    assert found.modified == modified


def test_labels_and_names_do_not_change_modified(tmp_path: Path) -> None:
    late = {"timestamp": "2027-01-01T00:00:00Z"}
    found = row(
        tmp_path,
        HEADER,
        user("a", None, timestamp=HEADER_MS + 5),
        {**label("b", "a", "a", "x"), **late},
        {"type": "session_info", "id": "c", "parentId": "b", "name": "N", **late},
    )
    assert found.modified == HEADER_MS + 5


@cases(
    ("contents", "first"),
    [
        (["", "second"], "second"),
        ([None, "second"], "second"),
        ([[{"type": "image"}], [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]], "a b"),
        (["  ", "second"], "  "),
        ([7, {"text": "x"}, [None, 5, {"type": "text", "text": "ok"}]], "ok"),
    ],
)
def test_the_first_message_is_the_first_prompt_with_text(
    tmp_path: Path, contents: list[Any], first: str
) -> None:
    lines = [user(f"{number}", None, text) for number, text in enumerate(contents)]
    assert row(tmp_path, HEADER, answer("z", None, "not mine"), *lines).first_message == first


def test_a_long_first_message_is_cut(tmp_path: Path) -> None:
    found = row(tmp_path, HEADER, user("a", None, "x" * 200_000))
    assert len(found.first_message) == FIRST_MESSAGE_LIMIT
    assert len(found.title) <= 300


@cases(
    ("agent", "names", "result"),
    [
        ("pi", ["a", "b"], "b"),
        ("pi", ["a", ""], None),
        ("pi", ["a", " \n "], None),
        ("pi", ["a", None], None),
        ("pi", ["two\nlines"], "two\nlines"),
        ("indusagi", ["a", ""], "a"),
        ("indusagi", ["a", "", "b"], "b"),
        ("omp", ["a"], None),
        ("agent", ["a"], None),
    ],
)
def test_the_name_follows_the_rule_of_the_agent(
    tmp_path: Path, agent: str, names: list[Any], result: str | None
) -> None:
    lines = [
        {"type": "session_info", "id": f"{at}", "parentId": None, "name": name}
        for at, name in enumerate(names)
    ]
    found = row(tmp_path, HEADER, *lines, agents=(agent,))
    assert found.name == result
    assert "\n" not in found.title


def test_labels_are_the_latest_of_each_entry_in_file_order(tmp_path: Path) -> None:
    found = row(
        tmp_path,
        HEADER,
        custom("a", None),
        label("1", "a", "a", "one"),
        label("2", "1", "b", "two"),
        label("3", "2", "c", "three"),
        label("4", "3", "a", "four"),
        label("5", "4", "b", None),
        label("6", "5", "c", ""),
        label("7", "6", None, "nothing"),
    )
    assert found.labels == (("a", "four"),)


def test_tokens_and_cost_are_summed_over_all_branches(tmp_path: Path) -> None:
    found = row(
        tmp_path,
        HEADER,
        answer("a", None, usage=USAGE, provider="p", model="m"),
        answer("b", None, usage=USAGE, provider="p", model="m"),
        b'{"type":"message","id":"c","message":{"role":"assistant","model":"bare","usage":{"input":null,'
        b'"output":1e999,"cost":null}}}',
        {"type": "usage", "id": "d", "parentId": "a", "usage": USAGE},
        {"type": "model_usage", "id": "e", "parentId": "a", "usage": USAGE},
        {"type": "compaction", "id": "f", "parentId": "a", "usage": USAGE},
        {"type": "branch_summary", "id": "g", "parentId": "a", "usage": USAGE},
        {"type": "custom", "id": "h", "parentId": "a", "usage": USAGE},
        {"type": "message", "id": "i", "message": {"role": "toolResult", "content": [], "usage": USAGE}},
    )
    # A number of tokens that is infinite counts as absent.
    assert (found.tokens, found.problems) == ((70, 28, 21, 14), 1)
    assert found.cost == 1.75
    assert found.models == ("p/m", "bare")


@cases(
    ("pairs", "leaves"),
    [
        ([("a", None), ("b", "a"), ("c", "b")], 1),
        ([("a", None), ("b", "a"), ("c", "a")], 2),
        ([("a", None), ("b", None)], 2),
        ([("a", "gone"), ("b", "gone")], 2),
        ([("a", "b"), ("b", None)], 1),
        ([("a", "a")], 0),
        ([("a", "b"), ("b", "a")], 0),
        ([("a", None), ("a", None)], 2),
        ([("a", None), ("a", "a")], 0),
        ([("a", None), (5, "a"), (None, "a")], 2),
        ([(1, None), (2, 1)], 1),
    ],
)
def test_leaves_are_entries_that_are_no_parent(
    tmp_path: Path, pairs: list[tuple[Any, Any]], leaves: int
) -> None:
    found = row(tmp_path, HEADER, *[custom(entry_id, parent) for entry_id, parent in pairs])
    assert found.leaf_count == leaves
    assert found.leaf_id == (pairs[-1][0] if isinstance(pairs[-1][0], str) else None)


def test_version_1_has_no_ids(tmp_path: Path) -> None:
    header = {key: value for key, value in HEADER.items() if key != "version"}
    lines = [{"type": "message", "message": {"role": "user", "content": "x"}}] * 3
    found = row(tmp_path, header, *lines, label("x", None, "y", "z"))
    assert (found.message_count, found.leaf_count, found.leaf_id, found.labels) == (3, 1, None, ())


def test_unknown_types_and_shapes_are_entries(tmp_path: Path) -> None:
    found = row(tmp_path, HEADER, {"type": "new_thing", "id": "a"}, {"id": "b"}, {}, {"type": 5, "id": "c"})
    assert (found.entry_count, found.message_count, found.problems, found.leaf_id) == (4, 0, 1, "c")


@cases(
    ("lines", "messages", "entries", "faults"),
    [
        ([b"", b"  \t", b"\r", "\u3000".encode()], 0, 0, 0),
        ([b"garbage", b"{", b'{"a":1}{"b":2}'], 0, 0, 3),
        ([b"[1]", b"42", b'"text"', b"null", b"true"], 0, 0, 5),
        ([bytes(512), b'{"type":"custom","id":"a"}\0'], 0, 0, 2),
        ([{"type": "message", "id": "a", "message": None}, {"type": "message", "id": "b"}], 2, 2, 2),
        ([{"type": "message", "id": "a", "message": "text"}, {"type": "message", "message": []}], 2, 2, 2),
        ([{"type": "message", "id": "a", "message": {}}], 1, 1, 0),
        ([{"type": "message", "id": "a", "message": {"role": "new", "timestamp": -1}}], 1, 1, 1),
        ([HEADER], 0, 0, 1),
        ([{"type": "session"}], 0, 0, 1),
        ([{"type": "title", "title": "late"}], 0, 0, 1),
        ([{"type": "title", "id": "a", "title": "an entry"}], 0, 1, 0),
        ([b'{"type":"message","id":"a","message":{"role":"user","content":"\\ud83d"}}'], 1, 1, 0),
        ([b'{"type":"message","id":"a","message":{"role":"user","content":"\xff\xc0"}}'], 1, 1, 0),
        ([b'{"type":"message","id":"a","x":' + b"[" * 3000 + b"]" * 3000 + b',"message":{}}'], 1, 1, 0),
        ([b'{"type":"message","id":"a\x01","message":{}}'], 0, 0, 1),
    ],
)
def test_lines_of_every_kind(
    tmp_path: Path, lines: list[dict[str, Any] | bytes], messages: int, entries: int, faults: int
) -> None:
    found = row(tmp_path, HEADER, *lines, user("z", None))
    assert (found.message_count, found.entry_count, found.problems) == (messages + 1, entries + 1, faults)


def test_lines_may_end_with_crlf(tmp_path: Path) -> None:
    lines = [HEADER, user("a", None, "x"), b"", answer("b", "a")]
    assert row(tmp_path, *lines, newline=b"\r\n") == row(tmp_path, *lines)


def test_a_header_that_is_not_first_is_a_problem(tmp_path: Path) -> None:
    found = row(tmp_path, custom("a", None), HEADER, custom("b", "a"))
    assert (found.id, found.entry_count, found.leaf_count, found.problems) == ("abc", 2, 1, 2)
    after_garbage = row(tmp_path, b"#!", b"", HEADER, custom("b", None))
    assert (after_garbage.entry_count, after_garbage.problems) == (1, 1)


@cases(
    ("last", "entries", "torn"),
    [
        (b"", 1, False),
        (b'\n{"type":"cus', 1, True),
        (b"\n" + bytes(64), 1, True),
        (b"\n   ", 1, False),
        (b'\n{"type":"custom","id":"z"}', 2, False),
        ("\n日".encode()[:-1], 1, True),
        (b"\n42", 1, True),
    ],
)
def test_the_last_line_without_a_newline(tmp_path: Path, last: bytes, entries: int, torn: bool) -> None:
    found = row(tmp_path, HEADER, custom("a", None), last=last)
    assert (found.entry_count, found.torn, found.problems) == (entries, torn, 0)


def test_nickcecere_agent(tmp_path: Path) -> None:
    header = {"type": "session", "id": "abc", "version": 1, "timestamp": "2026-02-16T10:00:00Z", "cwd": "/w"}
    usage = {"input": 100, "output": 50, "cache_read": 80, "cache_write": 20, "total_tokens": 150}
    found = row(
        tmp_path,
        header,
        {"type": "branch", "id": "0", "parent_session_path": "/old.jsonl", "fork_entry_id": "f"},
        {"type": "message", "id": "a", "parent_id": "0", "message": {"role": "user", "content": "go"}},
        {
            "type": "message",
            "id": "b",
            "parent_id": "a",
            "message": {"role": "assistant", "content": [], "usage": usage, "provider": "p", "model": "m"},
        },
        agents=("agent",),
    )
    assert (found.agent, found.parent_session, found.leaf_id, found.leaf_count) == (
        "agent",
        "/old.jsonl",
        "b",
        1,
    )
    assert (found.tokens, found.models, found.first_message) == ((100, 50, 80, 20), ("p/m",), "go")


def transcript(kind: str, **fields: Any) -> dict[str, Any]:
    return {"schema": "indus/transcript@1", "kind": kind, **fields}


def node(entry_id: str, prev: str | None, role: str = "user") -> dict[str, Any]:
    message = {"role": role, "content": f"text of {entry_id}"}
    return transcript("entry", id=entry_id, prev=prev, role=role, message=message, at=HEADER_MS)


@cases(
    ("heads", "leaf"),
    [
        ([], "d"),
        ([transcript("head", sessionId="s", leaf="a")], "a"),
        ([transcript("head", sessionId="s", leaf="a"), transcript("head", sessionId="s", leaf=None)], None),
    ],
)
def test_a_transcript(tmp_path: Path, heads: list[dict[str, Any]], leaf: str | None) -> None:
    found = row(
        tmp_path,
        transcript("head", sessionId="s") if heads else node("a", None),
        *([node("a", None)] if heads else []),
        node("b", "a", "assistant"),
        node("c", "a"),
        node("d", "a"),
        *heads,
        agents=("indusagi",),
    )
    assert (found.agent, found.leaf_id, found.leaf_count) == ("indusagi", leaf, 3)
    assert (found.message_count, found.first_message, found.created) == (4, "text of a", HEADER_MS)


@cases(
    ("data", "line", "reason"),
    [
        (b"", 0, "empty file"),
        (b"\n\n", 0, "only blank lines"),
        (b"notes\n", 1, "no session header"),
        (b'{"v":4,"kind":"header","id":"s","createdAt":1,"cwd":"/w"}\n', 1, "no session header"),
        (b'{"type":"session","id":7}\n', 1, "the header has no id"),
    ],
)
def test_a_file_that_is_no_session_is_refused(tmp_path: Path, data: bytes, line: int, reason: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    found = summarise(str(path), ("pi",), MTIME)
    assert (found.summary, found.refused, found.refused_line) == (None, reason, line)
    listed = problems(str(path), ("pi",))
    assert [(problem.line, problem.reason) for problem in listed] == [(line or None, reason)]


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    gone = summarise(str(tmp_path / "gone.jsonl"), ("pi",), MTIME)
    folder = summarise(str(tmp_path), ("pi",), MTIME)
    assert gone == Outcome(None, "cannot be read: No such file or directory")
    assert folder.refused is not None
    assert folder.refused.startswith("cannot be read: ")
    assert problems(str(tmp_path / "gone.jsonl"))[0].reason == gone.refused


def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe.jsonl")
    os.mkfifo(path)
    assert summarise(path, ("pi",), MTIME).summary is None


def test_problems_have_line_and_offset(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        b"\xef\xbb\xbf" + content(HEADER)[:-1],
        b"",
        b"garbage",
        custom("a", None),
        b"{",
        last=b"\n{",
    )
    data = (tmp_path / "session.jsonl").read_bytes()
    found = problems(path, ("pi",))
    assert [(problem.line, problem.offset, problem.torn) for problem in found] == [
        (1, 0, False),
        (3, data.index(b"garbage"), False),
        (5, data.index(b"\n{\n") + 1, False),
        (6, len(data) - 1, True),
    ]
    assert all(problem.reason for problem in found)
