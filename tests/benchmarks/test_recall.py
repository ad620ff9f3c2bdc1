"""What counts as found, as false and as misplaced."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.corpus.needles import BY_NAME, NEEDLES, Planted
from tests.benchmarks.recall import faults, planted


def _record(path: str, *needles: Planted) -> dict[str, Any]:
    return {"path": path, "needles": [each._asdict() for each in needles]}


def _hit(path: str, entry_id: str | None = "e1", on_active_path: bool | None = True) -> dict[str, Any]:
    return {"path": path, "entry_id": entry_id, "on_active_path": on_active_path}


RECORDS = [
    _record("/a", Planted("user", "user", "e1", 0), Planted("phrase", "assistant", "e2", 3)),
    _record("/b", Planted("user", "user", None, 4), Planted("its words", "user", "e3", 3)),
    _record("/c", Planted("abandoned branch", "abandoned", "e1", 4)),
    {"path": "/d", "hidden": True},
]
USER, ABANDONED, WORDS = BY_NAME["user"], BY_NAME["abandoned branch"], BY_NAME["its words"]


def test_what_a_query_must_find() -> None:
    assert planted(RECORDS, USER) == {"/a": {"e1"}, "/b": {None}}
    # The words of the phrase are words, too.
    assert planted(RECORDS, WORDS) == {"/a": {"e2"}, "/b": {"e3"}}


def test_faults() -> None:
    wanted = planted(RECORDS, USER)
    assert faults(USER, wanted, [_hit("/a"), _hit("/b", "made up")]) == []
    assert faults(USER, wanted, [_hit("/a"), _hit("/c")]) == ["not found: /b", "found without reason: /c"]
    assert faults(USER, {"/a": {"e1"}}, [_hit("/a", "e9")]) == ["e9 is not the entry that has it: /a"]
    assert faults(USER, {"/a": {"e1"}}, [_hit("/a"), _hit("/a")]) == ["a session has two hits"]
    (fault,) = faults(ABANDONED, planted(RECORDS, ABANDONED), [_hit("/c", "e1", None)])
    assert "on_active_path is None" in fault


def test_needles_are_told_apart() -> None:
    """No query finds another needle, but for the words of the phrase."""
    from tests.search.reference import folded

    for needle in NEEDLES:
        for other in NEEDLES:
            words = folded(needle.query).replace('"', "").split()
            found = all(word in folded(other.text) for word in words)
            assert found == (needle is other or {needle.name, other.name} == {"phrase", "its words"})
