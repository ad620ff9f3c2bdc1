"""The search of a file's bytes gives the same hits as the slow reference search, in random sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, example, given, settings

from app.formats.text_kinds import TOOLS, USER
from app.index.query import WORD, Query, Term
from app.index.search import FileSearcher, QueryPlan
from tests.index.search.grep.sessions import queries, sessions, slow_spots

if TYPE_CHECKING:
    from pathlib import Path

OFTEN = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _calls(*blocks: bytes) -> bytes:
    return b'{"type":"message","id":"a","message":{"role":"assistant","content":[%s]}}\n' % b",".join(blocks)


_ANSWER = (
    b'{"type":"message","id":"b","message":{"role":"toolResult","toolCallId":"call_1","content":"foo"}}\n'
)
_CALL = b'{"type":"toolCall","id":"call_1","name":"bash","arguments":{}}'
_DAMAGED = (_CALL.replace(b'"name"', b'"name\xc3"'), _CALL.replace(b'"id"', b'"id\xc3"'))
_ASKED = Query(terms=(Term(WORD, "foo"),), kinds=TOOLS, tools=frozenset({"bash"}))


@OFTEN
@example(session=("pi", _calls(_CALL) + _calls(*_DAMAGED) + _ANSWER), query=_ASKED)
@example(session=("pi", _calls(*_DAMAGED) + _ANSWER), query=_ASKED)
@given(session=sessions(), query=queries())
def test_it_finds_what_the_slow_search_finds(
    engine: str, tmp_path: Path, session: tuple[str, bytes], query: Query
) -> None:
    dialect, data = session
    path = tmp_path / "session.jsonl"
    path.write_bytes(data)
    plan = QueryPlan(query)
    spots = slow_spots(data, dialect, query)

    wanted = [number for number, term in enumerate(query.terms) if not term.negated]
    unwanted = [number for number, term in enumerate(query.terms) if term.negated]
    matches = all(any(spot[3][number] for spot in spots) for number in wanted) and not any(
        spot[3][number] for spot in spots for number in unwanted
    )
    hits = [
        (kind, offset, part, sum(has[number] for number in wanted))
        for kind, offset, part, has in spots
        if any(has[number] for number in wanted)
    ]

    result = FileSearcher(plan).search(str(path), dialect, every=True)
    assert result.matches == matches
    if matches:
        assert sorted(
            (passage.kind, passage.offset, passage.part, passage.mask.bit_count())
            for passage in result.passages
        ) == sorted(hits)
        ranked = (
            max((count, kind == USER, offset, -kind, part) for kind, offset, part, count in hits)
            if hits
            else None
        )
        for verdict in (result, FileSearcher(plan).search(str(path), dialect)):
            best = verdict.best
            assert verdict.matches
            assert ranked == (
                best and (best.mask.bit_count(), best.kind == USER, best.offset, -best.kind, best.part)
            )
