"""Write the results of a run, with the day and the versions, into RESULTS.md beside this file."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measure import ROOT
from tests.benchmarks.rows import HEAD, cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.rows import Result

FILE = Path(__file__).with_name("RESULTS.md")
KEPT = 12
"""Runs that the file keeps; the oldest are removed."""

_TITLE = """# Results of the benchmarks

Written by `python -m tests.benchmarks.run --record`, never by hand; the newest run comes first. The bars are
those of `rows.py` and its callers; only figures of one run may be compared with each other.
"""
_PACKAGES = ("leafmark", "textual", "msgspec", "orjson", "watchfiles", "stringzilla", "google-re2")
_SECTION = "\n## "


def record(results: Sequence[Result], corpus: str, peers: Sequence[str], path: Path = FILE) -> None:
    """Put a run at the top of the file.

    :param corpus: a description of the corpus: size, number of sessions and bytes.
    :param peers: name and version of each measured peer.
    """
    old = path.read_text(encoding="utf-8").split(_SECTION)[1:] if path.exists() else []
    sections = [_section(results, corpus, peers), *old]
    path.write_text(
        _SECTION.join([_TITLE, *(text.strip("\n") + "\n" for text in sections[:KEPT])]), encoding="utf-8"
    )


def _section(results: Sequence[Result], corpus: str, peers: Sequence[str]) -> str:
    today = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    rows = [HEAD, tuple("---" for _ in HEAD), *(cells(result) for result in results)]
    table = "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)
    lost = sum(result.verdict == "LOST" for result in results)
    held = sum(result.verdict == "ok" for result in results)
    beside = f" Measured in turn with {', '.join(peers)}." if peers else ""
    return f"{today}: {corpus}\n\n{held} bars held, {lost} lost. {_machine()}{beside}\n\n{table}\n"


def _cell(text: str) -> str:
    """Return the cell's text; a leading blank means that the row belongs to the one above."""
    indented = "&nbsp;&nbsp;" if text.startswith("  ") else ""
    return indented + text.strip().replace("|", "\\|")


def _machine() -> str:
    system = f"{platform.system()} {platform.release().partition('-')[0]} {platform.machine()}"
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    packages = ", ".join(text for name in _PACKAGES if (text := _package(name)))
    return f"{os.cpu_count()} cores, {system}, {python}. {packages}{_commit()}."


def _package(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""


def _commit() -> str:
    """Return the commit, and whether files were changed since."""
    command = ["git", "describe", "--always", "--dirty=, changed", "--exclude=*"]
    try:
        commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f", commit {commit}"
