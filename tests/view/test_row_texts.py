"""What the rows say is put together once; counted, not timed."""

import pytest

from app.view import row_texts
from app.view.arrangement import Arrangement
from app.view.row_texts import Block
from app.view.session_list import SessionList
from tests.factory import make_row

ROWS = [make_row(f"s{at:02}", cwd=f"/p{at % 3}") for at in range(20)]


@pytest.fixture
def together(monkeypatch):
    """How many lines were put together, each time."""
    counts = []
    put_together = Block.put_together

    def counting(block):
        counts.append(len(block.lines))
        return put_together(block)

    monkeypatch.setattr(row_texts, "BLOCK", 4)
    monkeypatch.setattr(Block, "put_together", counting)
    return counts


@pytest.fixture
def model(together):
    model = SessionList()
    model.load(ROWS)
    model.prepare_filter()
    assert together == [4] * 5
    together.clear()
    return model


def found(model):
    return [line.row.id for line in model.lines if line.row is not None]


def test_however_the_sessions_are_arranged_all_is_ready(model, together):
    for grouped in (False, True):
        model.arrange(Arrangement(grouped=grouped))
        model.set_found({"/store/s03.jsonl"}, ["s17"], by_rows=True)
        assert set(found(model)) == {"s03", "s17"}
    assert together == []


def test_a_session_that_changes_is_put_together_with_those_beside_it(model, together):
    model.apply([make_row("s05", cwd="/p2", title="another")], [])
    model.set_query("another")
    assert (found(model), together) == (["s05"], [4])


def test_what_was_found_changes_with_a_session(model, together):
    model.set_query("s0")
    assert len(found(model)) == 10
    model.apply([make_row("s30", title="not like s0")], ["/store/s02.jsonl"])
    assert len(found(model)) == 10
    assert "s30" in found(model)
    assert together == [3, 1]
    model.set_query("s03")
    assert found(model) == ["s03"]
    model.set_query("s04")
    assert found(model) == ["s04"]


def test_the_last_session_of_a_block_can_go(model):
    model.apply([], [row.path for row in ROWS])
    model.set_query("s")
    assert found(model) == []
    model.apply(ROWS[:1], [])
    assert found(model) == ["s00"]


def test_few_of_many_come_in_the_order_of_the_list():
    rows = [make_row(f"s{at:03}", modified=at % 7 * 1_000) for at in range(400)]
    rows += [make_row(f"f{at:03}", parent_session=f"s{at * 9:03}", modified=5_000_000) for at in range(3)]
    model = SessionList((), "", Arrangement(grouped=False))
    model.load(rows)
    before = found(model)
    wanted = {"s000", "s009", "f001", "f000", "s200"}
    model.set_found({f"/store/{id}.jsonl" for id in wanted}, [], by_rows=False)
    assert found(model) == [id for id in before if id in wanted]
    many = {id for id in before if id[1] == "1"}
    model.set_found({f"/store/{id}.jsonl" for id in many}, [], by_rows=False)
    assert found(model) == [id for id in before if id in many]
