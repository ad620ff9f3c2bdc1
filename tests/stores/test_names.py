"""Reading the names that Codex keeps beside its sessions (formats/README.md, "Codex")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.small_files import MAX_BYTES
from app.stores import discover, name_of, names_problem, read_names

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 1_000  # characters of a name

ID = "019c8a52-7f3a-7bd2-9d5e-0a1b2c3d4e5f"


def test_the_last_line_of_an_id_counts_and_damage_is_skipped(tmp_path: Path) -> None:
    store = next(store for store in discover({}, str(tmp_path), str(tmp_path)) if store.agent.name == "codex")
    path = tmp_path / ".codex" / "session_index.jsonl"
    assert read_names(store.names) == {}
    path.parent.mkdir()
    good = f'{{"id":"{ID}","thread_name":"%s","updated_at":"2026-10-08T00:00:00Z"}}\n'
    odd = '[]\n{"id":1,"thread_name":"x"}\n{"id":"x","thread_name":null}\n\0\n\n' + "[" * 100_000 + "\n"
    path.write_text(good % "First" + odd + good % ("Last" + "x" * LONGEST) + good[:60], encoding="utf-8")
    names = read_names(store.names)
    assert names is read_names(store.names), "an unchanged file is not read again"
    assert len(names) == 1
    for own in ("", "_01a21f33-0a6a-7863-b008-c14faefb1e66"):
        rollout = f"/s/2026/02/23/rollout-2026-02-23T11-40-29-{ID}{own}.jsonl"
        name = name_of(store, names, rollout)
        assert name.startswith("Last")
        assert len(name) == LONGEST
        assert store.agent.resume_arguments(rollout, "any", store) == ["resume", ID]
    assert not names_problem(store.names)


def test_a_file_that_is_too_long_or_no_file_has_no_names(tmp_path: Path) -> None:
    path = tmp_path / "session_index.jsonl"
    with open(path, "wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert read_names(str(path)) == {}
    assert names_problem(str(path))
    path.unlink()
    path.mkdir()
    assert read_names(str(path)) == {}
    assert names_problem(str(path))
