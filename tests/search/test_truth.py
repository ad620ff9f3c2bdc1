"""Every needle of a generated corpus is found in its session, and in no other."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from app.index.query import parse
from tests.benchmarks.corpus import build, stores
from tests.benchmarks.corpus.needles import NEEDLES
from tests.benchmarks.recall import faults, planted
from tests.cases import cases
from tests.search.ground import TIERS, Ground, hits_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.search import SearchEngine
    from tests.benchmarks.corpus.needles import Needle
    from tests.benchmarks.corpus.truth import Record

ROLES = {
    "user": "user", "abandoned": "user", "assistant": "assistant", "thinking": "thinking",
    "compaction": "summary", "branch_summary": "summary", "custom_message": "custom", "tool_result": "tool",
    "tool_arguments": "tool", "bash_command": "bash", "bash_output": "bash",
}  # fmt: skip
"""Place of a needle -> its `role:`."""


class Corpus(NamedTuple):
    """The truth, and an index of the files."""

    records: list[Record]
    ground: Ground


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("needles")
    records = build(str(folder / "corpus"), "tiny")
    ground = Ground(folder, stores(str(folder / "corpus")))
    yield Corpus(records, ground)
    ground.close()


def _hits(searcher: SearchEngine, text: str) -> list[dict[str, Any]]:
    """The hits as `leafmark search --json` prints them."""
    query = parse(text, int(time.time() * 1000))
    hits, last = hits_of(searcher.search(query))
    assert last.total == len(hits)
    return [
        {"path": hit.path, "entry_id": hit.entry_id, "on_active_path": searcher.place(hit).on_active_path}
        for hit in hits
        if not hit.near
    ]


# The store with the words of tools, and the files, are searched for every needle, the other tiers for a
# third each.
@pytest.mark.parametrize("tier", TIERS)
def test_every_needle_is_found_and_nothing_else(corpus: Corpus, tier: str) -> None:
    wrong = []
    others = [other for other in TIERS if other not in ("words", "files")]
    needles = NEEDLES[others.index(tier) :: len(others)] if tier in others else NEEDLES
    with corpus.ground.searcher(tier) as searcher:
        for needle in needles:
            wanted = planted(corpus.records, needle)
            assert wanted, needle.name
            hits = _hits(searcher, needle.query)
            wrong += [f"{needle.name}: {sentence}" for sentence in faults(needle, wanted, hits)]
    assert wrong == []


@cases("needle", [needle for needle in NEEDLES if needle.place in ROLES], ids=lambda it: it.name)
def test_a_role_restricts_the_search_to_its_texts(corpus: Corpus, needle: Needle) -> None:
    wanted = set(planted(corpus.records, needle))
    with corpus.ground.searcher("words") as searcher:
        for role in sorted(set(ROLES.values())):
            found = {hit["path"] for hit in _hits(searcher, f"role:{role} {needle.query}")}
            if role == ROLES[needle.place]:
                assert found <= wanted
                assert found == wanted or needle.name == "its words"
            elif needle.name != "its words":
                assert found == set(), role


def test_a_capital_matches_only_itself(corpus: Corpus) -> None:
    (needle,) = (needle for needle in NEEDLES if needle.name == "upper case")
    wanted = set(planted(corpus.records, needle))
    with corpus.ground.searcher("words") as searcher:
        assert {hit["path"] for hit in _hits(searcher, "VORPALTANGE")} == wanted
        assert _hits(searcher, "Vorpaltange") == []


def test_negated_terms(corpus: Corpus) -> None:
    """Every session except those with the term."""
    everybody = {session.row.path for session in corpus.ground.sessions}
    with corpus.ground.searcher("words") as searcher:
        for needle in NEEDLES:
            if needle.query.isalpha():
                found = {hit["path"] for hit in _hits(searcher, f"-{needle.query}")}
                assert found == everybody - set(planted(corpus.records, needle)), needle.name
