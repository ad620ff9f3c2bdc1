"""Hand a session over to another agent: a new session in the store of that agent, with the whole tree
(formats/README.md, "Sessions handed over").
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from app import paths
from app.actions.branch import target_at
from app.actions.session_edits import ROOT, require_entry, resolve_entry, resolve_folder
from app.formats.dialects.base import BASE_WITHIN
from app.formats.dialects.copies import HANDED_OVER, KEY_BYTES, key_of
from app.formats.entry_types import SILENT
from app.formats.json_codec import BadLine, decode
from app.formats.lines import opened, read_at
from app.formats.migrate import CURRENT_VERSION
from app.formats.model_names import with_provider
from app.formats.text import string_of
from app.formats.timestamps import iso
from app.sessions.bases import base_parts
from app.sessions.errors import BadValue, SessionError, UnknownEntry, WriteFailed
from app.sessions.handoff.handover import Handover, encoded, leaf_of, path_to
from app.sessions.handoff.messages import Loss
from app.sessions.manager.change import Change, announce
from app.sessions.manager.entry_store import Entry, EntryStore
from app.sessions.manager.location import SessionLocation
from app.sessions.manager.navigation import Target
from app.sessions.manager.session_file import fresh_id
from app.sessions.manager.session_manager import SessionManager
from app.sessions.storage.blobs import BlobStore, blobs_of, externalize
from app.sessions.storage.file_storage import FileStorage, refused
from app.sessions.summaries.figures_reader import read_figures
from app.stores import AGENTS, agent_named
from app.stores.base import Store
from app.stores.kept import original_path
from app.stores.locks import Busy, file_lock

TARGETS = tuple(agent.name for agent in AGENTS if agent.takes_over)
"""The agents that a session can be handed over to."""
_LOCK = "handoff.lock"
_PATIENCE_SECONDS = 60.0
"""How long a hand-over waits for another one; one of 100 MB takes 20 seconds."""
_LINES = 1_000
"""Lines that are written together."""
_LONGEST_MARKER = 64 << 20
"""Bytes of a line in which an earlier hand-over is looked for."""


class Request(NamedTuple):
    """The part of a session that is handed over.

    :param to: the agent, one of `TARGETS`.
    :param entry: the entry to go on from, an id or the beginning of one, or "root"; None for the leaf. A
        prompt means the entry before it.
    :param exact: `entry` is a whole id, of an entry that was shown and may not exist any more.
    :param path_only: the path to it alone, and not the whole tree.
    :param folder: the working folder of the new session; None for that of the old one.
    """

    to: str
    entry: str | None = None
    exact: bool = False
    path_only: bool = False
    folder: str | None = None


class Handed(NamedTuple):
    """A session that was handed over, or would be.

    :param change: the new session; of a dry run the one that would be made. ``prompt`` is the text of the
        picked prompt.
    :param is_new: False if an earlier hand-over of the same entries is there.
    :param entries: the number of entries, and `branches` that of their ends.
    :param losses: what is lost, changed or not sent.
    :param asked: the models that the texts were sent to before, the one with most answers first.
    :param folder: the working folder of the new session.
    """

    change: Change
    is_new: bool
    entries: int
    branches: int
    losses: Sequence[Loss]
    asked: Sequence[str]
    folder: str


def hand_over(
    path: str,
    request: Request,
    env: Mapping[str, str],
    *,
    store: Store | None = None,
    stores: Sequence[Store] = (),
    state_folder: str = "",
    now_ms: int,
    dry_run: bool = False,
) -> Handed:
    """Make a session of another agent from the one at `path`, which is not changed.

    :param env: the environment by which agents find their sessions.
    :param store: where the session was found; None for the one that `env` leads to.
    :param stores: those in which images of the session are looked for.
    :param state_folder: leafmark's own, in which two hand-overs at once wait for each other; "" for none.
    :param now_ms: the time in milliseconds since the epoch.
    :param dry_run: write nothing.
    :raises NotAFolder: there is no such folder.
    :raises SessionError: there is no new session; the class says why.
    """
    if request.to not in TARGETS:
        raise BadValue(
            path, 0, f"no session is handed over to {request.to!r}; only to {' or '.join(TARGETS)}"
        )
    folder = None if request.folder is None else resolve_folder(request.folder, path)
    agents = () if store is None else store.agents
    manager = SessionManager.open(path, env=env, agents=agents, new=False)
    if all(entry.type in SILENT for entry in manager.get_entries()):
        raise UnknownEntry(path, 0, "there is nothing to hand over: nothing was said")
    target = _target(manager, request)
    leaf = leaf_of(manager) if target is None else manager.get_entry(target.leaf_id)
    if request.path_only and leaf is None:
        raise UnknownEntry(path, 0, "there is nothing to hand over before the first entry")
    home = paths.home_folder(env)
    blobs = blobs_of(manager.agent, path, manager.cwd, stores, env, home)
    location = SessionLocation.of_folder(folder or manager.header_cwd or manager.cwd, None, request.to, env)
    # A kept session whose file is gone is read from its copy.
    source = original_path(path, store.kept if store is not None else "") or manager.session_file or path
    origin = {
        "agent": manager.agent,
        "dialect": manager.dialect.name,
        "session_id": manager.session_id,
        "path": source,
        "leaf": leaf.id if leaf is not None else None,
        "entries": manager.get_entry_count(),
    }
    with _one_at_a_time(state_folder) if state_folder and not dry_run else nullcontext():
        earlier = _earlier(location.session_dir, origin, path_only=request.path_only)
        is_written = earlier is None and not dry_run
        # Before the other entries are made: reading the keys takes as much memory as these.
        keys = _keys_of(manager) if is_written else []
        handover = Handover(
            manager, request.to, leaf, path_only=request.path_only, blobs=blobs, now_ms=now_ms
        )
        timestamp, new_id = iso(now_ms), agent_named(request.to).new_id(now_ms)
        new_path, new_id = earlier or (location.new_path(timestamp, new_id), new_id)
        change = Change(
            kind="file",
            path=new_path,
            entry_id="",
            before=source,
            after=new_path,
            target_id=handover.leaf_id,
            agent=request.to,
            session_id=manager.session_id,
            after_id=new_id,
            prompt=None if target is None else target.text,
            source_agent=manager.agent,
        )
        writing = handover.writing
        blobs_made = location.blobs_of("") if is_written and writing.limits_size else None
        marker_id = fresh_id({entry.id: None for entry in manager.get_entries()})
        # All entries are read first: only then it is known what is lost, and what leafmark's own entry has.
        pieces = _pieces(handover, marker_id, blobs_made)
        if is_written:
            head = {"id": marker_id, "parentId": None, "timestamp": timestamp}
            marker = _marker(head, origin, request, handover, keys)
            header = writing.new_header(new_id, timestamp, location.cwd, source, handover.name)
            storage = FileStorage()
            storage.tidy(new_path)
            announce(change)
            storage.create(new_path, [writing.head_lines(header, now_ms), marker + b"\n", *pieces])
    losses, asked = handover.losses.found(), _asked(manager)
    return Handed(change, earlier is None, handover.count, handover.ends, losses, asked, location.cwd)


def branch_to(
    path: str, entry: str | None, env: Mapping[str, str], store: Store | None
) -> tuple[SessionManager, list[Entry]]:
    """The session at `path`, and its entries from a root to an entry.

    :param entry: an id or the beginning of one; None for the leaf.
    :raises SessionError: it cannot be opened, or there is no such entry.
    """
    manager = SessionManager.open(path, env=env, agents=() if store is None else store.agents, new=False)
    leaf = leaf_of(manager) if entry is None else manager.get_entry(resolve_entry(manager, entry))
    return manager, path_to(manager, leaf)


def _target(manager: SessionManager, request: Request) -> Target | None:
    if request.entry is None:
        return None
    if request.entry == ROOT and not request.exact:
        return Target(None)
    find = require_entry if request.exact else resolve_entry
    return target_at(manager, find(manager, request.entry), past_leaf=True)


def _asked(manager: SessionManager) -> list[str]:
    """The models that answered, the one with most answers first."""
    asked: Counter[str] = Counter()
    for entry in manager.get_entries():
        message = entry.decoded().get("message") if entry.type == "message" else None
        if isinstance(message, dict) and message.get("role") == "assistant":
            provider = string_of(message.get("provider")) or manager.dialect.answers.get("provider")
            asked[with_provider(provider, string_of(message.get("model")) or None)] += 1
    return [model for model, _ in asked.most_common() if model]


def _pieces(handover: Handover, marker_id: str, blobs: BlobStore | None) -> list[bytes]:
    """The lines of the entries, newlines included, many in each piece.

    :param marker_id: the id of leafmark's own entry.
    :param blobs: where images go; None if they stay in the lines.
    """

    def lines() -> Iterator[bytes]:
        for entry in handover.entries(marker_id):
            try:
                raw = externalize(entry.raw, blobs) if blobs is not None and not entry.line else entry.raw
            except OSError as error:
                refused(blobs.folder if blobs is not None else "", error)
            yield (entry.line or encoded(raw)) + b"\n"

    # Joined, because the encoder gives each line several times the memory that it needs.
    found, pieces = lines(), []
    while batch := list(islice(found, _LINES)):
        pieces.append(b"".join(batch))
    return pieces


def _marker(
    head: Mapping[str, Any],
    origin: Mapping[str, Any],
    request: Request,
    handover: Handover,
    keys: Sequence[bytes],
) -> bytes:
    """leafmark's own entry, a custom entry that is not sent to the model: the first one after the header, on
    which the roots of the tree hang. Its `data` has:

        from       the source: `agent`, `dialect`, `session_id`, `path`, `leaf` and the number of `entries`
        path_only  whether the session has one path of the source alone
        ids        id -> id in the source, where they differ
        copies     id -> key of the entry in statistics, where it is not that of its id and time
        originals  id -> digest of the entry, and the entry as the source has it, where the way back gives
                   another
    """
    copies = {
        entry_id: keys[index].hex()
        for index, (entry_id, time_ms) in handover.times.items()
        if keys and key_of(entry_id, time_ms)[:KEY_BYTES] != keys[index]
    }
    data = {
        "from": origin,
        "path_only": request.path_only,
        "ids": dict(handover.ids),
        "copies": copies,
        "originals": handover.originals,
    }
    return encoded({"type": "custom", **head, "customType": HANDED_OVER, "data": data})


def _keys_of(manager: SessionManager) -> list[bytes]:
    """The keys in statistics of the entries of a session, those of sessions that it goes on from first; none
    if the files have changed, or cannot be read.
    """
    path, agents = manager.session_file or "", (manager.agent,)
    keys: list[bytes] = []
    try:
        with opened(path) as descriptor:
            head = read_at(descriptor, BASE_WITHIN, 0)
        parts, _ = base_parts(
            path, manager.agent, manager.dialect, head, lambda each: Path(each).read_bytes()
        )
        store = EntryStore(path, manager.dialect.name, CURRENT_VERSION)
        for part in parts:
            # Read alone, a session that goes on from another one begins with an entry that says so.
            before, start = len(store.entries), 1 if keys else 0
            store.read_base(part.lines)
            figures = read_figures(part.path, agents)[start:]
            keys += [each.key for each in figures[: len(store.entries) - before]]
        keys += [each.key for each in read_figures(path, agents)[1 if parts else 0 :]]
    except (SessionError, OSError):
        return []
    return keys if len(keys) == manager.get_entry_count() else []


def _earlier(folder: str, origin: dict[str, Any], *, path_only: bool) -> tuple[str, str] | None:
    """Path and id of the session in `folder` that an earlier hand-over of the same entries made; None for
    none.
    """
    try:
        names = sorted(os.listdir(folder), reverse=True)
    except OSError:
        return None
    for name in names:
        path = os.path.join(folder, name)
        session_id, data = _marker_in(path, origin["path"]) if name.endswith(".jsonl") else ("", {})
        if data.get("path_only") is path_only and data.get("from") == origin:
            return path, session_id
    return None


def _marker_in(path: str, source: str) -> tuple[str, dict[str, Any]]:
    """The id of the session at `path`, and the data of leafmark's own entry if it was made from the session
    at `source`; "" and nothing for any other file.
    """
    try:
        with open(path, "rb") as file:
            head = decode(file.readline(_LONGEST_MARKER))
            if head.get("type") == "title":
                head = decode(file.readline(_LONGEST_MARKER))
            if head.get("parentSession") != source:
                return "", {}
            entry = decode(file.readline(_LONGEST_MARKER))
    except (OSError, BadLine):
        return "", {}
    data = entry.get("data") if entry.get("customType") == HANDED_OVER else None
    return string_of(head.get("id")), data if isinstance(data, dict) else {}


@contextmanager
def _one_at_a_time(state_folder: str) -> Iterator[None]:
    """Wait for other hand-overs, so that two at once do not make two sessions.

    :raises WriteFailed: another one takes too long.
    """
    path = os.path.join(state_folder, _LOCK)
    with ExitStack() as stack:
        try:
            paths.make_own_folders(state_folder)
            stack.enter_context(file_lock(path, _PATIENCE_SECONDS))
        except Busy as busy:
            raise WriteFailed(path, "another session is being handed over", busy.errno or 0) from None
        except OSError:
            pass  # the folder is read-only, or the disk is full
        yield
