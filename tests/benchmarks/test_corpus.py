"""The generator itself: the same corpus twice, everything in it, and its truth against a plain reader."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.benchmarks.corpus import build, read_truth, stores
from tests.benchmarks.corpus.compare import differences
from tests.benchmarks.corpus.damage import DAMAGES
from tests.benchmarks.corpus.needles import META, NEEDLES
from tests.benchmarks.corpus.truth import FIELDS, Record
from tests.benchmarks.corpus.variants import VARIANTS

HEALTHY_PI = {
    "pi",
    "pi branches and events",
    "pi fork",
    "pi labelled",
    "pi named",
    "pi spaced",
    "pi shuffled",
}

OTHERWISE = {"pi spaced", "pi shuffled"}
"""Kinds whose lines are not spelt as they are made."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Record]]:
    out = tmp_path_factory.mktemp("corpus")
    return out, build(str(out), "tiny")


def test_has_every_habit_and_every_damage(corpus: tuple[Path, list[Record]]) -> None:
    kinds = {record["kind"] for record in corpus[1]}
    assert {kind for kind, _, _ in VARIANTS} <= kinds
    assert set(DAMAGES) <= kinds
    assert {agent for agent, _ in stores(str(corpus[0]))} == {"pi", "omp", "indusagi", "agent"}


def test_truth_is_beside_the_files(corpus: tuple[Path, list[Record]]) -> None:
    out, records = corpus
    assert read_truth(str(out)) == records
    for record in records:
        assert os.path.lexists(record["path"])
        if not record["refused"] and not record["hidden"]:
            assert set(FIELDS) <= set(record)
            assert os.path.getsize(record["path"]) == record["size"]


def test_the_same_seed_makes_the_same_bytes(tmp_path: Path) -> None:
    def made(name: str, seed: int) -> dict[str, bytes]:
        out = tmp_path / name
        build(str(out), "tiny", seed)
        # Forks name their parents by absolute path.
        return {
            str(path.relative_to(out)): path.read_bytes().replace(str(out).encode(), b"OUT")
            for path in out.rglob("*.jsonl")
            if path.is_file() and path.parent != out
        }

    first = made("a", 1)
    assert first == made("b", 1)
    assert first.keys() != made("c", 2).keys()


def test_truth_of_healthy_sessions_is_what_a_plain_reader_counts(corpus: tuple[Path, list[Record]]) -> None:
    checked = 0
    for record in corpus[1]:
        if record["kind"] in HEALTHY_PI:
            lines = [json.loads(line) for line in Path(record["path"]).read_text("utf-8").split("\n") if line]
            assert _counted(lines) == {key: record[key] for key in _counted(lines)}, record["path"]
            checked += 1
    assert checked >= 7


def _counted(lines: list[dict]) -> dict[str, object]:  # type: ignore[type-arg]
    header, *entries = lines
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    parents = {entry["parentId"] for entry in entries}
    answers = [message for message in messages if message["role"] == "assistant"]
    names = [entry["name"] for entry in entries if entry["type"] == "session_info"]
    labels: dict[str, str | None] = {}
    for entry in entries:
        if entry["type"] == "label":
            labels.pop(entry["targetId"], None)
            labels[entry["targetId"]] = entry.get("label")
    return {
        "id": header["id"],
        "cwd": header["cwd"],
        "created": header["timestamp"],
        "parent_session": header.get("parentSession"),
        "name": (names[-1] or None) if names else None,
        "message_count": len(messages),
        "entry_count": len(entries),
        "leaf_count": sum(entry["id"] not in parents for entry in entries),
        "leaf_id": entries[-1]["id"],
        "models": list(dict.fromkeys(f"{answer['provider']}/{answer['model']}" for answer in answers)),
        "tokens": _tokens(entries),
        "labels": [{"entry_id": target, "label": label} for target, label in labels.items() if label],
    }


def _tokens(entries: list[dict]) -> dict[str, int]:  # type: ignore[type-arg]
    used = [entry.get("usage") or entry.get("message", {}).get("usage") for entry in entries]
    names = {"input": "input", "output": "output", "cache_read": "cacheRead", "cache_write": "cacheWrite"}
    return {name: sum(usage[key] for usage in used if usage) for name, key in names.items()}


def test_differences_are_seen(corpus: tuple[Path, list[Record]]) -> None:
    truth = next(record for record in corpus[1] if record["kind"] == "pi labelled")
    row = {field: truth[field] for field in FIELDS}
    assert differences(truth, row) == []
    for field in FIELDS:
        wrong: dict[str, object] = {
            "labels": [],
            "created": None,
            "modified": "2020-01-01T00:00:00.000Z",
            "cost": -1.0,
        }
        changed = {**row, field: wrong.get(field, "something else")}
        assert [found.split(":")[0] for found in differences(truth, changed)] == [field]


def test_every_needle_stands_where_the_truth_says(corpus: tuple[Path, list[Record]]) -> None:
    """In each session that has it, in the entry with that id, and in no other session."""
    planted = {needle.name: 0 for needle in NEEDLES}
    for record in corpus[1]:
        if record["refused"] or record["hidden"]:
            continue
        text = _unescaped(Path(record["path"]).read_text("utf-8", "surrogateescape"))
        entries: dict[str, list[str | None]] = {}
        for each in record["needles"]:
            planted[each["needle"]] += 1
            entries.setdefault(each["needle"], []).append(each["entry_id"])
        for needle in NEEDLES:
            there = text.count(needle.text)
            if needle.place in META:
                # A later mark may have taken it away.
                assert there >= len(entries.get(needle.name, ()))
                continue
            assert bool(there) == (needle.name in entries), (needle.name, record["path"])
            for entry_id in entries.get(needle.name, ()):
                at = text.find(needle.text)
                begin = text.rfind(f'"id":"{entry_id}"', 0, at)
                assert entry_id is None or begin >= 0 or record["kind"] in OTHERWISE, (
                    needle.name,
                    record["path"],
                )
    assert all(planted.values()), planted
    assert planted["phrase"] == 1


def _unescaped(text: str) -> str:
    """With the escapes of JSON taken for what they stand for, and nothing else looked at."""
    pairs = re.compile(r"\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)")
    text = pairs.sub(lambda found: bytes.fromhex(found[1] + found[2]).decode("utf-16-be"), text)
    plain = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(
        r"\\(u....|.)",
        lambda found: chr(int(found[1][1:], 16)) if found[1][0] == "u" else plain.get(found[1], found[1]),
        text,
    )
