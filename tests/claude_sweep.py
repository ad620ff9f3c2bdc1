"""Delete sessions as Claude Code 2.1.332 does (formats/README.md, "Sessions that Claude Code deletes")."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86_400


def sweep(projects: Path, days: int = 30) -> int:
    """Delete what is older than `days`, and return the number of sessions that went."""
    limit = time.time() - days * DAY
    number = 0
    for project in projects.iterdir():
        if not project.is_dir():
            continue
        entries = sorted(project.iterdir(), key=lambda entry: not entry.is_dir())
        sessions = {entry.stem for entry in entries if entry.is_file() and entry.suffix == ".jsonl"}
        for entry in entries:
            if entry.is_file():
                if entry.suffix == ".jsonl" and entry.stat().st_mtime < limit:
                    entry.unlink()
                    shutil.rmtree(entry.with_suffix(""), ignore_errors=True)
                    number += 1
            else:
                _sweep_artifacts(entry, limit, has_session=entry.name in sessions)
        _remove_empty(project)
    return number


def _sweep_artifacts(folder: Path, limit: float, *, has_session: bool) -> None:
    swept = ["tool-results"] if has_session else ["tool-results", "subagents", "workflows", "remote-agents"]
    for name in swept:
        for file in (folder / name).rglob("*"):
            if file.is_file() and file.stat().st_mtime < limit:
                file.unlink()
        _remove_empty(folder / name)
    _remove_empty(folder)


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not os.listdir(folder):
        folder.rmdir()
