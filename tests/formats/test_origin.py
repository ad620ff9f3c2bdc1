from __future__ import annotations

from app.formats.origin import is_origin, silent_in
from app.formats.silent import SILENT


def test_only_nickcecere_agent_writes_such_entries() -> None:
    assert is_origin("branch", "agent")
    assert not is_origin("branch", "pi")
    assert not is_origin("message", "agent")
    assert silent_in("agent") == SILENT | {"branch"}
    assert silent_in("pi") == silent_in("omp") == SILENT
