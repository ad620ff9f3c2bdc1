"""Patterns."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leafmark import QueryError

from app.formats.utf8_text import fold, to_nfc
from app.index.query import BadPattern, check, compiled, from_literal
from app.index.search import RegexMatcher
from tests.cases import cases
from tests.index.query.helpers import read, refused, term


@cases(
    "pattern", [r"x*", r"a|", r"^", r"$", r"\b", r"\B", r"\bfoo|\b", r"(?:)", r"\z", r"^\s*$", "()", "(?i)"]
)
def test_a_pattern_that_can_match_the_empty_text_is_refused(pattern: str) -> None:
    assert refused(f"re:{pattern}", pattern).startswith("this pattern also matches where nothing stands")


@cases("pattern", [r"x+", r"^a$", r"\bfoo\b", r"\n", r"\s", ".", "^.*x", "日本|語", "[^a]"])
def test_a_pattern_that_needs_a_character_is_accepted(pattern: str) -> None:
    assert term(f"re:{pattern}").text == pattern


@cases(
    ("text", "blamed", "message"),
    [
        ("x re:a(", "(", "not a regular expression: missing )"),
        (r"re:foo(?=bar)", "(?=", "not a regular expression: invalid perl operator: (?="),
        (r"re:a\1", r"\1", r"not a regular expression: invalid escape sequence: \1"),
        ("re:*", "*", "not a regular expression: no argument for repetition operator"),
        ("re:)", ")", "not a regular expression: unexpected )"),
        ('re:"a b["', "[", "not a regular expression: missing ]: ["),
        (r"re:a\Cb", r"\C", r"\C is half a character"),
        ("re:a{2000}", "{2000}", "not a regular expression: invalid repetition size: {2000}"),
        (r"re:\pL{1000}", r"\pL{1000}", "this pattern is too large"),
        ("re:\ud83d", "\ud83d", "half a surrogate pair cannot be part of a pattern"),
    ],
)
def test_the_faulty_part_of_a_pattern_is_pointed_at(text: str, blamed: str, message: str) -> None:
    assert refused(text, blamed) == message


@cases(
    ("pattern", "offset"),
    [
        ("(a)(b", 3),
        ("[(](", 3),
        ("a(b(c)d", 1),
        ("((", 1),
        ("(?i)a(?:b(?P<n>c)", 5),
        ("(?i)a)", 5),
        (r"\((", 2),
        (r"\Q(\E(", 5),
        ("[](](", 4),
        ("[^](](", 5),
        ("[[:alpha:](](", 12),
        ("a)", 1),
        ("(a))", 3),
        ("$)", 1),
        ("ß)(", 1),
        # The composed text is shorter.
        ("(e\u0301))(", 4),
        (r"[)]\))", 5),
        ("abc\\", 3),
        (r"a\\b\\" + "\\", 6),
    ],
)
@cases("before", ["", "( ", "x -"])
def test_the_exact_offset_of_a_fault_is_pointed_at(pattern: str, offset: int, before: str) -> None:
    with pytest.raises(QueryError) as error:
        read(f"{before}re:{pattern}")
    assert (error.value.position, error.value.length) == (len(before) + 3 + offset, 1)


def test_an_error_about_a_pattern_is_one_inert_line() -> None:
    message = refused('re:"(\n\u202e[z-a]"', "z-a")
    assert "\n" not in message
    long = "(" + "é" * 500
    assert refused(f"re:{long}", "(") == "not a regular expression: missing )"
    unknown = "[[:" + "é" * 500 + ":]]"
    assert len(refused(f"re:{unknown}", unknown[1:-1])) < 160


@cases(
    ("pattern", "exact"),
    [
        ("foo", False),
        ("Foo", True),
        ("[A-Z]x", True),
        (r"\W\S\D\Bx", False),
        (r"\pL\PL\p{Lu}\P{Greek}", False),
        (r"\x4A\x{1F600}", False),
        (r"\QX.\E", True),
        (r"\Q\Sx\Ey", True),
        (r"\Qx\E\S", False),
        ("(?P<Name>x)", False),
        ("(?P<Name>X)", True),
        ("(?U)x+", False),
        ("(?i)Foo", False),
        ("(?i:Foo)Bar", False),
        ("(?s-i:Foo)", True),
        ("(?-i:foo)", True),
        ("(?i)foo(?-i:b)", True),
        (r"\Q(?-i:\Ex", False),
        ("[(?-i:]x", False),
        ("(?P<i>X)", True),
        (r"\\Sx", True),
        ("É", True),
    ],
)
def test_only_literal_capitals_make_a_pattern_exact(pattern: str, exact: bool) -> None:
    assert term(f"re:{pattern}").exact is exact


@cases(
    ("pattern", "texts", "other_texts"),
    [
        ("(?-i:I) am", ["I am"], ["i am", "I AM"]),
        ("(?s-i)a.B", ["a\nB"], ["A\nB", "a\nb"]),
        ("(?i)so(?U-i:Is)it", ["SOIsIT"], ["SOISIT"]),
        (r"\Q(?-i:\Ex", ["(?-I:X"], ["x"]),
        ("(?-i:ж)", ["ж"], ["Ж"]),
    ],
)
def test_a_part_of_a_pattern_can_be_exact(pattern: str, texts: list[str], other_texts: list[str]) -> None:
    matcher = RegexMatcher(term(f're:"{pattern}"'))
    for text in texts:
        assert matcher.in_text(fold(text), text), text
        assert compiled(matcher.term.text, ignore_case=True).search(fold(text)), text
    for text in other_texts:
        assert not matcher.in_text(fold(text), text), text


@cases(
    ("pattern", "ignore_case", "part"),
    [
        ("[A-Z]{3}_[0-9]+", False, "(?m)_[0-9]+"),
        ("[a-z]{3}_[0-9]+", True, "(?m)_(?i:[0-9]+)"),
        ("Error: x*", True, "(?m)error: (?i:x*)"),
        ("Error: x*", False, None),
        (r"\d+\.\d", False, r"(?m)\.\d"),
        (r"\w+ab?c+abc\b", False, r"(?m)abc\b"),
        ("[xyz_]a[.]", True, None),
        (".* .*", True, None),
        ("(_a)?", False, None),
        (".*_|a", False, None),
        (r"\Q[ab]\E", False, None),
        ("(?i)[A-Z]_ab", False, None),
        (".éé+", True, None),
        (".a_?$", True, None),
        ("[a-z]__?$", True, "(?m)_(?i:_?(?:\\r?$))"),
    ],
)
def test_a_literal_of_a_pattern_is_searched_first(pattern: str, ignore_case: bool, part: str | None) -> None:
    prefilter = from_literal(pattern, ignore_case=ignore_case)
    assert (prefilter and prefilter.pattern) == part


PATTERN_PARTS = ["a", "B", "_", "_", "k", "ß", "é", " ", r"\.", ".", "[a-k]", "[^_]", r"\w", r"\S", "$", "^"]


@given(
    pattern=st.lists(
        st.tuples(
            st.sampled_from(PATTERN_PARTS), st.sampled_from(["", "", "", "+", "*", "?", "{2}", "{0,2}"])
        ),
        min_size=1,
        max_size=6,
    ).map(lambda parts: "".join(part + repeat for part, repeat in parts)),
    text=st.text("aAbBk_K\u212aſßéÉ .\n", max_size=30),
)
def test_every_match_has_a_match_from_the_literal_on(pattern: str, text: str) -> None:
    for ignore_case, searched in ((True, fold(text)), (False, to_nfc(text))):
        try:
            whole = compiled(pattern, ignore_case=ignore_case)
        except BadPattern:
            return
        prefilter = from_literal(pattern, ignore_case=ignore_case)
        if prefilter is not None and whole.search(searched):
            assert prefilter.search(searched)


def test_anchors_match_at_lines_and_case_can_count() -> None:
    pattern = compiled("^b$", ignore_case=True)
    assert pattern.search(b"a\nB\nc")
    assert not compiled("^b$", ignore_case=False).search(b"a\nB\nc")
    assert compiled("é", ignore_case=True).search("É".encode())


@cases(
    ("pattern", "texts", "other_texts"),
    [
        ("x$", ["x\r\ny", "x\ny", "x", "x\r"], ["xy\r\n", "x\r\r\n", "x y"]),
        ("^x$", ["a\r\nx\r\nb"], ["a\r\nxx\r\nb"]),
        ("(?:x|y$)z?", ["ay\r\n"], ["ya"]),
        ("(x$)", ["x\r\n"], ["xa"]),
        (r"x$\s+y", ["x\r\n y"], ["x y"]),
        (r"x\r$", ["x\r\n"], ["x\n"]),
        (r"x\$", ["x$"], ["x\r\n"]),
        ("x[$]", ["x$"], ["x\r\n", "x)"]),
        ("x[^$]", ["xa", "x?"], ["x$"]),
        ("x[]$]", ["x$", "x]"], ["x\r\n", "x?"]),
        ("x[^]$]", ["x?"], ["x$", "x]"]),
        ("x[^^$]$", ["x?\r\n"], ["x$\r\n", "x^"]),
        ("x[[:digit:]$]y$", ["x$y\r\n", "x1y"], ["x?y"]),
        ("x[[:a]y$", ["x[y\r\n", "x:y"], ["xby"]),
        (r"x\Q$[\E$", ["x$[\r\n"], ["x\r\n"]),
        (r"x[\]$]y$", ["x]y\r\n", "x$y"], ["x\\y"]),
        ("X$", ["x\r\n"], []),
        ("ß$", ["ss\r\n"], []),
    ],
)
def test_a_line_may_end_with_crlf(pattern: str, texts: list[str], other_texts: list[str]) -> None:
    check(pattern)
    regex = compiled(pattern, ignore_case=True)
    assert [text for text in texts if not regex.search(text)] == []
    assert [text for text in other_texts if regex.search(text)] == []


def test_a_line_may_end_with_crlf_in_an_exact_pattern() -> None:
    assert compiled("X$", ignore_case=False).search("X\r\ny")
    assert not compiled("X$", ignore_case=False).search("x\r\ny")


def test_an_error_shows_the_pattern_as_it_was_typed() -> None:
    assert refused("re:a$(b", "(") == "not a regular expression: missing )"
    assert refused("re:ß$(b", "(") == "not a regular expression: missing )"


@cases("module", [None, ModuleType("re2")])
def test_without_google_re2_a_pattern_is_refused(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType | None
) -> None:
    check.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", module)
    assert refused("a re:b", "b") == "re: needs the Python package google-re2, which is not installed"
    assert read("a b:c").terms  # everything else works
    with pytest.raises(BadPattern):
        compiled("b", ignore_case=True)


def test_re2_writes_nothing_to_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    check.cache_clear()
    refused("re:a(", "(")
    assert capfd.readouterr() == ("", "")


@cases(
    ("pattern", "folded"),
    [
        ("straße", "strasse"),
        ("Stra(ß|x)+e", "strasssse"),
        ("\ufb01n", "fin"),
    ],
)
def test_letters_that_fold_to_two_are_found_in_folded_text(pattern: str, folded: str) -> None:
    check(pattern)
    assert compiled(pattern, ignore_case=True).fullmatch(folded)
