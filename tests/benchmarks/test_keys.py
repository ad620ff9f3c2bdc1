"""How the measures of the selector read a screen. The figures are not tested."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.keys import answers, held, stepped
from tests.benchmarks.selector import box_text, list_rows, match_count
from tests.cases import cases
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

PICTURE = """━ Resume · all folders ━━━ {count} ━┬─ one · pi ─ 40 of 40 ─
 words and                │ ▌ a question
❯  日本 one               │
   two                    │   an answer │ a cell
 a bar
 Enter resume"""

ECHO = f"""
import sys, termios, tty
tty.setraw(0)
print({PICTURE.format(count="2 of 9")!r}.replace("\\n", "\\r\\n"), end="", flush=True)
while sys.stdin.buffer.raw.read(3):
    print("\\r❯", end="", flush=True)
"""


@pytest.fixture
def echo() -> Iterator[Terminal]:
    with Terminal([sys.executable, "-c", ECHO], size=(100, 6)) as terminal:
        terminal.wait_for_text("resume")
        yield terminal


def test_the_box_of_the_list_is_read_without_the_preview(echo: Terminal) -> None:
    assert box_text(echo) == "words and"
    assert [row.strip() for row in list_rows(echo)] == ["❯  日本 one", "two"]


@cases(
    ("count", "expected"),
    [
        ("2 of 9", 2),
        ("1,234 of 9,999 · 11 hits · Examples", 1234),
        ("0 of 9", 0),
        ("2 of 9 · …", None),
        ("2 of 9 · 11 hits · …", None),
        ("2 of 9 · … · Examples", None),
        ("11 · 4 projects", None),
    ],
)
def test_matches_are_counted_when_the_search_is_complete(count: str, expected: int | None) -> None:
    shown = PICTURE.format(count=count).replace("\n", "\r\n")
    with Terminal(["cat"], size=(100, 6)) as terminal:
        terminal.emulator.feed(shown.encode())
        assert match_count(terminal) == expected


def test_a_key_is_answered_by_the_next_frame(echo: Terminal) -> None:
    assert stepped(echo, "down") > 0
    assert len(held(echo, "down", 5, 0.01)) == 5


def test_one_frame_answers_all_keys_before_it() -> None:
    assert answers([1.0, 2.0, 4.0], [0.5, 3.0, 4.5]) == [2.0, 1.0, 0.5]
