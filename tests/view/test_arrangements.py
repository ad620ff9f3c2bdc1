"""The sessions that each arrangement of the list shows, and their order."""

from __future__ import annotations

from app.view import Arrangement, ListModel, hidden_note
from app.view.cells import first_fitting
from tests.cases import cases
from tests.factory import make_row
from tests.view.listed import EMPTY, FAMILY, HERE, listed, minutes_ago, shown


def test_the_title_names_the_settings():
    assert Arrangement().titles()[0] == "Sessions · all folders · by thread"
    arrangement = Arrangement(
        scope="here", order="recent", grouped=False, named_only=True, agent="omp", hidden=True
    )
    title = "Sessions · named only · omp · this folder · recent · + hidden"
    assert arrangement.titles()[0] == title
    assert arrangement.titles(searches=True)[0] == title
    assert Arrangement().titles("Search", searches=True)[0] == "Search · all folders · best first"


@cases(
    ("fields", "cells", "title"),
    [
        ({}, 40, "Sessions · all folders · by thread"),
        ({}, 30, "Sessions · all folders"),
        ({}, 12, "Sessions"),
        ({}, 6, "Sessi…"),
        ({"named_only": True}, 40, "Sessions · named only · all folders"),
        ({"named_only": True}, 30, "Sessions · named only"),
        ({"named_only": True, "order": "recent"}, 30, "Sessions · named only · recent"),
        ({"named_only": True, "scope": "here"}, 30, "named only · this folder"),
        ({"named_only": True, "agent": "indusagi", "hidden": True}, 30, "named only · indusagi"),
        ({"named_only": True, "agent": "omp"}, 8, "named o…"),
    ],
)
def test_a_short_title_drops_the_defaults_first_and_then_the_word_sessions(fields, cells, title):
    assert first_fitting(Arrangement(**fields).titles(), cells) == title


# the sessions


def test_the_scope_here_shows_only_this_folder():
    model = listed(make_row("a", cwd=HERE), make_row("b", cwd="/p2"), scope="here")
    assert (shown(model), model.total, model.known, model.projects) == ([f"[{HERE}]", "a"], 1, 2, 1)
    model.also_here(["/p2"])
    assert (shown(model), model.total) == ([f"[{HERE}]", "a", "[/p2]", "b"], 2)


def test_other_spellings_of_this_folder_come_first_and_are_open():
    model = ListModel((HERE,), "")
    model.load([make_row("a", cwd="/link", modified=minutes_ago(9)), make_row("b", cwd="/p2")])
    assert shown(model) == ["[/p2]", "[/link]"]
    model.also_here(["/link"])
    assert shown(model) == ["[/link]", "a", "[/p2]"]


def test_empty_sessions_are_hidden_and_counted():
    model = listed(make_row("a"), make_row("e", **EMPTY))
    assert (shown(model), model.total, model.hidden) == (["[/work/app]", "a"], 1, 1)
    model.arrange(Arrangement(hidden=True))
    assert (shown(model), model.total, model.hidden) == (["[/work/app]", "a", "e"], 2, 0)


@cases(
    "fields",
    [
        {"name": "plan", "title": "plan", "title_source": "name"},
        {"title": "a prompt", "title_source": "prompt"},
        {"models": ("acme/large-1",)},
        {"tools": ("bash",)},
        {"errors": 1},
        {"images": 1},
    ],
)
def test_a_session_with_a_name_a_prompt_or_an_answer_is_not_empty(fields):
    assert listed(make_row("e", **EMPTY | fields)).total == 1


def test_messages_that_are_neither_prompt_nor_answer_leave_a_session_empty():
    model = listed(make_row("e", **EMPTY | {"message_count": 2, "title": "(no prompt)"}))
    assert (model.total, model.hidden) == (0, 1)


def test_a_pinned_session_is_shown_though_it_is_empty():
    model = listed(make_row("e", **EMPTY), pins=[("pi", "e")])
    assert (shown(model), model.empty()) == (["[/work/app]", "e"], "")
    model.set_pins(frozenset())
    assert (shown(model), model.hidden, model.empty()) == ([], 1, "hidden")
    model.set_pins(frozenset({("pi", "e")}))
    model.open_all(True)
    assert (shown(model), model.total, model.hidden) == (["[/work/app]", "e"], 1, 0)
    model.arrange(Arrangement(agent="omp"))
    assert model.empty() == "agent"


@cases("fields", [{"problems": 1}, {"torn": True}, {"ctime_ns": -5}])
def test_a_session_with_a_problem_does_not_count_as_empty(fields):
    assert listed(make_row("e", **EMPTY, **fields)).total == 1


def test_an_unread_session_does_not_count_as_empty():
    row = make_row("e", **EMPTY)
    row.provisional = True
    model = listed(row)
    assert model.total == 1
    model.apply([make_row("e", **EMPTY)], [])
    assert (model.total, model.hidden, shown(model)) == (0, 1, [])


def test_an_empty_live_session_is_shown():
    model = listed(make_row("e", **EMPTY))
    model.set_live(["/store/e.jsonl", "/store/none.jsonl"])
    assert (shown(model), model.hidden) == (["[/work/app]"], 0)
    model.open_all(True)
    assert shown(model) == ["[/work/app]", "e"]
    model.set_live([])
    assert (shown(model), model.hidden) == ([], 1)


def test_sub_agents_are_hidden_at_any_depth_of_the_artifacts_folder():
    rows = [
        make_row("main"),
        make_row("sub", path="/store/main/0-scout.jsonl", parent_session="/store/main.jsonl"),
        make_row("deep", path="/store/main/0-scout/1-x.jsonl", parent_session="/store/main.jsonl"),
        make_row("fork", path="/store/main-2.jsonl", parent_session="/store/main.jsonl"),
    ]
    model = listed(*rows)
    assert (set(shown(model)[1:]), model.hidden) == ({"main", "fork"}, 2)
    model.arrange(Arrangement(hidden=True))
    assert [line.depth for line in model.lines] == [0, 0, 1, 1, 1]


def test_a_blank_or_invisible_name_does_not_count():
    names = {"a": "Plan", "b": "   ", "c": None, "d": "\u200b", "e": ""}
    rows = [make_row(id, name=name, title="x") for id, name in names.items()]
    model = listed(*rows, named_only=True)
    assert (shown(model)[1:], model.total, model.matched) == (["a"], 5, 1)


def test_named_only_comes_before_the_query():
    model = listed(make_row("a", name="Plan B"), make_row("b", title="plan C"), named_only=True)
    model.set_query("plan")
    assert shown(model)[1:] == ["a"]


def test_the_agent_filter_shows_one_agent():
    model = listed(make_row("a", agent="pi"), make_row("b", agent="omp"), agent="omp")
    assert (shown(model)[1:], model.total, model.matched) == (["b"], 2, 1)


@cases(
    ("rows", "arrangement", "why"),
    [
        ([], {}, "none"),
        ([make_row(cwd="/p2")], {"scope": "here"}, "here"),
        ([make_row(**EMPTY)], {}, "hidden"),
        ([make_row(cwd=HERE, **EMPTY)], {"scope": "here"}, "hidden"),
        ([make_row()], {"named_only": True}, "named"),
        ([make_row()], {"agent": "omp"}, "agent"),
        ([make_row(), make_row("b", agent="omp")], {"agent": "omp", "named_only": True}, "named"),
        ([make_row()], {}, ""),
    ],
)
def test_an_empty_list_has_a_reason(rows, arrangement, why):
    assert listed(*rows, **arrangement).empty() == why


def test_a_query_without_matches_is_the_reason():
    model = listed(make_row())
    model.set_query("zzz")
    assert model.empty() == "query"
    model.arrange(Arrangement(agent="omp"))
    assert model.empty() == "agent"


# the order


def test_without_groups_a_fork_stands_under_its_parent_of_another_folder():
    model = listed(*FAMILY, grouped=False)
    assert [(line.row.id, line.prefix) for line in model.lines] == [
        ("old", ""),
        ("fork", "└ "),
        ("new", ""),
        ("middle", ""),
    ]
    assert (model.projects, model.total) == (3, 4)


def test_the_recent_order_uses_each_sessions_own_activity_without_connectors():
    model = listed(*FAMILY, grouped=False, order="recent")
    assert [(line.row.id, line.prefix) for line in model.lines] == [
        ("fork", ""),
        ("new", ""),
        ("middle", ""),
        ("old", ""),
    ]


def test_with_groups_a_fork_of_another_folder_is_a_root():
    assert shown(listed(*FAMILY)) == [f"[{HERE}]", "fork", "middle", "[/p3]", "new", "[/p2]", "old"]


def test_a_fork_of_an_excluded_parent_is_a_root():
    named = make_row("fork", name="Fork", parent_session="old")
    model = listed(make_row("old"), named, named_only=True)
    assert [(line.row.id, line.depth) for line in model.lines[1:]] == [("fork", 0)]


def test_ranks_of_a_search_decide_the_order():
    ranks = {"/store/old.jsonl": 0, "/store/fork.jsonl": 1}
    model = listed(*FAMILY, grouped=False, order="recent")
    model.set_found(set(ranks), [])
    assert shown(model) == ["fork", "old"]
    model.set_found(set(ranks), [], ranks=ranks)
    assert shown(model) == ["old", "fork"]


@cases(
    ("order", "expected"),
    [
        ("created", ["c", "a", "b"]),
        ("cost", ["b", "a", "c"]),
        ("tokens", ["c", "b", "a"]),
        ("length", ["a", "c", "b"]),
        ("size", ["b", "c", "a"]),
        ("name", ["b", "a", "c"]),
    ],
)
def test_a_field_decides_the_order_across_projects_and_pins(order, expected):
    rows = [
        make_row(
            "a", cwd="/p1", title="M", created=2, cost=1.0, tokens=(1, 0, 9, 0), message_count=9, size=1
        ),
        make_row(
            "b", cwd="/p2", title="a", created=1, cost=2.0, tokens=(1, 1, 0, 0), message_count=1, size=3
        ),
        make_row(
            "c", cwd="/p1", title="z", created=3, cost=0.0, tokens=(5, 5, 0, 0), message_count=2, size=2
        ),
    ]
    model = listed(*rows, order=order)
    assert shown(model) == expected
    model.set_pins(frozenset({("pi", "a")}))
    model.apply([make_row("d", cwd="/p3", title="zz", modified=minutes_ago(0), message_count=0, size=0)], [])
    assert [id for id in shown(model) if id != "d"] == expected
    assert not model.heads


def test_the_cost_that_is_not_known_comes_last_and_the_newest_of_equal_ones_first():
    rows = [
        make_row("unknown", unpriced=(("no-such-model", 0, 5, 5, 0, 0, 0),), modified=minutes_ago(1)),
        make_row("old", cost=1.0, modified=minutes_ago(9)),
        make_row("new", cost=1.0, modified=minutes_ago(2)),
        make_row("free", cost=0.0, modified=minutes_ago(1)),
    ]
    assert shown(listed(*rows, order="cost")) == ["new", "old", "free", "unknown"]


@cases("order", ["threaded", "recent"])
def test_pinned_sessions_come_first_with_their_thread(order):
    pins = {("pi", "fork"), ("omp", "new")}
    rows = [*FAMILY, make_row("sole", cwd="/p2", modified=minutes_ago(1))]
    model = listed(*rows, grouped=False, order=order)
    assert shown(model)[0] == "sole"
    model.set_pins(frozenset(pins))
    first = {"threaded": ["old", "fork", "sole"], "recent": ["fork", "sole", "new"]}
    assert shown(model)[:3] == first[order]
    assert [line.row.id for line in model.lines if line.pinned] == ["fork"]
    model.arrange(model.arrangement.changed(pinned_first=False))
    assert shown(model)[0] == "sole"
    model.set_pins(frozenset())
    assert not any(line.pinned for line in model.lines)


def test_a_pin_does_not_move_its_project():
    model = listed(*FAMILY, pins={("pi", "old")})
    assert [name for name in shown(model) if name.startswith("[")] == [f"[{HERE}]", "[/p3]", "[/p2]"]
    rows = [
        make_row("x", cwd="/p2", modified=minutes_ago(1)),
        make_row("y", cwd="/p2", modified=minutes_ago(2)),
    ]
    model = listed(*FAMILY, *rows, pins={("pi", "y")})
    assert shown(model)[3:] == ["[/p2]", "y", "x", "old", "[/p3]", "new"]


# marks


def test_marks_outlast_filter_fold_and_arrangement_and_go_with_their_session():
    model = listed(*FAMILY)
    for id in ("old", "fork", "middle"):
        model.toggle_mark(f"/store/{id}.jsonl")
    model.toggle_mark("/store/middle.jsonl")
    assert [row.id for row in model.marked_rows()] == ["fork", "old"]
    model.set_query("zzz")
    model.arrange(Arrangement(grouped=False))
    assert [row.id for row in model.marked_rows()] == ["fork", "old"]
    model.apply([], ["/store/fork.jsonl"])
    assert model.marked == {"/store/old.jsonl"}
    model.load(FAMILY[1:])
    assert model.marked == set()
    model.toggle_mark("/store/new.jsonl")
    model.clear_marks()
    assert model.marked_rows() == []


def test_marked_rows_come_in_the_order_of_the_list():
    model = listed(*FAMILY, grouped=False)
    for row in FAMILY:
        model.toggle_mark(row.path)
    assert [row.id for row in model.marked_rows()] == shown(model)
    model.set_found({"/store/new.jsonl"}, [])
    assert [row.id for row in model.marked_rows()] == ["new", "fork", "middle", "old"]


def test_the_number_of_hidden_sessions_counts_empty_ones_and_sub_agents() -> None:
    model = ListModel(arrangement=Arrangement(grouped=False))
    empty = make_row("empty", **EMPTY, entry_count=0, cwd="/elsewhere")
    scout = make_row("scout", agent="codex", parent_session="top", spawned=True)
    model.load([make_row("top", agent="codex"), empty, scout])
    assert (model.total, model.projects) == (1, 1), "a project of hidden ones is not shown"
    assert hidden_note(model.hidden) == "2 sessions hidden (. e)"
    assert hidden_note(model.hidden, noun=False) == "2 hidden (. e)"
    model.apply([], [scout.path])
    assert hidden_note(model.hidden) == "1 session hidden (. e)"
