"""The best passage of a session is found without comparing all passages that match."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from hypothesis import given
from hypothesis import strategies as st

from app.formats import text_kinds
from app.index.query.query import WORD, Query, Term
from app.index.search.best_passage import PassageFinder
from app.index.search.cancellation import CancelToken
from app.index.search.evaluator import Evaluator
from app.index.search.matchers import QueryPlan
from app.index.search.originals import Originals
from app.index.search.passages import best_of, rank
from app.index.text.mmap_reader import Segments, Source
from app.sessions.passages import pack, unpack

if TYPE_CHECKING:
    from app.index.row import Row
    from app.index.search.documents import Texts

WORDS = ("ab", "cd", "xyz")
# Matchers that are certain need no more of a row.
ROW, LANES = (cast("Row", SimpleNamespace(dialect=dialect)) for dialect in ("pi", "lanes"))

# Kind, whether it is in the line of the passage before, and its words.
PIECES = st.lists(
    st.tuples(
        st.sampled_from(sorted(text_kinds.CONVERSATION)), st.booleans(), st.sets(st.sampled_from(WORDS))
    ),
    max_size=12,
)


def picker(*words: str) -> PassageFinder:
    pulse = CancelToken(lambda: True)
    plan = QueryPlan(Query(terms=tuple(Term(WORD, word) for word in words)))
    return PassageFinder(Evaluator(plan, Segments("/nowhere"), Originals(), pulse), pulse)


def places_of(said: list[tuple[int, bool, set[str]]], spans: int) -> Texts:
    """Packed passages in up to `spans` spans; a line is in one span."""
    lines: list[list[bytes]] = []
    for number, (kind, same, words) in enumerate(said):
        if not lines or not same:
            lines.append([])
        text = f"{number} {' and '.join(sorted(words))}"
        lines[-1].append(pack(kind, 100 * len(lines), text.encode()))
    size = -(-len(lines) // spans) or 1
    parts = [b"".join(map(b"".join, lines[at : at + size])) for at in range(0, len(lines), size)]
    return tuple((Source(part), 0, len(part)) for part in parts)


@given(PIECES, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True), st.integers(1, 3))
def test_it_is_the_best_of_all_passages(
    said: list[tuple[int, bool, set[str]]], words: list[str], spans: int
) -> None:
    looking, places = picker(*words), places_of(said, spans)
    expected = best_of(looking.passages(ROW, places), len(words))
    found = looking.best(ROW, places)
    assert (found and rank(*found[:3])) == (expected and rank(*expected[:3]))
    assert (found and found.folded) == (expected and expected.folded)


@given(PIECES, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True), st.integers(1, 3))
def test_nth_counts_the_passages_of_its_kind_in_its_line(
    said: list[tuple[int, bool, set[str]]], words: list[str], spans: int
) -> None:
    looking, places = picker(*words), places_of(said, spans)
    counts: Counter[tuple[int, int]] = Counter()
    wanted: dict[str, int] = {}
    for source, start, end in places:
        # Each passage has its number as a word.
        for kind, offset, text in unpack(source.data[start:end]):
            wanted[text.decode()] = counts[kind, offset]
            counts[kind, offset] += 1
    found = [*looking.passages(LANES, places), *filter(None, [looking.best(LANES, places)])]
    assert [piece.nth for piece in found] == [wanted[piece.folded] for piece in found]


def test_only_the_rarest_word_is_searched_for_repeatedly() -> None:
    said = [(text_kinds.ASSISTANT, False, {"ab"})] * 500 + [(text_kinds.ASSISTANT, False, {"ab", "xyz"})]
    said += [(text_kinds.ASSISTANT, False, {"ab"})] * 500
    ((source, start, end),) = places_of(said, 1)
    looks = []

    def rfind(needle: bytes, begin: int, stop: int) -> int:
        looks.append(needle)
        return source.data.rfind(needle, begin, stop)

    source.rfind = rfind
    found = picker("ab", "xyz").best(ROW, ((source, start, end),))
    assert found is not None
    assert found.folded.endswith("ab and xyz")
    assert len(looks) < 12
