"""Make a session from another one: its entries, its artifacts and its file
(formats/README.md, "Forks of the agents").
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.dialects.base import ForkHeader
from app.formats.json_codec import REMOVED, decode, edit_fields
from app.formats.timestamps import iso
from app.sessions.errors import ReadOnly
from app.sessions.manager.change import Change, announce
from app.sessions.manager.session_file import SessionFile, fresh_id, now_ms
from app.sessions.storage.file_storage import refused
from app.sessions.storage.temporary import copy_name
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from app.sessions.manager.entry_store import Entry
    from app.sessions.manager.location import SessionLocation

DEFAULT_MESSAGE_COUNT = 20
"""Messages that a fork of nickcecere/agent carries over."""
_LOCKS = (".lock", ".lock.os")
_MAX_DEPTH = 64
"""Levels of folders that are copied. Sub-agents of sub-agents end long before; a deeper folder is damage."""


class ForkedEntry(NamedTuple):
    """An entry of the new session.

    raw    the entry as an object
    line   the line that is carried over; empty if the entry is new
    """

    raw: dict[str, Any]
    line: bytes = b""


def fork_path(
    path: Sequence[Entry], labels: Mapping[str, str], label_times: Mapping[str, Any], now_ms: int
) -> list[ForkedEntry]:
    """Return the entries of `path`, from a root to the new leaf, as those of a session of their own.

    Label entries are left out, and their children move to their parents. The labels of entries on the path
    follow after the last entry, with the times they had. A compaction that kept the context from a label
    entry on keeps it from the next entry on. A snapshot of the provider that ended with a label entry ends
    with the entry before it.

    :param labels: label by entry id.
    :param label_times: timestamp of the label by entry id.
    :param now_ms: the time of labels without one, milliseconds since the epoch.
    """
    entry_after: dict[str, str] = {}
    entry_before: dict[str, str] = {}
    label_ids: list[str] = []
    kept: list[Entry] = []
    for entry in path:
        if entry.type == "label":
            label_ids.append(entry.id)
            if kept:
                entry_before[entry.id] = kept[-1].id
            continue
        entry_after.update((label_id, entry.id) for label_id in label_ids)
        label_ids.clear()
        kept.append(entry)
    on_path = {entry.id for entry in kept}
    forked: list[ForkedEntry] = []
    parent: str | None = None
    for entry in kept:
        changes: dict[str, Any] = {} if entry.parent_id == parent else {"parentId": parent}
        if entry.type == "compaction":
            first = entry.raw.get("firstKeptEntryId")
            if isinstance(first, str) and first in entry_after:
                changes["firstKeptEntryId"] = entry_after[first]
            last = entry.raw.get("providerReplayThroughEntryId")
            if isinstance(last, str) and last not in on_path:
                changes["providerReplayThroughEntryId"] = entry_before.get(last, REMOVED)
        forked.append(_changed(entry, changes))
        parent = entry.id
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
        forked.append(ForkedEntry(fields))
        parent = label_id
    return forked


def _changed(entry: Entry, changes: Mapping[str, Any]) -> ForkedEntry:
    """Return `entry` with some fields changed, and everything else as it stands on disk."""
    raw = entry.raw
    if changes:
        raw = {name: value for name, value in {**raw, **changes}.items() if value is not REMOVED}
    line = entry.migrated_line
    return ForkedEntry(raw, edit_fields(line, changes) if line and changes else line)


def save_fork(
    file: SessionFile, artifacts: str, private_names: Collection[str], change: Change | None
) -> Change | None:
    """Write the new session `file`, with a copy of the artifacts that its entries refer to.

    :param artifacts: the folder of artifacts of the source, "" for none.
    :param private_names: names directly in that folder that are not copied.
    :param change: describes the new file; it is announced before the first byte is written.
    :return: `change`, with a note on what could not be copied.
    :raises WriteFailed: there is neither a new file nor a copy.
    """
    target = os.path.splitext(file.path)[0]
    if change is not None:
        announce(change)
    with artifacts_copied(artifacts, target, private_names) as skipped:
        file.save()
    if not skipped or change is None:
        return change
    names = ", ".join(map(os.path.basename, skipped[:3]))
    more = f" and {len(skipped) - 3:,} more" if len(skipped) > 3 else ""
    return replace(change, note=f"{artifacts}: not copied, because it is no regular file: {names}{more}")


def fork_last(
    source: SessionFile, file: SessionFile, location: SessionLocation, count: int, summary: str
) -> None:
    """Write a new session with the last `count` messages of `source`, and load it into `file`.

    This is how nickcecere/agent forks.

    :param location: where the new session goes.
    :param summary: of the source, or the reason for the fork; "" for none.
    :raises ReadOnly: sessions of this format are only read here.
    :raises WriteFailed: there is no new file.
    """
    agent, entry_store = source.header.agent, source.entry_store
    stamp = now_ms()
    session_id, timestamp = agent_named(agent).new_id(stamp), iso(stamp)
    messages = [entry for entry in entry_store.entries if entry.type == "message"]
    kept = messages[-count:] if count > 0 else []
    last_id = kept[-1].id if kept else ""
    new_id = fresh_id(entry_store.by_id)
    head = ForkHeader(session_id, timestamp, location.cwd, source.path, last_id, new_id, summary)
    data = entry_store.dialect.fork(head, [entry.source for entry in kept])
    if data is None:
        raise ReadOnly(source.path, 0, "cannot be forked: its format is only read here")
    path = location.new_path(timestamp, session_id)
    storage = file.storage
    assert storage is not None
    # The change is announced before the file can be read back.
    leaf = decode(data.rstrip(b"\n").rpartition(b"\n")[2]).get("id") if count > 0 else None
    announce(
        Change(
            "file",
            path,
            "",
            before=source.path,
            after=path,
            target_id=leaf,
            agent=agent,
            session_id=source.header.id,
            after_id=session_id,
        )
    )
    storage.tidy(path)
    storage.create(path, data)
    file.load(path, (agent,))


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
    """Copy the content of the folder `source` to the empty folder `target`; see `artifacts_copied`."""
    skipped: list[str] = []
    folders = [(source, target, 0)]
    for folder, copy, depth in folders:
        if depth > _MAX_DEPTH:
            raise OSError(errno.ELOOP, f"its artifacts are more than {_MAX_DEPTH} folders deep")
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(_LOCKS) or (not depth and entry.name in left_out):
                    continue
                path = os.path.join(copy, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    os.mkdir(path, 0o700)
                    folders.append((entry.path, path, depth + 1))
                elif entry.is_symlink() or entry.is_file():
                    # The agent may remove a file meanwhile.
                    with contextlib.suppress(FileNotFoundError):
                        shutil.copy2(entry.path, path, follow_symlinks=False)
                else:
                    skipped.append(entry.path)
    for folder, copy, _ in reversed(folders):
        shutil.copystat(folder, copy)
    return skipped
