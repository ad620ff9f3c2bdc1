"""A snippet is one inert line around a match, with the ranges of the matches. Folding may change lengths."""

from __future__ import annotations

from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from app.formats.utf8_text import fold, to_nfc
from app.index.query import PHRASE, REGEX, WORD, Term
from app.index.search import Folded
from app.index.search.matchers import matcher_for
from app.index.search.snippet import LIMIT, snippet
from tests.cases import cases

HARD = st.text(alphabet="aß İıfiﬁe\u0301\u0300ǰ\u030cΐ가각ᄀ\u1161\u11a8Å\u212bŉxK\u212a\n ", max_size=40)


def marks(text: str, *terms: Term) -> list[str]:
    result = snippet(text, [matcher_for(term) for term in terms])
    assert result is not None
    line, ranges = result
    return [line[start:end] for start, end in ranges]


def word(text: str, *, exact: bool = False) -> Term:
    return Term(WORD, text, exact)


@cases(
    ("text", "sought", "marked"),
    [
        ("die Straße dort", "strasse", "Straße"),
        ("die Straße dort", "ss", "ß"),
        ("die Straße dort", "sse d", "ße d"),
        ("in İstanbul am Abend", "stanbul", "stanbul"),
        ("in İstanbul am Abend", "abend", "Abend"),
        ("im cafe\u0301 nebenan", "café", "cafe\u0301"),
        ("im cafe\u0301 nebenan", "nebenan", "nebenan"),
        ("im Cafe\u0301 nebenan", "cafe", "Cafe\u0301"),
        ("resume, résumé", "résumé", "résumé"),
        ("ＡＢＣ und mehr", "c und", "Ｃ und"),
        ("ｶﾞｲﾄﾞとﾃｽﾄ", "ドと", "ﾄﾞと"),
        ("ｶﾞｲﾄﾞとﾃｽﾄ", "テスト", "ﾃｽﾄ"),
        ("ßßß" * 300 + " and needle", "needle", "needle"),
        ("e\u0301" * 3000 + " and needle", "needle", "needle"),
        ("ﬁne ﬂow", "low", "ﬂow"),
        ("각 needle", "needle", "needle"),
        ("日本語テスト", "本語", "本語"),
    ],
)
def test_ranges_refer_to_the_text_as_it_is_written(text: str, sought: str, marked: str) -> None:
    assert marks(text, Term(PHRASE, sought)) == [marked]


def test_only_exact_matches_of_an_exact_word_are_marked() -> None:
    assert marks("foo Foo FOO Foobar", word("Foo", exact=True)) == ["Foo", "Foo"]
    assert marks("cafe\u0301 Cafe\u0301", word("Café", exact=True)) == ["Cafe\u0301"]


def test_ranges_of_several_terms_are_in_order_and_do_not_touch() -> None:
    assert marks("foobar bar", word("foo"), word("bar"), word("oba")) == ["foobar", "bar"]


def test_a_pattern_may_match_white_space_that_the_line_joins() -> None:
    line, ranges = snippet("one\n\ntwo three", [matcher_for(Term(REGEX, "one\n\ntwo"))]) or ("", ())
    assert (line, ranges) == ("one two three", ((0, 7),))


@cases(
    ("text", "pattern", "line", "marked"),
    [
        ("alpha\n", r"\s", "alpha", []),
        ("\nalpha", r"^\s", "alpha", []),
        ("alpha\n", r"a\s", "alpha", ["a"]),
        ("alpha \n beta", r"\n", "alpha beta", [" "]),
        ("alpha \n beta", r"\n\sb", "alpha beta", ["b"]),
        ("alpha beta", r"ha\sb", "alpha beta", ["ha b"]),
        ("alpha\n\nbeta\n", r"\n\nbeta\n", "alpha beta", ["beta"]),
        ("hay " * 100 + "\n\n" + "end", r"\n\n", "…" + "hay " * 18 + "end", [" "]),
    ],
)
def test_white_space_that_the_line_leaves_out_is_not_marked(
    text: str, pattern: str, line: str, marked: list[str]
) -> None:
    shown, ranges = snippet(text, [matcher_for(Term(REGEX, pattern))]) or ("", ())
    assert shown == line
    assert [shown[start:end] for start, end in ranges] == marked


def test_a_text_without_the_term_has_no_snippet() -> None:
    assert snippet("something else", [matcher_for(word("needle"))]) is None


def test_a_long_text_is_cut_at_words_on_both_sides() -> None:
    line, ranges = snippet("hay " * 500 + "needle" + " hay" * 500, [matcher_for(word("needle"))]) or ("", ())
    assert len(line) <= LIMIT
    assert line.startswith("…hay ")
    assert line.endswith("…")
    assert [line[start:end] for start, end in ranges] == ["needle"]


def test_a_run_of_white_space_takes_no_room() -> None:
    line, _ = snippet("needle" + " " * 1000 + "thread", [matcher_for(word("needle"))]) or ("", ())
    assert line == "needle thread"


@given(HARD, st.data())
def test_every_position_maps_back_to_its_characters(text: str, data: st.DataObject) -> None:
    for change in (fold, to_nfc):
        folded = Folded(text, change)
        if not folded.changed:
            continue
        start = data.draw(st.integers(0, len(folded.changed) - 1))
        end = data.draw(st.integers(start + 1, len(folded.changed)))
        begin, stop = folded.back(start, end)
        assert 0 <= begin < stop <= len(text)
        # Whole characters: folded by themselves they contain the range.
        assert folded.changed[start:end] in change(text[begin:stop])


# Syllables composed and in parts, with and without a final consonant.
HANGUL = st.lists(
    st.sampled_from(("한글", "각", normalize("NFD", "한글"), normalize("NFD", "각나"), "a ", "é")),
    max_size=12,
).map("".join)


@given(HANGUL)
def test_syllables_in_parts_are_marked_whole(text: str) -> None:
    for change in (fold, to_nfc):
        folded = Folded(text, change)
        for position, char in enumerate(folded.changed):
            begin, stop = folded.back(position, position + 1)
            assert change(text[begin:stop]) == char
            assert folded.back(0, position + 1) == (0, stop)


def test_words_of_syllables_in_parts_are_found_deep_in_a_text() -> None:
    parts = normalize("NFD", "각하의 한글")
    text = normalize("NFD", "나라 말이 ") * 700 + parts + " end"
    line, ranges = snippet(text, [matcher_for(word("한글"))]) or ("", ())
    assert [line[start:end] for start, end in ranges] == [normalize("NFD", "한글")]
    folded = Folded(text)
    position = folded.changed.index("각하의")
    begin, stop = folded.back(position, position + 3)
    assert text[begin:stop] == normalize("NFD", "각하의")


@given(HARD, st.data())
def test_a_word_of_a_text_is_marked_in_its_snippet(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    words = [part for part in folded.split() if part]
    if not words:
        return
    sought = data.draw(st.sampled_from(words))
    term = word(sought)
    result = snippet(text, [matcher_for(term)])
    if result is None:
        # Folding it again changes the word.
        assert fold(sought) not in folded
        return
    line, ranges = result
    assert line.isprintable()
    assert all(0 <= start < end <= len(line) for start, end in ranges)
    assert ranges
