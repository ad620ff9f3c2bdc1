"""An invalid value in a session costs only that value: the rest of the session, and others, are read."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from leafmark import Index, SessionManager, Store

from app.sessions import Branches, extend, open_tree, summarise
from app.sessions.summaries import problems
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.sessions import Summary

MTIME = 1_800_000_000_000
STAMP = "2026-05-01T10:00:00.000Z"
AT = 1_777_629_600_000

ODD = {
    "huge": "9" * 400,
    "longer": "9" * 5000,
    "65 bits": str(2**65),
    "negative": "-7",
    "huge negative": "-" + "9" * 400,
    "infinite": "1e400",
    "large": "1e308",
    "fraction": "0.5",
    "nan": "NaN",
    "true": "true",
    "null": "null",
    "text": '"odd"',
    "empty": '""',
    "surrogate": '"a\\ud800b"',
    "nul": '"a\\u0000b"',
    "list": "[[1], {}, null]",
    "object": '{"type": [], "a": {"b": null}}',
    "deep": "[" * 3000 + "]" * 3000,
}


class Sample(NamedTuple):
    """A valid session of an agent, and the number of its header line."""

    agent: str
    suffix: str
    header: int
    lines: list[dict[str, Any]]

    def spelled(self, number: int, line: str) -> bytes:
        """The file's bytes with line `number` replaced by `line`."""
        lines = [json.dumps(text) for text in self.lines]
        lines[number] = line
        return "".join(text + "\n" for text in lines).encode()


def _usage(**more: Any) -> dict[str, Any]:
    return {"input": 5, "output": 6, "cacheRead": 7, "cacheWrite": 8, "cost": {"total": 0.5}, **more}


def _pi(**header: Any) -> list[dict[str, Any]]:
    def entry(type_: str, number: int, **more: Any) -> dict[str, Any]:
        parent = f"0000000{number - 1}" if number else None
        return {"type": type_, "id": f"0000000{number}", "parentId": parent, "timestamp": STAMP, **more}

    content = [{"type": "text", "text": "the first answer"}]
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.py", "limit": 3}}
    answer = {"role": "assistant", "content": [*content, call], "timestamp": AT, "usage": _usage()}
    answer |= {"provider": "acme", "model": "one", "stopReason": "toolUse"}
    result = {
        "role": "toolResult",
        "toolCallId": "c1",
        "toolName": "read",
        "content": content,
        "isError": False,
    }
    return [
        {"type": "session", "version": 3, "id": "s", "timestamp": STAMP, "cwd": "/work", **header},
        entry("message", 0, message={"role": "user", "content": "the first prompt", "timestamp": AT}),
        entry("message", 1, message=answer),
        entry("message", 2, message={**result, "timestamp": AT}),
        entry("label", 3, targetId="00000000", label="here"),
        entry("session_info", 4, name="a name"),
        entry("model_change", 5, provider="acme", modelId="one"),
        entry("compaction", 6, summary="in short", firstKeptEntryId="00000000", usage=_usage(input=0.5)),
        entry("custom_message", 7, customType="x", content="for you", display=True),
        entry("message", 8, message={"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}),
    ]  # fmt: skip


def _agent() -> list[dict[str, Any]]:
    def entry(number: int, role: str, content: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        message = {"role": role, "content": content, **more}
        parent = {"parent_id": f"e{number - 1}"} if number else {}
        return {"type": "message", "id": f"e{number}", **parent, "timestamp": STAMP, "message": message}

    answer = {"type": "text", "text": "the first answer"}
    usage = {"input": 5, "output": 6, "cache_read": 7, "cache_write": 8, "cost": {"total": 0.5}}
    return [
        {"type": "session", "id": "s", "version": 1, "timestamp": STAMP, "cwd": "/work"},
        entry(0, "user", [{"type": "text", "text": "the first prompt"}]),
        entry(1, "assistant", [answer, {"type": "tool_call", "id": "c", "name": "bash"}], usage=usage),
        entry(2, "tool_result", [answer], tool_call_id="c", tool_name="bash"),
        {"type": "compaction", "id": "e3", "parent_id": "e2", "timestamp": STAMP, "summary": "in short"},
    ]


def _transcript() -> list[dict[str, Any]]:
    def node(number: int, role: str, message: Any) -> dict[str, Any]:
        prev = f"e{number - 1}" if number else None
        schema = {"schema": "indus/transcript@1", "kind": "entry", "id": f"e{number}", "prev": prev}
        return {**schema, "role": role, "message": message, "at": AT}

    content = [{"type": "text", "text": "the first answer"}]
    return [
        {"schema": "indus/transcript@1", "kind": "head", "sessionId": "s", "leaf": "e2"},
        node(0, "user", {"role": "user", "content": "the first prompt"}),
        node(1, "assistant", {"role": "assistant", "content": content, "usage": _usage(), "model": "one"}),
        node(2, "condense", {"summary": "in short"}),
    ]


_SLOT = {"type": "title", "v": 1, "title": "a name", "updatedAt": STAMP, "pad": " " * 100}

SAMPLES = {
    "pi": Sample("pi", ".jsonl", 0, _pi(parentSession="/p.jsonl")),
    "omp": Sample("omp", ".jsonl", 1, [_SLOT, *_pi(title="a name")]),
    "indusagi": Sample("indusagi", ".jsonl", 0, _pi()),
    "transcript": Sample("indusagi", ".ndjson", 0, _transcript()),
    "agent": Sample("agent", ".jsonl", 0, _agent()),
}
HEADS = ("type", "id", "kind", "schema", "v", "sessionId")
"""The header fields without which no agent recognises the file as a session."""


class Case(NamedTuple):
    """A sample with the value at `path` in line `line` replaced."""

    id: str
    line: int
    path: tuple[Any, ...]
    data: bytes


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, field in inside:
        yield (key,)
        yield from ((key, *tail) for tail in _paths(field))


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copy = value.copy()
    copy[path[0]] = _with(value[path[0]], path[1:], new) if len(path) > 1 else new
    return copy


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    copy = value.copy()
    if len(path) > 1:
        copy[path[0]] = _without(value[path[0]], path[1:])
    else:
        del copy[path[0]]
    return copy


def cases(sample: Sample, odd_values: Mapping[str, str] = ODD) -> Iterator[Case]:
    """Each field of each line with each odd value, except the fields that make the file a session."""
    mark = "the odd value stands here"
    for number, line in enumerate(sample.lines):
        for path in _paths(line):
            identifies = number == sample.header and path[0] in HEADS
            for odd, spelled in odd_values.items():
                if identifies or (number == sample.header and odd == "nan"):
                    continue
                replaced = json.dumps(_with(line, path, mark)).replace(json.dumps(mark), spelled)
                name = "-".join(map(str, (number, *path, odd))).replace(" ", "_")
                yield Case(name, number, path, sample.spelled(number, replaced))


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_session_with_an_odd_value_is_listed_and_found_by_its_other_entries(
    tmp_path: Path, kind: str
) -> None:
    sample = SAMPLES[kind]
    paths = {}
    # Every path gets some of the values, and every value some of the paths.
    for case in islice(cases(sample), 0, None, 11):
        path = tmp_path / "store" / "--work--" / (case.id + sample.suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(case.data)
        paths[str(path)] = case
    sample_path = tmp_path / "store" / "--work--" / ("sound" + sample.suffix)
    sample_path.write_text("".join(json.dumps(line) + "\n" for line in sample.lines))
    store = Store(agent_named(sample.agent), str(tmp_path / "store"), "default")
    index = Index([store], str(tmp_path / "cache"))
    try:
        index.scan()
        rows = {row.path: row for row in index.rows()}
        assert [index.problem_files(), paths.keys() - rows.keys()] == [[], set()]
        sound = rows[str(sample_path)]
        assert sound.problems == 0
        for words in ("the first prompt", "the first answer"):
            text_line = next(number for number, line in enumerate(sample.lines) if words in json.dumps(line))
            hits = {hit.row.path for page in index.query(f'"{words}"') for hit in page.hits}
            missing = [case.id for path, case in paths.items() if case.line != text_line and path not in hits]
            assert missing == []
    finally:
        index.close()


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_session_with_an_odd_value_opens_and_reading_on_gives_the_same_summary(
    tmp_path: Path, kind: str
) -> None:
    sample = SAMPLES[kind]
    path = str(tmp_path / ("session" + sample.suffix))
    agents = (sample.agent,)
    for case in islice(cases(sample), 0, None, 29):
        Path(path).write_bytes(case.data)
        complete = summarise(path, agents, MTIME).summary
        assert complete is not None, case.id
        listed = [fault.reason for fault in problems(path, agents)]
        assert len(listed) == complete.problems, case.id
        tree = open_tree(path, agents)
        tree.read_rows(tree.entries)
        Branches(tree).all()
        tree.lost_labels()
        for node in tree.entries:
            tree.label_time(node)
            tree.read(node)
        manager = SessionManager.open(path, agents=agents)
        manager.get_tree()
        manager.build_session_context()
        cut = case.data.find(b"\n", len(case.data) // 2) + 1
        Path(path).write_bytes(case.data[:cut])
        first = summarise(path, agents, MTIME)
        Path(path).write_bytes(case.data)
        extended = extend(path, first.progress, agents, MTIME) if first.progress else None
        assert extended is None or extended.summary == complete, case.id


@pytest.mark.parametrize("kind", ["pi", "omp", "agent"])
def test_a_value_reported_as_invalid_counts_as_absent(tmp_path: Path, kind: str) -> None:
    sample = SAMPLES[kind]
    path = tmp_path / ("session" + sample.suffix)

    def row(data: bytes) -> Summary:
        path.write_bytes(data)
        summary = summarise(str(path), (sample.agent,), MTIME).summary
        assert summary is not None
        return summary

    def rows_without(number: int, place: tuple[Any, ...]) -> list[Summary]:
        """The rows of the session without this field, and with null in its place."""
        line = sample.lines[number]
        spelled = (json.dumps(_without(line, place)), json.dumps(_with(line, place, None)))
        return [row(sample.spelled(number, text)) for text in spelled]

    invalid_count = 0
    without: dict[tuple[int, tuple[Any, ...]], list[Summary]] = {}
    # A file with an unknown version is read as the newest version.
    for case in cases(sample, {odd: ODD[odd] for odd in ("huge", "negative", "true", "list", "object")}):
        actual = row(case.data)
        faults = [fault.reason for fault in problems(str(path), (sample.agent,))]
        if "version" in case.path or not any(reason.startswith("an invalid value") for reason in faults):
            continue
        invalid_count += 1
        place = (case.line, case.path)
        if place not in without:
            without[place] = rows_without(*place)
        absent = [alternative._replace(problems=actual.problems) for alternative in without[place]]
        assert actual in absent, case.id
    assert invalid_count > 50


@pytest.mark.parametrize("kind", ["pi", "agent"])
def test_a_text_of_megabytes_is_read(tmp_path: Path, kind: str) -> None:
    sample = SAMPLES[kind]
    path = tmp_path / ("session" + sample.suffix)
    fields = ("cwd", "timestamp", "label", "name", "model", "role", "content")
    for case in cases(sample, {"long": json.dumps("long " * 200_000)}):
        if case.path[-1] in fields:
            path.write_bytes(case.data)
            assert summarise(str(path), (sample.agent,), MTIME).summary is not None, case.id
            open_tree(str(path), (sample.agent,))
