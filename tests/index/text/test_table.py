"""The segments table agrees with the spans of all sessions, after any sequence of changes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from app.index import Catalog, session_row
from app.index.catalog import queries, span_table
from app.index.catalog.db_errors import Doubt
from app.index.catalog.writes import NOTED_MS, UNUSED_MS
from app.index.row import Reading
from tests.cases import cases
from tests.index.helpers import pi_store
from tests.index.test_row import SUMMARY
from tests.index.text.helpers import counted, used

if TYPE_CHECKING:
    from pathlib import Path

    from app.index import Span

NAMES = [letter * 16 for letter in "abcdef"]


def reading(path: str, spans: tuple[Span, ...] | None, store: str = "/s") -> Reading:
    return Reading(session_row(path, store, SUMMARY.values(), (1, 2, 3, 4)), spans)


def test_the_table_is_right_after_many_changes(tmp_path: Path) -> None:
    dice = random.Random(11)
    catalog = Catalog(str(tmp_path), [pi_store("/s")])
    truth: dict[str, tuple[Span, ...] | None] = {}
    ends = dict.fromkeys(NAMES, 0)
    for _ in range(150):
        changed = {}
        for _ in range(dice.randrange(1, 6)):
            path = f"/s/{dice.randrange(12)}"
            spans = truth.get(path) or ()
            added = []
            for _ in range(dice.randrange(4)):
                name, length = dice.choice(NAMES), dice.randrange(1, 50)
                added.append((name, ends[name], length))
                ends[name] += length
            kind = dice.randrange(5)
            changed[path] = None if kind == 0 else tuple(added) if kind == 1 else (*spans, *added)
        removed = f"/s/{dice.randrange(12)}"
        catalog.save([reading(path, spans) for path, spans in changed.items()])
        truth |= changed
        if dice.random() < 0.3:
            catalog.remove([removed])
            truth.pop(removed, None)
        stored = {path: spans for path, spans in truth.items() if spans is not None}
        assert catalog.texts() == stored
        assert counted(catalog) == used(catalog)
        loaded = catalog.load(truth)
        assert {path: loaded_reading.spans for path, loaded_reading in loaded.items()} == truth
    assert catalog.generation == 0


def test_texts_of_unused_stores_are_dropped_with_their_rows(tmp_path: Path) -> None:
    old, new = Catalog(str(tmp_path), [pi_store("/s")]), Catalog(str(tmp_path), [pi_store("/t")])
    old.save([reading("/s/1", ((NAMES[0], 0, 5), (NAMES[1], 0, 5)))])
    new.save([reading("/t/1", ((NAMES[1], 5, 7),), "/t")])
    old.tidy(1000)
    new.tidy(UNUSED_MS + NOTED_MS + 1001)
    assert old.texts() == {}
    usage_by_segment = new.read(span_table.segments)
    assert usage_by_segment is not None
    assert {name: (usage.live, usage.reach) for name, usage in usage_by_segment.items()} == {
        NAMES[1]: (7, 12)
    }


def test_sessions_without_text_are_found(tmp_path: Path) -> None:
    catalog = Catalog(str(tmp_path), [pi_store("/s")])
    catalog.save([reading("/s/1", ()), reading("/s/2", ((NAMES[0], 0, 5),))])

    def without() -> set[str] | None:
        return catalog.read(lambda connection: span_table.paths_without(connection, catalog.ids(connection)))

    assert without() == set()
    catalog.save([reading("/s/3", None)])
    assert without() == {"/s/3"}


def test_both_tables_are_read_in_one_transaction(tmp_path: Path) -> None:
    """Another process stores a new segment between reading the segments and reading the spans."""
    ours = Catalog(str(tmp_path), [pi_store("/s")])
    theirs = Catalog(str(tmp_path), [pi_store("/s")])
    ours.save([reading("/s/1", ((NAMES[0], 0, 5),))])
    real_names = queries.segment_names
    calls = []

    def names(connection: object) -> dict[int, str]:
        result = real_names(connection)  # type: ignore[arg-type]
        if not calls:
            calls.append(1)
            theirs.save([reading("/s/1", ((NAMES[1], 0, 5),))])
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "segment_names", names)
        assert ours.texts() == {"/s/1": ((NAMES[0], 0, 5),)}
    assert ours.texts() == {"/s/1": ((NAMES[1], 0, 5),)}
    assert ours.generation == 0


@cases("blob", [b"", b"\x00", b"\xa9\x02\xe9\x01\x00\x00\x00\xe9\x02\x00\x00\x00", b"nonsense", None])
def test_invalid_spans_raise_doubt(blob: bytes) -> None:
    with pytest.raises(Doubt):
        span_table.decode_spans(blob if blob is not None else 7, {1: NAMES[0]})  # type: ignore[arg-type]
