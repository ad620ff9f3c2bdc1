"""What each arrangement of the session list shows, in which order, and that keeping it so is the same as
making it anew.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.view import group, row_texts
from app.view.arrangement import ORDERS, SCOPES, Arrangement
from app.view.session_filter import haystack
from app.view.session_list import SessionList
from app.view.threads import thread
from tests.factory import MINUTE, NOW, make_row

HERE = "/p1"


def listed(*rows, here=HERE, pins=(), live=(), **arrangement):
    model = SessionList((here,), "/home/me", Arrangement(**arrangement), frozenset(pins))
    model.set_live(live)
    model.load(rows)
    model.open_all(True)
    return model


def shown(model):
    return [line.row.id if line.row else f"[{line.group.cwd}]" for line in model.lines]


def at(minutes):
    return NOW - minutes * MINUTE


def test_an_arrangement_is_changed_into_another():
    one = Arrangement()
    other = one.changed(scope="here", roomy=True)
    assert (one.scope, other.scope, other.roomy, other.order) == ("all", "here", True, "threaded")
    assert other == Arrangement(scope="here", roomy=True)
    assert hash(other) == hash(Arrangement(scope="here", roomy=True))
    assert one != other
    assert one.lists_like(one.changed(paths=True, roomy=True))
    assert not one.lists_like(one.changed(pinned_first=False))
    with pytest.raises(TypeError):
        one.changed(named=True)


def test_an_arrangement_says_what_it_is():
    assert Arrangement().words() == ["all folders", "threaded"]
    other = Arrangement(
        scope="here", order="recent", grouped=False, named_only=True, agent="omp", hidden=True
    )
    assert other.words() == ["this folder", "recent", "named only", "omp", "with hidden ones"]


# which sessions

EMPTY = {"message_count": 0, "title": "(no messages)"}


def test_this_folder_alone():
    model = listed(make_row("a", cwd=HERE), make_row("b", cwd="/p2"), scope="here")
    assert (shown(model), model.total, model.known, model.projects) == ([f"[{HERE}]", "a"], 1, 2, 2)
    model.also_here(["/p2"])
    assert (shown(model), model.total) == ([f"[{HERE}]", "a", "[/p2]", "b"], 2)


def test_other_spellings_of_this_folder_come_first_and_are_open():
    model = SessionList((HERE,), "")
    model.load([make_row("a", cwd="/link", modified=at(9)), make_row("b", cwd="/p2")])
    assert shown(model) == ["[/p2]", "[/link]"]
    model.also_here(["/link"])
    assert shown(model) == ["[/link]", "a", "[/p2]"]


def test_empty_sessions_are_hidden_and_counted():
    model = listed(make_row("a"), make_row("e", **EMPTY))
    assert (shown(model), model.total, model.hidden) == (["[/work/app]", "a"], 1, 1)
    model.arrange(Arrangement(hidden=True))
    assert (shown(model), model.total, model.hidden) == (["[/work/app]", "a", "e"], 2, 0)


@pytest.mark.parametrize("fields", [{"problems": 1}, {"torn": True}, {"ctime_ns": -5}])
def test_a_session_with_something_wrong_is_not_empty(fields):
    assert listed(make_row("e", **EMPTY, **fields)).total == 1


def test_a_session_that_is_not_read_yet_is_not_empty():
    row = make_row("e", **EMPTY)
    row.provisional = True
    model = listed(row)
    assert model.total == 1
    model.apply([make_row("e", **EMPTY)], [])
    assert (model.total, model.hidden, shown(model)) == (0, 1, [])


def test_an_empty_session_that_is_open_somewhere_is_shown():
    model = listed(make_row("e", **EMPTY))
    model.set_live(["/store/e.jsonl", "/store/none.jsonl"])
    assert (shown(model), model.hidden) == (["[/work/app]"], 0)
    model.open_all(True)
    assert shown(model) == ["[/work/app]", "e"]
    model.set_live([])
    assert (shown(model), model.hidden) == ([], 1)


def test_sub_agents_are_hidden_wherever_they_lie_in_the_artifacts_folder():
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


def test_a_name_of_blanks_or_of_what_cannot_be_seen_is_none():
    names = {"a": "Plan", "b": "   ", "c": None, "d": "\u200b", "e": ""}
    rows = [make_row(id, name=name, title="x") for id, name in names.items()]
    model = listed(*rows, named_only=True)
    assert (shown(model)[1:], model.total, model.matched) == (["a"], 5, 1)


def test_named_only_comes_before_the_query():
    model = listed(make_row("a", name="Plan B"), make_row("b", title="plan C"), named_only=True)
    model.set_query("plan")
    assert shown(model)[1:] == ["a"]


def test_one_program_alone():
    model = listed(make_row("a", agent="pi"), make_row("b", agent="omp"), agent="omp")
    assert (shown(model)[1:], model.total, model.matched) == (["b"], 2, 1)


@pytest.mark.parametrize(
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
def test_why_there_is_nothing_to_see(rows, arrangement, why):
    assert listed(*rows, **arrangement).empty() == why


def test_nothing_matches_the_query():
    model = listed(make_row())
    model.set_query("zzz")
    assert model.empty() == "query"
    model.arrange(Arrangement(agent="omp"))
    assert model.empty() == "agent"


# in which order

FAMILY = (
    make_row("old", modified=at(90), cwd="/p2"),
    make_row("middle", modified=at(50), cwd=HERE),
    make_row("fork", modified=at(5), cwd=HERE, parent_session="/store/old.jsonl"),
    make_row("new", modified=at(20), cwd="/p3"),
)


def test_threaded_over_all_folders_a_fork_stands_under_its_parent_of_another():
    model = listed(*FAMILY, grouped=False)
    assert [(line.row.id, line.prefix) for line in model.lines] == [
        ("old", ""),
        ("fork", "└ "),
        ("new", ""),
        ("middle", ""),
    ]
    assert (model.projects, model.total) == (3, 4)


def test_recent_is_by_the_sessions_own_activity_without_connectors():
    model = listed(*FAMILY, grouped=False, order="recent")
    assert [(line.row.id, line.prefix) for line in model.lines] == [
        ("fork", ""),
        ("new", ""),
        ("middle", ""),
        ("old", ""),
    ]


def test_by_project_a_parent_elsewhere_makes_a_root():
    assert shown(listed(*FAMILY)) == [f"[{HERE}]", "fork", "middle", "[/p3]", "new", "[/p2]", "old"]


def test_a_parent_that_is_left_out_makes_a_root():
    named = make_row("fork", name="Fork", parent_session="old")
    model = listed(make_row("old"), named, named_only=True)
    assert [(line.row.id, line.depth) for line in model.lines[1:]] == [("fork", 0)]


def test_relevance_is_the_order_of_the_search_and_without_one_recent():
    model = listed(*FAMILY, grouped=False, order="relevance")
    assert shown(model) == ["fork", "new", "middle", "old"]
    ranks = {"/store/old.jsonl": 0, "/store/new.jsonl": 1, "/store/fork.jsonl": 2}
    model.set_found(set(ranks), ["session"], by_rows=True, ranks=ranks)
    assert shown(model) == ["old", "new", "fork", "middle"], "what the search does not know comes last"
    assert [model.index_of(line.path) for line in model.lines] == [0, 1, 2, 3]
    model.set_query("")
    assert shown(model) == ["fork", "new", "middle", "old"]


def test_relevance_by_project_puts_the_project_of_the_best_first():
    model = listed(*FAMILY, order="relevance")
    model.set_found({"/store/old.jsonl", "/store/middle.jsonl"}, [], by_rows=False)
    assert shown(model) == [f"[{HERE}]", "middle", "[/p2]", "old"]
    ranks = {"/store/old.jsonl": 0, "/store/middle.jsonl": 1}
    model.set_found(set(ranks), [], by_rows=False, ranks=ranks)
    assert shown(model) == ["[/p2]", "old", f"[{HERE}]", "middle"]
    assert model.index_of("/store/middle.jsonl") == 3


def test_ranks_matter_to_the_order_of_relevance_alone():
    ranks = {"/store/old.jsonl": 0, "/store/fork.jsonl": 1}
    model = listed(*FAMILY, grouped=False, order="recent")
    model.set_found(set(ranks), [], by_rows=False, ranks=ranks)
    assert shown(model) == ["fork", "old"]


@pytest.mark.parametrize("order", ["threaded", "recent"])
def test_pinned_sessions_come_first_with_their_thread(order):
    pins = {("pi", "fork"), ("omp", "new")}
    rows = [*FAMILY, make_row("sole", cwd="/p2", modified=at(1))]
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
    both = [make_row("x", cwd="/p2", modified=at(1)), make_row("y", cwd="/p2", modified=at(2))]
    model = listed(*FAMILY, *both, pins={("pi", "y")})
    assert shown(model)[3:] == ["[/p2]", "y", "x", "old", "[/p3]", "new"]


def test_of_several_files_of_one_name_the_one_in_the_likeliest_folder_is_the_parent():
    rows = [
        make_row("a", path="/a/one/s.jsonl", cwd="/p3"),
        make_row("b", path="/b/two/s.jsonl", cwd="/p3"),
        make_row("c", path="/a/one/f.jsonl", cwd="/p2", parent_session="/moved/two/s.jsonl"),
    ]
    model = listed(*rows, grouped=False)
    line = next(line for line in model.lines if line.row.id == "c")
    assert line.parent.row.id == "b"


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


def test_a_mark_goes_along_where_an_agent_renames_the_folder():
    model = listed(*FAMILY)
    model.toggle_mark("/store/new.jsonl")
    model.apply([make_row("new", path="/renamed/new.jsonl", cwd="/p3")], ["/store/new.jsonl"])
    assert model.marked == {"/renamed/new.jsonl"}


def test_what_is_marked_and_shown_comes_in_the_order_of_the_list():
    model = listed(*FAMILY, grouped=False)
    for row in FAMILY:
        model.toggle_mark(row.path)
    assert [row.id for row in model.marked_rows()] == shown(model)
    model.set_found({"/store/new.jsonl"}, [], by_rows=False)
    assert [row.id for row in model.marked_rows()] == ["new", "fork", "middle", "old"]


# the first frame


@pytest.mark.parametrize("grouped", [True, False])
def test_the_first_frame_of_one_list_has_all_numbers_and_its_first_rows(grouped):
    counts = [(HERE, 2, at(5)), ("/p3", 1, at(20)), ("/p2", 1, at(90))]
    arrangement = Arrangement(grouped=grouped, order="recent")
    model = SessionList((HERE,), "", arrangement)
    model.preview(counts, [FAMILY[2], FAMILY[1]])
    model.open_first(3)
    assert (model.total, model.known, model.projects, model.matched) == (4, 4, 3, 4)
    assert not model.is_complete
    assert shown(model) == (
        [f"[{HERE}]", "fork", "middle", "[/p3]", "[/p2]"] if grouped else ["fork", "middle"]
    )
    model.arrange(arrangement.changed(order="threaded"))
    other = SessionList((HERE,), "", arrangement)
    other.load(FAMILY)
    model.adopt(other)
    assert (model.total, model.projects, model.is_complete) == (4, 3, True)
    assert model.arrangement.order == "threaded"
    if not grouped:
        assert shown(model) == ["old", "fork", "new", "middle"]


def test_the_first_frame_of_this_folder_counts_it_alone():
    model = SessionList((HERE,), "", Arrangement(scope="here"))
    model.preview([(HERE, 2, at(5)), ("/p2", 1, at(90))], ())
    assert (model.total, model.known, model.projects) == (2, 3, 2)
    assert shown(model) == [f"[{HERE}]"]


def test_the_first_frame_of_this_folder_in_one_list_wants_its_rows():
    model = SessionList((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview([(HERE, 2, at(5)), ("/p2", 1, at(90))], ())
    assert model.first_groups() == [HERE]
    model.preview((), FAMILY[1:3])
    assert (shown(model), model.total, model.known) == (["fork", "middle"], 2, 3)


def test_the_first_frame_of_this_folder_without_sessions():
    model = SessionList((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview([("/p2", 1, at(90))], ())
    assert (shown(model), model.total, model.known, model.first_groups()) == ([], 0, 1, [])
    assert model.empty() == "here"
    model.begin_with("old")
    assert model.empty() == "here", "whatever is searched for"


def begun(query):
    """The list of a first frame of this folder, before anything is searched."""
    model = SessionList((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview([(HERE, 3, at(5)), ("/p2", 1, at(90))], ())
    named = make_row("named", name="Middle way", modified=at(60), cwd=HERE)
    model.preview((), [make_row("x", title="middle", modified=at(5), cwd=HERE), FAMILY[1], named])
    model.begin_with(query)
    return model


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", ["x", "middle", "named"]),
        ("  ", ["x", "middle", "named"]),
        ("middle", ["x", "middle", "named"]),
        ("middle way", ["named"]),
        ("Middle way", []),
        ("pi way", ["named"]),
        ("said in it", []),
        *[
            (query, [])
            for query in ('"middle"', "id:middle", "-middle", "mid -x", "re:mid", "re:(", "has:label")
        ],
    ],
)
def test_the_first_frame_shows_no_row_that_a_query_may_leave_out(query, ids):
    model = begun(query)
    assert shown(model) == ids
    assert model.empty() == ("" if ids else "query")
    model.preview([(HERE, 3, at(5)), ("/p2", 1, at(90))], ())
    assert shown(model) == ids, "nor what comes behind it"
    other = SessionList((HERE,), "", model.arrangement)
    other.load([*model.rows(), make_row("late", title="middle way said in it", modified=at(1), cwd=HERE)])
    model.adopt(other)
    assert shown(model) == (["late", *ids] if ids or query == "said in it" else [])
    model.set_query("")
    assert len(shown(model)) == 4


def test_the_first_frame_of_a_query_is_followed_by_what_is_found():
    model = begun("id:middle")
    model.set_found({"/store/middle.jsonl"}, [], by_rows=False)
    assert shown(model) == ["middle"]
    model = begun("middle")
    model.set_found({"/store/x.jsonl"}, ["middle"], by_rows=True)
    assert shown(model) == ["x", "middle", "named"]


def test_a_list_filled_in_a_thread_gets_the_pins_of_the_screen():
    model = listed(pins={("pi", "old")}, grouped=False, live=["/store/e.jsonl"])
    other = SessionList((HERE,), "", Arrangement(grouped=False))
    other.load([*FAMILY, make_row("e", cwd="/p2", modified=at(99), **EMPTY)])
    model.adopt(other)
    assert shown(model) == ["old", "fork", "new", "middle", "e"]


# kept as made anew

NAMES = st.sampled_from([None, " ", "Name"])
PARENTS = st.one_of(
    st.none(),
    st.builds("s{}".format, st.integers(0, 4)),
    st.builds("/store/s{}.jsonl".format, st.integers(0, 4)),
    st.builds("/moved/s{}.jsonl".format, st.integers(0, 4)),
)
ROWS = st.builds(
    lambda number, project, when, parent, name, agent, messages, nested: make_row(
        f"s{number - 1 if number % 3 == 2 else number}",
        path=f"/store/s{nested}/s{number}.jsonl" if nested is not None else f"/store/s{number}.jsonl",
        cwd=f"/p{project}",
        modified=when,
        parent_session=f"/store/s{nested}.jsonl" if nested is not None else parent,
        name=name,
        title=f"s{number}",
        agent=agent,
        message_count=messages,
    ),
    st.integers(0, 4),
    st.integers(1, 2),
    st.integers(0, 50),
    PARENTS,
    NAMES,
    st.sampled_from(["pi", "omp"]),
    st.integers(0, 1),
    st.sampled_from([None, None, None, 1]),
)
PATHS = st.builds("/store/s{}.jsonl".format, st.integers(0, 4))
PINS = st.frozensets(
    st.tuples(st.sampled_from(["pi", "omp"]), st.builds("s{}".format, st.integers(0, 4))), max_size=3
)
ARRANGEMENTS = st.builds(
    Arrangement,
    scope=st.sampled_from(SCOPES),
    order=st.sampled_from(ORDERS),
    grouped=st.booleans(),
    named_only=st.sampled_from([False, False, True]),
    agent=st.sampled_from(["", "", "pi"]),
    hidden=st.booleans(),
    pinned_first=st.booleans(),
)
CHANGES = st.one_of(
    st.tuples(st.just("put"), st.lists(ROWS, min_size=1, max_size=3)),
    st.tuples(st.just("put"), st.lists(ROWS, min_size=1, max_size=3)),
    st.tuples(st.just("remove"), st.lists(PATHS, min_size=1, max_size=3)),
    st.tuples(st.just("pins"), PINS),
    st.tuples(st.just("live"), st.frozensets(PATHS, max_size=3)),
    st.tuples(st.just("arrange"), ARRANGEMENTS),
    st.tuples(st.just("here"), st.just("/p2")),
    st.tuples(st.just("mark"), PATHS),
    st.tuples(st.just("query"), st.sampled_from(["", "s", "s1", "p2", "s1 p"])),
    st.tuples(st.just("found"), st.lists(PATHS, max_size=4, unique=True)),
)


def found(model, paths):
    ranks = {path: rank for rank, path in enumerate(paths)}
    model.set_found(set(paths), ["s"], by_rows=len(paths) != 1, ranks=ranks)


def look(model):
    lines = [
        (line.path or line.group.cwd, line.depth, line.prefix, line.pinned, line.is_orphan)
        for line in model.lines
    ]
    return lines, model.total, model.matched, model.hidden, model.known, model.projects, model.empty()


@settings(max_examples=400)
@given(ARRANGEMENTS, st.lists(ROWS, max_size=10), st.lists(CHANGES, max_size=12))
def test_a_list_that_is_kept_is_the_list_made_anew(arrangement, first, changes):
    rows = {row.path: row for row in first}
    here, pins, live, marked = (HERE,), frozenset(), frozenset(), set()
    asked = []
    model = listed(*rows.values(), grouped=arrangement.grouped)
    model.arrange(arrangement)
    for kind, what in changes:
        match kind:
            case "put":
                new = {row.path: row for row in what}
                rows |= new
                model.apply(new.values(), [])
            case "remove":
                for path in what:
                    rows.pop(path, None)
                model.apply([], what)
                marked -= set(what)
            case "pins":
                pins = what
                model.set_pins(what)
            case "live":
                live = what
                model.set_live(what)
            case "arrange":
                arrangement = what
                model.arrange(what)
            case "here":
                here = (HERE, what)
                model.also_here([what])
            case "mark":
                if what in rows:
                    marked ^= {what}
                    model.toggle_mark(what)
            case "query":
                asked.append(lambda of, query=what: of.set_query(query))
                asked[-1](model)
            case "found":
                asked.append(lambda of, paths=what: found(of, paths))
                asked[-1](model)
    model.open_all(True)
    anew = SessionList(here, "/home/me", arrangement, pins)
    anew.set_live(live)
    anew.load(sorted(rows.values(), key=lambda row: row.title + row.path, reverse=True))
    anew.open_all(True)
    for ask in asked:
        ask(anew)
    assert look(model) == look(anew)
    assert model.marked == marked
    assert {row.path for row in model.marked_rows()} == marked
    for index, line in enumerate(model.lines):
        if line.row is not None:
            assert model.index_of(line.path) == index
            assert model.group_of(line.path) is line.group
        else:
            assert model.index_of_group(line.group.cwd) == index
    for path in rows.keys() - {line.path for line in model.lines}:
        assert model.index_of(path) is None


# what it costs


@pytest.fixture
def threaded(monkeypatch):
    """How many lines each call put in threads."""
    counts = []

    def counting(lines, order):
        counts.append(len(lines))
        return thread(lines, order)

    monkeypatch.setattr(group, "thread", counting)
    return counts


@pytest.fixture
def folded(monkeypatch):
    """Of which lines it was worked out what a filter looks at."""
    paths = []

    def counting(row, folder):
        paths.append(row.path)
        return haystack(row, folder)

    monkeypatch.setattr(row_texts, "haystack", counting)
    return paths


def crowd(number=2_000):
    """Sessions of many projects, the newest first; every eighth is a fork of the one before."""
    return [
        make_row(
            f"s{at:04}",
            cwd=f"/p{at % 20}",
            modified=NOW - at * MINUTE,
            parent_session=f"s{at - 1:04}" if at % 8 == 7 else None,
        )
        for at in range(number)
    ]


@pytest.mark.parametrize("order", ORDERS)
def test_in_one_list_of_all_a_change_threads_its_own_thread(threaded, order):
    model = listed(*crowd(), grouped=False, order=order)
    threaded.clear()
    model.apply([make_row("s1007", cwd="/p7", modified=NOW + MINUTE, parent_session="s1006")], [])
    assert threaded == [2 if order == "threaded" else 1]
    assert shown(model)[:2] == (["s1006", "s1007"] if order == "threaded" else ["s1007", "s0000"])


def test_a_pin_threads_its_own_thread(threaded):
    model = listed(*crowd(), grouped=False)
    threaded.clear()
    model.set_pins(frozenset({("pi", "s1007")}))
    assert threaded == [2]
    assert shown(model)[:2] == ["s1006", "s1007"]


def test_who_is_live_costs_nothing_where_no_session_is_empty(threaded):
    model = listed(*crowd())
    lines = model.lines
    threaded.clear()
    model.set_live([f"/store/s{at:04}.jsonl" for at in range(100)])
    assert threaded == []
    assert model.lines is lines


def test_another_look_orders_nothing(threaded):
    model = listed(*crowd())
    lines = model.lines
    threaded.clear()
    model.arrange(model.arrangement.changed(roomy=True, paths=True))
    assert threaded == []
    assert model.lines is lines


def test_a_list_from_a_thread_that_is_arranged_alike_is_not_put_in_order_again(threaded):
    arrangement = Arrangement(grouped=False, order="recent")
    other = SessionList((HERE,), "", arrangement, frozenset({("pi", "s0003")}))
    other.load(crowd())
    model = SessionList((HERE,), "", arrangement.changed(roomy=True), other.pins)
    threaded.clear()
    model.adopt(other)
    assert threaded == []
    assert (model.total, model.arrangement.roomy) == (2_000, True)


def test_what_a_filter_looks_at_is_worked_out_once_a_session(folded):
    model = listed(*crowd(), grouped=False)
    model.prepare_filter()
    assert len(folded) == 2_000
    folded.clear()
    for query in ("s", "s1", "s10", "s1", ""):
        model.set_query(query)
    model.arrange(Arrangement(order="relevance"))
    model.set_query("s1")
    assert folded == []
    model.apply([make_row("s1000", cwd="/p0", modified=NOW)], [])
    assert folded == ["/store/s1000.jsonl"]
