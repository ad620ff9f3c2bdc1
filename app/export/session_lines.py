"""A path or a tree as a session file of its own, for pi or for oh-my-pi."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xxhash import xxh3_64_hexdigest

from app.export.choice import Choice
from app.export.context_json import chosen_end, without_images
from app.formats.dialects import dialect_named
from app.formats.json_codec import encode
from app.formats.migrate import CURRENT_VERSION
from app.formats.text import trim_name
from app.formats.timestamps import iso, parse_time
from app.sessions.errors import AmbiguousEntry
from app.sessions.manager.entry_store import Entry, EntryStore
from app.sessions.manager.forking import ForkedEntry, fork_path
from app.sessions.manager.session_file import fresh_id
from app.sessions.storage.blobs import PREFIX, BlobStore, inline_blobs

if TYPE_CHECKING:
    from app.formats.dialects.base import WriteFormat
    from app.redact import Redactor
    from app.sessions.manager.session_manager import SessionManager

TARGETS = ("pi", "omp")
"""The agents that a session can be exported for."""
LEAF_MARK = "leafmark.leaf"
"""The type of the custom entry that stands last where the leaf does not."""
_BLOB = PREFIX.encode()
_AMOUNTS = ("input", "output", "cacheRead", "cacheWrite")
_ANSWER: dict[str, Any] = {
    "api": "unknown",
    "provider": "unknown",
    "model": "unknown",
    "usage": {
        **dict.fromkeys((*_AMOUNTS, "totalTokens"), 0),
        "cost": dict.fromkeys((*_AMOUNTS, "total"), 0),
    },
    "stopReason": "stop",
}
"""The fields that every answer of pi and oh-my-pi has, for one that lacks them."""


def session_lines(
    manager: SessionManager,
    choice: Choice,
    agent: str,
    now_ms: int,
    redactor: Redactor | None,
    blobs: BlobStore | None,
) -> Iterator[bytes]:
    """The lines of the session file, newlines included. The session keeps its id, its time and its folder;
    the session that it was forked from is not named.

    :param agent: of `TARGETS`.
    :param now_ms: the time of labels without one, milliseconds since the epoch.
    :param redactor: redacts everything, and leaves images out unless `choice` has them; None for nothing.
    :param blobs: where the session's agent keeps images; None if it keeps them in the session.
    :raises UnknownEntry, AmbiguousEntry: of an id in `choice`, or the tree has entries with one id.
    """
    writing = dialect_named(agent).writing
    assert writing is not None
    source = _Source(manager, agent, writing, blobs)
    entries = source.tree(now_ms) if choice.all_branches else source.path(chosen_end(manager, choice), now_ms)
    created = parse_time(manager.header.get("timestamp"))
    header = writing.new_header(
        manager.session_id,
        iso(now_ms if created is None else created),
        manager.header_cwd or manager.cwd,
        None,
        manager.session_name,
    )
    if redactor is not None:
        redactor.at("header")
        header = redactor.value(header)
    yield writing.head_lines(header, now_ms)
    for number, entry in enumerate(entries, 1):
        if redactor is None:
            yield (entry.line or encode(entry.raw)) + b"\n"
            continue
        redactor.at(f"line {number + 1}")
        raw = entry.raw if choice.images else without_images(entry.raw)
        yield encode(redactor.value(raw)) + b"\n"


class _Source:
    """The entries of a session, in the spelling of the target."""

    def __init__(
        self, manager: SessionManager, agent: str, writing: WriteFormat, blobs: BlobStore | None
    ) -> None:
        self._manager = manager
        self._agent = agent
        self._writing = writing
        self._blobs = blobs
        self._store = EntryStore(manager.session_file or "", agent, CURRENT_VERSION)
        entries = manager.get_entries()
        self._label_times = {
            entry.target_id: entry.timestamp
            for entry in entries
            if entry.type == "label" and entry.target_id is not None
        }
        self._labels = {
            entry.id: label for entry in entries if entry.id and (label := manager.get_label(entry.id))
        }

    def path(self, end: str | None, now_ms: int) -> Sequence[ForkedEntry]:
        """The entries of the path to `end`, None for the leaf."""
        path = [each for entry in self._manager.get_branch(end) for each in self._with_history(entry)]
        forked = fork_path(path, self._labels, self._label_times, now_ms)
        return self._named(forked, {entry.id for entry in path}, now_ms)

    def tree(self, now_ms: int) -> Sequence[ForkedEntry]:
        """All entries, with the leaf last.

        :raises AmbiguousEntry: several entries have the same id.
        """
        manager = self._manager
        if manager.dialect.linear:
            return self.path(None, now_ms)
        entries = manager.get_entries()
        ids: set[str] = set()
        for entry in entries:
            if entry.id in ids:
                reason = f"several entries have the id {entry.id!r}; --branch exports one path"
                raise AmbiguousEntry(manager.session_file or "", entry.line, reason)
            ids.add(entry.id)
        forked = []
        last_kept: dict[str, str] = {}
        for entry in entries:
            head, *kept = self._with_history(entry)
            if head.parent_id in last_kept:
                head = self._store.make({**head.raw, "parentId": last_kept[head.parent_id]})
            if kept:
                last_kept[entry.id] = kept[-1].id
            forked += [ForkedEntry(each.raw, each.migrated_line) for each in (head, *kept)]
        leaf = manager.leaf_entry
        if not manager.dialect.one_entry_a_line:
            # The labels of such a file are no entries.
            parent = leaf.id if leaf is not None else None
            for target, label in self._labels.items():
                fields = {"type": "label", "targetId": target, "label": label}
                forked.append(self._new(fields, ids, parent, now_ms))
                parent = forked[-1].raw["id"]
            if leaf is not None and not self._labels and entries[-1].id != leaf.id:
                forked.append(self._new({"type": "custom", "customType": LEAF_MARK}, ids, leaf.id, now_ms))
        return self._named(forked, ids, now_ms)

    def _named(self, forked: list[ForkedEntry], ids: set[str], now_ms: int) -> list[ForkedEntry]:
        """The entries, and one more that names the session if they do not name it as the source is named."""
        if self._writing.has_title_slot:
            return forked
        names = [entry.raw.get("name") for entry in forked if entry.raw.get("type") == "session_info"]
        last = names[-1] if names and isinstance(names[-1], str) else None
        name = self._manager.session_name
        if trim_name(last) == name:
            return forked
        parent = forked[-1].raw.get("id") if forked else None
        return [*forked, self._new({"type": "session_info", "name": name or ""}, ids, parent, now_ms)]

    def _new(self, fields: dict[str, Any], ids: set[str], parent: str | None, now_ms: int) -> ForkedEntry:
        new_id = fresh_id(dict.fromkeys(ids))
        ids.add(new_id)
        head = {"type": fields["type"], "id": new_id, "parentId": parent, "timestamp": iso(now_ms)}
        return ForkedEntry(head | fields)

    def _with_history(self, entry: Entry) -> list[Entry]:
        """The entry as the target spells it, and below a compaction the messages that it keeps, if its line
        has or names them.
        """
        found = [self._spelled(entry)]
        for number, fields in enumerate(self._kept(entry) if entry.type == "compaction" else ()):
            # These ids are as unlikely as others to be those of entries, and the same in each export.
            new_id = xxh3_64_hexdigest(f"{entry.id} {number}".encode("utf-8", "surrogatepass"))[:12]
            head = {"id": new_id, "parentId": found[-1].id, "timestamp": entry.timestamp}
            found.append(self._store.make({**fields, **head}))
        return found

    def _kept(self, compaction: Entry) -> Iterator[dict[str, Any]]:
        """The fields of the entries with the messages that a compaction keeps, but for its summary."""
        named = compaction.normalized.get("keptEntryIds")
        if isinstance(named, list):
            for each in self._manager.get_entries()[: compaction.index]:
                if each.id.partition("#")[0] in named:
                    yield self._spelled(each).raw
            return
        for message in self._manager.dialect.history(compaction.source) or ():
            if message.get("role") == "custom":
                yield {"type": "custom_message", **{key: message[key] for key in message if key != "role"}}
            elif message.get("role") != "compactionSummary":
                yield {"type": "message", "message": message}

    def _spelled(self, entry: Entry) -> Entry:
        """The entry as the target spells it; `entry` itself if that is the same."""
        raw: dict[str, Any] | None = None
        if entry.type == "compaction" and "keptEntryIds" in entry.normalized:
            own = ("keptEntryIds", "keepsBefore")
            raw = {key: field for key, field in entry.normalized.items() if key not in own}
        if self._blobs is not None and _BLOB in entry.source:
            raw = inline_blobs(entry.raw, self._blobs)
        if self._manager.dialect.name != self._agent:
            raw = self._respelled(entry.normalized if raw is None else raw)
        if raw is None or (raw is entry.raw and self._manager.dialect.migrates):
            return entry
        spelled = self._store.make({**raw, "id": entry.id, "parentId": entry.parent_id})
        spelled.index = entry.index
        return spelled

    def _respelled(self, raw: dict[str, Any]) -> dict[str, Any]:
        message = raw.get("message")
        if isinstance(message, dict) and message.get("role") == "assistant":
            # pi and oh-my-pi add up the usage of every answer, and name its model.
            return {**raw, "message": {**_ANSWER, **message}}
        return self._writing.respelled_model(raw) if raw.get("type") == "model_change" else raw
