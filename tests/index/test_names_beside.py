"""Names that an agent keeps in a file beside its sessions: the rows have them and follow them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from leafmark import Index

from app.index.verify import verify
from app.stores import agent_named
from tests.index.helpers import Listener, append, write

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Store

ID = "019c8a52-7f3a-7bd2-9d5e-0a1b2c3d4e5f"


def codex_store(tmp_path: Path) -> tuple[Store, Path]:
    """A store with one session that was called "In the rollout", and the path of the file of names."""
    at = "2026-02-23T11:40:29.275Z"
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
    named = {"type": "thread_name_updated", "thread_id": ID, "thread_name": "In the rollout"}
    lines = (("session_meta", {"id": ID, "timestamp": at, "cwd": "/w"}), ("response_item", asked))
    told = [{"timestamp": at, "type": kind, "payload": load} for kind, load in (*lines, ("event_msg", named))]
    path = tmp_path / "sessions" / "2026" / "02" / "23" / f"rollout-2026-02-23T11-40-29-{ID}.jsonl"
    write(path, "".join(json.dumps(line) + "\n" for line in told))
    store = agent_named("codex").store_at(str(tmp_path / "sessions"), {}, str(tmp_path), str(tmp_path))
    return store, tmp_path / "session_index.jsonl"


def line(name: str) -> str:
    return json.dumps({"id": ID, "thread_name": name, "updated_at": "2026-02-24T00:00:00Z"}) + "\n"


def test_the_next_scan_takes_a_new_name_and_gives_up_one_that_is_gone(tmp_path: Path) -> None:
    store, names = codex_store(tmp_path)
    index = Index([store], str(tmp_path / "cache"))

    def titles() -> list[tuple[str | None, str, str]]:
        index.scan()
        return [(row.name, row.title, row.title_source) for row in index.rows()]

    assert titles() == [("In the rollout", "In the rollout", "name")]
    append(names, line("Beside it"))
    assert titles() == [("Beside it", "Beside it", "name")]
    assert [hit.path for page in index.query("name:beside hello") for hit in page.hits]
    assert not verify(index.catalog, [store]).findings
    read = index.counts.whole
    append(names, line("Two\nlines \x1b[31m\ud800"))
    ((name, title, _),) = titles()
    assert name is not None
    name.encode()
    assert title.startswith("Two lines")
    assert title.isprintable()
    titles()
    assert index.counts.whole == read + 1, "one change is one reading"
    append(names, line(" "))
    assert titles() == [("In the rollout", "In the rollout", "name")]
    append(names, line("Again"))
    titles()
    names.unlink()
    assert titles() == [("In the rollout", "In the rollout", "name")]
    index.close()


def test_a_watch_follows_the_names(tmp_path: Path) -> None:
    store, names = codex_store(tmp_path)
    with Listener(Index([store], str(tmp_path / "cache"))) as listener:
        append(names, line("Beside it"))
        listener.until(lambda: [row.title for row in listener.rows.values()] == ["Beside it"])


def test_a_prompt_of_the_history_beside_finds_its_session(tmp_path: Path) -> None:
    store, _ = codex_store(tmp_path)
    prompt = {"session_id": ID, "ts": 1_771_846_829, "text": "paint the lighthouse\0 \ud800"}
    bad = (
        json.dumps({"session_id": 1, "text": "x"})
        + "\n[]\n\n"
        + json.dumps({"session_id": ID, "text": []})
        + "\n"
    )
    write(tmp_path / "history.jsonl", bad + json.dumps(prompt) + '\n{"session_id":"' + ID)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    hits = [hit for page in index.query("lighthouse") for hit in page.hits]
    assert [(hit.row.id, hit.where) for hit in hits] == [(ID, "history")]
    index.close()
