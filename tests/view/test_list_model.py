"""The session list: its groups, folds, filter and changes."""

from __future__ import annotations

import sys

from app.view import LEGEND, ListModel, render_list_line
from app.view.line import line_width, plain_text
from app.view.list_filter import haystack, matches, words_of
from tests.factory import MINUTE, NOW, make_row
from tests.view.listed import shown

HERE = "/work/app"


def listed(*rows, here=HERE, opened=100):
    model = ListModel((here,), "/home/me")
    model.load(rows)
    model.open_first(opened)
    return model


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


def test_a_change_moves_the_row_and_a_removal_drops_an_empty_group():
    model = listed(*ROWS)
    model.apply([make_row("a", cwd=HERE, modified=NOW)], ["/store/d.jsonl"])
    assert shown(model) == [f"[{HERE}]", "a", "b", "[/work/site]", "c"]
    assert model.total == 3


def test_an_append_costs_the_same_beside_many_sessions():
    def calls_of_an_append(count):
        model = listed(*(make_row(f"s{i}", cwd=HERE, modified=NOW - i) for i in range(count)), opened=count)
        calls = []

        def note(frame, event, _argument):
            # A generator counts as called for each of its values.
            if event == "call" and frame.f_code.co_name != "<genexpr>":
                calls.append(frame)

        sys.setprofile(note)
        try:
            model.apply([make_row(f"s{count - 1}", cwd=HERE, modified=NOW + MINUTE)], [])
        finally:
            sys.setprofile(None)
        assert shown(model)[:3] == [f"[{HERE}]", f"s{count - 1}", "s0"]
        return len(calls)

    assert calls_of_an_append(400) <= calls_of_an_append(40) + 40


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


def test_an_unread_row_has_a_mark_and_no_counts():
    row = make_row("x", title="Refactor", message_count=0, leaf_count=0, branch_count=0)
    row.provisional = True
    model = listed(row)
    assert drawn(model, 1, 70).split() == ["Refactor", "…", "5m"]
    assert drawn(model, 1, 36).split() == ["Refactor", "…", "5m"]
    model.apply([make_row("x", title="Refactor", message_count=7)], [])
    assert drawn(model, 1, 70).split() == ["Refactor", "7", "5m"]
    assert drawn(model, 1, 36).split() == ["Refactor", "5m"]


def test_a_fork_of_an_unknown_parent_has_a_mark():
    model = listed(make_row(parent_session="/gone.jsonl"))
    assert "↳? a session" in drawn(model, 1)
    assert "↳?" in LEGEND
    model.apply([make_row("gone", cwd="/work/other", path="/elsewhere/gone.jsonl")], [])
    assert "↳ a session" in drawn(model, 1)
    model.apply([], ["/elsewhere/gone.jsonl"])
    assert "↳? a session" in drawn(model, 1)


def test_results_of_a_search_replace_the_matching_rows_in_one_list():
    model = listed(*ROWS)
    model.set_query("site")
    assert shown(model) == ["[/work/site]", "c"]
    model.set_found(
        {"/store/a.jsonl", "/store/d.jsonl"}, ["site"], ranks={"/store/d.jsonl": 0, "/store/a.jsonl": 1}
    )
    assert shown(model) == ["d", "a"]
    assert (model.matched, model.total, model.has_groups) == (2, 4, False)
    assert model.index_of("/store/a.jsonl") == 1
    model.set_query("")
    assert model.has_groups


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
    model.set_found({"/store/a.jsonl"}, ["x"])
    model.set_query("xy")
    assert shown(model) == ["[/work/app]", "a"]
    model.set_query("")
    assert (model.is_filtered, model.matched) == (False, 4)
    model.set_query("xy")
    assert shown(model) == []


def test_a_query_with_filters_shows_only_the_results():
    model = listed(*ROWS)
    model.set_found({"/store/d.jsonl"}, ["site"])
    assert shown(model) == ["[/work/old]", "d"]
    model.set_found(set(), [])
    assert shown(model) == []
    assert model.is_filtered


def test_a_new_session_outside_of_the_results_is_not_shown():
    model = listed(*ROWS)
    model.set_found({"/store/d.jsonl", "/store/e.jsonl"}, [])
    model.apply([make_row("e", cwd="/work/old", modified=NOW), make_row("f", cwd="/work/old")], [])
    assert shown(model) == ["[/work/old]", "e", "d"]
