"""The number of a passage among those of its kind in a line."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from hypothesis import given
from hypothesis import strategies as st

from app.formats import text_kinds
from app.index.query import WORD, Query, Term
from app.index.search import Evaluator, PassageFinder, QueryPlan
from app.index.search.cancellation import CancelToken
from app.index.text.mmap_reader import Segments, Source
from app.sessions.passages import pack, unpack

if TYPE_CHECKING:
    from leafmark import Row

    from app.index.search.documents import Texts

WORDS = ("ab", "cd", "xyz")
# Matchers that are certain need no more of a row.
ROW, CODEX = (cast("Row", SimpleNamespace(dialect=dialect)) for dialect in ("pi", "codex"))

# Kind, whether the passage is in the same line as the one before, and its words.
PIECES = st.lists(
    st.tuples(
        st.sampled_from(sorted(text_kinds.CONVERSATION)), st.booleans(), st.sets(st.sampled_from(WORDS))
    ),
    max_size=12,
)


def picker(*words: str) -> PassageFinder:
    pulse = CancelToken(lambda: True)
    plan = QueryPlan(Query(terms=tuple(Term(WORD, word) for word in words)))
    return PassageFinder(Evaluator(plan, Segments("/nowhere"), pulse), pulse)


def places_of(passages: list[tuple[int, bool, set[str]]], spans: int) -> Texts:
    """Packed passages in up to `spans` spans; a line is in one span."""
    lines: list[list[bytes]] = []
    for number, (kind, same_line, words) in enumerate(passages):
        if not lines or not same_line:
            lines.append([])
        text = f"{number} {' and '.join(sorted(words))}"
        lines[-1].append(pack(kind, 100 * len(lines), text).folded)
    size = -(-len(lines) // spans) or 1
    parts = [b"".join(map(b"".join, lines[first : first + size])) for first in range(0, len(lines), size)]
    return tuple((Source(part), 0, len(part)) for part in parts)


@given(PIECES, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True), st.integers(1, 3))
def test_nth_counts_the_passages_of_its_kind_in_its_line(
    passages: list[tuple[int, bool, set[str]]], words: list[str], spans: int
) -> None:
    finder, places = picker(*words), places_of(passages, spans)
    counts: Counter[tuple[int, int]] = Counter()
    wanted: dict[str, int] = {}
    for source, start, end in places:
        # Each passage has its number as a word.
        for kind, offset, text in unpack(source.data[start:end]):
            wanted[text.decode()] = counts[kind, offset]
            counts[kind, offset] += 1
    results = [*finder.passages(CODEX, places)]
    assert [piece.nth for piece in results] == [wanted[piece.text] for piece in results]
