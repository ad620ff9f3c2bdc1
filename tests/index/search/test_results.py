"""Hits are made when they are needed."""

from __future__ import annotations

from leafmark import Hit

from app.index.search import Hits, HitsByPath
from app.index.search.documents import Document
from tests.factory import make_row


class Maker:
    """Makes hits and records their sessions."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, session: Document) -> Hit:
        self.made.append(session.row.path)
        return Hit(session.row, "row")


def sessions(*paths: str) -> list[Document]:
    return [Document(make_row(path=path), None) for path in paths]


def test_a_hit_is_made_once_when_it_is_needed() -> None:
    make = Maker()
    hits = Hits(sessions("/a", "/b", "/c", "/d"), make)
    assert len(hits) == 4
    assert hits
    assert [row.path for row in hits.rows()] == ["/a", "/b", "/c", "/d"]
    assert make.made == []
    last = hits[-1]
    assert last.path == "/d"
    assert hits[3] is last
    assert [hit.path for hit in hits[:2]] == ["/a", "/b"]
    assert make.made == ["/d", "/a", "/b"]
    assert [hit.path for hit in hits] == ["/a", "/b", "/c", "/d"]
    assert make.made == ["/d", "/a", "/b", "/c"]
    assert list(hits)[3] is last


def test_finished_hits_are_kept() -> None:
    (session,) = sessions("/a")
    hit = Hit(session.row, "name")
    assert list(Hits([hit])) == [hit]
    assert list(Hits()) == []
    assert not Hits()


def test_hits_of_several_pages_by_path() -> None:
    make = Maker()
    by_path = HitsByPath()
    by_path.add(Hits(sessions("/a", "/b"), make))
    first = by_path.copy()
    by_path.add(Hits(sessions("/c"), make))
    assert list(first) == ["/a", "/b"]
    assert list(by_path) == ["/a", "/b", "/c"]
    assert "/c" in by_path
    assert "/c" not in first
    assert first.get("/c") is None
    assert make.made == []
    assert by_path["/b"] is first["/b"]
    assert {path: hit.path for path, hit in by_path.items()} == {"/a": "/a", "/b": "/b", "/c": "/c"}
