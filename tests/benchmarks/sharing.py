"""Export of 10 and 100 MB, redaction, and statistics of all sessions. Processor time counts: these use one
thread.
"""

from __future__ import annotations

import json
import os
import statistics as medians
import sys
import time
from typing import TYPE_CHECKING

from tests.benchmarks.measure import in_turn, run
from tests.benchmarks.opening import biggest
from tests.benchmarks.rows import Result, mb, ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.measure import Setting

SMALL, LARGE = 10 << 20, 100 << 20
OF_PYTHON = 30
"""The most that statistics may take, as a multiple of Python's own start."""


def export(setting: Setting) -> Iterator[Result]:
    """A page of 10 MB of the biggest session, and the memory for ten times as much."""
    source = biggest(setting)["path"]
    small, large = (os.path.join(setting.folder, f"export-{size}.jsonl") for size in (SMALL, LARGE))
    _repeat(source, small, SMALL)
    _repeat(source, large, LARGE)
    target = os.path.join(setting.folder, "export.html")
    command = ("--to", "html", "--all-branches", "--force", "-o", target)
    seconds = medians.median(
        [run(setting.leafmark("export", small, *command), setting.env).cpu for _ in range(setting.repeat)]
    )
    yield Result("14", "export of 10 MB to html, processor", ms(seconds), value=seconds, limit=2)
    peak = run(setting.leafmark("export", large, *command), setting.env).peak
    yield Result("14", "export of 100 MB to html, peak memory", mb(peak), value=peak, limit=600 << 20)
    from app.redact import Redactor

    with open(small, encoding="utf-8") as file:
        lines = file.read().splitlines()
    redactor = Redactor()
    started = time.process_time()
    for line in lines:
        redactor.text(line)
    rate = SMALL / (time.process_time() - started)
    figure = f"{rate / (1 << 20):.1f} MB/s"
    yield Result("14", "redaction", figure, "10 MB/s", (10 << 20) / rate, 1)


def _repeat(source: str, target: str, size: int) -> None:
    """Write the entries of a session again and again, each time with other ids below the last entry."""
    with open(source, encoding="utf-8") as file:
        head, *lines = file.read().splitlines()
    entries = [json.loads(line) for line in lines]
    written, turn, last = 0, 0, None
    with open(target, "w", encoding="utf-8") as file:
        file.write(head + "\n")
        while written < size:
            for entry in entries:
                parent = entry["parentId"]
                entry = {**entry, "id": f"{entry['id']}-{turn}"}
                entry["parentId"] = last if parent is None else f"{parent}-{turn}"
                written += file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                if written >= size:
                    break
            turn, last = turn + 1, entry["id"]


def statistics(setting: Setting) -> Iterator[Result]:
    """The command that shows statistics of sessions whose figures are known, and the file of the figures."""
    from app.index import figures_path

    rows = json.loads(run(setting.leafmark("list", "--json"), setting.env, keep=True).output)["sessions"]
    first = run(setting.leafmark("stats", "--json"), setting.env)

    def later() -> float:
        return run(setting.leafmark("stats"), setting.env).cpu

    def bare_python() -> float:
        return run([sys.executable, "-c", "pass"], setting.env).cpu

    taken, start = in_turn(max(7, setting.repeat), later, bare_python)
    what = f"stats of {len(rows):,} sessions, processor; the first time {ms(first.cpu)}"
    yield Result("15", what, ms(taken), f"python -c pass {ms(start)}", taken / start, OF_PYTHON)
    size = os.path.getsize(figures_path(setting.env["LEAFMARK_CACHE_DIR"]))
    session_bytes = sum(row["size"] for row in rows)
    yield Result(
        "15", "the figures on disk", mb(size), f"sessions {mb(session_bytes)}", size / session_bytes, 0.006
    )
