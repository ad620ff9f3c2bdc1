"""``leafmark watch``: one line for each change of a session, until it is interrupted."""

from __future__ import annotations

import gc
import os
import select
import signal
import stat
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from threading import Event, Thread
from typing import Any

from app.formats.text import one_line
from app.formats.timestamps import iso
from app.index.index import Index
from app.index.row import Row
from app.index.scan.deltas import Delta
from app.options import Options
from app.reports.output import SCHEMA, Progress, complain, json_line, write_text
from app.setup import Setup
from app.view.formatting import counted

END_SECONDS = 5.0
"""Seconds that the watching thread has to end."""

_CLOSED = select.POLLHUP | select.POLLERR


def run(options: Options, setup: Setup) -> int:
    """Update the index, then print the changes of sessions until standard output is closed.

    A line on standard error says that watching has begun; every change after that is printed.

    :raises KeyboardInterrupt, SystemExit: a signal ended it.
    :raises OSError: nothing can be written to standard output; BrokenPipeError: its reader has gone.
    """
    # Fail now if nothing can be printed. Not on a socket, where an empty write may be a message.
    if not stat.S_ISSOCK(os.fstat(1).st_mode):
        os.write(1, b"")
    # Only this command runs long enough for garbage collection, which `app.cli` has disabled.
    gc.enable()
    index = Index(setup.stores, setup.cache_folder, setup.now_ms, on_renewed=complain)
    with Progress() as progress:
        index.scan(progress.read)
    known = {row.path: row for row in index.rows()}
    if index.note:
        complain(index.note)
    complain(f"watching {counted(len(known), 'session')}")
    with closing(_deltas(index)) as deltas:
        for delta in deltas:
            time = iso(setup.now_ms())
            for change in changes(delta, known):
                _print(json_line({**change, "timestamp": time}) if options.json else line(change))
    return 0


def _print(text: str) -> None:
    try:
        write_text(text + "\n")
    except OSError as error:
        # A closed terminal raises another error than a closed pipe.
        if _is_reader_gone():
            raise BrokenPipeError from error
        raise


def _is_reader_gone() -> bool:
    """Whether the reader of standard output has gone."""
    poll = select.poll()
    poll.register(1, 0)
    return any(events & _CLOSED for _, events in poll.poll(0))


def changes(delta: Delta, known: dict[str, Row]) -> Iterator[dict[str, Any]]:
    """The changes in a delta, one for each session; `known`, path -> row, is updated."""
    for path in delta.removed:
        removed = known.pop(path, None)
        if removed is not None:
            yield _change("removed", removed, {})
    for row in delta.changed:
        # The complete row follows the provisional one.
        if row.provisional:
            continue
        before = known.get(row.path)
        known[row.path] = row
        if before is None:
            yield _change("added", row, _added_fields(row))
        else:
            what = _changed_fields(before, row)
            if what:
                yield _change("changed", row, what)


def _change(kind: str, row: Row, what: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "change": kind,
        "agent": row.agent,
        "session_id": row.id,
        "path": row.path,
        "title": row.title,
        "what": what,
    }


def _added_fields(row: Row) -> dict[str, Any]:
    what: dict[str, Any] = {"entries": row.entry_count, "messages": row.message_count}
    if row.name is not None:
        what["name"] = row.name
    if row.labels:
        what["labels"] = _labels(dict(row.labels))
    return what


def _changed_fields(before: Row, now: Row) -> dict[str, Any]:
    """The changed fields: numbers as differences, all others with their new value; removed labels are null.
    Empty if nothing was written to the file.
    """
    what: dict[str, Any] = {}
    for name, field in (
        ("entries", "entry_count"),
        ("messages", "message_count"),
        ("branches", "branch_count"),
        ("problems", "problems"),
    ):
        difference = getattr(now, field) - getattr(before, field)
        if difference:
            what[name] = difference
    for field in ("id", "name", "cwd", "leaf_id", "parent_session"):
        if getattr(now, field) != getattr(before, field):
            what["session_id" if field == "id" else field] = getattr(now, field)
    old, new = dict(before.labels), dict(now.labels)
    labels = {entry: new.get(entry) for entry in old | new if old.get(entry) != new.get(entry)}
    if labels:
        what["labels"] = _labels(labels)
    if not what:
        # The file was rewritten with as many entries.
        if now.title != before.title:
            what["title"] = now.title
        if now.models != before.models:
            what["models"] = ", ".join(now.models)
        if now.size != before.size:
            what["bytes"] = now.size - before.size
    if not what and now.mtime_ns != before.mtime_ns:
        # The file was rewritten with as many bytes, and it is unknown which of them changed.
        what["bytes"] = 0
    return what


def _labels(labels: dict[str, str | None]) -> list[dict[str, Any]]:
    return [{"entry_id": entry, "label": label} for entry, label in labels.items()]


def line(change: dict[str, Any]) -> str:
    """A change as one inert line: its kind, the session's file, and the changed fields."""
    parts = []
    added = change["change"] == "added"
    for name, value in change["what"].items():
        if name == "labels":
            parts += [
                f"label {label['label']} on {label['entry_id']}"
                if label["label"] is not None
                else f"no label on {label['entry_id']}"
                for label in value
            ]
        elif isinstance(value, int):
            parts.append(f"{name} {value}" if added else f"{name} {value:+}")
        else:
            parts.append(f"no {name}" if value is None else f"{name} {value}")
    columns = [f"{change['change']:<7}", one_line(change["path"], 4_096), one_line(", ".join(parts), 1_000)]
    return "  ".join(columns).rstrip()


def _deltas(index: Index) -> Generator[Delta]:
    """The deltas of `index` as they come, until the reader of standard output has gone."""
    deltas: list[Delta] = []
    errors: list[BaseException] = []
    stop = Event()
    wake_reader, wake_writer = os.pipe()
    # The reader of the output may be slow. Deltas are collected meanwhile, and the watcher does not block.
    os.set_blocking(wake_writer, False)

    def wake() -> None:
        with suppress(BlockingIOError):
            os.write(wake_writer, b".")

    def on_delta(delta: Delta) -> None:
        deltas.append(delta)
        wake()

    def follow() -> None:
        try:
            index.watch(on_delta, stop)
        except BaseException as error:
            errors.append(error)
        wake()

    # In another thread, so that this one can wait for signals and for the end of the reader as well.
    thread = Thread(target=follow, name="leafmark-watch", daemon=True)
    poll = select.poll()
    poll.register(wake_reader, select.POLLIN)
    # Pipes, sockets and terminals have a reader at the other end.
    if not stat.S_ISREG(os.fstat(1).st_mode):
        poll.register(1, 0)
    # A signal that comes just before the wait, or in another thread, would not end the wait otherwise.
    before = signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
    thread.start()
    try:
        while thread.is_alive() or deltas:
            events = dict(poll.poll())
            if events.get(1, 0) & _CLOSED:
                return
            if 1 in events:
                # The system cannot report the end of this kind of output.
                poll.unregister(1)
            if wake_reader in events:
                os.read(wake_reader, 4_096)
            while deltas:
                yield deltas.pop(0)
        if errors:
            raise errors[0]
    finally:
        signal.set_wakeup_fd(before)
        stop.set()
        thread.join(END_SECONDS)
        if not thread.is_alive():
            os.close(wake_reader)
            os.close(wake_writer)
