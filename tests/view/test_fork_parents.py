"""Forks and their parents."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.view import Arrangement, ListModel, count_dependents, parents_of
from tests.cases import cases
from tests.factory import make_row


@cases("named", ["mother", "/store/mother.jsonl", "/elsewhere/mother.jsonl"])
def test_a_parent_is_found_by_id_by_path_and_by_file_name(named: str) -> None:
    rows = [make_row("mother"), make_row("kid", parent_session=named), make_row("other")]
    assert parents_of(rows) == {"/store/kid.jsonl": "/store/mother.jsonl"}


@cases("named", ["gone", "/store/gone.jsonl", "kid", "/store/kid.jsonl"])
def test_a_fork_of_a_session_that_is_gone_or_of_itself_has_no_parent(named: str) -> None:
    assert parents_of([make_row("kid", parent_session=named)]) == {"/store/kid.jsonl": None}


@cases(
    ("fields", "expected"),
    [
        ({}, {"copy": "source", "late": "source"}),
        ({"copy": {"continued_in": "source"}}, {"source": "copy", "late": "copy"}),
        ({"late": {"parent_session": "copy"}}, {"copy": "source", "late": "copy"}),
        ({"late": {"parent_session": "gone"}}, {"copy": "source", "late": None}),
        ({"late": {"agent": "codex"}}, {"copy": "source"}),
        ({"copy": {"first_id": "v"}}, {"late": "source"}),
        ({"source": {"continued_in": "gone"}}, {"copy": "source", "late": "source"}),
    ],
)
def test_a_copy_that_names_no_parent_stands_below_its_source(fields, expected) -> None:
    ages = {"late": 3, "copy": 2, "source": 1}
    rows = [
        make_row(id, **{"agent": "claude", "first_id": "u", "modified": age, **fields.get(id, {})})
        for id, age in ages.items()
    ]
    paths = {row.path: row.id for row in rows}
    found = {paths[fork]: parent and paths[parent] for fork, parent in parents_of(rows).items()}
    assert found == expected


def test_a_parent_is_linked_when_it_comes_and_unlinked_when_it_goes() -> None:
    model = ListModel(arrangement=Arrangement(grouped=False))
    kid = make_row("kid", parent_session="mother")
    model.load([kid])
    for _ in range(2):
        model.apply([make_row("mother", modified=1)], [])
        assert [line.path[7:-6] for line in model.lines] == ["mother", "kid"]
        parent, _ = model.family(kid.path)
        assert parent is not None
        assert parent.id == "mother"
        model.apply([], ["/store/mother.jsonl", "/store/mother.jsonl", "/store/stranger.jsonl"])
        assert model.family(kid.path) == (None, [])
        assert model.lines[0].is_orphan


def test_the_last_of_two_rows_of_one_session_counts() -> None:
    model = ListModel(("/work/app",), "/home/me")
    model.load([make_row("first"), make_row("second")])
    kid = [make_row("kid", parent_session=parent) for parent in ("first", "second")]
    model.apply(kid, [])
    model.open_first(100)
    parents = {line.row.id: line.parent for line in model.lines if line.row is not None}
    assert parents["kid"] is not None
    assert parents["kid"].path == "/store/second.jsonl"
    assert parents["first"] is parents["second"] is None
    model.apply([], ["/store/second.jsonl", "/store/second.jsonl", "/store/nowhere.jsonl"])
    assert {line.row.id for line in model.lines if line.row is not None} == {"first", "kid"}
    assert all(line.parent is None for line in model.lines)


def test_the_newest_fork_with_a_message_comes_before_one_that_is_empty() -> None:
    forks = [
        make_row("old", parent_session="a", modified=1, message_count=2),
        make_row("new", parent_session="a", modified=2, message_count=2),
        make_row("empty", parent_session="a", modified=3, message_count=0),
    ]
    model = ListModel(arrangement=Arrangement(grouped=False))
    model.load([make_row("a"), *forks])
    _, forks = model.family(model.rows_with_id("a")[0].path)
    assert [row.id for row in forks] == ["new", "old", "empty"]


def test_the_parent_in_the_folder_of_the_fork_is_preferred() -> None:
    neighbour = make_row("a", path="/store/sub/a.jsonl", cwd="/p", title="other")
    fork = make_row("b", parent_session="a", cwd="/p")
    model = ListModel(arrangement=Arrangement(grouped=False))
    model.load([neighbour, make_row("a", cwd="/elsewhere"), fork])
    parent, _ = model.family(fork.path)
    assert parent is not None
    assert parent.path == neighbour.path
    # the first by path if both are in the folder
    model.apply([make_row("a", cwd="/p")], [])
    parent, _ = model.family(fork.path)
    assert parent is not None
    assert parent.path == "/store/a.jsonl"


def test_the_parent_with_the_longest_common_path_is_preferred() -> None:
    rows = [
        make_row("a", path="/one/x/a.jsonl"),
        make_row("a", path="/two/y/a.jsonl"),
        make_row("b", parent_session="/gone/y/a.jsonl"),
    ]
    assert parents_of(rows) == {"/store/b.jsonl": "/two/y/a.jsonl"}


NAMES = ("a", "b", "c", "d")
SESSIONS = st.lists(
    st.tuples(
        st.sampled_from(("/store", "/other")),
        st.sampled_from(NAMES),
        st.sampled_from(("", *NAMES, "/store/a.jsonl", "/old/b.jsonl")),
    ),
    unique_by=lambda session: session[:2],
)


@given(SESSIONS, st.randoms())
def test_the_order_of_the_sessions_does_not_matter(sessions, random) -> None:
    rows = [
        make_row(name, path=f"{folder}/{name}.jsonl", parent_session=parent or None)
        for folder, name, parent in sessions
    ]
    parents = parents_of(rows)
    assert set(parents) == {row.path for row in rows if row.parent_session}
    random.shuffle(rows)
    assert parents_of(rows) == parents


def test_sessions_that_need_another_one_are_counted() -> None:
    base, other = make_row("base", agent="codex"), make_row("other", agent="codex")
    rows = [
        base,
        other,
        make_row("rewound", agent="codex", parent_session="base"),
        make_row("forked", agent="codex", parent_session="base"),
        make_row("scout", agent="codex", parent_session="base", spawned=True),
        make_row("alike", agent="pi", parent_session="base"),
    ]
    assert [count_dependents([row], rows) for row in (base, other)] == [2, 0]
    assert count_dependents(rows, rows) == 0
    # Forks of the other agents have a copy of the entries.
    copied = [make_row("base"), make_row("fork", parent_session="base")]
    assert count_dependents(copied[:1], copied) == 0
