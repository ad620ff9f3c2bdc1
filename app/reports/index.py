"""``leafmark index``: brings the index up to date, builds it anew, compares it with the files, says where it
is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from app.formats.text import one_line
from app.index.cache import cache_status, rebuild
from app.index.index import Index
from app.index.verify import verify
from app.options import Options
from app.reports.output import Progress, complain, write_json, write_text
from app.setup import Setup
from app.view.formatting import tilde

SCHEMA = 1
DIFFERENT = 3
"""The exit code when something is not as the files say, or what was asked for was not done."""


def run(options: Options, setup: Setup) -> int:
    """Do what one of the options says, or bring the index up to date. Exit code 3 when `--verify` finds that
    something differs, or what has changed cannot be kept.
    """
    code = 0
    asked = [name for name in ("rebuild", "verify", "where") if getattr(options, name)]
    if len(asked) > 1:
        complain(f"--{asked[0]} has no place beside --{asked[1]}")
        return 2
    if options.where:
        found, lines = _locate(setup)
    elif options.verify:
        found, lines = _verify(setup)
    else:
        if options.rebuild:
            try:
                rebuild(setup.cache_folder)
            except OSError as error:
                kept = cache_status(setup.cache_folder)
                # CacheStatus nothing is, the scan says as well that nothing can be kept, and goes on without.
                if kept.catalog_bytes or kept.segments:
                    why = error.strerror or error
                    complain(f"what is kept cannot be deleted: {setup.cache_folder}: {why}")
                    return DIFFERENT
        found, lines, is_kept = _update(setup)
        code = 0 if is_kept else DIFFERENT
    if options.json:
        write_json({"schema": SCHEMA, **found})
    else:
        write_text("".join(one_line(line, 4_096) + "\n" for line in lines))
    return DIFFERENT if found.get("findings") or found.get("note") else code


def _update(setup: Setup) -> tuple[dict[str, Any], Iterator[str], bool]:
    """Update the index. The counts, their lines of text, and whether everything was stored."""
    began = time.monotonic()
    index = Index(setup.stores, setup.cache_folder, setup.now_ms)
    catalog = index.catalog
    progress = Progress()
    try:
        catalog.newest(0)
        before = catalog.signatures() if catalog.is_copy else None
        index.scan(progress.read)
        sessions, counts = index.newest(0)[1], index.counts
        # A file that cannot be read is in both lists.
        away = {path for path, _ in index.complaints}
        refused = sum(row.path not in away for row in index.problem_files())
        passed_over = len(index.complaints)
        # CacheStatus nothing can be written, there may have been nothing to write.
        is_same = before is not None and not counts.whole + counts.tails and before == catalog.signatures()
    finally:
        progress.end()
        index.close()
    # Only now is everything known to be stored.
    note = index.note
    if note:
        complain(note)
    texts = cache_status(setup.cache_folder, catalog)
    found = {
        "whole": counts.whole,
        "tails": counts.tails,
        "bytes": counts.bytes,
        "sessions": sessions,
        "refused": refused,
        "passed_over": passed_over,
        "text_bytes": texts.text_bytes - texts.dead_bytes,
        "dead_bytes": texts.dead_bytes,
        "seconds": round(time.monotonic() - began, 3),
    }
    return found, _update_lines(found), is_same or not note


def _update_lines(found: dict[str, Any]) -> Iterator[str]:
    dead = f", and {_bytes(found['dead_bytes'])} unused" if found["dead_bytes"] else ""
    yield f"{_count(found['sessions'], 'session')}, {_bytes(found['text_bytes'])} of text{dead}"
    yield (
        f"{_bytes(found['bytes'])} read in {found['seconds']:.2f} s: {_count(found['whole'], 'file')} whole,"
        f" of {found['tails']:,} what was new at the end"
    )
    skipped = found["refused"] + found["passed_over"]
    if skipped:
        yield f"{_count(skipped, 'file')} skipped; `leafmark doctor` says why"


def _verify(setup: Setup) -> tuple[dict[str, Any], Iterator[str]]:
    index = Index(setup.stores, setup.cache_folder, setup.now_ms)
    progress = Progress()
    try:
        done = verify(index.catalog, setup.stores, progress.compared)
        note = index.note
        kept = not index.catalog.in_memory or index.catalog.rows() or index.catalog.refused()
    finally:
        progress.end()
        index.close()
    if note:
        complain(note)

    def told() -> Iterator[str]:
        for finding in done.findings:
            yield f"{tilde(finding.path, setup.home)}: {finding.what}"
        if not kept and not done.findings:
            yield "nothing compared: nothing is kept of any file"
            return
        yield f"{_count(done.checked, 'file')} compared, {_count(len(done.findings), 'difference')}"
        if done.changed:
            files = _count(done.changed, "file")
            yield f"{files} not compared: new or changed; `leafmark index` reads them"
        if done.without_text:
            yield f"{_count(done.without_text, 'session')} without text: a search reads the files"

    return asdict(done), told()


def _locate(setup: Setup) -> tuple[dict[str, Any], Iterator[str]]:
    found = cache_status(setup.cache_folder)

    def told() -> Iterator[str]:
        yield (
            f"catalog: {tilde(found.catalog, setup.home)}, {_bytes(found.catalog_bytes)},"
            f" {_count(found.sessions, 'session')}"
        )
        yield (
            f"text: {tilde(found.text, setup.home)}, {_bytes(found.text_bytes)}"
            f" in {_count(found.segments, 'segment')}, {_bytes(found.dead_bytes)} of it unused"
        )
        if found.note:
            yield found.note
        if found.network:
            yield "on a network share"
        if found.without_text:
            yield f"{_count(found.without_text, 'session')} without text: a search reads the files"

    return asdict(found), told()


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _bytes(number: int) -> str:
    if number < 1_000:
        return _count(number, "byte")
    if number < 1_000_000:
        return f"{number / 1_000:.1f} kB"
    return f"{number / 1_000_000:,.1f} MB"
