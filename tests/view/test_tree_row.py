"""The row of an entry on the screen."""

from __future__ import annotations

from app.view import ASCII, UNICODE, render_tree_row
from app.view.line import line_width, plain_text
from tests.cases import cases
from tests.factory import chain, header, message
from tests.view.trees import branched, opened


def rows(view, cells=60, *, glyphs=UNICODE, **about):
    view.tree.read_rows(view.tree.entries)
    leaf = view.leaf_row()
    lines = []
    for index in range(view.count):
        row = view.row(index)
        active = row.node.index in view.active
        lines.append(
            render_tree_row(
                row, cells, selected=False, active=active, leaf=index == leaf, glyphs=glyphs, **about
            )
        )
    return lines


def drawn(view, cells=60, **about):
    return [plain_text(line).rstrip() for line in rows(view, cells, **about)]


def test_a_mark_stands_for_the_role_and_the_right_end_has_label_and_leaf(tmp_path):
    view = opened(tmp_path, *branched())
    assert drawn(view, 50) == [
        " • › fix the login",
        " •   the token is read too early",
        " • ├⊟ › use redis                          ◆ redis",
        " • │    done, faster                        ← leaf",
        "   └⊟ › try caching it",
        "        done, slower",
    ]
    assert drawn(view, 50, glyphs=ASCII)[2:4] == [
        " * |= > use redis                          # redis",
        " * |    done, faster                       <- leaf",
    ]


def test_a_prompt_is_bold_only_on_the_active_path(tmp_path):
    lines = rows(opened(tmp_path, *branched()))
    assert ("use redis", "strong") in lines[2]
    assert ("try caching it", "dim") in lines[4]


@cases(
    ("written", "shown"),
    [
        (
            "run it with `-n 4`: the token is read **before** that",
            "run it with -n 4: the token is read before that",
        ),
        ("## Plan", "Plan"),
        ("```python\nx = 1\n```", "x = 1"),
        ("```\none line\n```\nand more", "one line and more"),
        ("first\n```python\nx = 1\n```\nthen", "first x = 1 then"),
        ("first\n```\nx = 1\n```", "first x = 1"),
        ("2 ** 3 ** 2, a * b, __init__ and #5 stay", "2 ** 3 ** 2, a * b, __init__ and #5 stay"),
        ("a lone ` or ** stays", "a lone ` or ** stays"),
    ],
)
def test_the_marks_of_markdown_are_left_out_of_answers_and_stay_in_prompts(tmp_path, written, shown):
    lines = [header(), message("a", None, "user", written), message("b", "a", "assistant", written)]
    prompt, answer = drawn(opened(tmp_path, *lines), 80)
    assert prompt == f" • › {' '.join(written.split())}"
    assert answer.removesuffix("← leaf").rstrip() == f" •   {shown}"


@cases(("stop", "mark"), [("aborted", "× aborted: half"), ("error", "× error: half")])
def test_an_answer_with_text_says_that_it_failed(tmp_path, stop, mark):
    lines = [header(), message("a", None, "user", "go")]
    lines.append(message("b", "a", "assistant", "half", stopReason=stop))
    assert drawn(opened(tmp_path, *lines))[1].startswith(f" • {mark}")


def test_a_tool_call_has_its_name_and_its_arguments(tmp_path):
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls -l"}}
    lines = [
        header(),
        message("a", None, "user", "go"),
        message("b", "a", "assistant", "", content=[call]),
        message("c", "b", "toolResult", "x", toolCallId="c", toolName="bash"),
    ]
    view = opened(tmp_path, *lines)
    view.set_filter("all")
    line = rows(view)[2]
    assert plain_text(line).startswith(" • · bash ls -l")
    assert ("bash", "call") in line


def test_a_deep_row_shows_its_nearest_levels_and_the_number_of_all(tmp_path):
    lines = [header(), message("r", None, "user", "root")]
    parent = "r"
    for number in range(12):
        lines.append(message(f"x{number}", parent, "user", f"beside {number}"))
        lines.append(message(f"y{number}", parent, "user", f"down {number}"))
        parent = f"y{number}"
    view = opened(tmp_path, *lines)
    (deepest,) = [row for row in drawn(view, 80) if "down 11" in row]
    assert "‹11 " in deepest
    assert all(line_width(line) == 80 for line in rows(view, 80))


@cases("cells", [1, 5, 12, 30, 47, 200])
def test_a_row_has_exactly_its_cells(tmp_path, cells):
    view = opened(tmp_path, *chain("语言" * 40, "x" * 300, "done"))
    for about in ({}, {"words": ["done"]}, {"label_time": "5m"}, {"hit": True}):
        assert {line_width(line) for line in rows(view, cells, **about)} == {cells}
