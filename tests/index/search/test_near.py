from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.fold import encoded
from app.formats.kinds import ASSISTANT, USER
from app.index.search.cancellation import Cancelled, CancelToken
from app.index.search.edit_distance import MOST, SHORTEST, distance, faults, nearest
from app.index.text.mmap_reader import Source
from app.sessions.passages import pack

LETTERS = st.text(alphabet="abcdé", min_size=4, max_size=11)


def near(word: str, *texts: str, kinds: frozenset[int] = frozenset((USER, ASSISTANT))) -> tuple[str, ...]:
    source = Source(b"".join(pack(ASSISTANT, 0, encoded(text)) for text in texts))
    return nearest(word, [(source, 0, source.size)], kinds, CancelToken(lambda: True))


def by_table(one: str, other: str, *, swaps: bool) -> int:
    """The distance by definition, over all prefixes."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            table[i, j] = min(
                table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (one[i - 1] != other[j - 1])
            )
            if swaps and i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(one), len(other)]


@given(LETTERS, LETTERS)
def test_the_distance_is_the_number_of_faults(one: str, other: str) -> None:
    for most in (1, 2):
        assert distance(one, other, most) == min(by_table(one, other, swaps=most == 1), most + 1)


@given(LETTERS, LETTERS)
def test_every_word_with_few_enough_faults_is_found(word: str, there: str) -> None:
    most = faults(word)
    apart = by_table(word, there, swaps=most == 1)
    is_near = apart <= most
    if len(word) == SHORTEST:
        is_near = apart == 1 and sorted(word) == sorted(there)
    assert near(word, f"x {there}, y") == ((there,) if is_near else ())
    assert near(word, there) == ((there,) if is_near else ())


@pytest.mark.parametrize(
    ("word", "there", "is_found"),
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
        ("tost", "test", False),
        ("tesst", "test", True),
        ("tost", "tests", False),
        ("cast", "case", False),
        ("noed", "node", True),
        ("noed", "nodes", False),
        ("aaaa", "aaab", False),
        ("widget", "widgetfactory", False),
    ],
)
def test_of_four_letters_two_may_be_swapped_a_longer_word_may_have_one_fault_or_two(
    word: str, there: str, is_found: bool
) -> None:
    assert bool(near(word, f"say ({there})!")) == is_found


def test_the_nearest_come_first_then_the_commonest_and_not_many() -> None:
    texts = ["widgets"] * 2 + ["wodgets"] * 3 + ["midget"] * 2 + [f"widge{char}" for char in "abcdefg"]
    found = near("widget", " ".join(texts))
    assert len(found) == MOST
    assert found[:2] == ("midget", "widgets")
    assert "wodgets" not in found


def test_only_what_is_asked_of_counts() -> None:
    assert near("widgt", "widget", kinds=frozenset((USER,))) == ()


def test_it_ends_when_nobody_waits() -> None:
    source = Source(pack(USER, 0, b"widget"))
    with pytest.raises(Cancelled):
        nearest("widgt", [(source, 0, source.size)], frozenset((USER,)), CancelToken(lambda: False))
