"""The session list: its groups, folds, filter and changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.formats.text import one_line
from app.view.line import line_width, plain_text
from app.view.list_filter import haystack, matches, words_of
from app.view.list_model import ListModel
from app.view.session_row import LEGEND, render_list_line
from tests.cases import cases
from tests.factory import MINUTE, NOW, make_row
from tests.view.listed import shown

HERE = "/work/app"


def listed(*rows, here=HERE, opened=100):
    model = ListModel((here,), "/home/me")
    model.load(rows)
    model.open_first(opened)
    return model


def paths(model):
    return [line.row.path if line.row else f"[{line.group.cwd}]" for line in model.lines]


def prefixes(model):
    return [(line.depth, line.prefix) for line in model.lines]


def drawn(model, index, cells=60, selected=False, states=None):
    line = model.lines[index]
    spans = render_list_line(
        model,
        line,
        cells,
        selected=selected,
        now_ms=NOW,
        states=states or {},
    )
    assert line_width(spans) == cells
    return plain_text(spans)


ROWS = (
    make_row("a", cwd=HERE, modified=NOW - 50 * MINUTE),
    make_row("b", cwd=HERE, modified=NOW - 40 * MINUTE),
    make_row("c", cwd="/work/site", modified=NOW - 10 * MINUTE),
    make_row("d", cwd="/work/old", modified=NOW - 90 * MINUTE),
)


def test_this_folder_comes_first_then_the_newest():
    assert shown(listed(*ROWS)) == [f"[{HERE}]", "b", "a", "[/work/site]", "c", "[/work/old]", "d"]


def test_only_this_folder_is_open_when_not_everything_fits():
    assert shown(listed(*ROWS, opened=4)) == [f"[{HERE}]", "b", "a", "[/work/site]", "[/work/old]"]


def test_without_sessions_here_the_newest_project_is_open():
    model = listed(*ROWS, here="/elsewhere", opened=3)
    assert shown(model) == ["[/work/site]", "c", f"[{HERE}]", "[/work/old]"]


def test_the_first_frame_has_counts_of_all_groups_and_rows_of_the_open_ones():
    complete = listed(*ROWS, opened=5)
    model = ListModel((HERE,), "/home/me")
    counts = [
        (HERE, 2, NOW - 40 * MINUTE, 0),
        ("/work/site", 1, NOW - 10 * MINUTE, 0),
        ("/work/old", 1, NOW - 90 * MINUTE, 0),
    ]
    model.preview(counts, ())
    model.open_first(5)
    assert model.first_groups() == [HERE, "/work/site"]
    model.preview((), ROWS[:3])
    assert [drawn(model, index) for index in range(5)] == [drawn(complete, index) for index in range(5)]
    assert (model.total, model.projects) == (4, 3)


def test_projects_unfold_from_the_top_as_far_as_lines_fit():
    rows = [
        make_row(f"{folder}{number}", cwd=f"/{folder}", modified=NOW - index * MINUTE)
        for index, folder in enumerate("abc")
        for number in range(3)
    ]
    model = ListModel((), "/home/me")
    model.load(rows)
    for height, unfolded in ((2, "a"), (5, "a"), (6, "ab"), (9, "ab"), (10, "abc")):
        model.open_first(height)
        assert model.first_groups() == [f"/{folder}" for folder in unfolded], height


@cases("here", [HERE, "/elsewhere"])
def test_the_first_frame_needs_no_more_groups_than_fit(here):
    rows = [make_row(f"r{index}", cwd=f"/work/{index}", modified=NOW - index * MINUTE) for index in range(9)]
    rows.append(make_row("last", cwd=HERE, modified=NOW - 99 * MINUTE))
    counts = [(row.cwd, 1, row.modified, 0) for row in rows]
    complete, model = ListModel((here,), "/home/me"), ListModel((here,), "/home/me")
    for frame_list, most in ((complete, None), (model, 4)):
        frame_list.preview(counts, (), most)
        frame_list.open_first(4)
        opened = frame_list.first_groups()
        frame_list.preview((), [row for row in rows if row.cwd in opened])
    assert [drawn(model, index) for index in range(4)] == [drawn(complete, index) for index in range(4)]
    assert (model.total, model.projects, model.known) == (10, 10, 10)
    assert len(model.lines) < len(complete.lines)
    model.preview(counts, ())
    assert shown(model) == shown(complete)
    assert (model.matched, model.first_groups()) == (complete.matched, complete.first_groups())


def test_a_change_moves_the_row_and_a_removal_drops_an_empty_group():
    model = listed(*ROWS)
    model.apply([make_row("a", cwd=HERE, modified=NOW)], ["/store/d.jsonl"])
    assert shown(model) == [f"[{HERE}]", "a", "b", "[/work/site]", "c"]
    assert model.total == 3


def test_a_session_may_move_to_another_project():
    model = listed(*ROWS)
    model.apply([make_row("c", cwd=HERE, modified=NOW)], [])
    assert shown(model)[:4] == [f"[{HERE}]", "c", "b", "a"]
    assert model.index_of_group("/work/site") is None


def test_the_first_session_of_this_folder_opens_its_group():
    model = listed(ROWS[2], here="/new")
    model.apply([make_row("n", cwd="/new", modified=NOW)], [])
    assert shown(model)[:2] == ["[/new]", "n"]


def test_groups_fold_and_unfold():
    model = listed(*ROWS)
    group = model.lines[0].group
    model.set_open(group, False)
    assert shown(model)[0:2] == [f"[{HERE}]", "[/work/site]"]
    assert model.index_of("/store/a.jsonl") is None
    model.open_all(False)
    assert len(model.lines) == 3
    model.open_all(True)
    assert len(model.lines) == 7


def test_a_filter_shows_matches_of_folded_groups_too_and_counts_them():
    model = listed(*ROWS, opened=4)
    model.set_query("SITE")
    assert shown(model) == ["[/work/site]", "c"]
    assert (model.matched, model.total) == (1, 4)
    model.set_query("")
    assert len(model.lines) == 5


def test_the_filter_matches_title_folder_id_agent_and_labels():
    row = make_row(
        "0190-id", title="Ünïcode Title", cwd="/home/me/deep", agent="omp", labels=(("x", "Check"),)
    )
    folded = haystack(row, "~/deep")
    for query in ("ünï", "UNICODE" * 0 + "title", "~/deep", "/home/me", "0190", "omp", "check", "omp check"):
        assert matches(folded, words_of(query)), query
    assert not matches(folded, words_of("omp nothing"))


def test_composed_and_decomposed_letters_are_the_same():
    assert matches(haystack(make_row(title="cafe\u0301"), ""), words_of("caf\u00e9"))


def test_a_row_has_name_agent_messages_branches_labels_age_and_state():
    row = make_row(
        "x",
        title="Refactor",
        name="Refactor",
        leaf_count=3,
        branch_count=2,
        labels=(("1", "a"), ("2", "b")),
        agent="omp",
        message_count=112,
    )
    model = listed(row)
    text = drawn(model, 1, 70, selected=True, states={row.path: "live"})
    assert text.startswith("❯● Refactor")
    assert text.split()[-4:] == ["Ψ2", "◆2", "112", "5m"]


def test_an_unread_row_has_a_mark_and_no_counts():
    row = make_row("x", title="Refactor", message_count=0, leaf_count=0, branch_count=0)
    row.provisional = True
    model = listed(row)
    assert drawn(model, 1, 70).split() == ["Refactor", "…", "5m"]
    assert drawn(model, 1, 36).split() == ["Refactor", "…", "5m"]
    model.apply([make_row("x", title="Refactor", message_count=7)], [])
    assert drawn(model, 1, 70).split() == ["Refactor", "7", "5m"]
    assert drawn(model, 1, 36).split() == ["Refactor", "5m"]


def test_a_fork_whose_parent_is_elsewhere_is_marked():
    model = listed(make_row("a", cwd="/work/other"), make_row("b", parent_session="a"))
    assert "↳ a session" in drawn(model, 1)


def test_a_fork_of_an_unknown_parent_has_a_mark():
    model = listed(make_row(parent_session="/gone.jsonl"))
    assert "↳? a session" in drawn(model, 1)
    assert "↳?" in LEGEND
    model.apply([make_row("gone", cwd="/work/other", path="/elsewhere/gone.jsonl")], [])
    assert "↳ a session" in drawn(model, 1)
    model.apply([], ["/elsewhere/gone.jsonl"])
    assert "↳? a session" in drawn(model, 1)


def test_hostile_titles_take_one_line_and_no_more_cells():
    title = one_line("\x1b[2J\x1b]0;x\x07 a\nb \u202egnp [/red] 👩‍👩‍👧 日本語")
    model = listed(make_row(title=title))
    for cells in (20, 33, 47, 80):
        text = drawn(model, 1, cells)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\n" not in text


def test_a_narrow_pane_gives_its_room_to_the_title():
    model = listed(make_row(title="A long title of a session"))
    assert "A long" in drawn(model, 1, 24)
    assert "pi" not in drawn(model, 1, 19)


PARENTS = st.one_of(
    st.none(),
    st.builds("s{}".format, st.integers(0, 9)),
    st.builds("/store/s{}.jsonl".format, st.integers(0, 9)),
    st.builds("/moved/s{}.jsonl".format, st.integers(0, 9)),
)
KEYS = st.tuples(st.integers(0, 8), st.integers(0, 3), st.integers(0, 50), PARENTS)


def row_of(key):
    """A session; every third one has the id of another."""
    number, project, modified, parent = key
    row = make_row(f"s{number}", cwd=f"/p{project}", modified=modified, parent_session=parent)
    if number % 3 == 2:
        row.id = f"s{number - 1}"
    return row


@given(
    st.lists(KEYS, max_size=15),
    st.lists(st.tuples(KEYS, st.booleans()), max_size=15),
    st.sampled_from(["", "s1", "p2"]),
)
def test_changes_row_by_row_equal_one_load(first, changes, query):
    row = row_of
    rows = {f"/store/s{key[0]}.jsonl": row(key) for key in first}
    model = listed(*rows.values(), here="/p1")
    model.open_all(True)
    model.set_query(query)
    for key, is_removed in changes:
        new = row(key)
        if is_removed:
            rows.pop(new.path, None)
            model.apply([], [new.path])
        else:
            rows[new.path] = new
            model.apply([new], [])
    model.open_all(True)
    loaded = listed(*sorted(rows.values(), key=lambda row: row.title + row.path, reverse=True), here="/p1")
    loaded.open_all(True)
    loaded.set_query(query)
    assert paths(model) == paths(loaded)
    assert prefixes(model) == prefixes(loaded)
    assert (model.total, model.matched) == (loaded.total, loaded.matched)
    for index, line in enumerate(model.lines):
        if line.row is not None:
            assert model.index_of(line.row.path) == index
        else:
            assert model.index_of_group(line.group.cwd) == index


def test_results_of_a_search_join_the_matching_rows():
    model = listed(*ROWS)
    model.set_query("site")
    assert shown(model) == ["[/work/site]", "c"]
    model.set_found({"/store/a.jsonl"}, ["site"], by_rows=True)
    assert shown(model) == ["[/work/app]", "a", "[/work/site]", "c"]
    assert (model.matched, model.total) == (2, 4)
    assert model.index_of("/store/a.jsonl") == 1


def test_each_of_many_lines_is_found():
    names = [letter * 3 for letter in "abcdefghijk"]
    rows = [make_row(path=f"/store/{name}.jsonl", id=name.upper(), title=f"no {name}") for name in names]
    model = listed(*rows)
    for index, name in enumerate(names):
        model.set_query("")
        model.set_query(f"no {name}")
        assert [path for path in paths(model) if path[0] != "["] == [f"/store/{name}.jsonl"]
        expected = {f"/store/{name}.jsonl", f"/store/{names[index - 6]}.jsonl"}
        model.set_found(expected, ["no", name], by_rows=True)
        assert {path for path in paths(model) if path[0] != "["} == expected
        model.set_found(expected, [], by_rows=False)
        assert {path for path in paths(model) if path[0] != "["} == expected


def test_words_of_two_sessions_are_not_a_match():
    model = listed(make_row(path="/store/a.jsonl", title="one"), make_row(path="/store/b.jsonl", title="two"))
    model.set_query("one two")
    assert model.matched == 0


def test_a_changed_title_is_found():
    model = listed(*ROWS)
    model.prepare_filter()
    model.apply([make_row(path="/store/a.jsonl", id="a", title="quite another")], [])
    model.set_query("quite")
    assert model.matched == 1


def test_results_stay_until_the_next_search():
    model = listed(*ROWS)
    model.set_found({"/store/a.jsonl"}, ["x"], by_rows=True)
    model.set_query("xy")
    assert shown(model) == ["[/work/app]", "a"]
    model.set_query("")
    assert (model.is_filtered, model.matched) == (False, 4)
    model.set_query("xy")
    assert shown(model) == []


def test_a_query_with_filters_shows_only_the_results():
    model = listed(*ROWS)
    model.set_found({"/store/d.jsonl"}, ["site"], by_rows=False)
    assert shown(model) == ["[/work/old]", "d"]
    model.set_found(set(), [], by_rows=False)
    assert shown(model) == []
    assert model.is_filtered


def test_a_new_session_outside_of_the_results_is_not_shown():
    model = listed(*ROWS)
    model.set_found({"/store/d.jsonl", "/store/e.jsonl"}, [], by_rows=False)
    model.apply([make_row("e", cwd="/work/old", modified=NOW), make_row("f", cwd="/work/old")], [])
    assert shown(model) == ["[/work/old]", "e", "d"]


@given(st.lists(KEYS, max_size=15), st.lists(st.sampled_from("s1 p2/"), max_size=8), st.data())
def test_typing_and_deleting_letters_finds_what_the_whole_query_finds(first, letters, data):
    rows = [row_of(key) for key in {key[0]: key for key in first}.values()]
    model = listed(*rows)
    typed = ""
    for letter in letters:
        typed = typed[:-1] if data.draw(st.integers(0, 3)) == 0 else typed + letter
        model.set_query(typed)
        fresh = listed(*rows)
        fresh.set_query(typed)
        assert paths(model) == paths(fresh)


def crowd(number=2_000, **fields):
    """Sessions of one project, the newest first; every eighth is a fork of the previous one."""
    return [
        make_row(
            f"s{index:04}",
            cwd=HERE,
            modified=NOW - index * MINUTE,
            parent_session=f"s{index - 1:04}" if index % 8 == 7 else None,
            **fields,
        )
        for index in range(number)
    ]


def test_a_change_moves_a_session_with_its_thread():
    model = listed(*crowd())
    model.apply([make_row("s1000", cwd=HERE, modified=NOW + MINUTE)], [])
    assert shown(model)[:3] == [f"[{HERE}]", "s1000", "s0000"]
    model.apply([make_row("s1007", cwd=HERE, modified=NOW + 2 * MINUTE, parent_session="s1006")], [])
    assert shown(model)[1:4] == ["s1006", "s1007", "s1000"]


def test_a_change_that_moves_nothing_shows_the_new_row():
    model = listed(*crowd())
    before = shown(model)
    row = make_row("s1000", cwd=HERE, modified=NOW - 1000 * MINUTE + 5, message_count=99)
    model.apply([row], [])
    assert shown(model) == before
    assert model.row_at(row.path) is row


def test_the_newest_session_stays_first():
    model = listed(*crowd(), make_row("other", cwd="/work/other", modified=NOW))
    before = shown(model)
    model.apply([make_row("s0000", cwd=HERE, modified=NOW + MINUTE)], [])
    assert shown(model) == before


def test_a_project_that_becomes_the_newest_moves_up():
    model = listed(make_row("a", cwd="/work/a", modified=NOW), make_row("b", cwd="/work/b", modified=NOW - 5))
    model.apply([make_row("b", cwd="/work/b", modified=NOW + 5)], [])
    assert shown(model) == ["[/work/b]", "b", "[/work/a]", "a"]


def test_a_parent_that_comes_and_goes_takes_its_forks_along():
    rows = crowd()
    model = listed(*rows)
    model.apply([make_row("kid", cwd=HERE, modified=NOW, parent_session="mother")], [])
    model.apply([make_row("mother", cwd=HERE, modified=NOW - 5000 * MINUTE)], [])
    assert shown(model)[1:4] == ["mother", "kid", "s0000"]
    model.apply([], ["/store/mother.jsonl"])
    assert shown(model)[1:3] == ["kid", "s0000"]


def test_a_parent_that_moves_to_the_project_of_its_fork_gets_it_below():
    fork = make_row("fork", cwd="/p1", parent_session="mother", modified=NOW - 9)
    model = listed(fork, make_row("mother", cwd="/p2"))
    model.apply([make_row("mother", cwd="/p1", parent_session="mother")], [])
    assert [(line.row.id, line.depth) for line in model.lines if line.row] == [("mother", 0), ("fork", 1)]


def test_a_session_that_is_no_longer_a_fork_is_a_root():
    fork = make_row("fork", parent_session="mother", modified=NOW - 9)
    model = listed(make_row("mother", modified=NOW - 20), fork)
    assert shown(model)[1:] == ["mother", "fork"]
    model.apply([make_row("fork", modified=NOW - 9)], [])
    assert [(line.row.id, line.depth) for line in model.lines if line.row] == [("fork", 0), ("mother", 0)]
