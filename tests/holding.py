"""An agent that has a session open."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def held(session: str, folder: Path, agent: str = "omp") -> Iterator[int]:
    """A process called `agent` that has the file `session` open; its id. Its program is put into `folder`.

    For systems with /proc.
    """
    program = shutil.copy(shutil.which("sleep") or "", folder / agent)
    with open(session, "rb") as opened:
        process = subprocess.Popen([program, "600"], stdin=opened)
    try:
        # A new program runs a moment before the kernel has its name.
        while Path(f"/proc/{process.pid}/comm").read_text() != f"{agent}\n":
            pass
        yield process.pid
    finally:
        process.kill()
        process.wait()
