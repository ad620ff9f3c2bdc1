"""Every reader of a whole file gets long lines shortened, and passes over those that are too long."""

from __future__ import annotations

import errno
import json
import mmap
import os
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from app.formats import EmbeddedImage, describe_image, image_of, lines, long_lines
from app.index.file_reader import Task, read
from app.sessions import TreeText, open_path, open_tree, summarise
from app.sessions.passages import PackedText, unpack
from app.sessions.summaries import problems
from app.sessions.summaries import summarise as summarise_module
from app.sessions.tree import EntryRef, read_node
from tests.sessions.lines import HEADER, MTIME, content, user

if TYPE_CHECKING:
    from collections.abc import Callable

PICTURE = "iVBORw0KGgo+/AB=" * (1 << 17)


def picture(entry_id: str, parent: str) -> dict[str, Any]:
    """A prompt with a picture of 2 MB."""
    entry = user(entry_id, parent, "look")
    entry["message"]["content"] = [
        {"type": "text", "text": "look at this"},
        {"type": "image", "mimeType": "image/png", "data": PICTURE},
    ]
    return entry


@pytest.fixture
def path(tmp_path: Path) -> str:
    """The path of a session with a long line between two short ones."""
    path = tmp_path / "--a--" / "session.jsonl"
    path.parent.mkdir()
    path.write_bytes(content(HEADER, user("a", None, "first"), picture("b", "a"), user("c", "b", "last")))
    return str(path)


def test_a_long_line_counts_as_any_other(path: str) -> None:
    summary = summarise(path, ("pi",), MTIME).summary
    assert summary is not None
    assert (summary.entry_count, summary.images, summary.problems, summary.leaf_id) == (3, 1, 0, "c")


def test_an_entry_that_is_read_by_itself_is_whole(path: str) -> None:
    tree = open_tree(path)
    assert [node.id for node in tree.entries] == ["a", "b", "c"]
    found = read_node(path, tree.header, tree.entries[1])
    assert found["message"]["content"][1]["data"] == PICTURE
    assert read_node(path, tree.header, tree.entries[2])["message"]["content"] == "last"


def test_many_long_texts_in_a_line_take_twice_the_line(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lines, "LONGEST_TEXT", 1 << 20)
    entry = user("b", "a", "texts")
    entry["message"]["content"] = [{"type": "text", "text": "a word " * (3 << 17)} for _ in range(8)]
    Path(path).write_bytes(content(HEADER, user("a", None, "first"), entry, user("c", "b", "last")))
    del entry
    summary = summarise(path, ("pi",), MTIME).summary
    assert summary is not None
    assert (summary.entry_count, summary.problems) == (3, 0)
    assert peak_of(lambda: summarise(path, ("pi",), MTIME)) < 2 * os.stat(path).st_size


def peak_of(work: Callable[[], object]) -> int:
    """The most bytes that are allocated meanwhile."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_the_screen_has_a_long_line_once_in_memory(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lines, "LONGEST_TEXT", 1 << 20)
    entry = picture("b", "a")
    entry["message"]["content"][1]["data"] = 4 * PICTURE
    entry["message"]["content"] += [{"type": "text", "text": "a word " * (3 << 17)} for _ in range(4)]
    Path(path).write_bytes(content(HEADER, user("a", None, "first"), entry, user("c", "b", "last")))
    del entry
    tree = open_tree(path)
    reader = open_path(path, anchor=EntryRef("b", -1))
    size = os.stat(path).st_size
    assert peak_of(lambda: tree.read_rows(tree.entries)) < 1.5 * size
    assert peak_of(lambda: reader.entry(tree.entries[1])) < 1.5 * size
    texts = TreeText(tree)
    assert peak_of(lambda: [texts.fill(number, lambda: True) for number in texts.blocks()]) < 1.5 * size
    assert texts.find(texts.blocks()[1], ["a word"], lambda: True) == [tree.entries[1]]


def test_a_transcript_gives_the_size_of_a_picture_that_it_does_not_read(path: str) -> None:
    reader = open_path(path, anchor=EntryRef("b", -1))
    assert reader.start is not None
    [_, image] = reader.entry(reader.start)["message"]["content"]
    assert len(image["data"]) < 2_000
    assert describe_image(image_of(image)) == "image/png, 1.6 MB"
    assert describe_image(EmbeddedImage("image/png", PICTURE)).startswith("image/png, 1.6 MB (")


def test_a_line_for_which_there_is_no_memory_is_not_decoded(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = open_tree(path)

    def refuse(*arguments: object, **options: object) -> NoReturn:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(mmap, "mmap", refuse)
    assert read(Task(path, ("pi",), MTIME)).refused == "cannot be read: not enough memory"
    with pytest.raises(MemoryError):
        open_tree(path)
    with pytest.raises(MemoryError):
        read_node(path, tree.header, tree.entries[1])
    assert read_node(path, tree.header, tree.entries[2])["message"]["content"] == "last"


def test_a_long_last_line_without_its_end_is_read(path: str) -> None:
    Path(path).write_bytes(content(HEADER, user("a", None, "first"), picture("b", "a"))[:-1])
    summary = summarise(path, ("pi",), MTIME).summary
    assert summary is not None
    assert (summary.entry_count, summary.torn) == (2, False)
    [_, node] = open_tree(path).entries
    assert read_node(path, open_tree(path).header, node)["message"]["content"][1]["data"] == PICTURE
    Path(path).write_bytes(Path(path).read_bytes()[:-10])
    summary = summarise(path, ("pi",), MTIME).summary
    assert summary is not None
    assert (summary.entry_count, summary.torn) == (1, True)


def test_a_line_that_is_too_long_is_named_and_nothing_else_is_lost(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", len(PICTURE) // 2)
    summary = summarise(path, ("pi",), MTIME).summary
    assert summary is not None
    assert (summary.entry_count, summary.problems, summary.last_prompt) == (2, 1, "last")
    [problem] = problems(path, ("pi",))
    assert (problem.line, problem.reason) == (3, "longer than 256 MB: it is passed over")
    tree = open_tree(path)
    assert [(node.id, node.line) for node in tree.entries] == [("a", 2), ("c", 4)]
    assert read_node(path, tree.header, tree.entries[1])["message"]["content"] == "last"
    assert [fault.line for fault in tree.problems] == [3]


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_lines_of_other_agents_are_passed_over_alike(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", len(PICTURE) // 2)
    path = tmp_path / "session.jsonl"
    records: list[dict[str, Any]] = []
    for number, text in enumerate(("first", PICTURE, "last")):
        if agent == "claude":
            place = {
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
                "sessionId": "s",
            }
            records.append({"type": "user", **place, "message": {"role": "user", "content": text}})
        else:
            item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
            records.append({"type": "response_item", "payload": item})
    if agent == "codex":
        records.insert(0, {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    summary = summarise(str(path), (agent,), MTIME).summary
    assert summary is not None
    assert (summary.entry_count, summary.problems, summary.last_prompt) == (2, 1, "last")


def test_a_long_text_is_stored_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summarise_module, "PART_BYTES", 1 << 20)
    path = tmp_path / "session.jsonl"
    texts = [f"prompt {number} " + "words " * 20_000 for number in range(30)]
    entries = [user(f"e{n}", f"e{n - 1}" if n else None, text) for n, text in enumerate(texts)]
    path.write_bytes(content(HEADER, *entries))
    stored: list[PackedText] = []

    def keep(text: PackedText) -> tuple[tuple[str, int, int], ...]:
        stored.append(text)
        return ((f"{len(stored):016x}", 0, len(text.folded)),)

    result = read(Task(str(path), ("pi",), MTIME), keep)
    assert result.kept == tuple((f"{n:016x}", 0, len(text.folded)) for n, text in enumerate(stored, 1))
    assert len(stored) > 1
    assert max(len(text.folded) for text in stored) < 2 << 20
    found = [text.decode() for part in stored for _, _, text in unpack(part.written)]
    assert found == texts


def test_the_reason_why_a_part_is_not_stored_is_that_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summarise_module, "PART_BYTES", 1)
    path = tmp_path / "session.jsonl"
    path.write_bytes(content(HEADER, user("a", None, "first")))
    answers = iter(["the disk is full", ()])
    assert read(Task(str(path), ("pi",), MTIME), lambda _: next(answers)).kept == "the disk is full"
