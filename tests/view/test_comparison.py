"""Two branches side by side on lines of a width."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.actions.compare import Comparison, Side, Turn, compare
from app.formats.text import inert
from app.formats.tool_calls import FileLists
from app.sessions.tree.branches import UsageTotals
from app.sessions.tree.node import Node
from app.sessions.tree.tree import open_tree
from app.view.comparison import FILE_LINES, NARROWEST, Marks, comparison_head, comparison_lines
from app.view.formatting import duration
from app.view.line import line_width, plain_text
from app.view.palette import STYLES
from tests.actions.test_compare import answer, calls, text
from tests.factory import entry, header, message, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from app.view.line import Line

NODE = Node(0, "a", None, "message", "user", 2, 0, 1, None)
TEXTS = st.sampled_from(
    ["", "short", "a longer text of several words " * 3, "漢字" * 20, "e\u0301👨\u200d👩\u200d👧" * 9]
)
TURNS = st.lists(
    st.builds(
        Turn,
        node=st.sampled_from([None, NODE]),
        prompt=TEXTS,
        answer=TEXTS,
        tools=st.dictionaries(
            st.sampled_from(["read", "bash", "a tool 漢"]), st.integers(1, 5_000), max_size=3
        ),
    ),
    max_size=4,
).map(tuple)
PATHS = st.lists(st.sampled_from(["a.py", "src/deep/er/b.py", "漢/字.py", "x" * 90]), unique=True).map(tuple)
SIDES = st.builds(
    Side,
    leaf=st.just(NODE),
    label=TEXTS,
    entries=st.integers(0, 99_999),
    turns=TURNS,
    tools=st.lists(st.tuples(st.sampled_from(["read", "bash"]), st.integers(1, 99)), max_size=3).map(tuple),
    files=st.builds(FileLists, PATHS, PATHS),
    spent=st.builds(UsageTotals, *[st.integers(0, 10**9)] * 4, st.floats(0, 1e6)),
    first_ms=st.just(0),
    last_ms=st.integers(0, 10**12),
)


@given(left=SIDES, right=SIDES, cells=st.integers(0, 200), ascii_only=st.booleans())
def test_every_line_has_the_width_and_both_sides(
    left: Side, right: Side, cells: int, ascii_only: bool
) -> None:
    marks = Marks(ascii_only=ascii_only)

    def drawn(left: Side, right: Side) -> list[Line]:
        comparison = Comparison(None, left, right)
        head = comparison_head(comparison, cells, ("one", "other"), marks)
        return head + comparison_lines(comparison, cells, marks)

    lines = drawn(left, right)
    for line in lines:
        assert line_width(line) == max(NARROWEST, cells)
        assert {style for _, style in line} <= STYLES.keys()
        assert len(line) == (1 if line[0][1] == "section" else 3)
        shown = plain_text(line)
        assert inert(shown) == shown
        assert not ascii_only or not set(shown) & set("│─…")
    assert [len(line) for line in drawn(right, left)] == [len(line) for line in lines]


@pytest.fixture
def comparison(tmp_path: Path) -> Comparison:
    path = write_session(
        tmp_path / "s.jsonl",
        header(),
        message("u", None, "user", "shared", 1),
        message("u1", "u", "user", "first\x1b[2J question", 2),
        answer(
            "a1",
            "u1",
            3,
            text("one two three four five six"),
            *calls(("read", "same.py"), ("edit", "mine.py")),
        ),
        message("u2", "a1", "user", "second", 62.5),
        entry("label", "l", "u2", 62.5, targetId="u2", label="ckpt"),
        answer("a3", "u", 4, text("goes on"), *calls(("read", "same.py"), ("read", "b.py"))),
    )
    tree = open_tree(str(path))
    return compare(tree, tree.by_id["l"], tree.by_id["a3"])


def shown(comparison: Comparison, cells: int = 47, **more: Any) -> list[str]:
    return [plain_text(line).rstrip() for line in comparison_lines(comparison, cells, **more)]


def test_the_head_has_the_totals(comparison: Comparison) -> None:
    names = ("branch 1", "branch 2")
    assert [plain_text(line).rstrip() for line in comparison_head(comparison, 47, names)] == [
        "branch 1 · ◆ ckpt      │ branch 2",
        "4 entries · 2 turns    │ 1 entry · 0 turns",
        "18 tokens · $0.50      │ 18 tokens · $0.50",
        "1h 00m                 │ 0s",
    ]
    wide = [" ".join(plain_text(line).split()) for line in comparison_head(comparison, 157, names)]
    assert wide[1:] == [
        "4 entries · 2 turns · 18 tokens · $0.50 · 1h 00m │ 1 entry · 0 turns · 18 tokens · $0.50 · 0s"
    ]


def test_a_branch_without_a_label_is_headed_by_its_first_prompt(comparison: Comparison) -> None:
    sides = (replace(comparison.one, label=""), comparison.other)
    head = comparison_head(Comparison(comparison.common, *sides), 60, ("active", "other"))
    assert plain_text(head[0]).startswith("active · first␛[2J question  ")


def test_turns_stand_side_by_side(comparison: Comparison) -> None:
    assert shown(comparison) == [
        "── turn 1 ─────────────────────────────────────",
        "› first␛[2J question   │   (goes on)",
        "  one two three four   │   goes on",
        "  five six             │ · read 2",
        "· read, edit           │",
        "── turn 2 ─────────────────────────────────────",
        "› second               │",
        "  (no answer)          │",
        "── tools ──────────────────────────────────────",
        "read, edit             │ read 2",
        "── files read ─────────────────────────────────",
        "= same.py              │ + b.py",
        "                       │ = same.py",
        "── files changed ──────────────────────────────",
        "+ mine.py              │",
    ]


def test_the_comparison_in_ascii(comparison: Comparison) -> None:
    lines = shown(comparison, marks=Marks(ascii_only=True))
    assert lines[0] == "-- turn 1 " + "-" * 37
    assert lines[6] == "> second               |"


def test_long_texts_are_cut(comparison: Comparison) -> None:
    comparison.one.turns[0].prompt = "word " * 60
    prompts = [line for line in shown(comparison) if line.startswith(("› word", "  word"))]
    assert len(prompts) == 4
    assert "…" in prompts[-1].split("│")[0]
    assert "~" in shown(comparison, marks=Marks(ascii_only=True))[4].split("|")[0]


def test_long_lists_of_files_are_cut(comparison: Comparison) -> None:
    paths = tuple(f"src/{number:03}.py" for number in range(FILE_LINES + 1))
    side = comparison.one
    many = Side(side.leaf, "", 1, (), (), FileLists(paths), UsageTotals(), None, None)
    lines = shown(Comparison(None, many, many))
    assert lines[0].startswith("(nothing was said)")
    assert sum("src/" in line for line in lines) == FILE_LINES - 1
    assert any(line.startswith("… 2 more") for line in lines)
    exactly = Side(side.leaf, "", 1, (), (), FileLists(paths[1:]), UsageTotals(), None, None)
    assert sum("src/" in line for line in shown(Comparison(None, exactly, many))) == FILE_LINES


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (-5, "0 s"),
        (59_999, "59 s"),
        (60_000, "1 min 00 s"),
        (3_599_000, "59 min 59 s"),
        (3_600_000, "1 h 00 min"),
        (86_399_000, "23 h 59 min"),
        (86_400_000, "1 d 0 h"),
    ],
)
def test_durations(span: int, words: str) -> None:
    assert duration(span) == words
