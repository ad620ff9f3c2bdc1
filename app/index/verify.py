"""Compares what is stored with what the files say now, in every detail (`leafmark index --verify`)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.formats.lines import BLOCK_SIZE, open_file
from app.index.catalog.integrity import check_all
from app.index.file_reader import UNREADABLE
from app.index.row import FIELDS, refused_row, session_row, signature_of
from app.index.scan.walk import walk
from app.index.text.segment import read_spans
from app.sessions.passages import unpack
from app.stores.layout import hides_nothing, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.row import Row, Signature, Span
    from app.sessions.summaries.summarise import Outcome
    from app.stores.base import Store

_OF_THE_FILE = frozenset(("path", "store", "ino", "size", "mtime_ns", "ctime_ns", "grew_ms"))


@dataclass(slots=True, frozen=True)
class Finding:
    """Something that is not as it should be: about which file, and what, in one line."""

    path: str
    what: str


@dataclass(slots=True)
class Verified:
    """checked        files whose stored row was compared with a fresh reading, with its text
    changed        files that are new, gone or not as they were when they were read: a scan is due, they were
                   not compared
    without_text   sessions whose text is not kept; a search reads their files
    """

    checked: int = 0
    changed: int = 0
    without_text: int = 0
    findings: list[Finding] = field(default_factory=list)


def verify(
    catalog: Catalog,
    stores: Sequence[Store],
    on_progress: Callable[[int, int], object] | None = None,
    stop: Event | None = None,
) -> Verified:
    """Read every file whole and compare: each field of its row, and each piece of its text.

    The catalog is not changed and not brought up to date, unless it is damaged: then it is begun anew. What
    cannot be read is a finding.

    :param on_progress: is told (files done, files there are) after each.
    :param stop: set by another thread to end soon.
    """
    done = Verified()
    before = catalog.generation
    found = walk(stores)
    catalog.run(lambda connection: check_all(connection, catalog.roots(connection)))
    rows = {row.path: row for row in (*catalog.rows(full=True), *catalog.refused())}
    texts = catalog.texts()
    # Where nothing is kept, and nothing will be, nothing has changed either.
    is_kept = bool(rows) or not catalog.in_memory
    if catalog.generation != before and (lost := _lost(catalog)):
        done.findings.append(Finding(catalog.path, lost))
    for at, (path, (signature, store)) in enumerate(found.files.items()):
        if stop is not None and stop.is_set():
            break
        row = rows.get(path)
        if row is not None and row.is_out_of_reach:
            done.findings.append(Finding(path, "it could not be read: what is kept is how it was before"))
        elif row is None or row.signature != signature:
            # Of one that could not be read through nobody knows how far it can be read now.
            was_unreadable = row is not None and (row.refused or "").startswith(UNREADABLE)
            why_not = _why_not_read(path, whole=was_unreadable)
            if why_not:
                done.findings.append(
                    Finding(path, f"it cannot be read, and nothing is kept of it: {why_not}")
                )
            elif is_kept:
                done.changed += 1
        else:
            _check(row, texts.get(path), store, catalog.text_folder, done)
        if on_progress:
            on_progress(at + 1, len(found.files))
    if stop is None or not stop.is_set():
        unread = [(path, why) for path, why in found.complaints if not hides_nothing(why)]
        done.findings += [Finding(path, f"it cannot be read: {why}") for path, why in unread]
        # What lies where nobody can look is not gone.
        done.changed += len(found.gone(rows))
    return done


def _why_not_read(path: str, *, whole: bool) -> str:
    """Why a file cannot be opened, or not be read; "" where it can, or is gone by now.

    :param whole: try all of it; else its beginning.
    """
    try:
        descriptor = open_file(path)
        try:
            while os.read(descriptor, BLOCK_SIZE if whole else 1) and whole:
                pass
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return reason(error)
    return ""


def _lost(catalog: Catalog) -> str | None:
    """What is to be said of a catalog that was begun anew; None where nothing was kept before."""
    if not catalog.in_memory:
        return "it was damaged: all that it held is forgotten"
    # Nothing can be kept in the folder. What lies there lies there still.
    if os.path.isfile(catalog.path) and os.path.getsize(catalog.path):
        return "it is damaged, or cannot be read: nothing that it holds was compared"
    return None


def _check(row: Row, spans: tuple[Span, ...] | None, store: Store, folder: str, done: Verified) -> None:
    from app.sessions.summaries.summarise import summarise

    outcome = summarise(row.path, store.agents, row.mtime_ns // 1_000_000)
    if _signature(row.path) != row.signature:
        # Not by what was just read can it be judged.
        done.changed += 1
        return
    done.checked += 1
    told = [
        f"{name} is {was!r:.80}, and should be {now!r:.80}" for name, was, now in _differences(row, outcome)
    ]
    if outcome.summary is not None:
        if spans is None:
            done.without_text += 1
        elif said := _about_text(folder, spans, outcome.text):
            told.append(said)
    done.findings += [Finding(row.path, what) for what in told]


def _differences(row: Row, outcome: Outcome) -> list[tuple[str, object, object]]:
    if outcome.summary is None:
        fresh = refused_row(
            row.path, row.store, row.signature, outcome.refused or "not a session", outcome.refused_line
        )
    else:
        fresh = session_row(row.path, row.store, outcome.summary.values(), row.signature)
    if row.refused is not None:
        # Of a file that is no session no more is kept than why.
        fresh.first_message = row.first_message
    pairs = zip(FIELDS, row.values(), fresh.values(), strict=True)
    return [(name, was, now) for name, was, now in pairs if name not in _OF_THE_FILE and was != now]


def _about_text(folder: str, spans: tuple[Span, ...], text: bytes) -> str | None:
    stored = read_spans(folder, spans)
    if stored is None:
        return "the text store is damaged: a part of its text is missing"
    if stored == text:
        return None
    was, now = [*unpack(stored)], [*unpack(text)]
    if was == now:
        return None
    pairs = enumerate(zip(now, was, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(was), len(now)))
    _, offset, _ = max(now, was, key=len)[at]
    return f"its text differs from the line at byte {offset:,} on"


def _signature(path: str) -> Signature | None:
    try:
        return signature_of(os.stat(path))
    except OSError:
        return None
