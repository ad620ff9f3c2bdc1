"""The session list in the first frame, which has only some of the rows."""

from __future__ import annotations

from app.view import Arrangement, ListModel
from tests.cases import cases
from tests.factory import make_row
from tests.view.listed import EMPTY, FAMILY, HERE, listed, minutes_ago, shown


@cases("grouped", [True, False])
def test_the_first_frame_has_all_counts_and_the_first_rows(grouped):
    counts = [(HERE, 2, minutes_ago(5), 0), ("/p3", 1, minutes_ago(20), 0), ("/p2", 1, minutes_ago(90), 0)]
    arrangement = Arrangement(grouped=grouped, order="recent")
    model = ListModel((HERE,), "", arrangement)
    model.preview(counts, [FAMILY[2], FAMILY[1]])
    model.open_first(3)
    assert (model.total, model.known, model.projects, model.matched) == (4, 4, 3, 4)
    assert not model.is_complete
    assert shown(model) == (
        [f"[{HERE}]", "fork", "middle", "[/p3]", "[/p2]"] if grouped else ["fork", "middle"]
    )
    model.arrange(arrangement.changed(order="threaded"))
    filled = ListModel((HERE,), "", arrangement)
    filled.load(FAMILY)
    model.adopt(filled)
    assert (model.total, model.projects, model.is_complete) == (4, 3, True)
    assert model.arrangement.order == "threaded"
    if not grouped:
        assert shown(model) == ["old", "fork", "new", "middle"]


def test_the_first_frame_of_this_folder_counts_only_this_folder():
    model = ListModel((HERE,), "", Arrangement(scope="here"))
    model.preview([(HERE, 2, minutes_ago(5), 0), ("/p2", 1, minutes_ago(90), 0)], ())
    assert (model.total, model.known, model.projects) == (2, 3, 1)
    assert shown(model) == [f"[{HERE}]"]


def test_the_first_frame_of_this_folder_without_groups_requests_its_rows():
    model = ListModel((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview([(HERE, 2, minutes_ago(5), 0), ("/p2", 1, minutes_ago(90), 0)], ())
    assert model.first_groups() == [HERE]
    model.preview((), FAMILY[1:3])
    assert (shown(model), model.total, model.known) == (["fork", "middle"], 2, 3)


def test_the_first_frame_of_this_folder_without_sessions():
    model = ListModel((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview([("/p2", 1, minutes_ago(90), 0)], ())
    assert (shown(model), model.total, model.known, model.first_groups()) == ([], 0, 1, [])
    assert model.empty() == "here"
    model.begin_with("old")
    assert model.empty() == "here", "for any query"


def begun(query):
    """The list of this folder in a first frame with a query, before the search."""
    model = ListModel((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview([(HERE, 3, minutes_ago(5), 0), ("/p2", 1, minutes_ago(90), 0)], ())
    named = make_row("named", name="Middle way", modified=minutes_ago(60), cwd=HERE)
    model.preview((), [make_row("x", title="middle", modified=minutes_ago(5), cwd=HERE), FAMILY[1], named])
    model.begin_with(query)
    return model


@cases(
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
def test_the_first_frame_shows_no_row_that_a_query_may_exclude(query, ids):
    model = begun(query)
    assert shown(model) == ids
    assert model.empty() == ("" if ids else "query")
    model.preview([(HERE, 3, minutes_ago(5), 0), ("/p2", 1, minutes_ago(90), 0)], ())
    assert shown(model) == ids, "the counts add no row"
    filled = ListModel((HERE,), "", model.arrangement)
    filled.load(
        [*model.rows(), make_row("late", title="middle way said in it", modified=minutes_ago(1), cwd=HERE)]
    )
    model.adopt(filled)
    assert shown(model) == (["late", *ids] if ids or query == "said in it" else [])
    model.set_query("")
    assert len(shown(model)) == 4


def test_the_results_of_the_search_replace_the_first_frame():
    model = begun("id:middle")
    model.set_found({"/store/middle.jsonl"}, [])
    assert shown(model) == ["middle"]
    model = begun("middle")
    model.set_found({"/store/x.jsonl"}, ["middle"])
    assert shown(model) == ["x"]


def test_a_list_filled_in_a_thread_gets_the_pins_of_the_screen():
    model = listed(pins={("pi", "old")}, grouped=False, live=["/store/e.jsonl"])
    filled = ListModel((HERE,), "", Arrangement(grouped=False))
    filled.load([*FAMILY, make_row("e", cwd="/p2", modified=minutes_ago(99), **EMPTY)])
    model.adopt(filled)
    assert shown(model) == ["old", "fork", "new", "middle", "e"]
