"""Odd files that the agents really write: the row and the text of each in the index, and the hits of a search
in the files themselves.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from leafmark import Index, Store

from app.index.query import parse
from app.stores import agent_named
from tests.cases import cases
from tests.factory import NOW
from tests.index.helpers import append, header, line, message, pi_store, session, write
from tests.index.text.helpers import assert_right
from tests.search.ground import Ground, hits_of

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Row

SAID = message("a", None, "first word").encode()
LAST = message("z", "a", "last word").encode()


def lines(*between: bytes) -> bytes:
    """A pi session with `between` between two valid messages."""
    return header().encode() + SAID + b"".join(between) + LAST


def saying(text: bytes) -> bytes:
    """A message whose text is exactly these bytes in the file."""
    return message("b", "a", "TEXT").encode().replace(b"TEXT", text)


NESTED = (
    b'{"type":"message","id":"n","parentId":"a","x":%s,"message":{"role":"user","content":"deepword"}}\n'
    % (b"[" * 3000 + b"]" * 3000)
)

# File content, number of messages, number of problems, words that are found, words that are not.
LINES: dict[str, tuple[bytes, int, int, tuple[str, ...], tuple[str, ...]]] = {
    "lone surrogate": (lines(saying(b"\\ud83d halfword")), 3, 0, ("halfword",), ()),
    "bad UTF-8": (lines(saying(b"\xff\xc0 badword \xe9")), 3, 0, ("badword",), ()),
    "message null": (lines(b'{"type":"message","id":"n","message":null}\n'), 3, 1, (), ()),
    "a line of 5 MB": (lines(saying(b"x" * 5_000_000 + b" farword")), 3, 0, ("farword",), ("zzyzx",)),
    "3,000 brackets": (lines(NESTED), 3, 0, ("deepword",), ()),
    "two headers": (lines(header("other", "/elsewhere").encode()), 2, 1, (), ()),
    "duplicate ids": (lines(SAID.replace(b"first", b"twice")), 3, 0, ("twice",), ()),
    "a loop of parents": (
        lines(message("p", "q", "pword").encode(), message("q", "p", "qword").encode()),
        4, 0, ("pword", "qword"), (),
    ),
    "an orphan": (lines(message("o", "nobody", "lonely").encode()), 3, 0, ("lonely",), ()),
    "a NUL tail": (lines() + b"\0" * 64 + b"\n", 2, 1, (), ()),
    "a line of NULs": (lines(b"\0" * 100 + b"\n"), 2, 1, (), ()),
    "CRLF": (lines(saying(b"crword")).replace(b"\n", b"\r\n"), 3, 0, ("crword",), ()),
    "BOM": (b"\xef\xbb\xbf" + lines(saying(b"bomword")), 3, 1, ("bomword",), ()),
    "a header that is not first": (b"\n{oops\n" + lines(saying(b"lateword")), 3, 1, ("lateword",), ()),
    "garbage between": (lines(b'{"message": "lostword\n', b"[]\n"), 2, 2, (), ("lostword",)),
    "version 1": (
        line(type="session", id="v1", timestamp="2026-01-02T03:04:05Z", cwd="/w").encode()
        + line(type="message", message={"role": "user", "content": "first word oldword"}).encode()
        + line(type="message", message={"role": "user", "content": "last word"}).encode(),
        2, 0, ("oldword",), (),
    ),
}  # fmt: skip


@cases("name", LINES)
def test_odd_lines_do_not_affect_other_lines(tmp_path: Path, name: str) -> None:
    data, messages, problems, present, missing = LINES[name]
    path = tmp_path / "store" / "--p--" / "a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    ground = Ground(tmp_path, [("pi", str(tmp_path / "store"))])
    try:
        (row,) = ground.index.rows()
        assert (row.message_count, row.problems) == (messages, problems)
        for tier in ("store", "files"):
            with ground.searcher(tier) as searcher:
                for word in ("first", "last", *present, *missing):
                    hits, last = hits_of(searcher.search(parse(word, NOW)))
                    assert (last.total, last.notes) == (int(word not in missing), ()), (tier, word)
                    assert [hit.path for hit in hits] == [str(path)] * last.total
    finally:
        ground.close()
    assert_right(tmp_path / "cache", pi_store(tmp_path / "store"))


class Watched:
    """A store with one session that changes while an index is open."""

    def __init__(self, folder: Path, agent: str = "pi") -> None:
        self.store = Store(agent_named(agent), str(folder / "store"), "default")
        self.cache = folder / "cache"
        self.path = folder / "store" / "--p--" / "a.jsonl"
        self.index = Index([self.store], str(self.cache), lambda: NOW)

    @property
    def row(self) -> Row:
        (row,) = self.index.rows()
        return row

    def scan(self) -> None:
        self.index.scan(lambda delta: None)
        assert_right(self.cache, self.store)

    def count(self, word: str) -> int:
        """The number of hits for a word, in the index that stays open and in a new one, which must agree."""
        new_index = Index([self.store], str(self.cache), lambda: NOW)
        counts = {
            sum(not hit.near for page in index.query(word, every=True) for hit in page.hits)
            for index in (self.index, new_index)
        }
        new_index.close()
        (count,) = counts
        return count


def slot(title: str) -> str:
    """oh-my-pi's title line: 256 bytes, whatever the title."""
    fields = {"type": "title", "v": 1, "title": title, "updatedAt": "2026-01-02T03:04:05.000Z", "pad": ""}
    length = len(json.dumps(fields)) + 1
    return json.dumps(fields | {"pad": " " * (256 - length)}) + "\n"


def test_the_title_line_of_omp_can_be_rewritten_in_place(tmp_path: Path) -> None:
    watched = Watched(tmp_path, "omp")
    write(watched.path, slot("oldname") + session("hello here"))
    watched.scan()
    assert (watched.row.name, watched.count("oldname"), watched.count("hello")) == ("oldname", 1, 1)
    size = watched.path.stat().st_size
    with open(watched.path, "r+") as file:
        file.write(slot("newname"))
    assert watched.path.stat().st_size == size
    watched.scan()
    assert watched.row.name == "newname"
    assert [watched.count(word) for word in ("oldname", "newname", "hello")] == [0, 1, 1]


def test_a_migration_by_pi_is_read_completely(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    write(watched.path, session("beforeword"))
    watched.scan()
    before = watched.path.stat()
    assert watched.count("beforeword") == 1
    # Even the first lines may stay the same.
    watched.path.write_text(header() + message("e0", None, "afterword") + message("e1", "e0", "more " * 50))
    assert watched.path.stat().st_ino == before.st_ino
    assert watched.path.stat().st_size > before.st_size
    watched.scan()
    assert watched.row.message_count == 2
    assert [watched.count(word) for word in ("beforeword", "afterword")] == [0, 1]


def test_a_newline_that_pi_adds_when_it_opens_a_file_changes_nothing(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    write(watched.path, session("hello") + message("m", "e0", "lastword").rstrip("\n"))
    watched.scan()
    assert (watched.row.message_count, watched.count("lastword")) == (2, 1)
    append(watched.path, "\n")
    watched.scan()
    assert (watched.row.message_count, watched.count("lastword")) == (2, 1)
    append(watched.path, message("n", "m", "nextword"))
    watched.scan()
    assert (watched.row.message_count, watched.count("lastword"), watched.count("nextword")) == (3, 1, 1)


def test_a_torn_line_is_read_when_it_is_finished(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    write(watched.path, session("hello"))
    watched.scan()
    full_line = message("m", "e0", "halfword and the rest")
    middle = full_line.index("and the rest")
    append(watched.path, full_line[:middle])
    watched.scan()
    assert (watched.row.message_count, watched.row.problems, watched.row.torn) == (1, 0, True)
    assert watched.count("halfword") == 0
    append(watched.path, full_line[middle:])
    watched.scan()
    assert (watched.row.message_count, watched.row.problems, watched.row.torn) == (2, 0, False)
    assert watched.count('"halfword and the rest"') == 1


def test_sessions_are_ordered_by_message_times_and_not_by_file_times(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    for number, touched in enumerate((4_000_000_000, 1_000_000_000, 1_700_000_000)):
        path = watched.path.with_name(f"{number}.jsonl")
        write(path, header(str(number)) + message("a", None, "word", timestamp=NOW - 10_000 + number))
        os.utime(path, (touched, touched))
    watched.scan()
    assert [row.id for row in watched.index.rows()] == ["2", "1", "0"]
    assert [hit.row.id for page in watched.index.query("word") for hit in page.hits] == ["2", "1", "0"]


def test_subagents_in_an_artifact_folder_are_not_searched(tmp_path: Path) -> None:
    watched = Watched(tmp_path, "omp")
    write(watched.path, session("hello"))
    write(watched.path.with_suffix("") / "0-scout.jsonl", session("scoutword"))
    watched.scan()
    assert (watched.count("hello"), watched.count("scoutword")) == (1, 0)


def test_the_field_names_of_nickcecere_agent_are_read(tmp_path: Path) -> None:
    watched = Watched(tmp_path, "agent")
    result = {"role": "tool", "content": "resultword", "tool_name": "read", "tool_call_id": "c"}
    write(
        watched.path,
        line(type="session", version=1, id="g", timestamp="2026-01-02T03:04:05Z", cwd="/w")
        + line(type="message", id="a", message={"role": "user", "content": "questionword"})
        + line(type="message", id="b", parent_id="a", message={"role": "assistant", "content": "answerword"})
        + line(type="message", id="c", parent_id="b", message=result),
    )
    watched.scan()
    assert (watched.row.leaf_id, watched.row.message_count) == ("c", 3)
    assert [watched.count(word) for word in ("questionword", "answerword", "resultword")] == [1, 1, 0]
    assert watched.count("resultword in:all") == 1
