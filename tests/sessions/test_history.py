"""The history of prompts
(formats/README.md, "Prompt history of oh-my-pi"), and the history of omp, only looked at.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.sessions import History, HistoryError, HistoryRow, HistoryStorage, open_history
from app.sessions.storage import prompt_history
from tests.cases import cases
from tests.factory import ADD, write_history

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\"*^:-+(){}'\0 %_\\ NEAR"))


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[HistoryStorage]:
    with HistoryStorage(str(tmp_path / "data" / "history.db")) as opened:
        yield opened


def prompts(rows: list[HistoryRow]) -> list[str]:
    return [row.prompt for row in rows]


def add_all(storage: HistoryStorage, *texts: str) -> None:
    for at, text in enumerate(texts):
        storage.add(text, now_ms=1000 + at)


def test_the_last_prompt_comes_first(storage: HistoryStorage) -> None:
    first = storage.add("fix the parser", "/work/app", "s1", now_ms=1000)
    second = storage.add("run the tests", now_ms=2000)
    assert storage.recent() == [
        HistoryRow(second, "run the tests", 2000, None, None),
        HistoryRow(first, "fix the parser", 1000, "/work/app", "s1"),
    ]
    assert prompts(storage.recent(1)) == ["run the tests"]
    assert storage.recent(0) == storage.recent(-1) == []
    assert len(storage.recent(1 << 70)) == 2


def test_prompts_are_filtered_by_folder(storage: HistoryStorage) -> None:
    for at, (text, cwd) in enumerate([("a", "/x"), ("b", "/y"), ("c", "/x"), ("d", None)]):
        storage.add(text, cwd, now_ms=at)
    assert prompts(storage.recent(cwd="/x")) == ["c", "a"]
    assert prompts(storage.recent(1, cwd="/x")) == ["c"]
    assert storage.recent(cwd="/z") == []


def test_a_prompt_sent_twice_in_a_row_is_one_row_with_the_last_time(storage: HistoryStorage) -> None:
    first = storage.add("again", "/x", "s1", now_ms=1)
    assert storage.add("  again \r\n", "/y", "s2", now_ms=2) == first
    assert storage.recent() == [HistoryRow(first or 0, "again", 2, "/y", "s2")]
    storage.add("between", now_ms=3)
    storage.add("again", now_ms=4)
    assert prompts(storage.recent()) == ["again", "between", "again"]


def test_a_repeated_prompt_is_recognized_by_other_connections(storage: HistoryStorage) -> None:
    storage.add("again", now_ms=1)
    with HistoryStorage(storage.path) as other:
        assert prompts(other.recent()) == ["again"]
        other.add("again", now_ms=2)
        other.add("more", now_ms=3)
    storage.add("more", now_ms=4)
    assert [(row.prompt, row.created_ms) for row in storage.recent()] == [("more", 4), ("again", 2)]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (" two \t \r\nlines  \rthree\n\n", "two\nlines\nthree"),
        ("  indented\n    more", "indented\n    more"),
        ("half \ud83d of it", "half \ufffd of it"),
        ("a\0b", "a\0b"),
    ],
)
def test_prompts_are_normalized(storage: HistoryStorage, sent: str, kept: str) -> None:
    storage.add(sent, "/caf\udce9", now_ms=1)
    assert prompts(storage.recent()) == [kept]
    assert prompts(storage.recent(cwd="/caf\udce9")) == [kept]


@cases("blank", ["", " ", "\n\r\n\t", "\u3000"])
def test_a_blank_prompt_is_not_added(storage: HistoryStorage, blank: str) -> None:
    assert storage.add(blank, now_ms=1) is None
    assert storage.recent() == []


FOUND = [
    "fix the parser -> now",
    "git-commit --amend",
    "Das Café in Zürich",
    "日本語のテスト",
    "call foo_bar(x, y)",
    "100% of it",
    'say "hello"',
    "smile 😀",
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("parser", [0]),
        ("PARS", [0]),
        ("arse", [0]),
        ("now fix", [0]),
        ("fix amend", []),
        ("->", [0]),
        ("fix ->", [0]),
        ("git ->", []),
        ("git com", [1]),
        ("--amend", [1]),
        ("git.commit", [1]),
        ("cafe", [2]),
        ("ZÜRICH", [2]),
        ("ürich", [2]),
        ("本語", [3]),
        ("foo_bar(", [4]),
        ("o_b", [4]),
        ("foo bar", [4]),
        ("100%", [5]),
        ("1%", [5]),
        ("0%o", []),
        ('"hello"', [6]),
        ('"', [6]),
        ("😀", [7]),
        ("prompt:fix", []),
        ("fix OR amend", []),
        ("fix*", [0]),
        ("i", [7, 5, 2, 1, 0]),
    ],
)
def test_a_search_finds_prompts_with_all_words(storage: HistoryStorage, text: str, found: list[int]) -> None:
    add_all(storage, *FOUND)
    assert prompts(storage.search(text)) == [FOUND[number] for number in found]


def test_a_search_has_a_limit_and_is_newest_first(storage: HistoryStorage) -> None:
    add_all(storage, *(f"prompt {number}" for number in range(10)))
    assert prompts(storage.search("prompt", 2)) == ["prompt 9", "prompt 8"]
    assert storage.search("prompt", 0) == storage.search("prompt", -1) == storage.search(" \n") == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HistoryStorage]:
    with HistoryStorage(str(tmp_path_factory.mktemp("shared") / "history.db")) as opened:
        yield opened


@given(text=ANY_TEXT)
@example(text='"')
@example(text="a\0b")
@example(text="\0")
@example(text="\ud800")
@example(text="NEAR(a b)")
@example(text="İstanbul ß")
def test_a_search_for_its_own_text_finds_any_prompt(shared: HistoryStorage, text: str) -> None:
    row = shared.add(text, now_ms=1)
    found = shared.search(text, 1000)
    if row is None:
        assert found == []
    else:
        assert row in [one.id for one in found]


@pytest.mark.parametrize(
    "text",
    ["a" * 60_000, " ".join(f"word{number}" for number in range(5000)), '"' * 5000],
    ids=["a", "word0", "signs"],
)
def test_a_search_text_can_have_any_length(
    storage: HistoryStorage, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine needs longer than a second for five thousand words.
    monkeypatch.setattr(prompt_history, "PATIENCE_SECONDS", 600)
    add_all(storage, text, "word0")
    assert prompts(storage.search(text)) == [text]


def test_the_index_follows_direct_changes_of_the_table(storage: HistoryStorage) -> None:
    add_all(storage, "café one", "café two", "café three")
    by_hand = sqlite3.connect(storage.path)
    by_hand.execute("DELETE FROM history WHERE prompt = 'café one'")
    by_hand.execute("UPDATE history SET prompt = 'thé two' WHERE prompt = 'café two'")
    by_hand.commit()
    by_hand.execute("INSERT INTO history_fts (history_fts, rank) VALUES ('integrity-check', 1)")
    by_hand.close()
    assert prompts(storage.search("cafe")) == ["café three"]
    assert prompts(storage.search("the")) == ["thé two"]


def test_several_threads_can_add_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "history.db")
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with HistoryStorage(path) as storage:
                for at in range(20):
                    storage.add(f"prompt {number} {at}", now_ms=at)
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    with HistoryStorage(path) as storage:
        assert len(storage.recent(1000)) == 80
        assert len(storage.search("prompt", 1000)) == 80


def test_only_the_owner_can_read_the_history(storage: HistoryStorage) -> None:
    storage.add("a prompt", now_ms=1)
    for name in os.listdir(os.path.dirname(storage.path)):
        path = os.path.join(os.path.dirname(storage.path), name)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600, name
    assert stat.S_IMODE(os.stat(os.path.dirname(storage.path)).st_mode) == 0o700


def test_a_closed_history_raises(storage: HistoryStorage) -> None:
    storage.close()
    storage.close()
    for use in (storage.recent, lambda: storage.search("a"), lambda: storage.add("a", now_ms=1)):
        with pytest.raises(HistoryError, match="closed"):
            use()


def looks(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the modification time and the bytes of each file in a folder."""
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


def make_omp(folder: Path, *texts: str) -> Path:
    return write_history(folder / "history.db", *((text, f"s{at}") for at, text in enumerate(texts)))


def test_a_history_of_oh_my_pi_is_read(tmp_path: Path) -> None:
    path = make_omp(tmp_path / "agent", "fix the parser", "run the tests")
    before = looks(path.parent)
    assert list(before) == ["history.db"]
    with open_history(str(path)) as history:
        assert history.recent() == [
            HistoryRow(2, "run the tests", 1_771_237_231_000, "/work/app", "s1"),
            HistoryRow(1, "fix the parser", 1_771_237_230_000, "/work/app", "s0"),
        ]
        assert prompts(history.search("PARS")) == ["fix the parser"]
        assert prompts(history.search("tests run")) == ["run the tests"]
        assert history.recent(cwd="/elsewhere") == []
    assert looks(path.parent) == before


def test_the_history_of_oh_my_pi_18_3_has_one_more_table_and_column(tmp_path: Path) -> None:
    """As the source of oh-my-pi 18.3.4 makes them; the program was not run."""
    path = make_omp(tmp_path / "agent", "fix the parser")
    with closing(sqlite3.connect(path)) as omp:
        omp.executescript(
            """
            ALTER TABLE history ADD COLUMN use_count INTEGER NOT NULL DEFAULT 1;
            CREATE TABLE session_recaps (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
                cwd TEXT NOT NULL, recap TEXT NOT NULL, created_at INTEGER NOT NULL);
            CREATE INDEX idx_session_recaps_session ON session_recaps(session_id, created_at);
            INSERT INTO session_recaps VALUES (1, 's', '/x', 'A recap.', 1771237299);
            """
        )
    with open_history(str(path)) as history:
        assert prompts(history.recent()) == prompts(history.search("pars")) == ["fix the parser"]


def test_a_live_history_of_oh_my_pi_is_read_with_its_log(tmp_path: Path) -> None:
    path = make_omp(tmp_path / "agent", "old")
    omp = sqlite3.connect(path)
    omp.execute(ADD, ("committed", 1_771_237_299, None, None))
    omp.commit()
    omp.execute(ADD, ("not yet", 1_771_237_300, None, None))
    before = looks(path.parent)
    assert sorted(before) == ["history.db", "history.db-shm", "history.db-wal"]
    with open_history(str(path)) as history:
        assert prompts(history.recent()) == ["committed", "old"]
        assert prompts(history.search("comm")) == ["committed"]
    assert looks(path.parent) == before
    omp.commit()
    with open_history(str(path)) as history:
        assert prompts(history.recent()) == ["not yet", "committed", "old"]
    omp.close()


KILLED = f"""
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute({ADD!r}, ("the last", 1_771_237_400, None, None))
connection.commit()
os._exit(1)
"""


@cases("without", ["", "-shm"])
def test_the_log_of_a_killed_oh_my_pi_is_read(tmp_path: Path, without: str) -> None:
    path = make_omp(tmp_path / "agent", "old")
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
    if without:
        os.unlink(f"{path}{without}")
    before = looks(path.parent)
    assert "history.db-wal" in before
    with open_history(str(path)) as history:
        assert prompts(history.recent()) == ["the last", "old"]
    assert looks(path.parent) == before


def test_a_write_between_the_files_does_not_mix_two_moments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_omp(tmp_path / "agent", "old")
    omp = sqlite3.connect(path)
    omp.execute(ADD, ("in the log", 1_771_237_299, None, None))
    omp.commit()
    reads: list[str] = []
    read = prompt_history._read

    def write_after_the_first(name: str, *, needed: bool) -> bytes:
        data = read(name, needed=needed)
        if not reads:
            # The log is written into the file that was just read, and begins again.
            omp.execute("PRAGMA wal_checkpoint (TRUNCATE)")
        reads.append(name)
        return data

    monkeypatch.setattr(prompt_history, "_read", write_after_the_first)
    with open_history(str(path)) as history:
        assert prompts(history.recent()) == ["in the log", "old"]
    assert reads.count(str(path)) == 3
    omp.close()


def test_a_history_that_changes_all_the_time_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_omp(tmp_path / "agent", "old")
    readings = iter(range(1000))
    monkeypatch.setattr(prompt_history, "_read_all", lambda _: [b"%d" % next(readings), b"", b""])
    monkeypatch.setattr(prompt_history, "_PAUSE_SECONDS", 0)
    with pytest.raises(HistoryError, match="all the time") as caught:
        open_history(str(path))
    assert caught.value.path == str(path)
    assert next(readings) < 20


@cases(
    "tables",
    [
        "CREATE TABLE history (id INTEGER PRIMARY KEY, prompt TEXT NOT NULL, created_at INTEGER NOT NULL)",
        "CREATE TABLE history (id INTEGER PRIMARY KEY, prompt TEXT, created_at INTEGER, cwd TEXT, new TEXT);"
        "PRAGMA user_version = 7",
    ],
)
def test_histories_of_other_oh_my_pi_versions_are_read(tmp_path: Path, tables: str) -> None:
    path = tmp_path / "history.db"
    connection = sqlite3.connect(path)
    connection.executescript(tables)
    connection.execute("INSERT INTO history (prompt, created_at) VALUES ('a prompt', 5)")
    connection.commit()
    connection.close()
    with open_history(str(path)) as history:
        (row,) = history.recent()
        assert row == HistoryRow(1, "a prompt", 5000, None, None)
        assert row.created_at == 5
        assert prompts(history.search("prom a")) == ["a prompt"]


def test_text_that_is_not_utf_8_is_read(tmp_path: Path) -> None:
    path = make_omp(tmp_path / "agent", "old")
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO history (prompt, created_at) VALUES (CAST(x'61ff62' AS TEXT), 5)")
    connection.commit()
    connection.close()
    with open_history(str(path)) as history:
        assert prompts(history.search("a\ufffdb")) == ["a\ufffdb"]


def not_a_database(path: Path) -> None:
    path.write_bytes(b"no database " * 500)


def another_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (id, text)")
    connection.close()


def cut_short(path: Path) -> None:
    make_omp(path.parent / "whole", *(f"prompt {number}" * 100 for number in range(50)))
    path.write_bytes((path.parent / "whole" / "history.db").read_bytes()[:6000])


@cases(
    ("make", "reason"),
    [
        (None, "No such file"),
        (Path.touch, "no history of prompts"),
        (Path.mkdir, "directory"),
        (not_a_database, "not a database"),
        (another_database, "no history of prompts"),
        (cut_short, "malformed"),
    ],
)
def test_a_file_that_is_no_history_is_refused(tmp_path: Path, make: object, reason: str) -> None:
    path = tmp_path / "history.db"
    if callable(make):
        make(path)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(HistoryError, match=reason) as caught, open_history(str(path)) as history:
        history.recent()
    assert caught.value.path == str(path)
    assert caught.value.line == 0
    assert sorted(os.listdir(tmp_path)) == before


def test_a_history_of_oh_my_pi_is_not_changed_by_our_storage(tmp_path: Path) -> None:
    path = make_omp(tmp_path / "agent", "old")
    before = looks(path.parent)
    with pytest.raises(HistoryError, match="not a history of this program"):
        HistoryStorage(str(path))
    assert looks(path.parent) == before


@cases("make", [not_a_database, another_database, Path.mkdir])
def test_our_storage_refuses_other_files(tmp_path: Path, make: object) -> None:
    path = tmp_path / "history.db"
    assert callable(make)
    make(path)
    before = looks(tmp_path) if path.is_file() else None
    with pytest.raises(HistoryError) as caught:
        HistoryStorage(str(path))
    assert caught.value.path == str(path)
    if before is not None:
        assert looks(tmp_path) == before


def test_our_storage_refuses_a_newer_version(storage: HistoryStorage) -> None:
    storage.close()
    newer = sqlite3.connect(storage.path)
    newer.execute("PRAGMA user_version = 2")
    newer.close()
    with pytest.raises(HistoryError, match="another version"):
        HistoryStorage(storage.path)


def test_a_folder_that_cannot_be_made_raises(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HistoryError, match="file"):
        HistoryStorage(str(tmp_path / "file" / "history.db"))


@pytest.mark.parametrize("look", [lambda history: history.recent(), lambda history: history.search("word")])
def test_a_view_that_never_ends_is_given_up(tmp_path: Path, look: Callable[[History], object]) -> None:
    path = tmp_path / "history.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE VIEW history AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT i AS id, 'a prompt' AS prompt, i AS created_at FROM n"
        )
    connection.close()
    ticks = iter(range(1_000))
    history = open_history(str(path), clock=lambda: next(ticks) / 10)
    with history, pytest.raises(HistoryError, match="does not answer within 1 s"):
        look(history)
    assert next(ticks) < 20
