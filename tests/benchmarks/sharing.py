"""Export of 10 and 100 MB, redaction, and statistics of all sessions. Processor time counts: these use one
thread.
"""

from __future__ import annotations

import gc
import json
import os
import statistics as medians
import time
from typing import TYPE_CHECKING

from tests.benchmarks.measure import in_turn, run
from tests.benchmarks.opening import biggest
from tests.benchmarks.rows import Result, mb, ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.measure import Setting

SMALL, LARGE = 10 << 20, 100 << 20


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
    from app.redact import redact

    with open(small, encoding="utf-8") as file:
        lines = file.read().splitlines()
    started = time.process_time()
    for line in lines:
        redact(line)
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
    """The first statistics, which read all sessions; later ones, from the catalog and as a command; and the
    file with the figures.
    """
    from app.index.catalog.catalog import Catalog
    from app.index.figures_file import current_figures, figures_path, unpacked
    from app.index.statistics import DAY
    from app.index.statistics import statistics as statistics_of
    from app.stores import discover

    cache, home = setting.env["LEAFMARK_CACHE_DIR"], setting.env["HOME"]
    run(setting.leafmark("list", "--json"), setting.env)
    first = run(setting.leafmark("stats", "--json"), setting.env)
    stores = discover(setting.env, home, home)
    taken = []
    gc.disable()  # as the command does
    for _ in range(max(3, setting.repeat)):
        started = time.process_time()
        catalog = Catalog(cache, stores)
        rows = catalog.rows(False)
        figures = current_figures(cache, rows)
        statistics_of([(row, unpacked(figures[row.path])) for row in rows], DAY)
        taken.append(time.process_time() - started)
        catalog.close()
    gc.enable()
    seconds = medians.median(taken)
    what = f"statistics of {len(rows):,} sessions from the catalog, processor"
    yield Result("15", what, ms(seconds), f"the first time {ms(first.cpu)}", value=seconds, limit=0.2)
    commands = (("stats",), ("list", "--limit", "50"))
    tasks = [lambda words=words: run(setting.leafmark(*words), setting.env).cpu for words in commands]
    ours, listed = in_turn(max(3, setting.repeat), *tasks)
    yield Result("15", "stats as a command, processor", ms(ours), f"list {ms(listed)}", ours / listed, 2.2)
    size, session_bytes = os.path.getsize(figures_path(cache)), sum(row.size for row in rows)
    share = size / session_bytes
    yield Result("15", "the figures on disk", mb(size), f"sessions {mb(session_bytes)}", share, 0.006)
