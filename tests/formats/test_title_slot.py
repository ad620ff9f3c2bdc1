"""The title slot of omp
(formats/README.md, "oh-my-pi"): 256 bytes for any title, and what omp takes for one.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.formats import SLOT_SIZE, fold_title, is_slot, iso, read_header, read_slot, slot_line
from tests.cases import cases

MS = 1_771_237_230_000
SLOT = {"type": "title", "v": 1, "title": "A title", "updatedAt": "2026-02-16T10:20:30.000Z", "pad": "  "}

# Every code point, lone surrogates too, and those oftener that are escaped, folded, or long in UTF-8.
TITLES = st.text(
    st.characters(exclude_categories=()) | st.sampled_from('"\\\n\t\x00\x85\x7f 日😀\ud800\udc00')
)
SOURCES = st.sampled_from([None, "auto", "user"])


def cost(text: str) -> int:
    """Bytes of `text` within a string of JSON."""
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2


@given(TITLES | st.text('a"日😀', min_size=40, max_size=300), SOURCES, st.integers(-(10**15), 10**15))
@example("", None, MS)
@example("x" * 100_000, "user", MS)
@example('"' * 300, "auto", MS)
@example("\n" * 300, "user", MS)
def test_any_title_makes_a_slot_of_256_bytes(title: str, source: Any, ms: int) -> None:
    line = slot_line(title, source, ms)
    assert len(line) == SLOT_SIZE
    assert line.index(b"\n") == SLOT_SIZE - 1

    value = json.loads(line.decode())
    assert list(value) == ["type", "v", "title", *(["source"] if source else []), "updatedAt", "pad"]
    assert (value["type"], value["v"], value.get("source")) == ("title", 1, source)
    assert (value["updatedAt"], value["pad"].strip(" ")) == (iso(ms), "")
    assert read_slot(line) == value["title"]

    folded = fold_title(title)
    kept = value["title"]
    assert folded.startswith(kept)
    if kept != folded:
        assert cost(folded[: len(kept) + 1]) > cost(kept) + len(value["pad"]), "one more would have fitted"


@given(TITLES)
def test_a_folded_title_is_one_line_and_stays_as_it_is(title: str) -> None:
    folded = fold_title(title)
    assert len(folded.splitlines()) <= 1
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in folded)
    assert "  " not in folded
    assert folded == folded.strip()
    folded.encode()
    assert fold_title(folded) == folded


@cases(
    ("title", "folded"),
    [
        ("  Fix\r\nthe\t\tparser \n", "Fix the parser"),
        ("\x1b[31mred\x07", "[31mred"),
        ("one\u2028two\u0085three\u2029four", "one two three four"),
        ("\U0001f469\u200d\U0001f680 e\u0301", "\U0001f469\u200d\U0001f680 e\u0301"),
        ("half \ud83d of it", "half \ufffd of it"),
        ("\n", ""),
    ],
)
def test_folding(title: str, folded: str) -> None:
    assert fold_title(title) == folded


def test_the_bytes_are_those_of_omp() -> None:
    line = slot_line('Grüße "an" alle', "user", MS)
    start = '{"type":"title","v":1,"title":"Grüße \\"an\\" alle","source":"user"'
    assert line.startswith((start + ',"updatedAt":"2026-02-16T10:20:30.000Z","pad":"  ').encode())
    assert line.endswith(b'  "}\n')


def test_a_source_is_one_that_omp_knows() -> None:
    with pytest.raises(ValueError, match="not from 'me'"):
        slot_line("a title", "me", MS)  # type: ignore[arg-type]


@cases(
    ("changes", "title"),
    [
        ({}, "A title"),
        ({"source": "auto"}, "A title"),
        ({"title": ""}, ""),
        ({"title": "half \ud83d"}, "half \ufffd"),
        ({"v": 1.0}, "A title"),
        ({"more": 1}, "A title"),
        ({"v": 2}, None),
        ({"v": True}, None),
        ({"v": "1"}, None),
        ({"type": "session"}, None),
        ({"title": None}, None),
        ({"pad": ...}, None),
        ({"updatedAt": 5}, None),
        ({"source": None}, None),
        ({"source": "me"}, None),
    ],
)
def test_what_omp_takes_for_a_slot(changes: dict[str, Any], title: str | None) -> None:
    value = {key: part for key, part in {**SLOT, **changes}.items() if part is not ...}
    assert read_slot(json.dumps(value).encode()) == title
    assert is_slot(value) == (title is not None)


@given(st.binary() | st.text().map(str.encode))
def test_other_lines_are_no_slots(line: bytes) -> None:
    assert read_slot(line) is None


def test_a_header_finds_the_slot_that_was_written_and_may_write_it_again() -> None:
    session = b'{"type":"session","version":3,"id":"abc","cwd":"/work","title":"of the header"}\n'
    for title, name in (("New name", "New name"), ("", None)):
        found = read_header("/s/x.jsonl", slot_line(title, "user", MS) + session, ("omp",))
        assert (found.name, found.slot_writable, found.offset) == (name, True, SLOT_SIZE)


@cases("changes", [{"v": 2}, {"source": "me"}, {"pad": ...}])
def test_a_line_of_256_bytes_that_omp_takes_for_something_else_is_not_to_be_overwritten(
    changes: dict[str, Any],
) -> None:
    value = {key: part for key, part in {**SLOT, **changes}.items() if part is not ...}
    line = json.dumps(value).encode().ljust(SLOT_SIZE - 1) + b"\n"
    found = read_header("/s/x.jsonl", line + b'{"type":"session","id":"abc"}\n', ("omp",))
    assert (found.title_slot, found.slot_writable) == (True, False)
