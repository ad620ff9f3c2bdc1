"""A term that nothing matches is searched in similar spellings or without its capitals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.text_kinds import ASSISTANT, USER
from app.index.query import parse
from app.index.search.cancellation import Cancelled, CancelToken
from app.index.search.matchers import name_of
from app.index.search.suggestions import MOST, SHORTEST, distance, max_faults, nearest
from app.index.text.mmap_reader import Source
from app.sessions.passages import pack
from tests.cases import cases
from tests.factory import NOW

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def outcome(world: World, query: str) -> tuple[list[str], dict[str, Any], list[str]]:
    """The notes, the other spellings, and the sessions that are found."""
    pages = world.pages(query)
    ids = [hit.row.id for page in pages for hit in page.hits]
    return [note.message for note in pages[-1].notes], dict(pages[-1].instead), ids


@cases(
    ("query", "word"),
    [
        ('role:assistant frobnicate "windows"', "frobnicate"),
        ("role:assistant frobnicate", "frobnicate"),
        ("role:thinking windows", "windows"),
        ("tool:bash windows", "windows"),
        ("in:tools windows", "windows"),
        ('-role:user frobnicate "windows"', "frobnicate"),
        ('role:assistant Frobnicate "windows"', "Frobnicate"),
        # This leaves names out, too.
        ("role:user blueprint", "blueprint"),
    ],
)
def test_a_word_in_other_texts_gets_no_other_spelling(world: World, query: str, word: str) -> None:
    world.session("s1", "Frobnicate it, frobnicate", "it opens windows")
    world.session("s2", "hi", {"type": "session_info", "name": "blueprint"})
    world.scan()
    notes, instead, ids = outcome(world, query)
    assert notes == [f'No "{word}" in what role:, in: or tool: search; it is elsewhere']
    assert (instead, ids) == ({}, [])


def test_another_spelling_is_searched_in_the_texts_of_the_query(
    world: World,
) -> None:
    world.session("s1", "frobnicate it", "it opens windows")
    world.scan()
    notes, instead, ids = outcome(world, "role:user frobnicat")
    assert (notes, instead, ids) == ([], {}, ["s1"])
    notes, instead, ids = outcome(world, "role:user frobnicute")
    assert notes == ['No "frobnicute"; searched for frobnicate']
    assert (instead, ids) == ({"frobnicute": ("frobnicate",)}, ["s1"])
    notes, instead, ids = outcome(world, 'role:assistant frobnicute "windows"')
    assert notes == ['No "frobnicute"']
    assert (instead, ids) == ({"frobnicute": ()}, [])


@cases(
    ("query", "name", "instead"),
    [
        ('"Read the File"', "Read the File", "read the file"),
        ('"READ  THE"', "READ THE", "read the"),
        ('"Reading"', "Reading", "reading"),
        ("re:READ.*FILE", "re:READ.*FILE", "re:(?i)READ.*FILE"),
        ('re:"Read the F"', 're:"Read the F"', 're:"(?i)Read the F"'),
        ("re:[D-F]irst$", "re:[D-F]irst$", "re:(?i)[D-F]irst$"),
        ('role:assistant "Read the File"', "Read the File", "read the file"),
        ('in:all "Read the File"', "Read the File", "read the file"),
        ("in:all re:READ.*FILE", "re:READ.*FILE", "re:(?i)READ.*FILE"),
        ('"Read the File" -zzz', "Read the File", "read the file"),
    ],
)
@cases("order", ["recent", "relevance"])
def test_a_phrase_or_pattern_is_searched_without_its_capitals(
    world: World, query: str, name: str, instead: str, order: str
) -> None:
    world.session("s1", "hi", "I will read the file first", "go on", "reading it")
    world.session("s2", "hi", "nothing")
    world.scan()
    notes, spellings, ids = outcome(world, query)
    assert notes == [f'No "{name}"; searched for {instead}']
    assert (spellings, ids) == ({name: (instead,)}, ["s1"])
    (hit,) = world.hits(query, order=order)
    assert hit.near
    assert [hit.snippet[start:end].lower() for start, end in hit.ranges]


@pytest.mark.parametrize("query", ['"Read the File"', "re:Read.*File"])
def test_a_term_that_matches_with_its_capitals_has_no_other_spelling(world: World, query: str) -> None:
    world.session("s1", "hi", "Read the File", "go on", "reading it")
    world.session("s2", "hi", "I will read the file first")
    world.scan()
    assert outcome(world, query) == ([], {}, ["s1"])
    # Each term matches, but not in one session.
    assert outcome(world, f"{query} first") == ([], {}, [])
    assert outcome(world, f"{query} dir:elsewhere") == ([], {}, [])
    name = query.strip('"')
    notes = [f'No "{name}" in what role:, in: or tool: search; it is elsewhere']
    assert outcome(world, f"role:user {query}") == (notes, {}, [])


def test_a_term_that_matches_in_no_case_is_only_reported(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.scan()
    for query, name in (('"Write the File"', "Write the File"), ("re:WRITE.*FILE", "re:WRITE.*FILE")):
        assert outcome(world, query) == ([], {name: ()}, [])
        assert outcome(world, f"read {query}") == ([f'No "{name}"'], {name: ()}, [])
        assert outcome(world, f"read -{query}") == ([], {}, ["s1"])


def test_several_terms_that_nothing_matches_all_get_other_spellings(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.session("s2", "hi", "I will read the file")
    world.scan()
    notes, instead, ids = outcome(world, '"The File" re:I.WILL First -Hello')
    assert instead == {"The File": ("the file",), "re:I.WILL": ("re:(?i)I.WILL",), "First": ("first",)}
    assert len(notes) == 3
    assert ids == ["s1"]


def test_a_pattern_with_a_case_flag_is_not_changed(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.scan()
    assert outcome(world, "re:(?-i:READ)")[2] == []
    # A pattern without capitals matches any case.
    assert outcome(world, "re:(?i)READ")[:2] == ([], {})


def test_a_negated_term_has_no_other_spelling(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.scan()
    for term in ("Read", '"Read the"', "re:Read"):
        assert outcome(world, f"{term} -{term}")[2] == ["s1"]


@cases(
    "typed",
    ["re:a", "re:A.B", r're:"a \"b C"', 're:a"b', r're:"a \" b"', r're:"A b\\"', "re:(?s)A.b", 're:"A'],
)
def test_a_pattern_is_named_as_it_is_typed(typed: str) -> None:
    (term,) = parse(typed, NOW).terms
    for flag, exact in (("", term.exact), ("(?i)", False)):
        (named,) = parse(name_of(term, flag), NOW).terms
        assert (named.kind, named.text, named.exact) == (term.kind, flag + term.text, exact)


@cases(
    ("query", "words"),
    [
        ("cahe", ("cache",)),  # a missing letter, in a name
        ("Cahe", ("cache",)),
        ("fixe", ("fix",)),  # an added letter, in a first prompt
        ("grug", ("drug",)),  # a changed letter
        ("drgu", ("drug",)),  # a swap
        ("darg", ("drag",)),  # a swap, in no title
        ("drak", ()),  # a changed letter, in no title
        ("woar", ()),  # a first prompt that the name of the session hides
        ("fx", ()),
        ("role:user fixe", ("fix",)),
        ("role:assistant darg", ("drag",)),
        ("role:assistant fixe", ()),
        ("role:user cahe", ()),
    ],
)
def test_a_word_of_four_letters_is_compared_with_titles_first(
    world: World, query: str, words: tuple[str, ...]
) -> None:
    world.session("s1", "wear", "drag it", {"type": "session_info", "name": "The Cache"})
    world.session("s2", "Fix the drug", "a drag and one")
    world.scan()
    _, instead, ids = outcome(world, query)
    assert instead == {query.split()[-1]: words}
    assert bool(ids) == bool(words)


def test_a_title_comes_before_a_swap_in_another_text(world: World) -> None:
    world.session("s1", "a bold plan", "the test")
    world.session("s2", "the best plan", "tests")
    world.scan()
    assert outcome(world, "tset")[1:] == ({"tset": ("test",)}, ["s2", "s1"])
    world.session("s3", "the sets")
    world.scan()
    assert outcome(world, "tset")[1:] == ({"tset": ("test",)}, ["s2", "s1"])
    world.session("s4", "the set")
    world.scan()
    assert outcome(world, "tset")[1:] == ({"tset": ("set",)}, ["s4", "s3"])


def test_the_most_frequent_words_of_titles_come_first(world: World) -> None:
    for number, title in enumerate(("a cave", "a case", "the case", "a cage")):
        world.session(f"s{number}", title, "cage cage cage")
    world.scan()
    assert outcome(world, "caqe")[1] == {"caqe": ("case", "cage", "cave")}


def test_the_ellipsis_of_a_cut_title_is_no_letter(world: World) -> None:
    world.session("s1", "y " * 148 + "abc def")
    world.scan()
    assert world.index.rows()[0].title.endswith("abc…")
    assert outcome(world, "abcx")[1] == {"abcx": ("abc",)}


def test_titles_of_changed_and_removed_sessions_are_not_compared(world: World) -> None:
    world.session("s1", "the cache")
    world.scan()
    assert outcome(world, "cahe")[1] == {"cahe": ("cache",)}
    world.session("s1", "the cave")
    world.scan()
    assert outcome(world, "cahe")[1] == {"cahe": ("cave",)}
    world.path("s1").unlink()
    world.scan()
    assert outcome(world, "cahe")[1] == {"cahe": ()}


LETTERS = st.text(alphabet="abcdд", min_size=4, max_size=11)


def near(
    word: str,
    *texts: str,
    kinds: frozenset[int] = frozenset((USER, ASSISTANT)),
    only_swaps: bool = False,
) -> tuple[str, ...]:
    source = Source(b"".join(pack(ASSISTANT, 0, text).folded for text in texts))
    token = CancelToken(lambda: True)
    return nearest(word, [(source, 0, source.size)], kinds, token, only_swaps=only_swaps)


def by_table(first: str, second: str, *, swaps: bool) -> int:
    """The edit distance by its definition, over all prefixes."""
    table = {(i, 0): i for i in range(len(first) + 1)} | {(0, j): j for j in range(len(second) + 1)}
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            table[i, j] = min(
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + (first[i - 1] != second[j - 1]),
            )
            if swaps and i > 1 and j > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(first), len(second)]


@given(LETTERS, LETTERS)
def test_the_distance_is_the_number_of_faults(first: str, second: str) -> None:
    for most in (1, 2):
        assert distance(first, second, most) == min(by_table(first, second, swaps=most == 1), most + 1)


@given(LETTERS, LETTERS)
def test_every_word_with_the_allowed_faults_is_found(word: str, other_word: str) -> None:
    most = max_faults(word)
    apart = by_table(word, other_word, swaps=most == 1)
    wanted = (other_word,) if 0 < apart <= most else ()
    assert near(word, f"x {other_word}, y") == wanted
    assert near(word, other_word) == wanted
    if len(word) == SHORTEST:
        wanted = wanted if sorted(word) == sorted(other_word) else ()
        assert near(word, f"x {other_word}, y", only_swaps=True) == wanted


@cases(
    ("word", "other_word", "is_found"),
    [
        ("widgt", "widget", True),
        ("widggett", "widget", False),
        ("widgetts", "widgets", True),
        ("wdget", "widget", True),
        ("wigdet", "widget", True),
        ("iwdget", "widget", True),
        ("widgte", "widget", True),
        ("widxxt", "widget", False),
        ("abc", "abd", False),
        ("refacotrign", "refactoring", False),
        ("refacotring", "refactoring", True),
        ("refcators", "refactors", True),
        ("tset", "test", True),
        ("etst", "test", True),
        ("tets", "test", True),
        ("tes", "test", False),
        ("tost", "test", True),
        ("tesst", "test", True),
        ("test", "tests", True),
        ("test", "est", True),
        ("test", "tet", True),
        ("test", "test", False),
        ("tost", "tests", False),
        ("cast", "case", True),
        ("noed", "nodes", False),
        ("aaaa", "aaab", True),
        ("widget", "widget", False),
        ("widget", "widgetfactory", False),
    ],
)
def test_the_faults_that_words_of_each_length_may_have(word: str, other_word: str, is_found: bool) -> None:
    assert bool(near(word, f"say ({other_word})!")) == is_found


@cases(
    ("word", "other_word", "is_found"),
    [
        ("tset", "test", True),
        ("etst", "test", True),
        ("tets", "test", True),
        ("tost", "test", False),
        ("cast", "case", False),
        ("noed", "node", True),
        ("noed", "nodes", False),
        ("aaaa", "aaab", False),
        ("abcd", "abacd", False),
    ],
)
def test_the_words_that_differ_only_by_a_swap(word: str, other_word: str, is_found: bool) -> None:
    assert bool(near(word, f"say ({other_word})!", only_swaps=True)) == is_found


def test_the_nearest_words_come_first_then_the_most_frequent() -> None:
    texts = ["widgets"] * 2 + ["wodgets"] * 3 + ["midget"] * 2 + [f"widge{char}" for char in "abcdefg"]
    suggestions = near("widget", " ".join(texts))
    assert len(suggestions) == MOST
    assert suggestions[:2] == ("midget", "widgets")
    assert "wodgets" not in suggestions


def test_only_passages_of_the_wanted_kinds_count() -> None:
    assert near("widgt", "widget", kinds=frozenset((USER,))) == ()


def test_it_ends_when_it_is_cancelled() -> None:
    source = Source(pack(USER, 0, "widget").folded)
    with pytest.raises(Cancelled):
        nearest("widgt", [(source, 0, source.size)], frozenset((USER,)), CancelToken(lambda: False))
