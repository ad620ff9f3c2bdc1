"""Measures 5, 7 and 13: the search while typing, the search in all texts, and the size of the index
on disk.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus import read_truth, stores
from tests.benchmarks.corpus.needles import BY_NAME
from tests.benchmarks.listing import LIST, forget
from tests.benchmarks.measure import Setting, in_turn, run
from tests.benchmarks.rows import Result, mb, ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.peers import Peers

DEEP = BY_NAME["tool result"].query
"""The query for all texts: a word that only tool output contains, in one session of fifty."""


def typing(setting: Setting) -> Iterator[Result]:
    """Measure 5 without the screen: every prefix of a hundred queries, and each whole query."""
    run(setting.leafmark(*LIST), setting.env)
    figures = _search_figures(setting, "typed")
    keys, pasted = figures["keys"], figures["pasted"]
    p95, against = keys["first p95"], f"p50 {ms(keys['first p50'])}"
    what = f"typing: {keys['count']:,} prefixes, first page p95"
    yield Result("5", what, ms(p95), against, value=p95, limit=0.02)
    for what, values, limit in (
        ("  complete p95", keys, 0.06),
        (f"pasted: {pasted['count']} queries, p95", pasted, 0.2),
    ):
        p95, wall = values["done p95"], values["wall p95"]
        against = f"p50 {ms(values['done p50'])}, max {ms(values['done max'])}, clock {ms(wall)}"
        yield Result("5", what, ms(p95), against, value=p95, limit=limit)
    for query, first, done in figures["capitals"]:
        against = f"first page {ms(first)}"
        yield Result("5", f"capitals: {query}, complete", ms(done), against, value=done, limit=0.2)
    gap, against = figures["gap"], f"max {ms(figures['longest'])}"
    yield Result("5", "gap of a ticker meanwhile, p95", ms(gap), against, value=gap, limit=0.016)


def deep(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Measure 7: all texts of all sessions, any case: the whole process, and the search in a running
    process.
    """
    run(setting.leafmark(*LIST), setting.env)
    roots = [folder for _, folder in stores(setting.corpus)[:-1] if os.path.isdir(folder)]
    find = f"find {shlex.join(roots)} -type f -name '*.*json*' -print0"

    def ours() -> float:
        command = setting.leafmark("search", DEEP, "--json", "--limit", "50")
        return run(command, setting.env).wall

    def floor() -> float:
        return run(["/bin/sh", "-c", f"{find} | xargs -0 cat >/dev/null"], setting.env).wall

    tasks, ripgrep = [ours, floor], peers.ripgrep
    if ripgrep:
        command = [ripgrep, "-l", "-i", "-F", "--no-config", "--hidden", "--no-ignore", DEEP, *roots]
        tasks.append(lambda: run(command, setting.env).wall)
    taken, least, *ripgrep_seconds = in_turn(max(3, setting.repeat), *tasks)
    what = "deep scan: all texts, any case, the process"
    yield Result("7", what, ms(taken), f"floor {ms(least)}", taken / least)
    for theirs in ripgrep_seconds:
        yield Result("7", what, ms(taken), f"rg -l -i -F {ms(theirs)}", taken / theirs, 3)
    # The limit is for the search alone: the screen does not start a process for it.
    done = _search_figures(setting, "deep", DEEP)["done"]
    what = "  in a running process: complete"
    yield Result("7", what, ms(done), f"floor {ms(least)}", done / least, 2.5, ci=True)


def size(setting: Setting) -> Iterator[Result]:
    """Measure 13: the cache compared with the sessions in it."""
    # Other measures may have indexed more stores.
    forget(setting.env)
    run(setting.leafmark(*LIST), setting.env)
    cache = Path(setting.env["LEAFMARK_CACHE_DIR"])
    cache_bytes = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    sizes = [
        record["size"]
        for record in read_truth(setting.corpus)
        if not record["refused"] and not record["hidden"] and "flat-pi" not in record["path"]
    ]
    session_bytes = sum(sizes)
    yield Result(
        "13",
        "the index on disk",
        mb(cache_bytes),
        f"sessions {mb(session_bytes)}",
        cache_bytes / session_bytes,
        0.28,
        ci=True,
    )


def _search_figures(setting: Setting, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.searched", *arguments]
    figures: dict[str, Any] = json.loads(run(command, setting.env, keep=True).output)
    return figures
