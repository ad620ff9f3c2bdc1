"""The cold index without the text has the same rows, and nothing to search."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.benchmarks.measure import ROOT, START
from tests.benchmarks.rows_alone import START as WITHOUT_TEXT
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path


def test_without_the_text_the_rows_are_the_same(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for number in range(12):
        # Enough text that workers read it.
        write_session(store / "--w--" / f"{number}.jsonl", *chain(f"needle {number} " * 160_000, "yes"))

    def output_of(program: str, cache: str, *arguments: str) -> Any:
        env = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
        env |= {"LEAFMARK_CACHE_DIR": str(tmp_path / cache), "LEAFMARK_STATE_DIR": str(tmp_path / "state")}
        command = [sys.executable, "-c", program, *arguments, "--json", "--store", f"pi={store}"]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, check=False)
        return json.loads(done.stdout)

    rows = output_of(WITHOUT_TEXT, "without", "list")
    assert rows["total"] == 12
    assert rows == output_of(START, "with", "list")
    assert output_of(START, "without", "search", "needle")["total"] == 0
    assert output_of(START, "with", "search", "needle")["total"] == 12
