"""Agents that run and may have a session open."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO


@contextmanager
def held(session: str, folder: Path, agent: str = "omp") -> Iterator[int]:
    """Run a process called `agent` that has the file `session` open. Its program is copied into `folder`.

    It yields the process id. Only for systems with /proc.
    """
    with open(session, "rb") as opened, running(folder, agent, stdin=opened) as pid:
        yield pid


@contextmanager
def running(
    folder: Path, agent: str, cwd: str | None = None, stdin: IO[bytes] | int = subprocess.DEVNULL
) -> Iterator[int]:
    """Run a process called `agent` in the folder `cwd`. Its program is copied into `folder`.

    It yields the process id. Only for systems with /proc.
    """
    program = shutil.copy(shutil.which("sleep") or "", folder / agent)
    process = subprocess.Popen([program, "600"], stdin=stdin, cwd=cwd)
    try:
        # The kernel knows the name of a new program a moment after its start.
        while Path(f"/proc/{process.pid}/comm").read_text() != f"{agent}\n":
            pass
        yield process.pid
    finally:
        process.kill()
        process.wait()
