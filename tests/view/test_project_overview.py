"""What the pane beside a project shows."""

from __future__ import annotations

from app.sessions import ABORTED, FAILED, FROM_NAME, INTERRUPTED, WAITING
from app.view.line import plain_text
from app.view.project_overview import (
    project_overview,
    project_rows,
    render_project_row,
    render_project_row_below,
)
from tests.cases import cases
from tests.factory import NOW, make_row

MINUTE, HOUR = 60_000, 3_600_000
ROWS = [
    make_row(
        "a",
        title="Flaky login on CI",
        title_source=FROM_NAME,
        last_prompt="shorter, one line only",
        modified=NOW - 2 * MINUTE,
        created=NOW - 5 * HOUR,
        message_count=33,
        tokens=(1_000_000, 200_000, 0, 0),
        cost=4.0,
        labels=(("1", "cause found"), ("2", "ready to merge")),
    ),
    make_row("c", title="Log lines", modified=NOW - 25 * HOUR, ending=FAILED, message_count=4, cost=0.0),
    make_row("b", title="Checkout totals", agent="omp", modified=NOW - 26 * HOUR, ending=WAITING, cost=0.31),
    make_row("d", title="Interrupted", modified=NOW - 50 * HOUR, ending=INTERRUPTED, message_count=4),
    make_row("e", title="Aborted by the user", modified=NOW - 51 * HOUR, ending=ABORTED, message_count=4),
]


def drawn(overview, cells=70, selected=-1):
    lines = []
    for index, item in enumerate(project_rows(overview, NOW)):
        line = render_project_row(item, cells, selected=index == selected, now_ms=NOW)
        lines.append(plain_text(line))
        if item.below:
            lines.append(plain_text(render_project_row_below(item, cells)))
    return lines


def test_figures_latest_sessions_labels_and_what_needs_the_user():
    overview = project_overview(ROWS, busy={"/store/d.jsonl"})
    lines = [line.rstrip() for line in drawn(overview)]
    assert lines[0].startswith(" 5 sessions · 4 pi · 1 omp · first ")
    assert lines[0].endswith("last 2m ago")
    assert lines[1].endswith("messages · 1.2M tokens · $4.31")
    assert lines[2:7] == [
        "",
        " Needs you",
        "   1d  ? Checkout totals                        waiting for an answer",
        "   1d  × Log lines                                ended with an error",
        "   2d  × Aborted by the user                                  aborted",
    ]
    assert lines[7:11] == [
        "",
        " Latest",
        f"   2m  Flaky login on CI{'pi':>45}",
        "       › shorter, one line only",
    ]
    labels = lines.index(" Labels  2")
    assert lines[labels + 1 : labels + 3] == [
        "   2m  ◆ ready to merge                             Flaky login on CI",
        "   2m  ◆ cause found                                Flaky login on CI",
    ]
    assert any("interrupted" in line for line in drawn(project_overview(ROWS)))


def test_a_label_that_a_fork_carried_over_is_shown_once_for_its_parent():
    parent = make_row(
        "p", created=NOW - 9 * HOUR, modified=NOW - 8 * HOUR, labels=(("1", "cause"), ("2", "x"))
    )
    fork = make_row(
        "f",
        created=NOW - 2 * HOUR,
        modified=NOW - HOUR,
        parent_session="/store/p.jsonl",
        labels=(("1", "cause"), ("2", "other"), ("3", "cause")),
    )
    overview = project_overview([fork, parent])
    labels = [(label.row.id, label.entry_id, label.label) for label in overview.labels]
    f, p = fork.id, parent.id
    assert labels == [(f, "3", "cause"), (f, "2", "other"), (p, "2", "x"), (p, "1", "cause")]
    assert overview.label_count == 4


def test_labels_are_sorted_by_the_times_of_their_entries():
    times = {("/store/a.jsonl", "1"): NOW - HOUR, ("/store/a.jsonl", "2"): NOW - 9 * HOUR}
    lines = drawn(project_overview(ROWS).with_times(times))
    assert [line.split()[0] for line in lines if "◆" in line] == ["1h", "9h"]


def test_empty_sections_are_left_out_and_many_sessions_are_counted():
    assert drawn(project_overview([]))[0].strip() == "0 sessions"
    plain = drawn(project_overview([make_row("x", modified=NOW, created=None)]))
    assert not any("Labels" in line or "Needs you" in line or " pi " in line[20:] for line in plain)
    many = [make_row(f"w{index}", modified=NOW - index, ending=WAITING) for index in range(20)]
    assert any("15 more" in line for line in drawn(project_overview(many)))


@cases("cells", [8, 20, 39, 70, 200])
def test_rows_fit_any_width_and_session_text_is_inert(cells):
    bad = "\x1b[31m" + "道" * 90 + "\u202e"
    row = make_row("h", title=bad, last_prompt=bad, labels=(("1", bad),), ending=FAILED, agent="omp")
    for line in drawn(project_overview([row, *ROWS]), cells, selected=4):
        assert "\x1b" not in line
        assert "\u202e" not in line
