"""``leafmark index``: updates the index, builds it anew, compares it with the files, or prints its place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

from app.actions.keep import Kept, due, keep_all
from app.formats.text import one_line
from app.index.cache import cache_status, rebuild
from app.index.catalog.catalog import Catalog
from app.index.row import Row
from app.index.text.store import damage_note
from app.index.verify import repair, verify
from app.options import Options, only_one
from app.reports.output import SCHEMA, Progress, complain, write_json, write_lines
from app.sessions.errors import SessionError
from app.settings import read_settings
from app.setup import Setup
from app.view.formatting import counted, tilde

DIFFERENT = 3
"""The exit code if the index differs from the files, or could not be deleted or stored."""


def run(options: Options, setup: Setup) -> int:
    """Do what the option says; without one, update the index.

    :return: the exit code; `DIFFERENT` if `--verify` finds a difference, or if the index cannot be stored.
    """
    code = 0
    mode = only_one(options, "rebuild", "verify", "where")
    if mode == "where":
        fields, lines = _locate(setup)
    elif mode == "verify":
        fields, lines = _verify(setup)
    else:
        if mode == "rebuild":
            try:
                rebuild(setup.cache_folder)
            except OSError as error:
                status = cache_status(setup.cache_folder)
                # If nothing is stored, there is nothing to delete. The scan works without a cache and
                # reports the problem.
                if status.catalog_bytes or status.segments:
                    why = error.strerror or error
                    complain(f"what is kept cannot be deleted: {setup.cache_folder}: {why}")
                    return DIFFERENT
        fields, lines, is_stored = _update(setup)
        code = 0 if is_stored else DIFFERENT
    if options.json:
        write_json({"schema": SCHEMA, **fields})
    else:
        write_lines(one_line(line, 4_096) for line in lines)
    return DIFFERENT if fields.get("findings") or fields.get("note") else code


def _update(setup: Setup) -> tuple[dict[str, Any], Iterator[str], bool]:
    """Update the index; return the counts, their lines of text, and whether everything was stored."""
    began = time.monotonic()
    with closing(setup.open_index(complain)) as index, Progress() as progress:
        catalog = index.catalog
        catalog.newest(0)
        before = catalog.signatures() if catalog.in_memory else None
        index.scan(progress.read)
        sessions, counts = index.newest(0)[1], index.counts
        # A file that cannot be read is in both lists, and counted once.
        unreadable = {path for path, _ in index.complaints}
        refused = sum(row.path not in unreadable for row in index.problem_files())
        passed_over = len(index.complaints)
        # A cache that cannot be written is no problem if there was nothing to write.
        rows = index.rows()
        is_same = before is not None and not counts.whole + counts.tails and before == catalog.signatures()
    kept = _keep(rows, setup)
    # The note is complete only after `close`.
    note = index.note
    if note:
        complain(note)
    damaged = catalog.take_damage()
    if damaged:
        complain(damage_note(len(damaged)))
    texts = cache_status(setup.cache_folder, catalog)
    fields = {
        "whole": counts.whole,
        "tails": counts.tails,
        "bytes": counts.bytes,
        "sessions": sessions,
        "refused": refused,
        "passed_over": passed_over,
        "text_bytes": texts.text_bytes - texts.dead_bytes,
        "dead_bytes": texts.dead_bytes,
        "kept": kept,
        "seconds": round(time.monotonic() - began, 3),
    }
    return fields, _update_lines(fields), is_same or not note


def _keep(rows: Sequence[Row], setup: Setup) -> int:
    """Keep the sessions that are due, and return how many copies of sessions were brought up to date."""
    written = 0

    def done(number: int, path: str, result: Kept | SessionError) -> None:
        nonlocal written
        if isinstance(result, SessionError):
            complain(str(result))
        else:
            written += result.written > 0
        if progress.kept:
            progress.kept(number, len(sessions))

    setting = read_settings(setup.env).keep
    sessions = due(rows, setup.stores, setting, setup.now_ms())
    with Progress() as progress:
        keep_all(sessions, setup.stores, done)
    return written


def _update_lines(fields: dict[str, Any]) -> Iterator[str]:
    dead = f", and {_bytes(fields['dead_bytes'])} unused" if fields["dead_bytes"] else ""
    yield f"{counted(fields['sessions'], 'session')}, {_bytes(fields['text_bytes'])} of text{dead}"
    whole = counted(fields["whole"], "file")
    yield (
        f"{_bytes(fields['bytes'])} read in {fields['seconds']:.2f} s: {whole} completely,"
        f" and the new end of {counted(fields['tails'], 'file')}"
    )
    if fields["kept"]:
        yield f"{counted(fields['kept'], 'session')} kept"
    skipped = fields["refused"] + fields["passed_over"]
    if skipped:
        yield f"{counted(skipped, 'file')} skipped; `leafmark doctor` says why"


def _verify(setup: Setup) -> tuple[dict[str, Any], Iterator[str]]:
    # The findings say whether the index is damaged.
    with closing(setup.open_index()) as index, Progress() as progress:
        result = verify(index.catalog, setup.stores, progress.compared)
        repaired = repair(index, result, progress.read)
        note = index.note
        has_rows = not index.catalog.in_memory or index.catalog.rows() or index.catalog.refused()
    if note:
        complain(note)

    def lines() -> Iterator[str]:
        for finding in result.findings:
            yield f"{tilde(finding.path, setup.home)}: {finding.what}"
        if not has_rows and not result.findings:
            yield "nothing compared: nothing is kept of any file"
            return
        yield f"{counted(result.checked, 'file')} compared, {counted(len(result.findings), 'difference')}"
        if result.changed:
            files = counted(result.changed, "file")
            yield f"{files} not compared: new or changed; `leafmark index` reads them"
        if result.without_text:
            yield f"{counted(result.without_text, 'session')} without text: a search reads the files"
        if repaired:
            yield f"{counted(repaired, 'file')} read again: the index is repaired"

    fields = {
        "checked": result.checked,
        "changed": result.changed,
        "without_text": result.without_text,
        "findings": [asdict(finding) for finding in result.findings],
        "repaired": repaired,
    }
    return fields, lines()


def _locate(setup: Setup) -> tuple[dict[str, Any], Iterator[str]]:
    status = cache_status(setup.cache_folder, Catalog(setup.cache_folder, [], complain))

    def lines() -> Iterator[str]:
        yield (
            f"catalog: {tilde(status.catalog, setup.home)}, {_bytes(status.catalog_bytes)},"
            f" {counted(status.sessions, 'session')}"
        )
        yield (
            f"text: {tilde(status.text, setup.home)}, {_bytes(status.text_bytes)}"
            f" in {counted(status.segments, 'segment')}, {_bytes(status.dead_bytes)} of it unused"
        )
        if status.figures_bytes:
            yield f"figures of statistics: {_bytes(status.figures_bytes)}"
        if status.touched_bytes:
            yield f"touched files: {_bytes(status.touched_bytes)}"
        if status.words_bytes:
            yield f"words of tools: {_bytes(status.words_bytes)}"
        if status.note:
            yield status.note
        if status.network:
            yield "on a network share"
        if status.without_text:
            yield f"{counted(status.without_text, 'session')} without text: a search reads the files"

    return asdict(status), lines()


def _bytes(number: int) -> str:
    if number < 1_000:
        return counted(number, "byte")
    if number < 1_000_000:
        return f"{number / 1_000:.1f} kB"
    return f"{number / 1_000_000:,.1f} MB"
