"""Patterns for which RE2 can keep no table: they find the same, by the words in them, and are told of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.fold import fold
from app.index.query.regex import compiled, filtered
from app.index.search import regex_matcher as patterns
from app.index.search import search
from app.index.search.regex_matcher import RegexMatcher

if TYPE_CHECKING:
    from tests.index.search.helpers import World

GAP = "[ab].{40}[cd]zzq"
WORDLESS = "[ab].{40}[cd]"


@pytest.fixture
def lagging(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every pattern lags from the first look on. How many bytes RE2 is given after that, each time."""
    given: list[int] = []
    plain = RegexMatcher._match

    def match(self: RegexMatcher, data: Any, start: int, end: int) -> int:
        if self._lags:
            given.append(end - start)
        return plain(self, data, start, end)

    monkeypatch.setattr(RegexMatcher, "_match", match)
    monkeypatch.setattr(patterns, "_SECONDS", -1.0)
    monkeypatch.setattr(patterns, "_PACE", float("inf"))
    monkeypatch.setattr(patterns, "_SHORT", 0)
    return given


def said(world: World) -> None:
    hit = "b" + "x" * 40 + "dzzq"
    world.session("s1", "nothing", hit, "nothing else")
    world.session("s2", "x" * 5_000, "zzq alone", hit[:30], hit[30:])
    world.session("s3", hit.upper(), "é" * 40)
    world.session("s4", "a" + "é" * 40 + "czzq, later")
    for number in range(5, 9):
        world.session(f"s{number}", "nothing " * 50, "b" * 50 + "d")
    world.scan()


def found(world: World, query: str) -> list[tuple[str, object]]:
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
def test_one_that_lags_finds_the_same(
    world: World, query: str, scope: str, request: pytest.FixtureRequest
) -> None:
    said(world)
    before = found(world, query + scope)
    request.getfixturevalue("lagging")
    # Another one, which remembers nothing of what was found.
    world.index.close()
    world.index = world.open()
    world.scan()
    assert found(world, query + scope) == before
    if not scope and query == f"re:{GAP}":
        assert [id for id, _ in before] == ["s4", "s3", "s1"]


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_a_text_without_its_words_is_not_gone_through(world: World, lagging: list[int], scope: str) -> None:
    said(world)
    assert world.ids(f"re:{GAP}{scope}") == ["s4", "s3", "s1"]
    # What RE2 looks through is what has "czzq" or "dzzq" in it: never the long texts.
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
def test_what_has_the_pattern_has_its_words(pattern: str, text: str) -> None:
    words = filtered(pattern)
    data = fold(text).encode("utf-8", "replace")
    if words is not None and compiled(pattern, ignore_case=True).search(data):
        assert words.Match(data, True)


@pytest.mark.parametrize("pattern", [".", WORDLESS, r"\w{3}", "a?b?."])
def test_without_words_there_is_nothing_to_look_for_first(pattern: str) -> None:
    assert filtered(pattern) is None


def test_a_fast_one_is_left_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.query.regex.filtered", lambda pattern: pytest.fail("it was looked into"))
    monkeypatch.setattr(patterns, "_SHORT", 0)
    monkeypatch.setattr(patterns, "_SECONDS", -1.0)
    monkeypatch.setattr(patterns, "_PACE", 0)
    said(world)
    assert world.ids("re:zz[q]") == ["s4", "s3", "s2", "s1"]


def test_one_that_takes_long_is_told_of_on_the_way(
    world: World, lagging: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    said(world)
    monkeypatch.setattr(search, "_PAUSE_SECONDS", -1)
    monkeypatch.setattr(search, "SOON_SECONDS", -1)
    quick = world.pages("re:[bx].{40}[cd]")
    assert [note for page in quick for note in page.notes] == []
    monkeypatch.setattr(patterns, "_LONG", -1.0)
    for query in (f"re:{WORDLESS}", f"nothing -re:{WORDLESS}"):
        *before, last = world.pages(query)
        told = {note.message for page in before for note in page.notes}
        assert told == {"this pattern is slow: it takes a while"}
        assert last.notes == ()
    assert [note for page in world.pages("nothing") for note in page.notes] == []
