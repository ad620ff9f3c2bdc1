"""A prefilter lets every line with a word through, however it is spelt, and excludes most others."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.formats.utf8_text import fold
from app.index.query import required_literals
from app.index.search import word_filter
from app.index.search.grep import byte_search
from tests.cases import cases
from tests.index.search.grep.sessions import WORDS, spelt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OFTEN = settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
characters = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
pieces = st.one_of(
    st.sampled_from(WORDS),
    st.text(characters, max_size=4),
    st.text(st.characters(min_codepoint=0xC0, max_codepoint=0x5FF), max_size=4),
    st.text(st.sampled_from("aefhijklnst\u0301\u0307\u030c\u0323/\\\";`<&'ßſﬁﬆİ\u212aẞ"), max_size=5),
)


def changed_by(change: Callable[[str], str]) -> Iterator[str]:
    """The characters behind ASCII that a function changes. It leaves most blocks of them as they are."""
    for start in range(0x80, 0x110000, 0x80):
        block = "".join(map(chr, range(start, start + 0x80)))
        if not "\ud800" <= block[0] <= "\udfff" and change(block) != block:
            yield from (char for char in block if change(char) != char)


def test_an_escaped_combining_mark_of_any_script_is_found(engine: str) -> None:
    line = '"\u304b\\u3099"'.encode()
    assert list(word_filter("\u304c").lines(bytearray(line), 0, len(line))) == [(0, len(line))]


@OFTEN
@given(
    text=st.lists(pieces, max_size=4).map("".join),
    places=st.tuples(st.integers(0, 40), st.integers(1, 40)),
    escaped=st.sampled_from((0.0, 0.0, 0.0, 0.1, 1.0)),
    random=st.integers(0, 1 << 32).map(Random),
    surroundings=st.tuples(st.binary(max_size=70), st.binary(max_size=70)),
)
def test_a_line_with_a_word_is_let_through(
    engine: str,
    text: str,
    places: tuple[int, int],
    escaped: float,
    random: Random,
    surroundings: tuple[bytes, bytes],
) -> None:
    folded = fold(text.replace("\0", ""))
    start = min(places[0], max(0, len(folded) - 1))
    word = "".join(folded[start : start + places[1]].split()) if " " not in folded else ""
    if not word or word not in folded:
        return
    before, behind = (part.replace(b"\n", b"") for part in surroundings)
    line = before + b'"' + spelt(text, random, escaped) + b'"' + behind
    data = bytearray(b'{"x":1}\n' + line + b"\n{}\n")
    assert (8, 8 + len(line)) in list(word_filter(word).lines(data, 0, len(data)))


@pytest.mark.parametrize(
    "word", ["foo", "straße", "привет", "デプロイ", "für", "검색", "你好", "🎉", "src/a.py", 'x("y")']
)
def test_other_lines_are_excluded(engine: str, word: str) -> None:
    if engine == "plain" and not fold(word).isascii():
        pytest.skip("without StringZilla, only a run of ASCII is searched for")
    data = bytearray(
        '{"text":"nothing of the kind: \\u001b[0m ja \\n über ñandú Прощай テレビ"}\n'.encode() * 50
    )
    assert not word_filter(fold(word)).matches(data, 0, len(data))


def test_all_characters_that_fold_to_ascii_are_known(engine: str) -> None:
    find_marked, find_escape = byte_search.marked()
    for given_char in changed_by(fold):
        for char in fold(given_char):
            if char.isascii() and given_char not in byte_search.TO_ASCII.get(char, ""):
                raw, escape = given_char.encode(), f"\\u{ord(given_char):04x}".encode()
                assert find_marked(raw, 0, len(raw)) == 0
                assert find_escape(escape, 0, len(escape)) == 0


def test_no_character_beyond_the_table_folds() -> None:
    made_by_folding, dropped = byte_search._unfolding()
    foldable = {char_ for characters in made_by_folding.values() for char_ in characters}
    for char in changed_by(fold):
        assert fold(char) == "" or char in foldable
    for char in changed_by(lambda text: normalize("NFD", text)):
        if not "가" <= char <= "힣":
            assert set(normalize("NFD", char)[1:]) <= dropped


@cases(
    ("pattern", "runs"),
    [
        ("foo.*bar_baz", ["bar_baz"]),
        ("foob?ar", ["foo"]),
        ("fo+x", ["fo"]),
        ("a{2}bcd", ["bcd"]),
        ("(foo)?bar", ["bar"]),
        ("(foo|baz)bar", ["bar"]),
        ("foo.|barn", ["barn", "foo"]),
        ("foo|b?", []),
        (r"\bword\b", ["word"]),
        (r"[a-z]foo\d", ["foo"]),
        (r"\x41bc", []),
        (r"(?s)a.*foo", ["foo"]),
        (r"(?:foo)", ["foo"]),
        ("(foo|bar)", ["bar", "foo"]),
        ("(?P<x>foo|(ba|qu)x)+z", ["ba", "foo", "qu"]),
        ("(a|b|)foo", ["foo"]),
        ("((food))*x", ["x"]),
        ("(food)??x", ["x"]),
        ("(abc|defg){0,3}x", ["x"]),
        ("(abc|defg)(hello|worlds)", ["hello", "worlds"]),
        ("(a|b|c|d|e|f|g|h|i)", []),
        (r"foo\(bar", ["foo"]),
        ("[]abc]de", ["de"]),
        ("x{1,3}yz(", []),
    ],
)
def test_the_required_literals_of_a_pattern(pattern: str, runs: list[str]) -> None:
    assert required_literals(pattern) == runs
