"""The entries of a new session that is cut out of another (formats/README.md, "Forks of the agents")."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from typing import TYPE_CHECKING, Any

from app.formats.dialects.base import Fork
from app.formats.respell import respell
from app.formats.stamps import iso
from app.sessions.errors import ReadOnly
from app.sessions.manager.session_file import fresh_id
from app.sessions.storage.file_storage import refused
from app.sessions.storage.temporary import copy_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from app.sessions.manager.entry import Entry
    from app.sessions.manager.entry_store import EntryStore

_LOCKS = (".lock", ".lock.os")
# Sub-agents of sub-agents end long before; a deeper folder is damage, and would take long to walk.
_DEEPEST = 64


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


def fork_last(
    book: EntryStore, session_id: str, timestamp: str, cwd: str, count: int, summary: str = ""
) -> bytes:
    """A new session with the last `count` messages of `book`, of an agent that forks only so.

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


@contextlib.contextmanager
def artifacts_copied(folder: str, target: str, left_out: Collection[str]) -> Iterator[list[str]]:
    """Copy the folder of artifacts `folder` to `target` for a new session, which is written in the body.

    The copy is made under a temporary name first. If the body fails, the copy is removed. Links stay links,
    and times and rights stay as they are. Lock files are left out (oh-my-pi's own fork copies everything).

    :param folder: "" for none; then nothing is copied.
    :param left_out: names directly in `folder` that are not copied.
    :return: the paths that were skipped because they are no files, folders or links.
    :raises AlreadyThere: something is at `target`.
    :raises WriteFailed: the folder cannot be copied.
    """
    if not folder:
        yield []
        return
    temporary = ""
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        name = copy_name(os.path.dirname(target))
        os.mkdir(name, 0o700)
        temporary = name
        skipped = _copy_folder(folder, temporary, left_out)
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.rename(temporary, target)
    except OSError as error:
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
        refused(target, error)
    try:
        yield skipped
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _copy_folder(source: str, target: str, left_out: Collection[str]) -> list[str]:
    """Copy what is in the folder `source` to the empty folder `target`; see `artifacts_copied`."""
    skipped: list[str] = []
    folders = [(source, target, 0)]
    for folder, copy, depth in folders:
        if depth > _DEEPEST:
            raise OSError(errno.ELOOP, f"its artifacts are more than {_DEEPEST} folders deep")
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(_LOCKS) or (not depth and entry.name in left_out):
                    continue
                place = os.path.join(copy, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    os.mkdir(place, 0o700)
                    folders.append((entry.path, place, depth + 1))
                elif entry.is_symlink() or entry.is_file():
                    # The agent may remove a file meanwhile.
                    with contextlib.suppress(FileNotFoundError):
                        shutil.copy2(entry.path, place, follow_symlinks=False)
                else:
                    skipped.append(entry.path)
    for folder, copy, _ in reversed(folders):
        shutil.copystat(folder, copy)
    return skipped
