"""The lock under which the real omp writes a session is the one that leafmark holds while it moves a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.sessions import FileStorage, LiveSession
from app.stores import agent_named, publish_lock_path
from tests.interop.programs import Refused, assistant, user

if TYPE_CHECKING:
    from tests.interop.programs import Program, Session

ROOT = Path(__file__).resolve().parent.parent.parent
KILLED = """
import os, sys
from app.stores.locks import publish_lock
lock = publish_lock(sys.argv[1])
lock.__enter__()
os._exit(9)
"""


def written(omp: Program, folder: Path) -> tuple[Session, str]:
    """Return a session of omp that is on disk, and its path."""
    session = omp.make("create", str(folder), str(folder / "sessions"))
    session.call("appendMessage", user("question"))
    session.call("appendMessage", assistant("answer"))
    session.call("flush")
    return session, session.state()["file"]


@pytest.mark.parametrize("kind", ["writers_lock", "publish_lock"])
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the first one is a file in omp's folder")
def test_omp_writes_nothing_while_leafmark_has_the_lock(omp: Program, tmp_path: Path, kind: str) -> None:
    session, path = written(omp, tmp_path)
    lock = getattr(agent_named("omp"), kind)(path)
    assert lock is not None
    with open(path, "rb") as file:
        before = file.read()
    with lock, pytest.raises(Refused, match="another writer holds the publish lock"):
        session.call("rewriteEntries")
    with open(path, "rb") as file:
        assert file.read() == before
    omp.make("open", path).call("rewriteEntries")


def test_omp_takes_the_lock_of_a_leafmark_that_was_killed(omp: Program, tmp_path: Path) -> None:
    session, path = written(omp, tmp_path)
    killed = subprocess.run([sys.executable, "-c", KILLED, path], cwd=ROOT, check=False)
    assert killed.returncode == 9
    lock = publish_lock_path(path)
    assert os.path.exists(lock)
    session.call("rewriteEntries")
    assert not os.path.exists(lock)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere lsof is needed")
def test_a_file_that_omp_has_open_is_not_rewritten(omp: Program, tmp_path: Path) -> None:
    session, path = written(omp, tmp_path)
    session.call("appendMessage", user("another"))
    storage = FileStorage()
    data, signature = storage.read(path)
    with pytest.raises(LiveSession, match=r"process \d+ \(.*\) has it open"):
        storage.replace(path, data, signature, agent_named("omp").publish_lock(path))
    assert storage.read(path) == (data, signature)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
