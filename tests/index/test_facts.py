"""Facts about sessions that filters use (live, pinned): they are computed once, when first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark import Index

from app.actions import pin
from app.index import facts_of
from app.stores import discover, named
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path


def test_pins_of_a_store_apply_to_its_sessions(tmp_path: Path) -> None:
    root = tmp_path / ".omp" / "agent" / "sessions"
    write_session(root / "-work" / "a.jsonl", *chain("hello", id="one"))
    write_session(root / "-work" / "b.jsonl", *chain("hello", id="two"))
    (root.parent / "session-pins.json").write_text('["two"]', encoding="utf-8")

    stores = discover({}, str(tmp_path), str(tmp_path))
    index = Index(stores, str(tmp_path / "cache"))
    index.scan()
    rows = index.rows()
    index.close()
    facts = facts_of(stores, lambda: rows, 0)
    assert {row.id: facts.pinned(row) for row in rows} == {"one": False, "two": True}


def test_own_pins_apply_to_every_agent(tmp_path: Path) -> None:
    write_session(tmp_path / "pi" / "-work" / "a.jsonl", *chain("hello", id="one"))
    write_session(tmp_path / "pi" / "-work" / "b.jsonl", *chain("hello", id="two"))
    stores = named([("pi", str(tmp_path / "pi"))], {}, str(tmp_path), str(tmp_path))
    state = str(tmp_path / "state")
    pin("pi", "two", True, stores[0], state)
    # Another agent's session may have the same id.
    pin("indusagi", "one", True, named([("indusagi", str(tmp_path))], {}, "/", "/")[0], state)

    index = Index(stores, str(tmp_path / "cache"), state_folder=state)
    index.scan()
    found = [hit.row.id for page in index.query("is:pinned") for hit in page.hits]
    rows = index.rows()
    index.close()
    assert found == ["two"]
    facts = facts_of(stores, lambda: rows, 0, state)
    assert {row.id: facts.pinned(row) for row in rows} == {"one": False, "two": True}
