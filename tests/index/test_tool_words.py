"""The words of tools: which sessions have a term, compared with a slow reference, and what is read for it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.formats.text_kinds import TOOLS
from app.index import Index, read_tools
from app.index.query import PHRASE, WORD, Term, parse
from app.index.words import tool_words
from app.index.words.tool_words import Sessions, ToolWords
from tests.cases import cases
from tests.factory import NOW, append, chain, message, write_session
from tests.index.helpers import pi_store
from tests.search import reference
from tests.search.ground import Ground
from tests.search.random_sessions import Written, sessions, terms, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from app.index import Row


def always(size: int) -> bool:
    return True


def term(text: str) -> Term:
    (only,) = parse(text, NOW).terms
    return only


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp())
    yield made
    shutil.rmtree(made)


@settings(suppress_health_check=list(HealthCheck), max_examples=30)
@given(written=st.lists(sessions(), min_size=1, max_size=8), asked=st.lists(terms(), min_size=1, max_size=20))
def test_the_sessions_with_a_term(folder: Path, written: list[Written], asked: list[Term]) -> None:
    place = Path(tempfile.mkdtemp(dir=folder))
    ground = Ground(place, write(place, written))
    try:
        words = ToolWords(str(place / "cache"))
        words.update([session.row for session in ground.sessions], least=always)
        current = words.current()
        assert all(current.covers(session.row) for session in ground.sessions)
        texts = {
            session.row.path: [
                piece.text
                for piece in reference.pieces(session.row.path, session.row.dialect)
                if piece.kind in TOOLS
            ]
            for session in ground.sessions
        }
        for wanted in asked:
            truth = {
                path
                for path, found in texts.items()
                if any(reference.found_in(wanted, text) for text in found)
            }
            answer = current.sessions_with(wanted)
            if answer is not None:
                assert answer.having <= truth <= answer.having | answer.maybe
            if wanted.kind in (WORD, PHRASE) and re.fullmatch(r"[A-Za-z0-9_./@~-]+\(?", wanted.text):
                assert answer == Sessions(frozenset(truth), frozenset())
    finally:
        ground.close()


def calling(id: str, text: str) -> dict[str, Any]:
    block = {"type": "toolCall", "id": f"c{id}", "name": "bash", "arguments": {"command": text}}
    return message(id, None, "assistant", "conversation", content=[block])


class Store:
    """Sessions of pi, and their words."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.index = Index([pi_store(folder / "store")], str(self.cache))

    def write(self, name: str, *texts: str) -> Path:
        calls = [calling(f"{number:08x}", text) for number, text in enumerate(texts)]
        return write_session(self.folder / f"store/{name}.jsonl", *chain("prompt", id=name), *calls)

    def rows(self) -> list[Row]:
        self.index.scan()
        return self.index.rows()

    def update(self, least: Callable[[int], bool] = always) -> bool:
        return self.index.tool_words.update(self.rows(), least=least)

    def ids(self, paths: frozenset[str]) -> list[str]:
        return sorted(Path(path).stem for path in paths)

    def having(self, text: str) -> list[str]:
        found = self.index.tool_words.current().sessions_with(term(text))
        assert found is not None
        assert not found.maybe
        return self.ids(found.having)

    def maybe(self, text: str) -> list[str]:
        found = self.index.tool_words.current().sessions_with(term(text))
        assert found is not None
        assert not found.having
        return self.ids(found.maybe)

    def uncovered(self) -> list[str]:
        rows, words = self.rows(), self.index.tool_words.current()
        return sorted(row.id for row in rows if not words.covers(row))

    def files(self) -> list[Path]:
        return sorted(self.cache.glob("words-*/*"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path)
    yield made
    made.index.close()


def test_words_are_sure_and_other_terms_are_candidates(store: Store) -> None:
    store.write("a", "cat src/auth.py | grep session_token Load_Tree(p) load_tree()")
    store.write("b", "Größe CAFÉ 文档 naïve", "off by one load_tree")
    store.write("c", "author py one off load_tree(x)")
    assert store.update()
    assert store.having("auth") == ["a", "c"]
    assert store.having("ession_tok") == ["a"]
    assert store.having("grosse") == store.having("cafe") == store.having("文") == ["b"]
    assert store.having("grösse") == store.having("café") == ["b"]
    assert store.having("càfe") == []
    assert store.having("conversation") == store.having("prompt") == []
    assert store.having("auth.py") == store.having("c/auth.") == store.having("Load_T") == ["a"]
    assert store.having("src/auth.pyc") == store.having("LOAD_T") == []
    assert store.having("load_tree(") == store.maybe("load_tree((") == ["a", "c"]
    assert store.having("load_tree") == ["a", "b", "c"]
    assert store.having("CAFÉ") == ["b"]
    assert store.having("Café") == []
    assert store.maybe("tree(p") == ["a", "c"]
    assert store.maybe('"off by one"') == ["b"]
    # The words are not beside each other: only the file tells.
    assert store.maybe('"one off"') == ["b", "c"]
    assert store.maybe('"Tree one"') == []
    assert store.maybe("re:au.h") == store.maybe("re:Au.h") == ["a", "c"]
    assert store.maybe("re:session_[a-z]+n|naïve") == ["a", "b"]
    assert store.having("re:[a-z]{7}_[a-z]{5}") == store.having("re:Load_[A-Za-z]+") == ["a"]
    assert store.having("re:load_(trees?|x)") == store.having(r"re:\w+_tree") == ["a", "b", "c"]
    assert store.having("re:[0-9]x") == store.having("re:[a-z]Z") == []
    # It may be a match in a word that was folded.
    assert store.maybe("re:Load_x|load_tree") == ["a", "b", "c"]
    for text in ("=>", "re:[a-z:]{9}"):
        assert store.index.tool_words.current().sessions_with(term(text)) is None


def test_a_changed_session_is_not_covered_until_there_is_much_to_read(store: Store) -> None:
    path = store.write("a", "first")
    store.write("b", "other")
    assert not store.update(least=lambda size: size > 100_000)
    assert store.uncovered() == ["a", "b"]
    assert store.files() == []
    store.update()
    assert store.uncovered() == []
    append(path, calling("00000009", "second"))
    assert store.uncovered() == ["a"]
    assert not store.update(least=lambda size: size > 1_000), "only what is new counts"
    assert store.update()
    assert store.having("first") == store.having("second") == ["a"]
    store.write("a", "third")
    store.update()
    assert store.having("first") == store.having("second") == []
    assert store.having("third") == ["a"]
    # Another process reads the files.
    other = ToolWords(str(store.cache)).current()
    assert other.sessions_with(term("third")) == Sessions(frozenset({str(path)}), frozenset())
    assert all(map(other.covers, store.rows()))


def test_files_are_merged(store: Store) -> None:
    for number in range(30):
        store.write(f"s{number:02}", f"word{number} common")
        store.write("changing", f"change{number}", "common")
        store.update()
        assert len(store.files()) <= tool_words.MOST_SEGMENTS + 1
    names = [f"s{number:02}" for number in range(30)]
    assert store.having("common") == ["changing", *names]
    assert [store.having(f"word{number}") for number in (0, 17, 29)] == [["s00"], ["s17"], ["s29"]]
    assert store.having("change29") == ["changing"]
    assert store.having("change28") == store.having("change0") == []
    store.index.close()
    again = Store(store.folder)
    assert again.having("word17") == ["s17"]
    again.index.close()


def test_a_letter_that_very_many_words_have(store: Store) -> None:
    store.write("a", " ".join(f"qa{number}" for number in range(2_000)))
    store.write("b", "zzq")
    store.write("c", "none")
    store.update()
    found = store.index.tool_words.current().sessions_with(term("q"))
    assert found is not None
    assert store.ids(found.having) == ["a"]
    assert store.ids(found.maybe) == ["b", "c"]
    assert store.having("qa1999") == ["a"]
    assert store.having("zq") == ["b"]


def test_many_sessions(store: Store) -> None:
    for number in range(200):
        store.write(f"s{number:03}", f"w{number} mod{number % 50} half{number % 2}")
    store.update()
    assert store.having("w137") == ["s137"]
    assert store.having("mod7") == ["s007", "s057", "s107", "s157"]
    assert len(store.having("half1")) == 100
    assert len(store.having("mod")) == 200


def write_garbage(path: Path) -> None:
    path.write_bytes(b"garbage" * 1_000)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)


@cases("damage", [os.unlink, write_garbage, cut, empty, flip])
@cases("again", [True, False])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: Callable[[Path], None], again: bool) -> None:
    store = Store(tmp_path)
    store.write("a", "first")
    store.update()
    assert store.having("first") == ["a"]
    if again:
        store.index.close()
        store = Store(tmp_path)
    damage(store.files()[0])
    if again:
        assert store.uncovered() == ["a"]
        assert store.update()
    assert store.having("first") == ["a"] or store.uncovered() == ["a"]
    store.index.close()


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("a", "first")
    (tmp_path / "cache").write_text("x")
    store.update()
    assert store.uncovered() == ["a"]
    store.index.close()


def test_a_process_of_its_own_reads_for_the_screen(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    large = "y " * 4_200_000  # two of them are much
    for name in ("a", "b"):
        store.write(name, f"word{name} {large}")
    rows = store.rows()
    words, files = store.index.tool_words, store.index.touched_files
    assert words.unread_bytes(rows) == files.unread_bytes(rows) == sum(row.size for row in rows)
    done: list[str] = []
    read_tools(str(store.cache), rows, should_stop=lambda: False, touched=lambda: done.append("touched"))
    assert done == ["touched"]
    assert store.uncovered() == ["a", "b"], "it is not known yet"
    words.reload()
    files.reload()
    assert words.unread_bytes(rows) == files.unread_bytes(rows) == 0
    assert store.having("worda") == ["a"]
    # It can be ended, and it may not start at all.
    store.write("c", large, large)
    read_tools(str(store.cache), store.rows(), should_stop=lambda: True, touched=lambda: done.append("more"))
    monkeypatch.setattr(sys, "executable", "")
    read_tools(str(store.cache), store.rows(), should_stop=lambda: False, touched=lambda: done.append("more"))
    assert done == ["touched"]
    assert store.uncovered() == ["c"]
