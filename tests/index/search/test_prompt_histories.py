"""Prompts that only the agent's history has are found in their sessions."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from leafmark import Index, Store

from app.index.search import prompt_histories
from app.sessions.storage import prompt_history
from app.stores import agent_named
from tests.factory import NOW, write_history
from tests.index.helpers import pi_store
from tests.index.search.helpers import World, marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class OmpWorld(World):
    """The same with a store of oh-my-pi, whose history is beside it."""

    @property
    def history(self) -> Path:
        return self.root.parent / "history.db"

    def open(self) -> Index:
        store = Store(agent_named("omp"), str(self.root), "default", history=str(self.history))
        return Index([store], str(self.cache), lambda: NOW, home=self.home)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[OmpWorld]:
    world = OmpWorld(tmp_path)
    world.session("s1", "hello", "and hello to you")
    world.session("s2", "repair the door", "it is repaired")
    world.scan()
    yield world
    world.index.close()


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The modification time and the bytes of each file in a folder."""
    return {
        path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir() if path.is_file()
    }


def test_a_word_of_a_prompt_finds_its_session(world: OmpWorld) -> None:
    write_history(world.history, ("paint the Lighthouse\nin red", "s1"), ("repair the door", "s2"))
    before = files(world.history.parent)
    hit = world.one("lighthouse")
    assert (hit.row.id, hit.where, hit.entry_id, hit.offset, hit.role) == ("s1", "history", None, -1, "")
    assert (hit.snippet, marked(hit)) == ("paint the Lighthouse in red", ["Lighthouse"])
    assert world.index.place(hit).on_active_path is None
    assert files(world.history.parent) == before


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Lighthouse", ["s1"]),
        ('LIGHThouse "door"', []),
        ('"the Lighthouse in"', ["s1"]),
        (r"re:L\w+house\sin", ["s1"]),
        ("re:^IN", []),
        ("ligthhouse", ["s1"]),
        ("lighthouse hello", ["s1"]),
        ("lighthouse in:all", ["s1"]),
        ("repair -lighthouse", ["s2"]),
        ("hello -lighthouse", []),
        ("hello -Lighthouse", []),
        ("lighthouse role:assistant", []),
        ("lighthouse is:named", []),
    ],
)
def test_prompts_are_searched_like_the_other_fields_of_a_session(
    world: OmpWorld, query: str, found: list[str]
) -> None:
    write_history(world.history, ("paint the Lighthouse\nin red", "s1"), ("open the door", "s2"))
    hits = world.hits(query)
    # Another spelling that matches is no match of the word itself.
    assert [hit.row.id for hit in hits if not hit.near or query == "ligthhouse"] == found


def test_the_prompt_with_most_terms_is_shown_and_of_these_the_newest(world: OmpWorld) -> None:
    write_history(
        world.history, ("red paint", "s1"), ("blue paint", "s1"), ("green paint", "s1"), ("hello paint", "s1")
    )
    assert world.one("paint").snippet == "hello paint"
    assert world.one("paint blue").snippet == "blue paint"
    # The word itself is said in the session, and both words only in the prompt.
    assert world.one("hello").where == "text"
    assert world.one("hello paint").snippet == "hello paint"


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_a_prompt_of_the_session_itself_wins(world: OmpWorld, scope: str) -> None:
    write_history(world.history, ("repair the door", "s2"), ("repair the door, please", "s2"))
    hit = world.one("door" + scope)
    assert (hit.where, hit.entry_id) == ("text", "s2-0")
    hits = world.hits("door" + scope, every=True)
    assert [(hit.where, hit.snippet) for hit in hits] == [
        ("text", "repair the door"),
        ("history", "repair the door, please"),
    ]


def test_a_prompt_without_a_session_gives_nothing(world: OmpWorld) -> None:
    write_history(world.history, ("lighthouse", "s3"), ("lighthouse two", None), ("lighthouse three", ""))
    assert world.hits("lighthouse three") == []
    world.session("s3", "later")
    world.scan()
    assert world.ids("lighthouse") == ["s3"]


def test_the_history_is_followed(world: OmpWorld) -> None:
    assert world.hits("lighthouse") == []
    write_history(world.history, ("a lighthouse", "s1"))
    assert world.ids("lighthouse") == ["s1"]
    with closing(sqlite3.connect(world.history)) as omp:
        omp.execute("UPDATE history SET session_id = 's2'")
        omp.commit()
        # The write is still in the log.
        assert world.ids("lighthouse") == ["s2"]
        omp.execute("DELETE FROM history")
        omp.commit()
        assert world.hits("lighthouse") == []
    write_history(world.history, ("one lighthouse", "s1"), ("two lighthouses", "s2"))
    assert world.ids("lighthouse") == ["s2", "s1"]
    world.append("s1", "more")
    world.scan()
    assert sorted(world.ids("lighthouse")) == ["s1", "s2"]
    for path in world.history.parent.glob("history.db*"):
        path.unlink()
    assert world.hits("lighthouse") == []


def test_a_refined_query_finds_a_prompt_that_has_come(world: OmpWorld) -> None:
    assert world.ids("repair") == ["s2"]
    write_history(world.history, ("repair the lighthouse", "s1"))
    assert world.ids("repair light") == ["s1"]
    assert world.ids("repair") == ["s2", "s1"]


def test_an_unchanged_history_is_read_once(world: OmpWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    write_history(world.history, ("a lighthouse", "s1"))
    reads: list[str] = []
    read = prompt_histories.read_prompts
    monkeypatch.setattr(prompt_histories, "read_prompts", lambda path: reads.append(path) or read(path))
    world.index.rows()
    world.scan()
    assert reads == []
    for query in ("light", "lighthouse", "lighthouse in:all", "nowhere at all"):
        world.hits(query)
    assert reads == [str(world.history)]


def not_a_database(path: Path) -> None:
    path.write_bytes(b"no database " * 500)


def another_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (id, text)")


def with_other_columns(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE history (id INTEGER PRIMARY KEY, text, session)")


def without_sessions(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE history (id INTEGER PRIMARY KEY, prompt TEXT, created_at INTEGER)")
        connection.execute("INSERT INTO history (prompt, created_at) VALUES ('lighthouse', 5)")


def cut_short(path: Path) -> None:
    write_history(path, *((f"lighthouse {number}" * 100, "s1") for number in range(50)))
    path.write_bytes(path.read_bytes()[:6000])


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def unreadable(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize(
    "make",
    [
        os.mkdir,
        not_a_database,
        another_database,
        with_other_columns,
        without_sessions,
        cut_short,
        unreadable,
        a_pipe,
    ],
)
def test_without_a_readable_history_the_sessions_are_searched(
    world: OmpWorld, make: Callable[[Path], None]
) -> None:
    make(world.history)
    assert world.hits("lighthouse") == []
    assert world.ids("hello") == ["s1"]


def test_a_history_that_is_damaged_later_is_left_out(world: OmpWorld) -> None:
    write_history(world.history, ("a lighthouse", "s1"))
    assert world.ids("lighthouse") == ["s1"]
    not_a_database(world.history)
    assert world.hits("lighthouse") == []
    assert world.ids("hello") == ["s1"]


def test_a_history_that_is_too_large_is_left_out(world: OmpWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    write_history(world.history, ("a lighthouse", "s1"))
    monkeypatch.setattr(prompt_histories, "MAX_BYTES", world.history.stat().st_size - 1)
    assert world.hits("lighthouse") == []
    assert world.ids("hello") == ["s1"]


def test_a_locked_history_is_read(world: OmpWorld) -> None:
    write_history(world.history, ("a lighthouse", "s1"))
    with closing(sqlite3.connect(world.history, isolation_level=None)) as omp:
        omp.execute("BEGIN EXCLUSIVE")
        omp.execute("UPDATE history SET session_id = 's2'")
        assert world.ids("lighthouse") == ["s1"]
        omp.execute("COMMIT")
        assert world.ids("lighthouse") == ["s2"]


def test_a_history_that_is_written_to_all_the_time_is_read_later(
    world: OmpWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_history(world.history, ("a lighthouse", "s1"))
    monkeypatch.setattr(prompt_history, "_PAUSE_SECONDS", 0)
    with monkeypatch.context() as patch:
        readings = iter(range(1000))
        patch.setattr(prompt_history, "_read_all", lambda _: [b"%d" % next(readings), b"", b""])
        assert world.hits("lighthouse") == []
    write_history(world.history, ("another lighthouse", "s2"))
    assert world.ids("lighthouse") == ["s2", "s1"]


def test_the_history_of_a_newer_version_is_read(world: OmpWorld) -> None:
    write_history(world.history, ("a lighthouse", "s1"))
    with closing(sqlite3.connect(world.history)) as newer, newer:
        newer.execute("ALTER TABLE history ADD COLUMN use_count INTEGER NOT NULL DEFAULT 1")
        newer.execute("CREATE TABLE session_recaps (session_id TEXT, recap TEXT)")
        newer.execute("PRAGMA user_version = 99")
    assert world.ids("lighthouse") == ["s1"]


def test_odd_prompts_are_found_and_inert(world: OmpWorld) -> None:
    write_history(
        world.history,
        ("\x1b[2Jevil\x07 \u202eneedle\x9b", "s1"),
        ("NUL\0needle in two", "s1"),
        ("x" * 1_000_000 + " Haystack " + "y" * 10, "s2"),
        ("\0", "s1"),
    )
    with closing(sqlite3.connect(world.history)) as omp, omp:
        # A lone surrogate, numbers and bytes.
        for prompt in ("CAST(x'6e6565646c65206861ff6c66eda080' AS TEXT)", "7", "x'626c6f62'"):
            omp.execute(
                f"INSERT INTO history (prompt, created_at, session_id) VALUES ({prompt}, 'soon', 's1')"
            )
        omp.execute("INSERT INTO history (prompt, created_at, session_id) VALUES ('number', 1, x'00')")
    hit = world.one("evil")
    assert hit.row.id == "s1"
    assert marked(hit) == ["evil"]
    assert not set(hit.snippet) & set("\x1b\x07\u202e\x9b")
    assert "needle" in hit.snippet
    assert world.one("NULneedle").snippet == "NULneedle in two"
    assert world.one('"needle ha\ufffdlf"').row.id == "s1"
    hit = world.one("Haystack")
    assert (hit.row.id, marked(hit), len(hit.snippet) <= 200) == ("s2", ["Haystack"], True)
    assert [hit.where for hit in world.hits("needle", every=True)] == ["history"] * 3


def test_only_sessions_of_the_agent_have_its_prompts(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.session("s1", "hello")
    twin = Store(agent_named("omp"), str(world.root), history=str(tmp_path / "history.db"))
    write_history(tmp_path / "history.db", ("a lighthouse", "s1"), ("a beacon", "s2"))
    omp = world.session("s2", "hello")
    title = '{"type":"title","v":1,"title":"","updatedAt":"2026-02-16T10:20:30.000Z","pad":""}\n'
    omp.write_text(title + omp.read_text())
    store = pi_store(world.root)
    store.twins = (twin,)
    index = Index([store], str(tmp_path / "other-cache"), lambda: NOW)
    index.scan()
    try:
        assert [(hit.row.agent, hit.row.id) for page in index.query("beacon") for hit in page.hits] == [
            ("omp", "s2")
        ]
        assert not [hit for page in index.query("lighthouse") for hit in page.hits]
    finally:
        index.close()
        world.index.close()
