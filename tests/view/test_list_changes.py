"""A session list that is changed step by step equals a new list."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from leafmark import Row

from app.index import FIELDS
from app.view import ORDERS, SCOPES, Arrangement, ListModel
from tests.factory import MINUTE, NOW, make_row
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
    needs=st.sampled_from([False, False, True]),
    named_only=st.sampled_from([False, False, True]),
    agent=st.sampled_from(["", "", "pi"]),
    hidden=st.booleans(),
    pinned_first=st.booleans(),
)
CHANGES = st.one_of(
    st.tuples(st.just("put"), st.lists(ROWS, min_size=1, max_size=3)),
    st.tuples(st.just("put"), st.lists(ROWS, min_size=1, max_size=3)),
    st.tuples(st.just("grow"), st.lists(st.tuples(PATHS, st.integers(0, 99)), min_size=1, max_size=3)),
    st.tuples(st.just("remove"), st.lists(PATHS, min_size=1, max_size=3)),
    st.tuples(st.just("pins"), PINS),
    st.tuples(st.just("live"), st.frozensets(PATHS, max_size=3)),
    st.tuples(st.just("arrange"), ARRANGEMENTS),
    st.tuples(st.just("here"), st.just("/p2")),
    st.tuples(st.just("mark"), PATHS),
    st.tuples(st.just("query"), st.sampled_from(["", "s", "s1", "p2", "s1 p"])),
    st.tuples(st.just("found"), st.lists(PATHS, max_size=4, unique=True)),
)


def search(model, paths):
    ranks = {path: rank for rank, path in enumerate(paths)}
    model.set_found(set(paths), ["s"], ranks=ranks)


def grown(row, when):
    """The same session with another time of its newest activity."""
    return Row(tuple(when if field == "modified" else getattr(row, field) for field in FIELDS))


def look(model):
    lines = [
        (line.path or line.group.cwd, line.depth, line.prefix, line.pinned, line.is_orphan)
        for line in model.lines
    ]
    return lines, model.total, model.matched, model.hidden, model.known, model.projects, model.empty()


@settings(max_examples=100)
@given(ARRANGEMENTS, st.lists(ROWS, max_size=10), st.lists(CHANGES, max_size=12))
def test_a_changed_list_equals_a_new_list(arrangement, first, changes):
    rows = {row.path: row for row in first}
    folders, pins, live, marked = (HERE,), frozenset(), frozenset(), set()
    queries = []
    # The mark of a session that is gone returns with it.
    may_return = False
    model = listed(*rows.values(), grouped=arrangement.grouped)
    model.arrange(arrangement)
    for kind, value in changes:
        match kind:
            case "put":
                new = {row.path: row for row in value}
                rows |= new
                model.apply(new.values(), [])
            case "grow":
                times = {path: when for path, when in value if path in rows}
                new = {path: grown(rows[path], when) for path, when in times.items()}
                rows |= new
                model.apply(new.values(), [])
            case "remove":
                for path in value:
                    rows.pop(path, None)
                model.apply([], value)
                may_return = may_return or bool(marked & set(value))
                marked -= set(value)
            case "pins":
                pins = value
                model.set_pins(value)
            case "live":
                live = value
                model.set_live(value)
            case "arrange":
                arrangement = value
                model.arrange(value)
            case "here":
                folders = (HERE, value)
                model.also_here([value])
            case "mark":
                if value in rows:
                    marked ^= {value}
                    model.toggle_mark(value)
            case "query":
                queries.append(lambda target, query=value: target.set_query(query))
                queries[-1](model)
            case "found":
                queries.append(lambda target, paths=value: search(target, paths))
                queries[-1](model)
    model.open_all(True)
    fresh = ListModel(folders, "/home/me", arrangement, pins)
    fresh.set_live(live)
    fresh.load(sorted(rows.values(), key=lambda row: row.title + row.path, reverse=True))
    fresh.open_all(True)
    for ask in queries:
        ask(fresh)
    assert look(model) == look(fresh)
    assert may_return or model.marked == marked
    assert {row.path for row in model.marked_rows()} == model.marked
    for index, line in enumerate(model.lines):
        if line.row is not None:
            assert model.index_of(line.path) == index
            assert model.group_of(line.path) is line.group
        else:
            assert model.index_of_group(line.group.cwd) == index
    for path in rows.keys() - {line.path for line in model.lines}:
        assert model.index_of(path) is None


def crowd(count=200):
    """Sessions of many projects, the newest first; every eighth is a fork of the previous one."""
    return [
        make_row(
            f"s{number:04}",
            cwd=f"/p{number % 20}",
            modified=NOW - number * MINUTE,
            parent_session=f"s{number - 1:04}" if number % 8 == 7 else None,
        )
        for number in range(count)
    ]


def test_live_sessions_change_no_line_if_none_is_empty():
    model = listed(*crowd())
    lines = model.lines
    model.set_live([f"/store/s{number:04}.jsonl" for number in range(100)])
    assert model.lines is lines


def test_another_row_height_changes_no_line():
    model = listed(*crowd())
    lines = model.lines
    model.arrange(model.arrangement.changed(roomy=True, paths=True))
    assert model.lines is lines


def test_an_adopted_list_keeps_its_lines():
    arrangement = Arrangement(grouped=False, order="recent")
    filled = ListModel((HERE,), "", arrangement, frozenset({("pi", "s0003")}))
    filled.load(crowd())
    model = ListModel((HERE,), "", arrangement.changed(roomy=True), filled.pins)
    model.adopt(filled)
    assert model.lines == filled.lines
    assert (model.total, model.arrangement.roomy) == (200, True)
