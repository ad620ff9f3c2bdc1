"""The place to show of a session: found without looking at all that match, and the same as if all were."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from hypothesis import given
from hypothesis import strategies as st

from app.formats import kinds
from app.index.query.query import WORD, Query, Term
from app.index.search.best_passage import PassagePicker
from app.index.search.cancellation import CancelToken
from app.index.search.evaluator import Evaluator
from app.index.search.originals import Originals
from app.index.search.passage import best, merit
from app.index.search.terms import Plan
from app.index.text.mmap_reader import Segments, Source
from app.sessions.passages import pack, pieces

if TYPE_CHECKING:
    from app.index.row import Row
    from app.index.search.documents import Places

WORDS = ("ab", "cd", "xyz")
# Nothing that is simple asks for more of a row.
ROW, LANES = (cast("Row", SimpleNamespace(dialect=dialect)) for dialect in ("pi", "lanes"))

# Who says it, whether its line is the one before it, which words it has.
PIECES = st.lists(
    st.tuples(st.sampled_from(sorted(kinds.CONVERSATION)), st.booleans(), st.sets(st.sampled_from(WORDS))),
    max_size=12,
)


def picker(*words: str) -> PassagePicker:
    pulse = CancelToken(lambda: True)
    plan = Plan(Query(terms=tuple(Term(WORD, word) for word in words)))
    return PassagePicker(Evaluator(plan, Segments("/nowhere"), Originals(), pulse), pulse)


def places_of(said: list[tuple[int, bool, set[str]]], spans: int) -> Places:
    """Packed pieces in so many spans, or fewer; lines lie in one of them."""
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
def test_it_is_the_best_of_all(said: list[tuple[int, bool, set[str]]], words: list[str], spans: int) -> None:
    looking, places = picker(*words), places_of(said, spans)
    expected = best(looking.pieces(ROW, places), len(words))
    found = looking.best(ROW, places)
    assert (found and merit(*found[:3])) == (expected and merit(*expected[:3]))
    assert (found and found.folded) == (expected and expected.folded)


@given(PIECES, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True), st.integers(1, 3))
def test_it_is_known_which_of_its_line_and_kind_it_is(
    said: list[tuple[int, bool, set[str]]], words: list[str], spans: int
) -> None:
    looking, places = picker(*words), places_of(said, spans)
    counts: Counter[tuple[int, int]] = Counter()
    wanted: dict[str, int] = {}
    for source, start, end in places:
        # A word that each piece has: its number.
        for kind, offset, text in pieces(source.data[start:end]):
            wanted[text.decode()] = counts[kind, offset]
            counts[kind, offset] += 1
    found = [*looking.pieces(LANES, places), *filter(None, [looking.best(LANES, places)])]
    assert [piece.nth for piece in found] == [wanted[piece.folded] for piece in found]


def test_only_the_rarest_word_is_looked_for_again_and_again() -> None:
    said = [(kinds.ASSISTANT, False, {"ab"})] * 500 + [(kinds.ASSISTANT, False, {"ab", "xyz"})]
    said += [(kinds.ASSISTANT, False, {"ab"})] * 500
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
