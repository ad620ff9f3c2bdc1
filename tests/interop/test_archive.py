"""A session that the real oh-my-pi has archived is restored unchanged, and oh-my-pi lists it again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.actions.archive import unarchive
from app.stores import agent_named, archived
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.programs import Program


def test_a_session_is_archived_and_restored(omp: Program, tmp_path: Path) -> None:
    env = {"PI_CODING_AGENT_DIR": str(tmp_path)}
    store = next(
        store
        for store in agent_named("omp").stores(env, str(tmp_path / "home"), "/")
        if store.source == "PI_CODING_AGENT_DIR"
    )
    path = write_session(tmp_path / "sessions" / "-work" / "2026_a.jsonl", *chain("hello", "yes", id="one"))
    artifacts = path.with_suffix("")
    artifacts.mkdir()
    (artifacts / "1.bash.log").write_text("log")
    folder = str(path.parent)
    content = path.read_bytes()
    long_ago = 1_777_630_000
    os.utime(path, (long_ago, long_ago))

    packed = omp.help("archive", str(tmp_path))
    assert (packed["archived"], packed["errors"]) == (1, [])
    assert omp.list("list", "/work/app", folder) == []
    [one] = archived([store])
    assert (one.id, one.cwd, one.title, one.target) == ("one", "/work/app", "hello", str(path))

    unarchive(one)
    assert path.read_bytes() == content
    assert (artifacts / "1.bash.log").read_text() == "log"
    [listed] = omp.list("list", "/work/app", folder)
    assert (listed["id"], listed["path"]) == ("one", str(path))
    assert [name for _, _, names in os.walk(tmp_path / "archive") for name in names] == []
