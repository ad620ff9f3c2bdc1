"""A row of the session list in every arrangement: its columns, its second line and its question; and the
first frame.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.stores import Tagging
from app.view import (
    LEGEND,
    MARKED,
    ORPHAN,
    PINNED,
    STYLES,
    TARGET,
    THEMES,
    Arrangement,
    HitExcerpt,
    ListModel,
    render_heads,
    render_list_line,
    render_second_line,
    style_of,
)
from app.view.frame import frame
from app.view.line import line_width, plain_text
from tests.cases import cases
from tests.factory import MINUTE, NOW, make_row

HERE = "/home/me/work/app"


def listed(*rows, pins=(), **arrangement):
    model = ListModel((HERE,), "/home/me", Arrangement(**arrangement), frozenset(pins))
    model.load(rows)
    model.open_all(True)
    return model


def spans(model, index, cells=80, **look):
    look = {"selected": False, "now_ms": NOW, "states": {}} | look
    drawn = render_list_line(model, model.lines[index], cells, **look)
    assert line_width(drawn) == cells
    assert {style for _, style in drawn} <= STYLES.keys()
    return drawn


def text(model, index, cells=80, **look):
    return plain_text(spans(model, index, cells, **look))


def second(model, index, cells=80, **look):
    drawn = render_second_line(model, model.lines[index], cells, **({"states": {}} | look))
    assert line_width(drawn) == cells
    return plain_text(drawn)


def test_one_cell_shows_the_first_state_that_holds():
    row = make_row("a", title="Refactor", cwd=HERE)
    model = listed(row, make_row("b", cwd="/"), make_row("c", cwd="/"), pins={("pi", "a")})
    model.set_missing(frozenset({HERE}), frozenset())
    model.toggle_mark(row.path)
    assert text(model, 1, selected=True, states={row.path: "live"}).startswith("❯✓ Refactor")
    model.clear_marks()
    assert text(model, 1, states={row.path: "live"}).startswith(" ● Refactor")
    assert text(model, 1, states={row.path: "maybe"}).startswith(" ◐ Refactor")
    assert text(model, 1).startswith(" ! Refactor")
    model.set_missing(frozenset(), frozenset())
    assert text(model, 1).startswith(" ★ Refactor")
    model.set_pins(frozenset())
    model.set_missing(frozenset({HERE, "/"}), frozenset())
    assert text(model, 1).startswith("   Refactor"), "none of its agent can be resumed"
    model.set_missing(frozenset(), frozenset())
    assert text(model, 1).startswith("   Refactor")
    model.apply([make_row("a", title="Refactor", cwd=HERE, problems=2)], [])
    assert text(model, 1).startswith(" ! Refactor"), "damaged lines"
    for sign in (MARKED, PINNED, ORPHAN.strip(), "●", "◐", "Ψ", "◆", "!", "…", "?", "‖", "×"):
        assert sign in LEGEND


def test_columns_stand_below_each_other_and_vanish_in_order():
    busy = {"title": "Flaky login on CI", "branch_count": 4, "labels": (("x", "y"),) * 4}
    rows = [
        make_row("a", **busy, message_count=33, cwd=HERE),
        make_row("b", title="task", agent="indusagi", message_count=3005, ending="waiting", cwd=HERE),
    ]
    model = listed(*rows, grouped=False)
    shown = {cells: [text(model, index, cells - 1) for index in (0, 1)] for cells in (80, 64, 63, 46)}
    assert shown[80] == [
        "   Flaky login on CI                    Ψ4 ◆4 ~/work/app     pi        33   5m ",
        "   task                                       ~/work/app     indus ? 3005   5m ",
    ]
    assert shown[64][0] == "   Flaky login on CI    Ψ4 ◆4 ~/work/app     pi        33   5m "
    assert shown[63][0] == "   Flaky login on CI · app            Ψ4 ◆4 pi        33   5m "
    assert shown[46][0] == "   Flaky login on CI · app pi        33   5m "
    assert shown[46][1] == "   task · app              indus ? 3005   5m "
    assert text(model, 1, 42).split() == ["task", "·", "app", "?", "5m"]
    heads = {cells: plain_text(render_heads(model, cells - 1)) for cells in (80, 63, 46)}
    assert heads[80] == "   title                                      folder         agent      n •age "
    assert heads[63] == "   title                                    agent      n •age "
    assert heads[46] == "   title                   agent      n •age "
    for order, mark in (("name", "•title"), ("cost", "•cost"), ("length", "•n"), ("recent", "•age")):
        by_field = listed(*rows, order=order)
        assert plain_text(render_heads(by_field, 63)).split().count(mark) == 1, order
    model.apply([make_row("c", title="notes", agent="claude", cwd=HERE, modified=1)], [])
    assert " pi " in text(model, 0, 58)
    assert " indus " in text(model, 1, 58)
    assert " claude " in text(model, 2, 58)
    assert text(model, 0, 58).index(" pi ") == text(model, 2, 58).index(" claude ")
    model.apply([make_row("a", title="Flaky", message_count=33, cwd=HERE)], [rows[1].path, "/store/c.jsonl"])
    assert text(model, 0, 63).split() == ["Flaky", "~/work/app", "33", "5m"], "columns that no session uses"


def test_a_project_shows_its_number_and_its_newest_age_in_the_columns_of_its_sessions():
    model = listed(make_row("a", cwd=HERE, message_count=33), make_row("b", cwd=HERE, modified=1))
    head, row = (text(model, index, 60) for index in (0, 1))
    assert head.startswith(" ▾ ~/work/app ")
    assert head.endswith("   2   5m ")
    assert row.endswith("  33   5m ")
    assert text(model, 0, 38).endswith("     5m ")
    model.open_all(False)
    assert text(model, 0, 60).startswith(" ▸ ~/work/app ")


def test_the_folder_has_a_column_in_a_list_of_all_folders_without_groups():
    row = make_row("a", title="Refactor", cwd=HERE)
    assert " ~/work/app " in text(listed(row, grouped=False), 0)
    longer = make_row("a", title="Refactor", cwd=f"{HERE}lications")
    assert " …/applications " in text(listed(longer, grouped=False), 0, 64)
    for model, index, cells in (
        (listed(row), 1, 80),
        (listed(row, grouped=False, scope="here"), 0, 80),
        (listed(row, grouped=False), 0, 62),
    ):
        assert "work/app" not in text(model, index, cells)


PATH = "/home/me/.pi/agent/sessions/--home-me-work-app--/2026-05-01T10-00-00-000Z_0a1b2c3d-0000.jsonl"


@cases(
    ("cells", "line"),
    [
        (105, "   ~/.pi/agent/sessions/--home-me-work-app--/2026-05-01T10-00-00-000Z_0a1b2c3d-0000.jsonl"),
        (76, "   …/--home-me-work-app--/2026-05-01T10-00-00-000Z_0a1b2c3d-0000.jsonl"),
        (63, "   …/--home-me-work-app--/2026-05-01T10-00-00-000Z_0a1b2c3d-0…"),
        (46, "   …/--home-me-work-app--/2026-05-01T10-00-0…"),
        (32, "   …ork-app--/2026-05-01T10-00…"),
        (19, "   …p--/2026-05-0…"),
    ],
)
def test_the_path_of_the_file_has_a_line_of_its_own_with_folder_and_time(cells, line):
    row = make_row("a", title="Refactor " * 20, cwd=HERE, path=PATH, last_prompt="and now")
    for grouped, roomy in ((True, False), (False, False), (True, True)):
        shown, without = (
            listed(row, grouped=grouped, roomy=roomy, paths=True),
            listed(row, grouped=grouped, paths=False),
        )
        assert second(shown, int(grouped), cells).rstrip() == line
        # the title has as much room
        assert text(shown, int(grouped), cells) == text(without, int(grouped), cells)
        assert shown.arrangement.row_height == 2
    head = listed(row, paths=True)
    assert text(head, 0, cells).startswith(" ▾ ")
    assert second(head, 0, cells).strip() == ""


def test_a_path_in_a_short_folder_and_one_of_wide_characters_are_cut_as_well():
    short = listed(make_row("a", path="/s/20260101-101010-abcdef.jsonl"), paths=True)
    assert second(short, 1, 39).rstrip() == "   /s/20260101-101010-abcdef.jsonl"
    assert second(short, 1, 29).rstrip() == "   /s/20260101-101010-abcde…"
    wide = listed(make_row("a", path="/store/" + "道" * 40 + "/" + "路" * 40), paths=True)
    assert second(wide, 1, 29).rstrip() == "   …道道道/路路路路路路路路…"


def test_a_filtered_fork_has_a_mark_and_no_connector():
    model = listed(make_row("a"), make_row("b", parent_session="a", title="needle"))
    assert text(model, 2).startswith("   └ needle")
    model.set_query("needle")
    assert text(model, 1).startswith("   ↳ needle")


def test_without_threads_forks_are_marked():
    model = listed(make_row("a", modified=1), make_row("b", parent_session="a"), order="recent")
    assert text(model, 1).startswith("   ↳ a session")


def test_the_first_frame_marks_no_fork_as_an_orphan():
    model = ListModel((HERE,), "/home/me")
    model.preview([("/work/app", 1, NOW, 0)], [make_row("b", parent_session="/elsewhere/a.jsonl")])
    model.open_all(True)
    assert text(model, 1).startswith("   ↳ a session")


def test_the_second_line_is_the_last_prompt():
    row = make_row("a", title="Refactor", last_prompt="and now the tests")
    model = listed(row, roomy=True)
    assert second(model, 1).rstrip() == "   › and now the tests"
    assert second(model, 1, 42).rstrip() == "   › and now the tests"
    assert text(model, 0).startswith(" ▾ /work/app")
    assert second(model, 0).strip() == ""
    model.apply([make_row("a", title="Refactor")], [])
    assert second(model, 1).strip() == ""


def test_tags_stand_behind_the_last_prompt_or_beside_the_title():
    row = make_row("a", title="Refactor", last_prompt="and now the tests")
    taggings = {("pi", "a"): Tagging(("client", "urgent"))}
    model = listed(row, roomy=True)
    model.set_taggings(taggings)
    assert second(model, 1).rstrip() == "   › and now the tests #client #urgent"
    assert second(model, 1, 36).rstrip() == "   › and now the tests #client"
    assert "#" not in text(model, 1)
    model.arrange(model.arrangement.changed(roomy=False))
    assert text(model, 1).startswith("   Refactor #client #urgent ")


ENDED = [
    ("waiting", "?", "waiting", "waiting for you"),
    ("interrupted", "‖", "interrupted", "interrupted"),
    ("aborted", "×", "aborted", "aborted"),
    ("failed", "×", "failed", "failed"),
]


@cases(("ending", "mark", "word", "below"), ENDED)
def test_a_row_says_how_its_session_ended(ending, mark, word, below):
    row = make_row("a", title="Refactor", agent="pi", message_count=7, ending=ending)
    model = listed(row)
    assert text(model, 1, 60).split() == ["Refactor", mark, "7", "5m"]
    assert text(model, 1, 120).split() == ["Refactor", word, "7", "5m"]
    assert text(model, 1, 33).split() == ["Refactor", mark, "5m"]
    roomy = listed(row, roomy=True)
    assert text(roomy, 1, 120).split() == ["Refactor", mark, "7", "5m"]
    assert second(roomy, 1, 60).strip() == below


@cases("ending", ["done", ""])
def test_the_column_of_the_ending_is_blank_for_a_session_that_is_done(ending):
    model = listed(
        make_row("a", title="Refactor", ending=ending), make_row("b", title="Refactor", ending="failed")
    )
    ended = [text(model, index, cells) for cells in (60, 120) for index in (1, 2)]
    for done, failed, word in ((*ended[:2], "×"), (*ended[2:], "failed")):
        assert done == failed.replace(word, " " * len(word))


def test_a_session_that_a_running_agent_may_have_open_is_not_interrupted():
    row = make_row("a", title="Refactor", ending="interrupted")
    model = listed(row, roomy=True)
    states = {row.path: "maybe"}
    assert "‖" not in text(model, 1, states=states)
    assert not second(model, 1, states=states).strip()


def test_the_size_is_on_the_second_line_on_request():
    row = make_row("a", title="Refactor", size=2_400_000)
    assert second(listed(row, roomy=True, sizes=True), 1, 60).strip() == "2.4 MB"
    assert not second(listed(row, roomy=True), 1, 60).strip()


@cases(("source", "style"), [("name", "name"), ("prompt", "title"), ("text", "derived")])
def test_the_style_of_a_title_tells_where_it_is_from(source, style):
    model = listed(make_row("a", title="Refactor", title_source=source))
    assert style in [drawn for part, drawn in spans(model, 1) if "Refactor" in part]


def test_words_are_highlighted_in_title_folder_and_last_prompt():
    row = make_row("a", title="Fix app", last_prompt="run the app", cwd=HERE)
    model = listed(row, grouped=False, roomy=True)
    model.set_query("app")
    assert [part for part, style in spans(model, 0) if style == "match"] == ["app", "app"]
    found = HitExcerpt("app", "row", "", ())
    below = render_second_line(model, model.lines[0], 60, states={}, found=found)
    assert ("app", "match") in below, "the last prompt of a session that matches as a whole"
    below = render_second_line(model, model.lines[0], 60, states={})
    assert not plain_text(below).strip(), "the reason is not known yet"


def test_the_row_of_a_session_that_a_prompt_is_about_is_marked():
    model = listed(make_row("a", title="Refactor"))
    marked = spans(model, 1, 60, selected=True, is_target=True)
    assert plain_text(marked).startswith("❯✗ Refactor")
    assert "".join(part for part, style in marked if style == "error").rstrip() == f"{TARGET}Refactor"


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=40)


@given(
    WORDS,
    WORDS,
    WORDS,
    st.integers(20, 200),
    st.builds(
        Arrangement,
        grouped=st.booleans(),
        paths=st.booleans(),
        roomy=st.booleans(),
        order=st.sampled_from(["threaded", "recent"]),
    ),
    st.booleans(),
    st.sampled_from(["", "a", "é"]),
)
def test_every_row_takes_exactly_its_cells(title, prompt, folder, cells, arrangement, is_target, query):
    fields = {"title": title, "last_prompt": prompt, "cwd": f"/{folder}", "branch_count": 3}
    row = make_row("a", **fields, labels=(("x", "y"),))
    model = ListModel((), "/home/me", arrangement, frozenset({("pi", "a")}))
    model.load([row, make_row("b", title=title, parent_session="a", name=title or None)])
    model.open_all(True)
    model.set_query(query)
    for index in range(len(model.lines)):
        text(model, index, cells, is_target=is_target, selected=not index)
        second(model, index, cells)


# the first frame


def crowd(number):
    return [
        make_row(f"s{index:02}", title=f"task {index:02}", modified=NOW - index * MINUTE)
        for index in range(number)
    ]


@cases("size", [(120, 40), (160, 45), (80, 24), (60, 14), (20, 8)])
@cases("query", [None, "", "label:" + "x" * 200])
@cases("roomy", [False, True])
def test_the_first_frame_fills_the_screen(size, query, roomy):
    columns, lines = size
    model = listed(*crowd(50), grouped=query is None, roomy=roomy)
    picture = frame(
        model, columns, lines, now_ms=NOW, here=HERE, home="/home/me", query=query, keys=[("Enter", "resume")]
    )
    assert len(picture) == lines
    for line in picture:
        assert line_width((part, style) for part, style, _ in line) == columns
        for _, style, background in line:
            for theme in THEMES.values():
                assert style_of(style, theme)
                assert background in theme


def test_the_first_frame_of_the_selector_has_a_search_line_and_a_preview():
    model = listed(*crowd(3), grouped=False)
    lines = [
        "".join(part for part, _, _ in line)
        for line in frame(
            model,
            120,
            24,
            now_ms=NOW,
            here=HERE,
            home="/home/me",
            query="auth",
            keys=[("Enter", "resume")],
        )
    ]
    assert lines[0].startswith("━ Resume · all folders · by thread ━")
    assert "┬─ task 00 · pi ─" in lines[0]
    assert lines[1].startswith(" auth ")
    assert lines[2].split("│")[0].split() == ["title", "n", "•age"]
    assert lines[3].startswith("❯  task 00")
    assert lines[-1].split() == ["Enter", "resume"]
