"""To keep the session list as it is arranged is the same as to make it anew."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.view.arrangement import ORDERS, SCOPES, Arrangement
from app.view.session_list import SessionList
from tests.factory import make_row
from tests.view.listed import HERE, listed

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
