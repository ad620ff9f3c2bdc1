"""Long strings are cut before a line is decoded."""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from app.formats.long_lines import LONG_LINE, LONGEST_DATA, shortened
from tests.cases import cases

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_TEXT = 2 << 20
"""The limit of the texts beside `FILL` in these tests, in bytes: with that of the program, they would take
twenty seconds.
"""
PICTURE = "iVBORw0KGgo+/AB=" * (LONGEST_DATA // 16)
"""A string in base64 that is as long as one that stays."""
FILL = "word, " * (LONG_LINE // 6 + 1)
"""A text that makes each line long enough to be looked at."""
NOTE = re.compile(r" … \[(\d+) bytes are not read: [0-9a-f]{16}\]")


@pytest.fixture(autouse=True)
def _shorter_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.formats.long_lines.LONGEST_TEXT", LONGEST_TEXT + len(FILL))


def line_of(value: Any, *, ascii_only: bool = False) -> bytes:
    text = json.dumps({"fill": FILL, "value": value}, ensure_ascii=ascii_only, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def value_in(line: bytes) -> Any:
    found = json.loads(line.decode("utf-8", "surrogatepass"))
    assert found["fill"] == FILL
    return found["value"]


def is_cut(text: str, original: str) -> bool:
    note = NOTE.search(text)
    assert note is None or original.startswith(text[: note.start()])
    return note is not None and note.end() == len(text)


# Each case is a function, because every worker of a test run imports this file, and the values are large.
STAYS: dict[str, Callable[[], Any]] = {
    "a text": lambda: "a text with blanks " * 10_000,
    "data at the limit": lambda: PICTURE,
    "a text at the limit": lambda: "x " * (LONGEST_TEXT // 2),
    "numbers": lambda: list(range(40_000)),
    "escaped quotes": lambda: '"quoted" and \\ ' * 10_000,
    "backslashes": lambda: "\\" * 100_000,
    "structure as text": lambda: ",1,[2],{3}:" * 10_000,
    "nothing": lambda: "",
}


@cases("make", STAYS.values(), STAYS)
def test_a_string_that_is_not_too_long_stays(make: Callable[[], Any]) -> None:
    line = line_of(make())
    assert shortened(line) == line
    assert shortened(line[:-1]) == line[:-1]


CUT: dict[str, Callable[[], str]] = {
    "data beyond the limit": lambda: PICTURE + "A",
    "a data URL": lambda: "data:image/png;base64," + PICTURE,
    "megabytes of data": lambda: PICTURE * 40,
    "a text beyond the limit": lambda: "x " * (LONGEST_TEXT // 2) + "x",
    "a text of escaped quotes": lambda: '"\\\n' * (LONGEST_TEXT // 4),
    "a text that looks like structure, with a word": lambda: ', "1": [' * (LONGEST_TEXT // 8) + "word",
    "accents": lambda: "é " * (LONGEST_TEXT // 2),
    "surrogate pairs": lambda: "x\U0001f600 " * (LONGEST_TEXT // 5),
}


@cases(
    ("make", "ascii_only"),
    [*((make, False) for make in CUT.values()), (CUT["surrogate pairs"], True)],
    [*CUT, "surrogate pairs as escapes"],
)
def test_a_longer_string_keeps_its_beginning_and_has_a_note(
    make: Callable[[], str], ascii_only: bool
) -> None:
    value = make()
    line = line_of([value, "the next one"], ascii_only=ascii_only)
    short = shortened(bytearray(line))
    found, after = value_in(short)
    assert is_cut(found, value)
    assert after == "the next one"
    assert len(short) < len(FILL) + (3 << 20)
    assert not re.search("[\ud800-\udfff]", found)
    assert shortened(short) == short


def test_the_first_texts_of_a_line_are_whole_up_to_the_limit() -> None:
    texts = [f"{number} word " * (LONGEST_TEXT // 16) for number in range(8)]
    line = line_of([*texts, "the last one"])
    short = shortened(line)
    *found, last = value_in(short)
    assert found[:2] == texts[:2]
    assert all(is_cut(*pair) for pair in zip(found[2:], texts[2:], strict=True))
    assert LONGEST_TEXT - 200 < sum(map(len, found[:3])) <= LONGEST_TEXT
    assert sum(map(len, found[3:])) < 8_000
    assert last == "the last one"
    assert shortened(short) == short
    other = shortened(line.replace(b"7 word", b"7 Word", 1))
    assert len(other) == len(short)
    assert other != short


def test_short_texts_take_no_room_of_long_ones() -> None:
    values = ["word " * 12_000, list(range(40_000))] * 40 + ["word " * (LONGEST_TEXT // 5)]
    line = line_of(values)
    assert shortened(line) == line


def test_a_long_key_is_cut_like_a_value() -> None:
    short = shortened(line_of({PICTURE * 2: {"nested": [PICTURE * 2]}}))
    [(key, value)] = value_in(short).items()
    assert is_cut(key, PICTURE * 2)
    assert is_cut(value["nested"][0], PICTURE * 2)


def test_lines_that_differ_in_what_is_left_out_still_differ() -> None:
    first, second = (shortened(line_of(PICTURE * 2 + end)) for end in "AB")
    assert len(first) == len(second)
    assert first != second


def test_a_short_line_is_not_looked_at() -> None:
    line = json.dumps(PICTURE * 2).encode()
    assert shortened(line) == line


NO_JSON: dict[str, Callable[[], bytes]] = {
    "torn in data": lambda: line_of(PICTURE * 20)[:-100],
    "torn in a text": lambda: line_of("word " * (LONGEST_TEXT // 4))[:-100],
    "torn in an escape": lambda: line_of("word\n" * (LONGEST_TEXT // 4))[:-10].rpartition(b"n")[0],
    "a control character": lambda: line_of("word " * (LONGEST_TEXT // 4)).replace(
        b"word word", b"word\x01word"
    ),
    "an unknown escape": lambda: line_of("word " * (LONGEST_TEXT // 4)).replace(
        b"word word", b"word\\xword", 1
    ),
    "no quotes": lambda: b"{" + b"x" * (LONGEST_TEXT + LONG_LINE),
    "bare words between strings": lambda: line_of("").replace(
        b',"value"', b" and" * (LONGEST_TEXT // 3) + b',"value"'
    ),
}


@cases("make", NO_JSON.values(), NO_JSON)
def test_a_line_that_is_not_json_is_not_made_json(make: Callable[[], bytes]) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(shortened(make()))


def test_random_strings_are_whole_or_cut_at_their_end() -> None:
    random = Random(1)
    pieces = ["AB+/01=", "data:a/b;base64,", '"', "\\", "\n", "é", "\U0001f600", ", 1:[]{}", " "]
    for _ in range(20):
        chosen = random.sample(pieces, random.randint(1, 3))
        lengths = (10, 30_000, LONGEST_DATA - 1, LONGEST_DATA, LONGEST_DATA + 1, 3 * LONGEST_DATA)
        values = ["".join(chosen) * (random.choice(lengths) // len("".join(chosen)) + 1) for _ in range(4)]
        ascii_only = random.random() < 0.5
        found = value_in(shortened(line_of(values, ascii_only=ascii_only)))
        for value, text in zip(values, found, strict=True):
            is_data = re.fullmatch(r"(data:a/b;base64,)?[AB+/01=]*", value) and len(value) > LONGEST_DATA
            assert text == value or is_cut(text, value)
            assert is_cut(text, value) == bool(is_data), (chosen, len(value))
