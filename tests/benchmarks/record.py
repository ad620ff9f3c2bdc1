"""The newest results, in RESULTS.md beside this file: `python -m tests.benchmarks.run --record`."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measure import ROOT
from tests.benchmarks.rows import HEAD, cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.rows import Result

FILE = Path(__file__).with_name("RESULTS.md")


def record(results: Sequence[Result], corpus: str, file: Path = FILE) -> None:
    """Replace the results in `file`. Earlier results are in the history of the repository.

    :param corpus: a description of the corpus.
    """
    lost = sum(result.verdict == "LOST" for result in results)
    rows = [HEAD, ("---",) * len(HEAD), *(cells(result) for result in results)]
    lines = [
        "# Results of the benchmarks",
        "",
        "`python -m tests.benchmarks.run --record` writes this file. README.md explains the rows. Compare",
        "only figures of one run.",
        "",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {_commit()}, {corpus}. {os.cpu_count()} cores,",
        f"Python {platform.python_version()}. {lost} of {len(results)} figures are beyond their limit.",
        "",
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _commit() -> str:
    """The commit of the checkout, and whether files have changed since."""
    command = ["git", "describe", "--always", "--dirty= with changes", "--exclude=*"]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()
