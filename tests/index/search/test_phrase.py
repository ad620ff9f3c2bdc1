"""Phrases as they lie in packed pieces, and what of the files is read for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.formats.fold import encoded, fold
from app.index.query.query import Term
from app.index.search import phrase_matcher
from app.index.search.phrase_matcher import PhraseMatcher
from app.index.text.mmap_reader import Source
from app.sessions.passages import pack
from tests.index.search.helpers import marked

if TYPE_CHECKING:
    from tests.index.search.helpers import World

TEXTS = ("a b", "b a", "a\n\nb", "ab", "x a\u2003b a b y", "", "a", "b", "a\tb " + "x" * 50, "xb a")


@pytest.mark.parametrize("size", [1, 10, 30, 1000])
def test_first_and_last_are_places_in_the_first_and_last_piece_that_have_it(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phrase_matcher, "SLICE", size)
    monkeypatch.setattr(phrase_matcher, "_LEAST", size)
    seeker = PhraseMatcher(Term("phrase", "a b"))
    begins, packed = [], b""
    for text in TEXTS:
        begins.append(len(packed))
        packed += pack(1, 0, encoded(fold(text)))
    source, ends = Source(packed), [*begins[1:], len(packed)]
    having = [number for number, text in enumerate(TEXTS) if "a b" in " ".join(text.split())]
    assert having == [0, 2, 4, 8]
    for start in range(len(TEXTS)):
        for end in range(start, len(TEXTS)):
            there = [number for number in having if start <= number <= end]
            first = seeker.first(source, begins[start], ends[end])
            last = seeker.last(source, begins[start], ends[end])
            if not there:
                assert first == last == -1
                continue
            assert begins[there[0]] < first < ends[there[0]]
            assert begins[there[-1]] < last < ends[there[-1]]


def test_lines_without_its_capital_are_not_decoded(world: World, decoded: list[bytes]) -> None:
    world.session("s1", "up widget", "Up gadget", "and up \twidget")
    world.session("s2", "Up \twidget", "up widget")
    world.scan()
    hit = world.one('"Up widget"')
    assert (hit.row.id, marked(hit)) == ("s2", ["Up widget"])
    assert len(decoded) > 0
    assert [line for line in decoded if b"Up" not in line] == []
