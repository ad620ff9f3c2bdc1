"""An index of a few files, searched in every way and compared with the reference."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Index

from app.index.query import Facts, Query
from app.index.search import SearchEngine, matchers, search_pass
from app.index.search.grep import byte_search
from app.index.text import mmap_reader
from app.stores import discover
from tests.search import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from leafmark import Hit

    from app.index import Page
    from app.index.words.tool_words import Words
    from tests.search.reference import Place, Session

FACTS = Facts()
TIER_NAMES = ("", "name", "conversation", "files", "tools")
TIERS = ("store", "words", "small parts", "files", "half", "no wheel")
"""The texts that a search reads: the text store; the store and the words of tools; the store in small parts;
only the files; the files of every other session, in small parts; the store without stringzilla."""


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

    def _words(self) -> Words:
        """The words of the tools of all sessions."""
        self.index.tool_words.update(self.index.rows(), least=bool)
        return self.index.tool_words.current()

    @contextmanager
    def searcher(self, tier: str) -> Iterator[SearchEngine]:
        """A search engine that reads the texts of `tier`."""
        paths = sorted(session.row.path for session in self.sessions)
        hidden = {"files": set(paths), "half": set(paths[::2])}.get(tier, set())
        with pytest.MonkeyPatch.context() as patch:
            # Otherwise many files are searched for words as they are typed, in less time.
            patch.setattr(search_pass, "MOST_WITH_MARKS", 1_000_000)
            if tier in ("small parts", "half"):
                patch.setattr(matchers, "SLICE", 20)
                patch.setattr(matchers, "_FIRST_BYTES", 5)
            if tier == "no wheel":
                patch.setattr(mmap_reader, "stringzilla", None)
                patch.setattr(byte_search, "_find", None)
                patch.setattr(byte_search, "_find_uncased", None)
            catalog = _IncompleteCatalog(self.index.catalog, hidden)
            words = self._words if tier in ("words", "half") else None
            searcher = SearchEngine(catalog, self.stores, words=words)  # type: ignore[arg-type]
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
    """All final hits of a search, and its last page, which must be `done`."""
    found: list[Hit] = []
    page = None
    for page in pages:
        found += () if page.is_provisional else page.hits
    assert page is not None
    assert page.done
    for hit in found:
        hit.look_up()
    return found, page


def compare(searcher: SearchEngine, sessions: list[Session], query: Query) -> None:
    """Search for one hit per session in two orders, for a screen, and for every hit."""
    passing = [session for session in sessions if query.passes(session.row, FACTS)]
    found, last = hits_of(searcher.search(query))
    recent, _ = hits_of(searcher.search(query, order="recent"))
    live, _ = hits_of(searcher.search(query, live=True))
    every, every_last = hits_of(searcher.search(query, every=True))
    wanted = {session.row.path: session for session in passing if session.matches(query)}
    words = [term for term in query.terms if term.kind == "word" and not term.negated]
    is_exact = query.filters or not query.everywhere or len(words) != len(query.terms)
    if not wanted and len(words) > 1 and not is_exact:
        if any(hit.near for hit in found):
            return
        some = reference.loosened(passing, query)
        assert [(hit.path, sorted(hit.missing)) for hit in found] == [
            (path, sorted(missing)) for path, missing in some.items()
        ]
        assert last.loosened is bool(some)
        return
    assert not last.loosened
    if reference.is_nowhere(sessions, query):
        # No session has such a word: all hits come from another spelling and say so.
        assert all(hit.near for hit in found + recent + every)
        instead = reference.instead_of(sessions, query)
        if instead is not None:
            meant = [session for session in passing if session.matches(instead)]
            _same({hit.path for hit in found}, {session.row.path for session in meant})
            assert len(found) == len(recent) == last.total == every_last.total == len(meant)
        return
    assert not any(hit.near for hit in found + recent + every)
    _same({hit.path for hit in found}, set(wanted))
    assert len(found) == last.total == every_last.total == len(wanted)
    assert [hit.path for hit in found] == reference.best_first(passing, query)
    assert [hit.path for hit in recent] == sorted(wanted, key=lambda path: (-wanted[path].row.modified, path))
    assert sorted(hit.path for hit in live) == sorted(wanted)
    tiers = [TIER_NAMES.index(hit.tier) for hit in found]
    assert tiers == sorted(tiers)
    for hit in found + recent:
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
    """Name and labels first, then the passage with most terms, then a prompt, then the latest. In the last
    tier, it is a passage with the most terms that only the tools have.
    """
    places = session.hits(query)
    assert (
        hit.tier
        == TIER_NAMES[
            max((session.place_of(term, query) for term in query.terms if not term.negated), default=0)
        ]
    )
    if hit.tier == "tools":
        only = [term for term in query.terms if not term.negated and session.place_of(term, query) == 4]
        query = Query("", tuple(only), (), query.kinds, query.tools, query.everywhere)
        places = [place for place in session.hits(query) if place.where == "text"]
        assert hit.where in ("text", "header")
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
