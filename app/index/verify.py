"""Compares the stored rows and texts with a fresh reading of every file, and repairs the differences
(`leafmark index --verify`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.formats.lines import BLOCK_SIZE, open_file
from app.index.catalog.queries import check_all
from app.index.file_reader import UNREADABLE
from app.index.row import FIELDS, refused_row, session_row, signature_of
from app.index.scan.walk import walk
from app.index.text.segment import read_spans
from app.sessions.passages import PackedText, unpack
from app.sessions.summaries.summarise import summarise
from app.stores.layout import hides_nothing, reason
from app.stores.names import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.index import Index
    from app.index.row import Row, Signature, Span
    from app.index.scan.deltas import OnDelta
    from app.sessions.summaries.summarise import Outcome
    from app.stores.base import Store

# The fields that do not come from the contents of the file.
_OF_THE_FILE = frozenset(("path", "store", "ino", "size", "mtime_ns", "ctime_ns", "grew_ms"))


@dataclass(slots=True, frozen=True)
class Finding:
    """A problem with the file at `path`, described by `what` in one line."""

    path: str
    what: str


@dataclass(slots=True)
class Verified:
    """The result of `verify`.

    checked        number of files whose stored row and text were compared with a fresh reading
    changed        number of files that are new, removed or changed since they were read: they were not
                   compared, and a scan is needed
    without_text   number of sessions whose text is not stored; a search reads their files
    findings       the differences, and the files that cannot be read
    differing      the paths of the sessions whose row or text differs from the file
    is_lost        the catalog was damaged, so that all that it held is forgotten
    """

    checked: int = 0
    changed: int = 0
    without_text: int = 0
    findings: list[Finding] = field(default_factory=list)
    differing: set[str] = field(default_factory=set)
    is_lost: bool = False


def verify(
    catalog: Catalog,
    stores: Sequence[Store],
    on_progress: Callable[[int, int], object] | None = None,
    stop: Event | None = None,
) -> Verified:
    """Read every file whole, and compare each field of its row and each passage of its text.

    The catalog is not brought up to date. It is changed only if it is damaged: then it is replaced by an
    empty one. A file that cannot be read is a finding.

    :param on_progress: called after each file with the number of files done and the number of all files.
    :param stop: set by another thread to end soon.
    """
    done = Verified()
    generation = catalog.generation
    found = walk(stores)
    catalog.read(lambda connection: check_all(connection, catalog.roots(connection)))
    rows = {row.path: row for row in (*catalog.rows(full=True), *catalog.refused())}
    texts = catalog.texts()
    # Without stored rows, and with no file to store them in, no file counts as changed.
    is_kept = bool(rows) or not catalog.in_memory
    if catalog.generation != generation and (damage := _damage(catalog)):
        done.findings.append(Finding(catalog.path, damage))
        done.is_lost = not catalog.in_memory
    for number, (path, (signature, store)) in enumerate(found.files.items(), 1):
        if stop is not None and stop.is_set():
            break
        row = rows.get(path)
        if row is not None and row.is_out_of_reach:
            done.findings.append(Finding(path, "it could not be read: what is kept is how it was before"))
        elif row is None or row.signature != signature:
            # If a reading failed before, the whole file is read to find out whether it still fails.
            was_unreadable = row is not None and (row.refused or "").startswith(UNREADABLE)
            why_not = _why_not_read(path, whole=was_unreadable)
            if why_not:
                done.findings.append(
                    Finding(path, f"it cannot be read, and nothing is kept of it: {why_not}")
                )
            elif is_kept:
                done.changed += 1
        else:
            name = name_of(store, found.names.get(store.root, {}), path)
            _check(row, texts.get(path), store, name, catalog.text_folder, done)
        if on_progress:
            on_progress(number, len(found.files))
    if stop is None or not stop.is_set():
        unread = [(path, why) for path, why in found.complaints if not hides_nothing(why)]
        done.findings += [Finding(path, f"it cannot be read: {why}") for path, why in unread]
        # Files in folders that cannot be read do not count as removed.
        done.changed += len(found.gone(rows))
    return done


def repair(index: Index, result: Verified, on_delta: OnDelta | None = None) -> int:
    """Read the sessions with differences again and store them; all sessions, if the catalog was damaged.

    :param index: that of the catalog which was compared.
    :param on_delta: see `Index.scan`.
    :return: how many files were read; 0 if nothing can be stored.
    """
    if index.catalog.in_memory or not (result.differing or result.is_lost):
        return 0
    index.catalog.remove(result.differing)
    index.scan(on_delta)
    return index.counts.whole + index.counts.tails


def _why_not_read(path: str, *, whole: bool) -> str:
    """Why a file cannot be opened or read; "" if it can be read or no longer exists.

    :param whole: read all of it, and not only its first byte.
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


def _damage(catalog: Catalog) -> str | None:
    """The finding about a catalog whose rows were lost; None if it had no file before."""
    if not catalog.in_memory:
        return "it was damaged: all that it held is forgotten"
    # The folder cannot be written, so that the damaged file is still there.
    if os.path.isfile(catalog.path) and os.path.getsize(catalog.path):
        return "it is damaged, or cannot be read: nothing that it holds was compared"
    return None


def _check(
    row: Row, spans: tuple[Span, ...] | None, store: Store, name: str, folder: str, done: Verified
) -> None:
    """:param name: the name that the agent keeps beside the session; "" for none."""
    outcome = summarise(row.path, store.agents, row.mtime_ns // 1_000_000)
    if _signature(row.path, name) != row.signature:
        # The file changed meanwhile, so that the reading and the row may differ.
        done.changed += 1
        return
    done.checked += 1
    problems = [
        f"{field} is {was!r:.80}, and should be {now!r:.80}"
        for field, was, now in _differences(row, outcome, name)
    ]
    if outcome.summary is not None:
        if spans is None:
            done.without_text += 1
        elif text_problem := _text_problem(folder, spans, outcome.text):
            problems.append(text_problem)
    done.findings += [Finding(row.path, problem) for problem in problems]
    if problems:
        done.differing.add(row.path)


def _differences(row: Row, outcome: Outcome, name: str) -> list[tuple[str, object, object]]:
    """(field, stored value, value now) of each field that differs."""
    if outcome.summary is None:
        fresh = refused_row(
            row.path, row.store, row.signature, outcome.refused or "not a session", outcome.refused_line
        )
    else:
        fresh = session_row(row.path, row.store, outcome.summary.values(), row.signature, name=name)
    if row.refused is not None:
        # Only the reason is stored for a file that is no session.
        fresh.first_message = row.first_message
    pairs = zip(FIELDS, row.values(), fresh.values(), strict=True)
    return [(key, was, now) for key, was, now in pairs if key not in _OF_THE_FILE and was != now]


def _text_problem(folder: str, spans: tuple[Span, ...], text: PackedText) -> str | None:
    """How the stored text differs from `text`, the packed text of a fresh reading; None if it does not."""
    stored = read_spans(folder, spans)
    if stored is None:
        return "the text store is damaged: a part of its text is missing"
    if stored == text:
        return None
    was, now = ([*zip(*map(unpack, copies), strict=False)] for copies in (stored, text))
    if was == now:
        return None
    pairs = enumerate(zip(now, was, strict=False))
    first = next((i for i, (new, old) in pairs if new != old), min(len(was), len(now)))
    (_, offset, _), _ = max(now, was, key=len)[first]
    return f"its text differs from the line at byte {offset:,} on"


def _signature(path: str, name: str) -> Signature | None:
    try:
        return signature_of(os.stat(path), name)
    except OSError:
        return None
