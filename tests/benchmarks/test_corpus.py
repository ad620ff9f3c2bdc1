"""The corpus generator: its output is reproducible and complete, and its truth equals that of a plain
reader.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from app.stores import AGENTS
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

REWRITTEN = {"pi spaced", "pi shuffled"}
"""Kinds whose lines are rewritten after they were made."""

WITHOUT_IDS = {"codex"}
"""Agents that write no ids."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Record]]:
    out = tmp_path_factory.mktemp("corpus")
    return out, build(str(out), "tiny")


def test_every_variant_and_every_damage_is_in_the_corpus(corpus: tuple[Path, list[Record]]) -> None:
    kinds = {record["kind"] for record in corpus[1]}
    assert {kind for kind, _, _ in VARIANTS} <= kinds
    assert set(DAMAGES) <= kinds
    assert {agent for agent, _ in stores(str(corpus[0]))} == {agent.name for agent in AGENTS}


def test_truth_is_beside_the_files(corpus: tuple[Path, list[Record]]) -> None:
    out, records = corpus
    assert read_truth(str(out)) == records
    for record in records:
        assert os.path.lexists(record["path"])
        if not record["refused"] and not record["hidden"]:
            assert set(FIELDS) <= set(record)
            assert os.path.getsize(record["path"]) == record["size"]


def test_the_same_seed_makes_the_same_bytes(corpus: tuple[Path, list[Record]], tmp_path: Path) -> None:
    def content(out: Path) -> dict[str, bytes]:
        # Forks name their parents by absolute path.
        return {
            str(path.relative_to(out)): path.read_bytes().replace(str(out).encode(), b"OUT")
            for path in out.rglob("*.jsonl")
            if path.is_file() and path.parent != out
        }

    first = content(corpus[0])
    build(str(tmp_path / "again"), "tiny")
    assert first == content(tmp_path / "again")
    build(str(tmp_path / "other"), "tiny", 2)
    assert first.keys() != content(tmp_path / "other").keys()


def test_a_plain_reader_counts_the_truth_of_healthy_sessions(corpus: tuple[Path, list[Record]]) -> None:
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


def test_a_different_field_is_reported(corpus: tuple[Path, list[Record]]) -> None:
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
        assert [difference.split(":")[0] for difference in differences(truth, changed)] == [field]


def test_every_needle_is_where_the_truth_says(corpus: tuple[Path, list[Record]]) -> None:
    """A needle is in the entry with the id in the truth, and in no session without it."""
    planted = {needle.name: 0 for needle in NEEDLES}
    for record in corpus[1]:
        if record["refused"] or record["hidden"]:
            continue
        text = _unescaped(Path(record["path"]).read_text("utf-8", "surrogateescape"))
        entries: dict[str, list[str | None]] = {}
        for placed in record["needles"]:
            planted[placed["needle"]] += 1
            entries.setdefault(placed["needle"], []).append(placed["entry_id"])
        for needle in NEEDLES:
            count = text.count(needle.text)
            if needle.place in META:
                # A later label or name may have replaced it.
                assert count >= len(entries.get(needle.name, ()))
                continue
            assert bool(count) == (needle.name in entries), (needle.name, record["path"])
            for entry_id in entries.get(needle.name, ()):
                position = text.find(needle.text)
                begin = text.rfind(f'id":"{entry_id}"', 0, position)
                has_id = record["kind"] not in REWRITTEN and record["agent"] not in WITHOUT_IDS
                assert entry_id is None or begin >= 0 or not has_id, (
                    needle.name,
                    record["path"],
                )
    assert all(planted.values()), planted
    assert planted["phrase"] == 1


def _unescaped(text: str) -> str:
    """Return `text` with the escapes of JSON replaced by their characters; it need not be valid JSON."""
    pairs = re.compile(r"\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)")
    text = pairs.sub(lambda match: bytes.fromhex(match[1] + match[2]).decode("utf-16-be"), text)
    plain = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(
        r"\\(u....|.)",
        lambda match: chr(int(match[1][1:], 16)) if match[1][0] == "u" else plain.get(match[1], match[1]),
        text,
    )
