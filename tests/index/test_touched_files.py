"""The stored touched files: what a later query reads, and how much is read for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from app.index import Index
from tests.factory import append, chain, message, write_session
from tests.index.helpers import pi_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from app.index import Row
    from app.sessions.summaries import TouchedFile


def write_call(id: str, path: str, text: str = "x") -> list[dict[str, Any]]:
    block = {
        "type": "toolCall",
        "id": f"c{id}",
        "name": "write",
        "arguments": {"path": path, "content": text},
    }
    return [message(id, None, "assistant", "", content=[block]), *result(id)]


def result(id: str, **fields: Any) -> list[dict[str, Any]]:
    return [message(f"r{id}", id, "toolResult", "ok", toolCallId=f"c{id}", **fields)]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with Index([pi_store(tmp_path / "store")], str(tmp_path / "cache")) as index:
        yield index


def only_row(index: Index) -> Row:
    index.scan()
    (row,) = index.rows()
    return row


def touches(index: Index) -> list[TouchedFile]:
    row = only_row(index)
    index.touched_files.update([row])
    found = index.touched_files.touches_of(row)
    assert found is not None
    return found


def test_each_call_is_known_with_its_place_and_its_lines(index: Index, tmp_path: Path) -> None:
    lines = [*chain("prompt", "answer"), *write_call("a", "src/a.py", "1\n2\n"), *write_call("b", "/etc/b")]
    edit = {"path": "src/a.py", "oldText": "1", "newText": "one\nuno"}
    block = {"type": "toolCall", "id": "ce", "name": "edit", "arguments": edit}
    lines += [message("e", None, "assistant", "", content=[block])]
    path = write_session(tmp_path / "store/s.jsonl", *lines)
    found = touches(index)
    assert [each[1:] for each in found] == [
        ("src/a.py", "write", 2, 0),
        ("/etc/b", "write", 1, 0),
        ("src/a.py", "edit", 2, 1),
    ]
    data = path.read_bytes()
    ids = [json.loads(data[each.offset : data.index(b"\n", each.offset)])["id"] for each in found]
    assert ids == ["a", "b", "e"]
    append(path, *result("e", isError=True))
    assert [each.kind for each in touches(index)] == ["write", "write"]


def test_only_what_was_appended_is_read(index: Index, tmp_path: Path) -> None:
    path = write_session(tmp_path / "store/s.jsonl", *chain("prompt"), *write_call("a", "old.py", "x" * 999))
    assert [each.path for each in touches(index)] == ["old.py"]
    # Nobody would notice a change there.
    with path.open("r+b") as file:
        file.seek(path.read_bytes().index(b"old.py"))
        file.write(b"odd.py")
    append(path, *write_call("b", "new.py"))
    assert [each.path for each in touches(index)] == ["old.py", "new.py"]
    # A file that was written again is read whole.
    lines = [*chain("prompt"), *write_call("a", "a.py", "y" * 2_000), *write_call("b", "b.py")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [each.path for each in touches(index)] == ["a.py", "b.py"]


def test_a_last_line_without_its_end(index: Index, tmp_path: Path) -> None:
    path = write_session(tmp_path / "store/s.jsonl", *chain("prompt"))
    whole, torn, last = (json.dumps(write_call(name, name)[0]).encode() for name in "abc")
    with path.open("ab") as file:
        file.write(whole)
    assert [each.path for each in touches(index)] == ["a"]
    with path.open("ab") as file:
        file.write(b"\n" + torn[:-5])
    assert [each.path for each in touches(index)] == ["a"]
    with path.open("ab") as file:
        file.write(torn[-5:] + b"\n" + last + b"\n")
    assert [each.path for each in touches(index)] == ["a", "b", "c"]


def test_a_line_that_a_compaction_of_claude_repeats_counts_once(tmp_path: Path) -> None:
    from app.sessions.summaries import read_touches, unpacked_touches
    from tests import claude_lines

    block = {
        "type": "tool_use",
        "id": "t",
        "name": "Write",
        "input": {"file_path": "/work/app/a", "content": ""},
    }
    call = claude_lines.line("assistant", "a", "u", [block])
    path = claude_lines.write(tmp_path, claude_lines.line("user", "u", None, "x"), call)
    before = read_touches(str(path), ["claude"], "/work/app")
    with path.open("a") as file:
        file.write(call.replace('"parentUuid": "u"', '"parentUuid": "z"') + "\n")
    for found in (
        read_touches(str(path), ["claude"], "/work/app", before),
        read_touches(str(path), ["claude"], "/work/app"),
    ):
        assert [each[1:] for each in unpacked_touches(found)] == [("a", "write", 0, 0)]


def test_a_line_of_many_megabytes(index: Index, tmp_path: Path) -> None:
    path = write_session(
        tmp_path / "store/s.jsonl",
        *chain("prompt"),
        *write_call("a", "large.txt", "some text\n" * 3_000_000),
        *write_call("b", "small.txt"),
    )
    found = touches(index)
    assert [each.path for each in found] == ["large.txt", "small.txt"]
    assert path.read_bytes()[found[1].offset :].startswith(b'{"type": "message", "id": "b"')


def test_another_process_reads_what_is_new(index: Index, tmp_path: Path) -> None:
    path = write_session(tmp_path / "store/s.jsonl", *chain("prompt"), *write_call("a", "a.py"))
    row = only_row(index)
    assert index.touched_files.lookup()(row) is None
    assert index.touched_files.update([row])
    assert not index.touched_files.update([row])
    with Index([pi_store(tmp_path / "store")], str(tmp_path / "cache")) as other:
        assert not other.touched_files.update([row])
        touched = other.touched_files.lookup()(row)
        assert touched is not None
        assert (touched.changed, touched.all) == ("\na.py\n", "\na.py\n")
        append(path, *write_call("b", "b.py"))
        changed = only_row(other)
        assert other.touched_files.lookup()(changed) is None
        assert other.touched_files.update([changed])
        assert other.touched_files.recent_paths([changed], 10) == {"a.py": 1, "b.py": 1}
        assert other.touched_files.recent_paths([changed], 1) == {"a.py": 1}
