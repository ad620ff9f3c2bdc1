"""Where each agent would put a session: store, folder of the project, file name
(formats/README.md, "The version 3 family").
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from app.formats.stamps import iso

if TYPE_CHECKING:
    from app.demo.builder import Session

ROOTS = {
    "pi": (".pi", "agent", "sessions"),
    "omp": (".omp", "agent", "sessions"),
    "indusagi": (".indusagi", "agent", "sessions"),
    "agent": (".config", "agent", "sessions"),
}
TRANSCRIPTS = (".pindusagi", "sessions")


def store_roots(home: str) -> list[tuple[str, str]]:
    """The stores below `home`, as (agent, folder)."""
    found = [(agent, os.path.join(home, *parts)) for agent, parts in ROOTS.items()]
    return [*found, ("indusagi", os.path.join(home, *TRANSCRIPTS))]


def session_root(home: str, session: Session) -> str:
    """The store that the session lies in."""
    return os.path.join(home, *(TRANSCRIPTS if session.dialect == "transcript" else ROOTS[session.agent]))


def folder_name(session: Session, cwd: str) -> str:
    """The folder for a working folder; "" where the agent has none."""
    if session.agent == "agent":
        return ""
    if session.dialect == "transcript":
        return f"--{re.sub('[^0-9A-Za-z]+', '-', cwd).strip('-')}--"
    if session.agent == "omp":
        real = os.path.realpath(cwd)
        # omp writes "-tmp-..." for what lies below the system's folder for temporary files.
        return _dashed(real) if real.startswith("/tmp/") else f"--{_dashed(real.lstrip('/'))}--"
    return f"--{_dashed(cwd.lstrip('/'))}--"


def _dashed(path: str) -> str:
    return re.sub(r"[/\\:]", "-", path)


def file_name(session: Session) -> str:
    """Time and id, as the agent writes them."""
    created = iso(session.start)
    if session.dialect == "transcript":
        return f"{session.id}.ndjson"
    if session.agent == "agent":
        digits = re.sub("[^0-9]", "", created)
        return f"{digits[:8]}-{digits[8:14]}-{session.id[:8]}.jsonl"
    return f"{re.sub('[:.]', '-', created)}_{session.id}.jsonl"
