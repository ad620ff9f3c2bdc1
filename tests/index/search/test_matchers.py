"""Phrases in packed passages, and patterns that are slow in RE2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.utf8_text import fold
from app.index.query import Term, compiled, required_literals
from app.index.search import PhraseMatcher, RegexMatcher, matchers, search_run
from app.index.text.mmap_reader import Source
from app.sessions.passages import pack
from tests.cases import cases
from tests.index.search.helpers import marked

if TYPE_CHECKING:
    from tests.index.search.helpers import World

TEXTS = ("a b", "b a", "a\n\nb", "ab", "x a\u2003b a b y", "", "a", "b", "a\tb " + "x" * 50, "xb a")


@cases("size", [1, 10, 30, 1000])
def test_the_first_and_the_last_passage_with_a_phrase_are_found(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matchers, "SLICE", size)
    monkeypatch.setattr(matchers, "_FIRST_BYTES", size)
    matcher = PhraseMatcher(Term("phrase", "a b"))
    begins, packed = [], b""
    for text in TEXTS:
        begins.append(len(packed))
        packed += pack(1, 0, text).folded
    source, ends = Source(packed), [*begins[1:], len(packed)]
    having = [number for number, text in enumerate(TEXTS) if "a b" in " ".join(text.split())]
    assert having == [0, 2, 4, 8]
    for start in range(len(TEXTS)):
        for end in range(start, len(TEXTS)):
            in_range = [number for number in having if start <= number <= end]
            first = matcher.find_first(source, begins[start], ends[end])
            last = matcher.find_last(source, begins[start], ends[end])
            if not in_range:
                assert first == last == -1
                continue
            assert begins[in_range[0]] < first < ends[in_range[0]]
            assert begins[in_range[-1]] < last < ends[in_range[-1]]


def test_lines_without_the_capital_of_a_phrase_are_not_decoded(world: World, decoded: list[bytes]) -> None:
    world.session("s1", "up widget", "Up gadget", "and up \twidget")
    world.session("s2", "Up \twidget", "up widget")
    world.scan()
    hit = world.one('"Up widget"')
    assert (hit.row.id, marked(hit)) == ("s2", ["Up widget"])
    assert len(decoded) > 0
    assert [line for line in decoded if b"Up" not in line] == []


GAP = "[ab].{40}[cd]zzq"
WORDLESS = "[ab].{40}[cd]"


@pytest.fixture
def lagging(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make every pattern count as slow from the start; the numbers of bytes that RE2 then searches."""
    sizes: list[int] = []
    real_match = RegexMatcher._match

    def match(self: RegexMatcher, data: Any, start: int, end: int, pattern: Any) -> int:
        if self._lags:
            sizes.append(end - start)
        return real_match(self, data, start, end, pattern)

    monkeypatch.setattr(RegexMatcher, "_match", match)
    monkeypatch.setattr(matchers, "_LAG_SECONDS", -1.0)
    monkeypatch.setattr(matchers, "_LAG_RATE", float("inf"))
    monkeypatch.setattr(matchers, "_UNTIMED_BYTES", 0)
    return sizes


def fill_store(world: World) -> None:
    hit = "b" + "x" * 40 + "dzzq"
    world.session("s1", "nothing", hit, "nothing else")
    world.session("s2", "x" * 5_000, "zzq alone", hit[:30], hit[30:])
    world.session("s3", hit.upper(), "é" * 40)
    world.session("s4", "a" + "é" * 40 + "czzq, later")
    for number in range(5, 9):
        world.session(f"s{number}", "nothing " * 50, "b" * 50 + "d")
    world.scan()


def entries_found(world: World, query: str) -> list[tuple[str, object]]:
    return [(hit.row.id, (hit.entry_id, hit.snippet, hit.ranges)) for hit in world.hits(query, every=True)]


@pytest.mark.parametrize("scope", ["", " in:all", " role:user", " -nothing"])
@pytest.mark.parametrize(
    "query",
    [
        f"re:{GAP}",
        f"re:{WORDLESS}",
        f"-re:{GAP}",
        f"re:{GAP.replace('z', 'Z')}",
        "re:zzq$",
        "re:é{30}",
        "re:s.d",
    ],
)
def test_a_lagging_pattern_finds_the_same(
    world: World, query: str, scope: str, request: pytest.FixtureRequest
) -> None:
    fill_store(world)
    before = entries_found(world, query + scope)
    request.getfixturevalue("lagging")
    # A new index has no cached results.
    world.index.close()
    world.index = world.open()
    world.scan()
    assert entries_found(world, query + scope) == before
    if not scope and query == f"re:{GAP}":
        assert [id for id, _ in before] == ["s4", "s3", "s1"]


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_a_text_without_the_literals_of_a_pattern_is_not_searched(
    world: World, lagging: list[int], scope: str
) -> None:
    fill_store(world)
    assert world.ids(f"re:{GAP}{scope}") == ["s4", "s3", "s1"]
    # RE2 searches texts with "czzq" or "dzzq", and none of the long texts.
    assert 0 < max(lagging) < 200
    lagging.clear()
    world.ids(f"re:{WORDLESS}{scope}")
    assert max(lagging) > 200


PIECES = st.lists(
    st.sampled_from(["a", "b", "ab", "é", "É", "ß", "ss", "ſ", "K", "k", " ", "\n", "x" * 30, "\ud800"]),
    max_size=8,
).map("".join)


@given(
    pattern=st.sampled_from(
        [
            "a.{2,40}b",
            "é.{30}",
            "ß.*k",
            "(?:a|ß)é",
            "k{2}",
            "[^x]{3}s",
            "(?-i:A)b|ſ",
            "^a.+b$",
            r"\bk.{30}\b",
            "ab|k é",
        ]
    ),
    text=PIECES,
)
def test_every_match_has_a_literal_of_the_pattern(pattern: str, text: str) -> None:
    literals = required_literals(pattern)
    folded = fold(text)
    if literals and compiled(pattern, ignore_case=True).search(folded.encode("utf-8", "replace")):
        assert any(literal.lower() in folded for literal in literals)


@cases("pattern", [".", WORDLESS, r"\w{3}", "a?b?."])
def test_a_pattern_without_literals(pattern: str) -> None:
    assert required_literals(pattern) == []


def test_a_fast_pattern_needs_no_literals(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "app.index.search.matchers.required_literals", lambda pattern: pytest.fail("it was looked into")
    )
    monkeypatch.setattr(matchers, "_UNTIMED_BYTES", 0)
    monkeypatch.setattr(matchers, "_LAG_SECONDS", -1.0)
    monkeypatch.setattr(matchers, "_LAG_RATE", 0)
    fill_store(world)
    assert world.ids("re:zz[q]") == ["s4", "s3", "s2", "s1"]


def test_a_slow_pattern_is_reported_during_the_search(
    world: World, lagging: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_store(world)
    monkeypatch.setattr(search_run, "_PAUSE_SECONDS", -1)
    monkeypatch.setattr(search_run, "SOON_SECONDS", -1)
    quick = world.pages("re:[bx].{40}[cd]")
    assert [note for page in quick for note in page.notes] == []
    monkeypatch.setattr(matchers, "_SLOW_SECONDS", -1.0)
    for query in (f"re:{WORDLESS}", f"nothing -re:{WORDLESS}"):
        *before, last = world.pages(query)
        reported = {note.message for page in before for note in page.notes}
        assert reported == {"this pattern is slow: it takes a while"}
        assert last.notes == ()
    assert [note for page in world.pages("nothing") for note in page.notes] == []


def test_the_progress_of_a_pattern_in_many_files_is_reported(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_store(world)
    monkeypatch.setattr(search_run, "_PAUSE_SECONDS", -1)
    monkeypatch.setattr(search_run, "_MANY_FILES", 3)
    *before, last = world.pages("re:no[t]hing.here", live=True)
    reported = {note.message: None for page in before for note in page.notes}
    assert list(reported) == [f"sessions searched for the pattern: {number} of 8" for number in range(1, 9)]
    assert last.notes == ()
    # A command prints each note.
    for pages in (world.pages("re:no[t]hing.here"), world.pages("nothing", live=True)):
        assert [note for page in pages for note in page.notes] == []
