"""The real pi appends to its session after it was trashed; after the restore pi reads all entries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions.restore import recover, restore
from app.actions.trash import trash
from app.sessions import HeaderlessContinuation
from tests.interop.programs import Refused, assistant, user

if TYPE_CHECKING:
    from tests.interop.programs import Program


def test_pi_reads_a_session_to_which_its_own_entries_were_appended(pi: Program, tmp_path: Path) -> None:
    env = {"HOME": str(pi.home)}
    work = pi.home / "work"
    work.mkdir(exist_ok=True)
    folder = pi.home / ".pi/agent/sessions/--work--"
    session = pi.make("create", str(work), str(folder))
    session.call("appendMessage", user("question"))
    session.call("appendMessage", assistant("answer"))
    path = session.state()["file"]
    change = trash(path, env)
    session.call("appendMessage", user("and then?"))
    session.call("appendMessage", assistant("then this"))
    before = session.state()
    assert len(Path(path).read_bytes().splitlines()) == 2
    with pytest.raises(Refused):
        pi.make("open", path)
    with pytest.raises(HeaderlessContinuation):
        restore(change)
    list(recover(change, env, join=True))
    after = pi.make("open", path).state()
    for what in ("entries", "context", "leaf", "id", "branch"):
        assert after[what] == before[what]
    # The running agent appends to the restored file.
    session.call("appendMessage", user("more"))
    assert pi.make("open", path).state()["entries"] == session.state()["entries"]
