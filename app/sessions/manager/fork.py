"""The entries of a new session that is cut out of another (FORMATS 2.2; specs 003 "Session Forking")."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING, Any

from app.formats.dialects.base import Fork
from app.formats.respell import respell
from app.formats.stamps import iso
from app.sessions.errors import AlreadyThere, ReadOnly, WriteFailed
from app.sessions.manager.session_file import fresh_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.sessions.manager.book import Book
    from app.sessions.manager.entry import Entry


class Cutting:
    """One entry of the new session: a line carried over, or an object that is new."""

    __slots__ = ("line", "raw")

    def __init__(self, raw: dict[str, Any], line: bytes = b"") -> None:
        self.raw = raw
        self.line = line


def cut_path(
    path: Sequence[Entry], labels: Mapping[str, str], label_times: Mapping[str, Any], now_ms: int
) -> list[Cutting]:
    """The entries of `path`, from a root to the new leaf, as a session of their own.

    Label entries go, and what hung below them hangs on what they hung on; the labels of entries on the path
    come after the last, with the times they had. A compaction that kept from a label on keeps from the next
    entry.

    :param labels: label by entry id; ``label_times`` their timestamps.
    :param now_ms: the time of labels that have none.
    """
    heirs: dict[str, str] = {}
    waiting: list[str] = []
    kept: list[Entry] = []
    for entry in path:
        if entry.type == "label":
            waiting.append(entry.id)
            continue
        heirs.update((label, entry.id) for label in waiting)
        waiting.clear()
        kept.append(entry)
    found: list[Cutting] = []
    parent: str | None = None
    for entry in kept:
        changes: dict[str, Any] = {} if entry.parent_id == parent else {"parentId": parent}
        if entry.type == "compaction":
            first = entry.raw.get("firstKeptEntryId")
            if first in heirs and first != entry.id:
                changes["firstKeptEntryId"] = heirs[first]
        found.append(changed(entry, changes))
        parent = entry.id
    on_path = {entry.id for entry in kept}
    taken = dict.fromkeys(on_path)
    for target, label in labels.items():
        if target not in on_path:
            continue
        label_id = fresh_id(taken)
        taken[label_id] = None
        fields = {
            "type": "label",
            "id": label_id,
            "parentId": parent,
            "timestamp": label_times.get(target) or iso(now_ms),
            "targetId": target,
            "label": label,
        }
        found.append(Cutting(fields))
        parent = label_id
    return found


def changed(entry: Entry, changes: Mapping[str, Any]) -> Cutting:
    """`entry` with some fields changed, everything else as it stands on disk."""
    raw = {**entry.raw, **changes} if changes else entry.raw
    line = entry.carried
    return Cutting(raw, respell(line, changes) if line and changes else line)


def fork_last(book: Book, session_id: str, timestamp: str, cwd: str, count: int, summary: str = "") -> bytes:
    """A new session with the last `count` messages of `book`, of an agent that forks only so (specs 003).

    :param timestamp: of the new session, ISO 8601; ``cwd`` its working folder.
    :param summary: of the parent, or why it is forked; "" for none.
    :raises ReadOnly: its sessions cannot be forked here.
    """
    messages = [entry for entry in book.entries if entry.type == "message"]
    kept = messages[-count:] if count > 0 else []
    left_at = kept[-1].id if kept else ""
    head = Fork(session_id, timestamp, cwd, book.file, left_at, fresh_id(book.by_id), summary)
    try:
        return book.dialect.fork(head, [entry.source for entry in kept])
    except NotImplementedError:
        raise ReadOnly(book.file, 0, "cannot be forked: its format is only read here") from None


def copy_artifacts(source: str, target: str) -> None:
    """Copy the folder of things that belong to the session `source` for the session `target` (FORMATS 2.2).

    :raises WriteFailed: it cannot be copied; there is no copy. AlreadyThere, where there was such a folder.
    """
    folder, copy = os.path.splitext(source)[0], os.path.splitext(target)[0]
    if not os.path.isdir(folder):
        return
    try:
        shutil.copytree(folder, copy, symlinks=True)
    except FileExistsError:
        raise AlreadyThere(copy, "is there already", errno.EEXIST) from None
    except (OSError, shutil.Error) as error:
        drop_artifacts(target)
        raise WriteFailed(copy, f"cannot be written: {error}") from None


def drop_artifacts(target: str) -> None:
    """Take away what `copy_artifacts` copied for the session `target`, which was not made after all."""
    shutil.rmtree(os.path.splitext(target)[0], ignore_errors=True)
