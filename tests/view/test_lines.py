"""Lines of styled text, the bars, and the places of the panes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.commands import COMMANDS, PANES
from app.formats import one_line
from app.keys import footer, key_name
from app.view import (
    STYLES,
    THEMES,
    Arrangement,
    ListModel,
    cache_note,
    header_line,
    keys_line,
    rule_line,
    style_of,
    unread_note,
)
from app.view.frame import frame
from app.view.geometry import (
    PANES as PLACED,
)
from app.view.geometry import (
    Sizes,
    initial_sizes,
    move_border,
    place,
    place_selector,
    saved_sizes,
    share_of,
    with_divider,
    with_rule,
    with_second,
)
from app.view.line import fit_line, highlight, line_width, plain_text
from tests.cases import cases
from tests.factory import NOW, make_row

PIECES = st.lists(
    st.tuples(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12), st.just("text")),
    max_size=6,
)

WITH_TREE = Sizes(hidden=())


@given(PIECES, st.integers(0, 40))
def test_a_fitted_line_takes_exactly_its_cells(pieces, cells):
    assert line_width(fit_line(pieces, cells)) == cells


def test_a_cut_line_ends_with_an_ellipsis():
    assert plain_text(fit_line([("abc", "x"), ("defgh", "y")], 6)) == "abcde…"
    assert plain_text(fit_line([("abc", "x"), ("def", "y")], 3)) == "ab…"


@given(
    st.integers(20, 250),
    st.integers(8, 80),
    st.sampled_from(PLACED),
    st.builds(
        Sizes,
        *[st.integers(0, 999)] * 5,
        st.sets(st.sampled_from(PLACED)).map(tuple),
    ),
    st.booleans(),
)
def test_panes_fill_the_screen_without_overlapping(columns, lines, focus, sizes, zoomed):
    places = place(columns, lines, focus, sizes, zoomed=zoomed)
    assert focus in places.boxes
    rows = lines - 2 - places.header - places.closing
    covered = sum(box.width * box.height for box in places.boxes.values())
    columns_between = (places.divider >= 0) + (places.second >= 0)
    assert covered + rows * columns_between == columns * rows
    for box in places.boxes.values():
        assert box.x >= 0
        assert box.x + box.width <= columns
        assert box.height >= 2
    assert not zoomed or set(places.boxes) == {focus}


@cases(
    ("size", "divider", "boxes"),
    [
        ((160, 45), 64, {"sessions": (0, 1, 64, 41), "transcript": (65, 1, 95, 41)}),
        ((120, 40), 52, {"sessions": (0, 1, 52, 36), "transcript": (53, 1, 67, 36)}),
        ((109, 40), -1, {"sessions": (0, 1, 109, 16), "transcript": (0, 17, 109, 20)}),
        ((80, 24), -1, {"sessions": (0, 0, 80, 10), "transcript": (0, 10, 80, 12)}),
        ((40, 15), -1, {"sessions": (0, 0, 40, 13)}),
        ((20, 8), -1, {"sessions": (0, 0, 20, 6)}),
    ],
)
def test_the_places_for_each_size(size, divider, boxes):
    places = place(*size)
    assert (places.divider, places.boxes) == (divider, boxes)
    assert places.header == places.closing == (size[1] >= 30)


@cases(
    ("size", "boxes"),
    [
        ((120, 40), {"sessions": (0, 1, 52, 36), "tree": (53, 1, 67, 14), "transcript": (53, 15, 67, 22)}),
        ((159, 40), {"sessions": (0, 1, 63, 36), "tree": (64, 1, 95, 14), "transcript": (64, 15, 95, 22)}),
        ((160, 40), {"sessions": (0, 1, 44, 36), "tree": (45, 1, 48, 36), "transcript": (94, 1, 66, 36)}),
        ((80, 24), {"sessions": (0, 0, 80, 10), "tree": (0, 10, 80, 12)}),
    ],
)
def test_the_places_with_the_tree_for_each_size(size, boxes):
    assert place(*size, sizes=WITH_TREE).boxes == boxes


def test_a_stacked_screen_shows_tree_or_transcript():
    assert list(place(80, 24, "transcript", WITH_TREE).boxes) == ["sessions", "transcript"]
    assert list(place(80, 24, "tree").boxes) == ["sessions", "tree"]


@cases("room", [41, 80, 160, 333])
def test_a_border_stays_where_it_was_moved(room):
    for size in range(20, room - 19):
        sizes = Sizes(left=share_of(size, room))
        if room >= 100:
            assert place(room, 24, sizes=sizes).boxes["sessions"].width == size


def test_a_border_that_comes_near_an_edge_closes_a_pane():
    assert move_border(30, 100, 20, 4, ("a",), ("b",)) == (30, ())
    assert move_border(18, 100, 20, 4, ("a",), ("b",)) == (20, ())
    assert move_border(16, 100, 20, 4, ("a",), ("b",)) == (20, ("a",))
    assert move_border(90, 100, 20, 4, ("a",), ("b",)) == (80, ("b",))


def test_a_moved_border_stands_where_it_was_put_and_closes_panes_at_an_edge():
    sizes = with_divider(WITH_TREE, 50, place(140, 45, sizes=WITH_TREE), 140)
    places = place(140, 45, sizes=sizes)
    assert (places.boxes["sessions"].width, sizes.hidden) == (50, ())
    assert with_divider(sizes, 10, places, 140).hidden == ("sessions",)
    assert with_divider(sizes, 135, places, 140).hidden == ("tree", "transcript")
    moved = with_rule(sizes, places, "transcript", 20)
    assert moved is not None
    assert place(140, 45, sizes=moved).boxes["transcript"].y == 20
    assert with_rule(sizes, places, "transcript", places.top).hidden == ("tree",)
    assert with_rule(sizes, places, "tree", 20) is None


@cases("columns", [160, 177, 200, 333])
def test_a_moved_column_stands_where_it_was_put_and_leaves_the_other(columns):
    places = place(columns, 45, sizes=WITH_TREE)
    for size in range(20, places.second - 20):
        moved = place(columns, 45, sizes=with_divider(WITH_TREE, size, places, columns))
        assert (moved.divider, moved.second) == (size, places.second)
    for column in range(places.divider + 21, columns - 20):
        moved = place(columns, 45, sizes=with_second(WITH_TREE, column, places, columns))
        assert (moved.divider, moved.second) == (places.divider, column)
    assert with_divider(WITH_TREE, places.second, places, columns).hidden == ("tree",)
    assert with_second(WITH_TREE, places.divider, places, columns).hidden == ("tree",)
    assert with_second(WITH_TREE, columns, places, columns).hidden == ("transcript",)


def test_sizes_are_remembered_and_damaged_ones_ignored():
    sizes = Sizes(left=333, upper=0, list=500, middle=250, hidden=("transcript",))
    assert initial_sizes(saved_sizes(sizes)) == sizes
    assert initial_sizes({"pane-left": "x", "pane-upper": "-3"}) == Sizes()
    assert initial_sizes({"panes-closed": "sessions,x,,"}) == WITH_TREE


def test_a_rule_drops_whole_figures_and_cuts_its_title_last():
    def drawn(cells, **options):
        facts = ("branch 4 of 4 · 5 turns · $0.02",)
        line = rule_line(cells, ("Flaky login on CI",), facts, suffix=" · pi", **options)
        assert line_width(line) == cells
        return plain_text(line)

    assert drawn(64) == "─ Flaky login on CI · pi ───── branch 4 of 4 · 5 turns · $0.02 ─"
    assert drawn(46, focused=True) == "━ Flaky login on CI · pi ━━━━━ branch 4 of 4 ━"
    assert drawn(20) == "─ Flaky logi… · pi ─"
    for cells in range(4):
        assert plain_text(rule_line(cells, ("a",), ("b",))) == "─" * cells


def test_the_usual_words_of_a_title_give_way_to_the_figures():
    titles = ("Search · all folders · by thread", "Search · all folders", "Search")

    def drawn(cells, *facts):
        return plain_text(rule_line(cells, titles, facts))

    assert drawn(52, "2 of 26 · 4 hits") == "─ Search · all folders ────────── 2 of 26 · 4 hits ─"
    assert drawn(60, "2 of 26 · 4 hits").startswith("─ Search · all folders · by thread ─")
    assert drawn(28, "2 of 26 · 4 hits") == "─ Search ───────── 2 of 26 ─"


def test_the_footer_has_only_whole_hints():
    pairs = footer("sessions")
    for cells in range(20, 120):
        text = plain_text(keys_line(cells, pairs)).strip()
        hints = [f"{key} {label}" for key, label in pairs]
        remaining = text
        for hint in hints:
            remaining = remaining.replace(hint, "", 1)
        assert not remaining.strip() or cells < 40, (cells, text)


def test_the_header_has_counts():
    line = plain_text(header_line(80, total=3005, projects=1, live=2, note="", here="~/work/app"))
    assert "3,005 sessions · 1 project · ● 2 open" in line
    assert line.rstrip().endswith("~/work/app")
    assert len(plain_text(header_line(20, total=1, projects=1, live=0, note="x" * 50, here="y"))) == 20


@cases(("columns", "lines"), [(120, 40), (80, 24), (40, 12), (24, 8)])
@cases("roomy", [False, True])
@cases("query", ["label:ckpt", "nowhere " * 30, "x\n\x1b[2Jy"])
def test_a_first_frame_without_rows_says_that_the_search_runs(columns, lines, roomy, query):
    model = ListModel(("/work/app",), "", Arrangement(scope="here", grouped=False, roomy=roomy))
    model.load([make_row("s1", title="Refactor auth")])
    model.begin_with(query)
    picture = frame(model, columns, lines, now_ms=NOW, here="/work/app", home="", query=query)
    assert {line_width((text, style) for text, style, _ in line) for line in picture} == {columns}
    assert all(style_of(style, THEMES["dark"]) for line in picture for _, style, _ in line)
    texts = ["".join(text for text, _, _ in line) for line in picture]
    box = place_selector(columns, lines).boxes["sessions"]
    drawn = " ".join(line[: box.width - 1].strip() for line in texts[2 : box.height]).strip()
    assert drawn.startswith("Searching for “")
    assert "Refactor" not in drawn
    assert "❯" not in drawn
    assert not any(" of " in line for line in texts), "the number of matches is not known"
    if columns >= 40 and len(query) < 20:
        assert f"Searching for “{one_line(query)}” … " in drawn


def test_a_first_frame_with_rows_highlights_matches_without_their_number():
    model = ListModel(("/work/app",), "", Arrangement(scope="here", grouped=False))
    model.load([make_row("s1", title="Refactor auth"), make_row("s2", title="Dark mode")])
    model.begin_with("auth")
    picture = frame(model, 80, 24, now_ms=NOW, here="/work/app", home="", query="auth")
    drawn = ["".join(text for text, _, _ in line) for line in picture]
    assert "Refactor auth" in drawn[3]
    assert ("auth", "match", "cursor-idle") in picture[3]
    assert "Dark mode" not in "".join(drawn)
    assert not any("Searching" in line or " of " in line for line in drawn)


def test_both_themes_have_the_same_colours_and_styles_use_them():
    assert THEMES["dark"].keys() == THEMES["light"].keys()
    assert {colour for colour, _ in STYLES.values()} <= THEMES["dark"].keys()


def test_words_are_highlighted_in_a_title():
    assert highlight("Fix the Login", ["login", "fix"], "title") == [
        ("Fix", "match"),
        (" the ", "title"),
        ("Login", "match"),
    ]
    assert plain_text(highlight("straße", ["ss"], "title")) == "straße"


@given(st.text(max_size=20), st.lists(st.text(min_size=1, max_size=3), max_size=3))
def test_highlighting_keeps_all_text(text, words):
    assert plain_text(highlight(text, [word.casefold() for word in words], "title")) == text


def test_commands_have_ids_of_their_own_and_no_two_in_a_pane_share_a_key():
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)
    for pane in ("sessions", "tree", "entry"):
        keys = [key for command in COMMANDS if command.pane in (pane, "list", "app") for key in command.keys]
        assert len(keys) == len(set(keys)), pane
    assert {command.pane for command in COMMANDS} <= set(PANES)


@cases(
    ("key", "name"),
    [
        ("ctrl+y", "Ctrl+Y"),
        ("f5", "F5"),
        ("slash", "/"),
        ("alt+up", "Alt+↑"),
        ("ctrl+shift+o", "Ctrl+Shift+O"),
        ("q", "q"),
    ],
)
def test_key_names(key, name):
    assert key_name(key) == name


def test_files_and_folders_that_cannot_be_read_are_counted() -> None:
    counts = ((0, 0), (1, 0), (1_200, 0), (0, 1), (1, 2))
    assert [unread_note(files, folders) for files, folders in counts] == [
        "",
        "1 file not read: leafmark doctor",
        "1,200 files not read: leafmark doctor",
        "1 folder not read: leafmark doctor",
        "1 file and 2 folders not read: leafmark doctor",
    ]


def test_the_header_names_only_the_unsaved_data() -> None:
    assert cache_note("the list is kept in memory only: /c/catalog.db: it: is full") == (
        "the list is kept in memory only"
    )
    assert cache_note("") == ""


def test_keys_are_left_out_from_the_end_and_the_help_stays_at_the_right():
    pairs = footer("sessions")
    for cells in range(24, 120):
        text = plain_text(keys_line(cells, pairs))
        assert text.startswith(" Enter resume  "), cells
        assert text.endswith("  ? help "), cells
    assert "q quit" in text
    assert "Space mark  " in plain_text(keys_line(80, pairs))
    assert "Tab pane" not in plain_text(keys_line(80, pairs))
