"""The lock under which the real omp writes a session is the one that is held while it is taken away (FORMATS
2.3).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from app.stores import agent_named
from tests.interop.programs import Refused, assistant, user

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.programs import Program


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it would be a file in omp's folder")
def test_omp_writes_nothing_while_we_have_it(omp: Program, tmp_path: Path) -> None:
    session = omp.make("create", str(tmp_path), str(tmp_path / "sessions"))
    session.call("appendMessage", user("question"))
    session.call("appendMessage", assistant("answer"))
    session.call("flush")
    path = session.state()["file"]
    lock = agent_named("omp").writers_lock(path)
    assert lock is not None
    with open(path, "rb") as file:
        before = file.read()
    with lock, pytest.raises(Refused, match="another writer holds the publish lock"):
        session.call("rewriteEntries")
    with open(path, "rb") as file:
        assert file.read() == before
    omp.make("open", path).call("rewriteEntries")
