"""An index of a few files, searched in every way and compared with the reference."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Index

from app.index.query.query import Facts
from app.index.search import matchers
from app.index.search.engine import SearchEngine
from app.index.search.grep import byte_search
from app.index.text import mmap_reader
from app.stores import discover
from tests.search import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from leafmark import Hit

    from app.index import Page
    from app.index.query.query import Query
    from tests.search.reference import Place, Session

FACTS = Facts()
TIERS = ("store", "small parts", "files", "half", "no wheel")
"""The texts that a search reads: the text store; the store in small parts; only the files; the files of every
other session, in small parts; the store without stringzilla."""


class Ground:
    """Stores and their index, scanned once."""

    def __init__(self, folder: Path, stores: list[tuple[str, str]]) -> None:
        """:param folder: for the cache; :param stores: (agent, folder) of each."""
        self.home = str(folder)
        self.stores = discover({"HOME": self.home}, self.home, self.home, extra=stores)
        self.index = Index(self.stores, str(folder / "cache"))
        self.index.scan()
        self.sessions = reference.read(self.index.rows())

    def close(self) -> None:
        self.index.close()

    @contextmanager
    def searcher(self, tier: str) -> Iterator[SearchEngine]:
        """A search engine that reads the texts of `tier`."""
        paths = sorted(session.row.path for session in self.sessions)
        hidden = {"files": set(paths), "half": set(paths[::2])}.get(tier, set())
        with pytest.MonkeyPatch.context() as patch:
            if tier in ("small parts", "half"):
                patch.setattr(matchers, "SLICE", 20)
                patch.setattr(matchers, "_FIRST_BYTES", 5)
            if tier == "no wheel":
                patch.setattr(mmap_reader, "stringzilla", None)
                patch.setattr(byte_search, "_find", None)
                patch.setattr(byte_search, "_find_uncased", None)
            catalog = _IncompleteCatalog(self.index.catalog, hidden)
            searcher = SearchEngine(catalog, self.stores)  # type: ignore[arg-type]
            searcher.load()
            yield searcher


class _IncompleteCatalog:
    """A catalog without the text spans of some sessions."""

    def __init__(self, catalog: Any, hidden: set[str]) -> None:
        self.catalog = catalog
        self.hidden = hidden

    def texts(self, paths: Any = None) -> dict[str, Any]:
        known = self.catalog.texts(paths)
        return {path: spans for path, spans in known.items() if path not in self.hidden}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.catalog, name)


def hits_of(pages: Iterable[Page]) -> tuple[list[Hit], Page]:
    """All hits of a search, and its last page, which must be `done`."""
    found: list[Hit] = []
    page = None
    for page in pages:
        found += page.hits
    assert page is not None
    assert page.done
    for hit in found:
        hit.look_up()
    return found, page


def compare(searcher: SearchEngine, sessions: list[Session], query: Query) -> None:
    """Search for one hit per session in both orders, and for every hit."""
    passing = [session for session in sessions if query.passes(session.row, FACTS)]
    found, last = hits_of(searcher.search(query))
    relevant, _ = hits_of(searcher.search(query, order="relevance"))
    every, every_last = hits_of(searcher.search(query, every=True))
    if reference.is_nowhere(sessions, query):
        # No session has such a word: all hits come from another spelling and say so.
        assert all(hit.near for hit in found + relevant + every)
        instead = reference.instead_of(sessions, query)
        if instead is not None:
            meant = [session for session in passing if session.matches(instead)]
            _same({hit.path for hit in found}, {session.row.path for session in meant})
            assert len(found) == len(relevant) == last.total == every_last.total == len(meant)
        return
    wanted = {session.row.path: session for session in passing if session.matches(query)}
    assert not any(hit.near for hit in found + relevant + every)
    _same({hit.path for hit in found}, set(wanted))
    assert len(found) == last.total == every_last.total == len(wanted)
    assert [hit.path for hit in found] == sorted(wanted, key=lambda path: (-wanted[path].row.modified, path))
    assert sorted(hit.path for hit in relevant) == sorted(wanted)
    _best_first(relevant, sum(not term.negated for term in query.terms))
    for hit in found + relevant:
        _is_best(hit, wanted[hit.path], query)
    if any(not term.negated for term in query.terms):
        _same(Counter(_key(hit) for hit in every if hit.where in ("text", "name", "label")), Counter(
            (path, place.where, place.kind, place.offset, place.entry)
            for path, session in wanted.items()
            for place in session.hits(query)
            if place.where in ("text", "name", "label")
        ))  # fmt: skip


def _same(found: Any, wanted: Any) -> None:
    assert not found - wanted, f"without reason: {found - wanted}"
    assert not wanted - found, f"not found: {wanted - found}"


def _key(hit: Hit) -> tuple[str, str, int, int, str | None]:
    if hit.where != "text":
        return hit.path, hit.where, hit.kind, -1, None
    return hit.path, hit.where, hit.kind, hit.offset, hit.entry_id


def _is_best(hit: Hit, session: Session, query: Query) -> None:
    """Name and labels first, then the passage with most terms, then a prompt, then the latest."""
    places = session.hits(query)
    if not any(not term.negated for term in query.terms):
        assert hit.where == "row"
        return
    assert hit.where in {place.where for place in places}
    if any(place.where in ("name", "label") for place in places):
        assert hit.where in ("name", "label")
    elif any(place.where == "text" for place in places):
        assert hit.where == "text"
        texts = [place for place in places if place.where == "text"]
        mine = [place for place in texts if (place.kind, place.offset) == (hit.kind, hit.offset)]
        assert mine, "there is no such text"
        rank = _rank(query)
        assert max(map(rank, mine)) == max(map(rank, texts))


def _rank(query: Query) -> Callable[[Place], tuple[int, bool, int]]:
    wanted = {(term.kind, term.text, term.exact): term for term in query.terms if not term.negated}.values()

    def rank(place: Place) -> tuple[int, bool, int]:
        terms = sum(reference.found_in(term, place.text) for term in wanted)
        return terms, place.kind == reference.USER, place.offset

    return rank


def _best_first(hits: list[Hit], terms: int) -> None:
    """By score; for one term, names and labels before prompts before the rest."""
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    groups = [
        0 if hit.where in ("name", "label") else 1 if (hit.where, hit.kind) == ("text", reference.USER) else 2
        for hit in hits
    ]
    assert terms != 1 or groups == sorted(groups)
