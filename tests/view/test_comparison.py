"""Two branches side by side on lines of a width."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.actions.compare import Comparison, FileChange, Side, Turn, compare
from app.formats import inert
from app.sessions import Node, open_tree
from app.sessions.tree import UsageTotals
from app.view import POINTER, STYLES
from app.view.comparison import MOST_FILES, NARROWEST, PROMPT_LINES, ComparisonCursor, ComparisonTable
from app.view.formatting import duration
from app.view.line import line_width, plain_text
from tests.actions.test_compare import answer, calls, text
from tests.cases import cases
from tests.factory import entry, header, message, write_session

if TYPE_CHECKING:
    from pathlib import Path

NODE = Node(0, "a", None, "message", "user", 2, 0, 1, None)
TEXTS = st.sampled_from(
    ["", "short", "a longer text of several words " * 3, "漢字" * 20, "e\u0301👨\u200d👩\u200d👧" * 9]
)
TURNS = st.lists(
    st.builds(
        Turn,
        node=st.sampled_from([None, NODE]),
        first=st.just(NODE),
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
    changed=PATHS.map(lambda paths: tuple(FileChange(path, NODE, added=len(path)) for path in paths)),
    read=PATHS,
    spent=st.builds(UsageTotals, *[st.integers(0, 10**9)] * 4, st.floats(0, 1e6)),
    first_ms=st.just(0),
    last_ms=st.integers(0, 10**12),
)


NAMES = ("active", "branch 3 of 4")


@given(left=SIDES, right=SIDES, cells=st.integers(0, 200), stacked=st.booleans())
def test_every_line_has_the_width_and_the_cursor_stands_on_entries(
    left: Side, right: Side, cells: int, stacked: bool
) -> None:
    table = ComparisonTable(Comparison(None, None, left, right), cells, NAMES, stacked=stacked)
    cursor = ComparisonCursor(table.places)
    differing = [place for place in table.places if place.differs]
    for step in range(len(differing) + 1):
        assert (cursor.entry is None) == (not table.places)
        if differing:
            assert cursor.place is differing[step % len(differing)]
        cursor.move(1)
    cursor.change_side()
    assert (cursor.entry is None) == (not table.places)
    pointers = 0
    for line in [*table.head, *(table.line(index, cursor) for index in range(len(table)))]:
        assert line_width(line) == max(NARROWEST, cells)
        assert {style for _, style in line} <= STYLES.keys()
        shown = plain_text(line)
        assert inert(shown) == shown
        pointers += (POINTER, "pointer") in line
    assert pointers == (1 if table.places else 0)


@pytest.fixture
def comparison(tmp_path: Path) -> Comparison:
    path = write_session(
        tmp_path / "s.jsonl",
        header(),
        message("u", None, "user", "shared", 1),
        entry("label", "k", "u", 1, targetId="u", label="here"),
        message("u1", "k", "user", "first\x1b[2J question", 2),
        answer(
            "a1",
            "u1",
            3,
            text("one `two` **three** four five six seven eight"),
            *calls(("read", "same.py"), ("edit", "mine.py"), ("edit", "both.py")),
        ),
        message("u2", "a1", "user", "second", 62.5),
        entry("label", "l", "u2", 62.5, targetId="u2", label="ckpt"),
        answer("a3", "k", 4, text("goes on"), *calls(("read", "same.py"), ("write", "b.py"))),
        answer("a4", "a3", 5, text("goes on"), *calls(("edit", "both.py"))),
    )
    tree = open_tree(str(path))
    return compare(tree, tree.by_id["l"], tree.by_id["a4"])


def shown(table: ComparisonTable, cursor: ComparisonCursor | None = None) -> list[str]:
    cursor = cursor or ComparisonCursor()
    return [plain_text(table.line(index, cursor)).rstrip() for index in range(len(table))]


def test_the_head_has_the_common_entry_and_the_totals(comparison: Comparison) -> None:
    table = ComparisonTable(comparison, 77, NAMES)
    assert [plain_text(line).rstrip() for line in table.head] == [
        "Both follow: › shared ◆ here",
        "─" * 77,
        f" {'active · ◆ ckpt':36} │ branch 3 of 4 · goes on",
        " 4 entries · 2 turns · $0.50 · 1h 00m │ 2 entries · 0 turns · $1.00 · 1m 00s",
        "─" * 77,
    ]
    narrow = [plain_text(line).rstrip() for line in ComparisonTable(comparison, 48, NAMES).head]
    assert narrow[3] == f" {'4 entries · 2 turns':22} │ 2 entries · 0 turns"
    apart = ComparisonTable(replace(comparison, common=None, last_shared=None), 65, NAMES)
    assert plain_text(apart.head[0]).rstrip() == "The branches share no entry"


def test_turns_and_files_stand_side_by_side(comparison: Comparison) -> None:
    table = ComparisonTable(comparison, 53, NAMES)
    assert shown(table) == [
        " › first␛[2J question     │   goes on",
        "   one two three four     │",
        "   five six seven eight   │",
        " › second                 │",
        "   (no answer)            │",
        " Tools  edit 2, read      │ Tools  read, write, edit",
        " Files  M both.py         │ Files  M both.py",
        "        M mine.py         │        A b.py",
        " Read   same.py           │ Read   same.py",
    ]


def test_the_cursor_goes_from_difference_to_difference(comparison: Comparison) -> None:
    table = ComparisonTable(comparison, 53, NAMES)
    cursor = ComparisonCursor(table.places)
    ids = []
    for step in (1, 1, 1, -1):
        ids.append((cursor.side, cursor.entry and cursor.entry.id))
        cursor.move(step)
    # The file that both changed alike is no difference.
    assert ids == [(0, "u1"), (0, "u2"), (0, "a1"), (0, "u1")]
    assert shown(table, cursor)[7].startswith("❯       M mine.py")
    cursor.change_side()
    assert (cursor.side, cursor.entry and cursor.entry.id) == (1, "a3")
    assert shown(table, cursor)[7].endswith("│❯       A b.py")
    # This side has no second turn.
    cursor.move(-1)
    assert (cursor.side, cursor.entry and cursor.entry.id) == (0, "u2")
    cursor.change_side()
    assert (cursor.side, cursor.entry and cursor.entry.id) == (1, "a3")


def test_below_eighty_columns_the_sides_stack(comparison: Comparison) -> None:
    table = ComparisonTable(comparison, 40, NAMES, stacked=True)
    cursor = ComparisonCursor(table.places)
    cursor.change_side()
    assert len(table.head) == 2
    assert shown(table, cursor)[8:15] == [
        " Files  M both.py",
        "        M mine.py",
        " Read   same.py",
        " ───────────────────────────────────────",
        " branch 3 of 4 · goes on",
        " 2 entries · 0 turns · $1.00 · 1m 00s",
        "❯  goes on",
    ]


def test_long_texts_and_lists_are_cut(comparison: Comparison) -> None:
    comparison.one.turns[0].prompt = "word " * 60
    prompts = [line for line in shown(ComparisonTable(comparison, 53, NAMES)) if "word" in line]
    assert len(prompts) == PROMPT_LINES
    assert "…" in prompts[-1].split("│")[0]
    paths = [f"src/{number:03}.py" for number in range(MOST_FILES + 2)]
    side = comparison.one
    changed = tuple(FileChange(path, side.leaf) for path in paths)
    many = replace(side, turns=(), changed=changed)
    lines = shown(ComparisonTable(Comparison(None, None, many, many), 60, NAMES))
    assert lines[0].startswith(" (nothing was said)")
    assert sum("src/" in line for line in lines) == MOST_FILES
    assert any("… 2 more" in line for line in lines)


@cases(
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
