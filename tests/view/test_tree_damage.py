"""Damaged lines, as rows behind those of the tree."""

from __future__ import annotations

import json
import os

from app.reports.tree import draw
from app.sessions import open_tree
from app.view import (
    ASCII,
    TREE_FILTERS,
    UNICODE,
    TreeView,
    damaged_problems,
    render_damaged_row,
    tree_navigation,
)
from app.view.line import line_width, plain_text
from tests.cases import cases
from tests.factory import chain, entry, header, message, write_session
from tests.view.trees import opened

FOUR = chain("one", "two", "three", "four")


def places(view):
    return [view.damaged(index).line for index in range(view.count, view.rows)]


def grow(view, path, text):
    """Append to the file, then update the tree and the view, as the reading thread and the screen do."""
    old_count = len(view.tree.problems)
    with path.open("a") as file:
        file.write(text)
    nodes = view.tree.extend()
    view.extend(nodes, view.tree.leaf, damaged_problems(view.tree, old_count), view.tree.torn)


def test_damaged_lines_follow_the_last_entry_in_file_order(tmp_path):
    complete = opened(tmp_path, *FOUR)
    rows = [complete.node(index).id for index in range(complete.count)]
    view = opened(tmp_path, FOUR[0], "{", *FOUR[1:3], "[]", *FOUR[3:], "no")
    assert [view.node(index).id for index in range(view.count)] == rows
    assert (view.rows - view.count, places(view)) == (3, [2, 5, 8])
    assert view.node(view.count) is None
    assert view.damaged(view.count - 1) is view.damaged(view.rows) is view.damaged(-1) is None
    assert (view.shown, view.leaf_row()) == (complete.shown, complete.leaf_row())
    assert [segment.foldable for segment in view.segments] == [
        segment.foldable for segment in complete.segments
    ]


def test_a_damaged_line_is_found_in_its_row(tmp_path):
    view = opened(tmp_path, "{", *FOUR[:2], "{", "}", *FOUR[2:])
    for index in range(view.count, view.rows):
        assert view.index_of_damaged(view.damaged(index)) == index
    changed = view.damaged(view.count)._replace(reason="another")
    assert view.index_of_damaged(changed) is None


@cases("tree_filter", TREE_FILTERS)
def test_only_two_filters_show_damaged_lines(tmp_path, tree_filter):
    view = opened(tmp_path, *FOUR, "{", tree_filter=tree_filter)
    line = view.damage[0]
    shows = tree_filter in ("default", "all")
    assert view.rows - view.count == int(shows)
    assert (view.index_of_damaged(line) is not None) == shows


def test_a_problem_of_an_entry_has_no_row_of_its_own(tmp_path):
    view = opened(tmp_path, *FOUR, {**entry("message", "m", "00000004", 9)})
    assert len(view.tree.problems) == 1
    assert view.rows == view.count == 5


def test_a_session_with_only_damaged_lines_has_their_rows(tmp_path):
    view = opened(tmp_path, header(), "{", "{")
    assert (view.count, view.rows, places(view), view.leaf_row()) == (0, 2, [2, 3], None)


def test_damaged_lines_of_a_growing_session_are_added(tmp_path):
    view = opened(tmp_path, *FOUR)
    path = tmp_path / "s.jsonl"
    grow(view, path, "{\n" + json.dumps(message("e", "00000004", "user", "five", 8)) + "\n{\n")
    assert (view.node(view.count - 1).id, places(view)) == ("e", [6, 8])
    grow(view, path, "{\n")
    assert places(view) == [6, 8, 9]


def test_a_torn_last_line_loses_its_row_when_it_is_completed(tmp_path):
    view = opened(tmp_path, *FOUR)
    path = tmp_path / "s.jsonl"
    line = json.dumps(message("e", "00000004", "user", "five", 8))
    grow(view, path, line[:20])
    torn = view.damaged(view.rows - 1)
    assert (torn.line, torn.torn, view.rows) == (6, True, 5)
    assert view.index_of_damaged(torn) == 4
    grow(view, path, line[20:30])
    assert view.rows == 5
    assert (torn.length, view.damaged(4).length) == (20, 30)
    assert view.index_of_damaged(torn) == 4
    grow(view, path, line[30:] + "\n")
    assert (view.rows, view.count, view.node(4).id) == (5, 5, "e")
    assert view.index_of_damaged(torn) is None


def test_a_torn_last_line_that_is_removed_loses_its_row(tmp_path):
    view = opened(tmp_path, *FOUR, "{")
    path = tmp_path / "s.jsonl"
    grow(view, path, '{"type":')
    assert places(view) == [6, 7]
    os.truncate(path, view.tree.offset)
    grow(view, path, "")
    assert places(view) == [6]


def test_a_torn_last_line_that_stays_damaged_has_one_row(tmp_path):
    view = opened(tmp_path, *FOUR)
    grow(view, tmp_path / "s.jsonl", '{"type":')
    grow(view, tmp_path / "s.jsonl", "\n")
    assert [view.damage[index].torn for index in range(len(view.damage))] == [False]


@cases("cells", [6, 20, 80])
@cases("glyphs", [ASCII, UNICODE])
def test_a_damaged_row_has_the_width_and_is_inert(tmp_path, cells, glyphs):
    view = opened(tmp_path, *FOUR, "{\x1b[2J")
    line = view.damage[0]._replace(line=1234, reason=view.damage[0].reason + " and more than fits" * 9)
    row = render_damaged_row(line, cells, selected=True, glyphs=glyphs)
    assert line_width(row) == cells
    assert plain_text(row).startswith(glyphs.pointer + "  !")
    if cells > 20:
        assert plain_text(row).startswith(glyphs.pointer + "  ! line 1,234: ")
    assert "\x1b" not in plain_text(row)


def test_moves_from_a_damaged_row_lead_to_the_entries_above(tmp_path):
    view = opened(
        tmp_path, *FOUR, entry("label", "l", "00000004", 9, targetId="00000002", label="x"), "{", "{"
    )
    index = view.count
    assert tree_navigation.turn(view, index, -1) == 2
    assert tree_navigation.turn(view, index, 1) is None
    assert tree_navigation.branch_point(view, index, -1) is None
    assert tree_navigation.parent_row(view, index + 1) is tree_navigation.child_row(view, index) is None
    assert (
        tree_navigation.segment_above(view, index + 1)
        == tree_navigation.segment_below(view, index + 1)
        == index + 1
    )
    assert tree_navigation.labelled(view, None, -1).id == "00000002"
    assert tree_navigation.turn(view, 2, 1) is None


@cases("ascii_only", [False, True])
def test_the_command_line_prints_damaged_lines(tmp_path, ascii_only):
    view = opened(tmp_path, *FOUR, "{", {**entry("message", "m", "00000004", 9)})
    lines = list(draw(view.tree, "/home", 80, ascii_only=ascii_only))
    marked = [line for line in lines if line.lstrip().startswith("!")]
    # A damaged line has no id, for which the rows have a column.
    assert [line.split(": ")[0] for line in marked] == [" " * 9 + "   ! line 6", "  ! line 7"]
    assert lines.index(marked[0]) == 1 + view.count


def test_the_end_of_a_long_session_has_no_damaged_rows(tmp_path):
    from app.sessions import open_end
    from app.sessions.tree.tree import END_BYTES

    lines = [
        message(f"{index:08x}", f"{index - 1:08x}" if index else None, "user", "x" * 5_000, index)
        for index in range(300)
    ]
    path = write_session(tmp_path / "s.jsonl", header(), *lines[:-1], "{", lines[-1])
    assert path.stat().st_size > 4 * END_BYTES
    end = open_end(str(path))
    assert end is not None
    assert TreeView(end).rows == TreeView(end).count
    assert places(TreeView(open_tree(str(path)))) == [301]
