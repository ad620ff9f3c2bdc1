"""Which hits count as found, as false and as misplaced."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.corpus.needles import BY_NAME, NEEDLES, Planted
from tests.benchmarks.recall import faults, planted


def _record(path: str, *needles: Planted) -> dict[str, Any]:
    return {"path": path, "needles": [needle._asdict() for needle in needles]}


def _hit(path: str, entry_id: str | None = "e1", on_active_path: bool | None = True) -> dict[str, Any]:
    return {"path": path, "entry_id": entry_id, "on_active_path": on_active_path}


RECORDS = [
    _record("/a", Planted("user", "user", "e1", 0), Planted("phrase", "assistant", "e2", 3)),
    _record("/b", Planted("user", "user", None, 4), Planted("its words", "user", "e3", 3)),
    _record("/c", Planted("abandoned branch", "abandoned", "e1", 4)),
    {"path": "/d", "hidden": True},
]
USER, ABANDONED, WORDS = BY_NAME["user"], BY_NAME["abandoned branch"], BY_NAME["its words"]


def test_a_query_must_find_the_planted_entries() -> None:
    assert planted(RECORDS, USER) == {"/a": {"e1"}, "/b": {None}}
    # The query for the words also finds the phrase.
    assert planted(RECORDS, WORDS) == {"/a": {"e2"}, "/b": {"e3"}}


def test_missing_false_and_misplaced_hits_are_faults() -> None:
    wanted = planted(RECORDS, USER)
    assert faults(USER, wanted, [_hit("/a"), _hit("/b", "made up")]) == []
    assert faults(USER, wanted, [_hit("/a"), _hit("/c")]) == ["not found: /b", "found without reason: /c"]
    assert faults(USER, {"/a": {"e1"}}, [_hit("/a", "e9")]) == ["e9 is not the entry that has it: /a"]
    assert faults(USER, {"/a": {"e1"}}, [_hit("/a"), _hit("/a")]) == ["a session has two hits"]
    (fault,) = faults(ABANDONED, planted(RECORDS, ABANDONED), [_hit("/c", "e1", None)])
    assert "on_active_path is None" in fault


def test_each_query_finds_its_needle_only() -> None:
    """The exceptions are the phrase and its words."""
    from tests.search.reference import folded

    for needle in NEEDLES:
        for other in NEEDLES:
            words = folded(needle.query).replace('"', "").split()
            matches = all(word in folded(other.text) for word in words)
            assert matches == (needle is other or {needle.name, other.name} == {"phrase", "its words"})
