"""The entries of a session as another agent has them: all branches or one path, with labels, name and
leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from xxhash import xxh3_64_hexdigest

from app.formats.context import context_edits, edited
from app.formats.dialects import dialect_named
from app.formats.entry_types import SILENT
from app.formats.json_codec import edit_fields, encode
from app.formats.text import string_of, trim_name
from app.formats.timestamps import iso, parse_time
from app.formats.title_slot import read_slot, slot_line
from app.sessions.errors import DamagedLine, MissingBase, NulBytes, TornLine
from app.sessions.handoff.messages import Losses, MessageSpeller
from app.sessions.handoff.outline import Outline, OutlineEntry
from app.sessions.manager.forking import ForkedEntry
from app.sessions.storage.blobs import (
    DESCEND,
    MAX_STRING_LENGTH,
    NOTICE,
    PREFIX,
    BlobStore,
    edit_json,
    externalize,
    inline_blobs,
)
from app.sessions.summaries.leaf_trail import MOVED_LEAF
from app.stores import agent_named

if TYPE_CHECKING:
    from app.sessions.manager.entry_store import Entry
    from app.sessions.manager.session_manager import SessionManager

_BLOB = PREFIX.encode()
_CONVERSATION = frozenset(("message", "custom_message", "compaction", "branch_summary"))
_REFERRING = frozenset(("compaction", "branch_summary", "label", "context_edit"))
"""The types of entries that name others."""
_REMOVED = "leafmark.removed"
"""The type of the custom entry in the place of a message that pi does not send any more."""
_KEPT = "leafmark.kept"
"""The type of the messages below a compaction that repeat what it keeps."""


class Original(NamedTuple):
    """An entry of the source that the way back would not give: the digest of what it became, and itself."""

    digest: str
    entry: dict[str, Any]


class Handover:
    """The entries of a session in the spelling of the agent `target`.

    :param manager: the session.
    :param target: the agent, one that leafmark writes sessions of.
    :param leaf: the entry that the agent goes on from; None for before all.
    :param path_only: the path to the leaf alone.
    :param blobs: where the session's agent keeps images; None if it keeps them in the session.
    :param now_ms: the time of what has none, in milliseconds since the epoch.

    `losses`, `originals` and `times` are complete when all entries were read.
    """

    def __init__(
        self,
        manager: SessionManager,
        target: str,
        leaf: Entry | None,
        *,
        path_only: bool,
        blobs: BlobStore | None,
        now_ms: int,
    ) -> None:
        self._manager = manager
        self._target = target
        self._blobs = blobs
        self._now_ms = now_ms
        writing = dialect_named(target).writing
        assert writing is not None
        self.writing = writing
        self._same = manager.dialect.name == target
        self.losses = Losses()
        for problem in manager.problems:
            if isinstance(problem, DamagedLine | TornLine | NulBytes):
                self.losses.add("lines", "they cannot be read")
            elif isinstance(problem, MissingBase):
                self.losses.add("messages", "the session that this one goes on from is not here")
        self.originals: dict[str, Original] = {}
        self.times: dict[int, tuple[str, int]] = {}
        """The index of an entry of the session -> id and time of what it became."""
        path = path_to(manager, leaf)
        self._outline = Outline(manager, path if path_only else None, self.losses)
        last = self._outline.entries[-1] if self._outline.entries else None
        self._leaf = last if path_only else self._outline.end_at(leaf)
        self._edits: Mapping[str, Any] = {}
        self._known_originals = self._originals_of_source()
        if not self._same:
            self._keep_history()
            self._edits = self._edits_of(path)
        if self._outline.entries and self._leaf is not self._outline.entries[-1]:
            # The agents go on from the last entry.
            self._leaf = self._outline.add({"type": "custom", "customType": MOVED_LEAF}, self._leaf)
        if path_only:
            self._add_labels()
        self._add_name()

    @property
    def ids(self) -> Mapping[str, str]:
        """Id -> id in the session, where they differ."""
        return self._outline.ids

    @property
    def count(self) -> int:
        """The number of entries."""
        return len(self._outline.entries)

    @property
    def ends(self) -> int:
        """The number of branches of the conversation."""
        ends, continued = 0, set()
        for made in reversed(self._outline.entries):
            is_said = id(made) in continued
            if not is_said and made.type not in SILENT:
                is_said = True
                ends += 1
            if is_said:
                continued.add(id(made.parent))
        return ends

    @property
    def leaf_id(self) -> str | None:
        """The id of the leaf; None for before all entries."""
        return None if self._leaf is None else self._leaf.id

    @property
    def name(self) -> str | None:
        """The name, as the target has it."""
        name = self._manager.session_name
        return self._fitting(name) if self.writing.has_title_slot else name

    def entries(self, root: str | None = None) -> Iterator[ForkedEntry]:
        """The entries, each parent before its children, the leaf last.

        :param root: the id of leafmark's own entry, on which the roots hang; None for none.
        """
        speller = MessageSpeller(
            self._manager.dialect, self.writing, agent_named(self._target).title, self.losses
        )
        start = parse_time(self._manager.header.get("timestamp"))
        latest = self._now_ms if start is None else start
        for made in self._outline.entries:
            head: dict[str, Any] = {
                "id": made.id,
                "parentId": root if made.parent is None else made.parent.id,
            }
            if made.fields is not None:
                is_said = made.fields["type"] in _CONVERSATION
                time_ms = latest if is_said else self._now_ms
                if made.parent is None:
                    # The leaf is before all entries, and not on leafmark's own.
                    head["parentId"] = None
                fields = {"type": "", **head, "timestamp": iso(time_ms)} | made.fields
                yield ForkedEntry(speller.entry(fields, time_ms) if is_said else fields)
                continue
            source = made.sources[-1]
            time = parse_time(source.timestamp)
            time_ms = latest if time is None else time
            if source.type in _CONVERSATION:
                latest = max(latest, time_ms)
            for each in made.sources:
                self.times[each.index] = (made.id, time_ms)
            if time is None:
                head["timestamp"] = iso(time_ms)
            if self._same and not self._has_blobs(made):
                yield ForkedEntry({}, self._copied(made, head))
            else:
                yield ForkedEntry(self._spelled(made, head, time_ms, speller))
        speller.finish()

    # before the entries are read

    def _originals_of_source(self) -> Mapping[str, Any]:
        """The entries that the session had before it was handed over from the target."""
        marker = self._outline.marker
        data = marker.raw.get("data") if marker is not None else None
        if not isinstance(data, dict):
            return {}
        source, found = data.get("from"), data.get("originals")
        is_back = isinstance(source, dict) and source.get("dialect") == self._target
        if not is_back or not isinstance(found, dict):
            return {}
        # oh-my-pi has moved their images if it wrote the file anew.
        return found if self._blobs is None else inline_blobs(found, self._blobs)

    def _keep_history(self) -> None:
        """Hang behind each compaction the messages that it keeps, where they do not stand before it."""
        entries, self._outline.entries = self._outline.entries, []
        behind: dict[int, OutlineEntry] = {}
        for made in entries:
            made.parent = behind.get(id(made.parent), made.parent)
            self._outline.entries.append(made)
            last = made
            for number, fields in enumerate(self._kept(made)):
                # These ids are as unlikely as others to be those of entries, and the same each time.
                text = f"{made.id} {number}".encode("utf-8", "surrogatepass")
                last = self._outline.add(fields, last, xxh3_64_hexdigest(text)[:12])
            if last is not made:
                behind[id(made)] = last
        if self._leaf is not None:
            self._leaf = behind.get(id(self._leaf), self._leaf)

    def _kept(self, made: OutlineEntry) -> Iterator[dict[str, Any]]:
        """The messages that a compaction keeps and names by neither its first entry nor its last."""
        [*_, source] = made.sources
        if source.type != "compaction":
            return
        fields = source.decoded()
        if isinstance(fields.get("keptEntryIds"), list):
            if fields.get("keepsBefore") is True:
                self.losses.add("summaries", "they stood behind the messages that they keep")
            if self._first_kept(made, fields) is not None:
                return
            named = set(fields["keptEntryIds"])
            for each in self._outline.path_to(made.parent):
                for entry in each.sources:
                    if entry.id.partition("#")[0] in named:
                        yield from _repeated(self._manager.dialect.messages(entry.decoded(), entry.time_ms))
            return
        history = self._manager.dialect.history(source.source) or () if source.source else ()
        yield from _repeated(each for each in history if each.get("role") != "compactionSummary")

    def _first_kept(self, made: OutlineEntry, fields: Mapping[str, Any]) -> str | None:
        """The id of the entry from which on a compaction keeps all; None if it keeps others."""
        path = self._outline.path_to(made.parent)
        named = fields.get("keptEntryIds")
        if isinstance(named, list):
            ids = set(named)
            is_kept = [any(each.id.partition("#")[0] in ids for each in entry.sources) for entry in path]
            if True not in is_kept:
                return None
            start = is_kept.index(True)
            others = [entry for entry, kept in zip(path[start:], is_kept[start:], strict=True) if not kept]
            is_rest = all(entry.sources and entry.sources[0].type == "custom" for entry in others)
            return path[start].id if is_rest else None
        first = fields.get("firstKeptEntryId")
        if not first and isinstance(last := fields.get("providerReplayThroughEntryId"), str):
            index = next((at for at, entry in enumerate(path) if entry is self._outline.named(last)), None)
            return path[index + 1].id if index is not None and index + 1 < len(path) else None
        found = self._outline.named(first) if isinstance(first, str) else None
        return None if found is None else found.id

    def _edits_of(self, path: list[Any]) -> Mapping[str, Any]:
        """The new content of entries on the path to the leaf, if the target has no such edits."""
        if self.writing.keeps_context_edits:
            return {}
        edits = context_edits(entry.decoded() for entry in path if entry.type == "context_edit")
        self.losses.add(
            "context edits",
            f"{agent_named(self._target).title} has none: what they replace or remove is so on all branches",
            len(edits),
        )
        return edits

    def _add_labels(self) -> None:
        """Add the labels of entries behind the leaf, as a fork does."""
        manager = self._manager
        times = {each.target_id: each.timestamp for each in manager.get_entries() if each.type == "label"}
        parent = self._leaf
        for entry in manager.get_entries():
            made, label = self._outline.of(entry), manager.get_label(entry.id)
            if made is not None and label:
                fields: dict[str, Any] = {"type": "label", "targetId": made.id, "label": label}
                if time := times.get(entry.id):
                    fields["timestamp"] = time
                parent = self._outline.add(fields, parent)
        self._leaf = parent

    def _add_name(self) -> None:
        """Name the session, if its entries do not name it so."""
        name, source = self._manager.session_name, self._manager.dialect
        if self.writing.has_title_slot:
            if self.name != name:
                self.losses.add("name", f"{agent_named(self._target).title} has no room for all of it")
            return
        last: str | None = None
        for made in self._outline.entries:
            for each in made.sources:
                if each.type in ("session_info", "custom"):
                    fields = source.entry_for_pi(each.decoded())
                    if fields.get("type") == "session_info":
                        last = trim_name(string_of(fields.get("name")))
        is_cut = source.writing is not None and source.writing.has_title_slot and name == self._fitting(last)
        if last != name and not is_cut:
            self._leaf = self._outline.add({"type": "session_info", "name": name or ""}, self._leaf)

    def _fitting(self, name: str | None) -> str | None:
        return trim_name(read_slot(slot_line(name, "user", self._now_ms)[:-1])) if name else None

    # the entries

    def _spelled(
        self, made: OutlineEntry, head: dict[str, Any], time_ms: int, speller: MessageSpeller
    ) -> dict[str, Any]:
        raw = self._joined(made)
        if self._same:
            return {**raw, **head}
        known = self._known_originals.get(made.id)
        if isinstance(known, list) and known[:1] == [_digest(raw)] and isinstance(known[-1], dict):
            return {**known[-1], "parentId": head["parentId"]}
        fields = self._with_references(made, raw)
        entry = speller.entry({**fields, **head}, time_ms)
        if made.id in self._edits:
            entry = _with_edit(entry, self._edits[made.id])
        if self.writing.limits_size:
            # The images are moved when the entry is written.
            whole, entry = entry, externalize(entry, None)
            if entry is not whole and NOTICE.strip().encode() in encoded(entry):
                self.losses.add("texts", f"{agent_named(self._target).title} has no room for all of them")
        if self._manager.dialect.writing is not None:
            self._keep_original(entry, {**raw, "parentId": head["parentId"]})
        return entry

    def _keep_original(self, entry: dict[str, Any], raw: dict[str, Any]) -> None:
        """Keep the entry of the source if the way back gives another, unless it is longer than the longest
        text that oh-my-pi keeps.
        """
        if self._back(entry) != raw and len(encoded(raw)) <= MAX_STRING_LENGTH:
            self.originals[entry["id"]] = Original(_digest(entry), {**raw, "parentId": None})

    def _back(self, entry: dict[str, Any]) -> dict[str, Any]:
        """The entry that the way back gives."""
        writing = self._manager.dialect.writing
        assert writing is not None
        return MessageSpeller(dialect_named(self._target), writing, "", Losses()).entry(entry, 0)

    def _joined(self, made: OutlineEntry) -> dict[str, Any]:
        """The fields of an entry, with the parts of an answer together and its images in it."""
        *parts, last = made.sources
        raw = last.decoded()
        if parts:
            messages = [each.decoded()["message"] for each in made.sources]
            content = [block for message in messages for block in _blocks(message)]
            usage = _sums(
                [message["usage"] for message in messages if isinstance(message.get("usage"), dict)]
            )
            raw = {**raw, "message": {**messages[-1], "content": content, "usage": usage}}
        if self._blobs is not None and self._has_blobs(made):
            raw = inline_blobs(raw, self._blobs)
        return raw

    def _has_blobs(self, made: OutlineEntry) -> bool:
        return self._blobs is not None and any(_BLOB in each.source for each in made.sources)

    def _copied(self, made: OutlineEntry, head: Mapping[str, Any]) -> bytes:
        """The line of an entry in the same spelling, whose other bytes stay."""
        source = made.sources[-1]
        before: dict[str, Any] = {"id": source.id, "parentId": source.parent_id}
        if source.id.encode("utf-8", "surrogatepass") not in source.migrated_line:
            # The file has no ids, and those that it is read with are made up.
            before = {}
        after = dict(head)
        if source.type in _REFERRING:
            before |= source.decoded()
            after |= self._with_references(made, before)
        after |= head
        changes = {name: value for name, value in after.items() if before.get(name, "") != value}
        return edit_fields(source.migrated_line, changes) if changes else source.migrated_line

    def _with_references(self, made: OutlineEntry, raw: dict[str, Any]) -> dict[str, Any]:
        """The fields of an entry, with the ids that other entries have now."""
        fields = raw
        for name in ("targetId", "fromId"):
            found = self._outline.named(raw[name]) if isinstance(raw.get(name), str) else None
            if found is not None and found.id != raw[name]:
                fields = {**fields, name: found.id}
        if raw.get("type") == "compaction":
            first = self._first_kept(made, raw)
            if first is not None and first != raw.get("firstKeptEntryId"):
                fields = {**fields, "firstKeptEntryId": first}
            last = raw.get("providerReplayThroughEntryId")
            found = self._outline.named(last) if isinstance(last, str) else None
            if found is not None and found.id != last:
                # It was a label: the snapshot ends with the entry before it.
                fields = {**fields, "providerReplayThroughEntryId": found.parent.id if found.parent else ""}
            left_out = ("keptEntryIds", "keepsBefore")
            return {key: value for key, value in fields.items() if key not in left_out}
        return fields


def path_to(manager: SessionManager, leaf: Entry | None) -> list[Entry]:
    """The entries from a root to `leaf`, which may have no id."""
    if leaf is None:
        return []
    if leaf.id:
        return manager.get_branch(leaf.id)
    return [*(manager.get_branch(leaf.parent_id) if leaf.parent_id is not None else ()), leaf]


def leaf_of(manager: SessionManager) -> Entry | None:
    """The entry that the session's agent goes on from; the last one if the file names one that it does not
    have.
    """
    entries = manager.get_entries()
    return manager.leaf_entry or (entries[-1] if entries else None)


def encoded(entry: dict[str, Any]) -> bytes:
    """The line of an entry, without its newline. A number that is too large is null, as JavaScript writes
    it.
    """
    try:
        return encode(entry)
    except ValueError:
        return encode(edit_json(entry, _finite))


def _finite(value: Any, key: str, in_list: bool) -> Any:
    if isinstance(value, dict | list):
        return DESCEND
    return None if isinstance(value, float) and not isfinite(value) else value


def _repeated(messages: Any) -> Iterator[dict[str, Any]]:
    """Messages that stand a second time in the file. Answers stay answers, without their usage."""
    for message in messages:
        if message.get("role") == "assistant":
            yield {"type": "message", "message": {**message, "usage": {}}}
        elif message.get("role") == "toolResult":
            yield {"type": "message", "message": message}
        else:
            content = message.get("content") or ""
            yield {"type": "custom_message", "customType": _KEPT, "content": content, "display": False}


def _with_edit(entry: dict[str, Any], replacement: Any) -> dict[str, Any]:
    """An entry with another content, or in the place of one that is not sent any more."""
    if not isinstance(replacement, dict):
        head: dict[str, Any] = {
            name: entry[name] for name in ("id", "parentId", "timestamp") if name in entry
        }
        return {"type": "custom", **head, "customType": _REMOVED}
    if entry.get("type") == "custom_message":
        return {**entry, "content": replacement.get("content")}
    message = entry.get("message")
    if not isinstance(message, dict):
        return entry
    [changed] = edited([message], replacement)
    return {**entry, "message": changed}


def _digest(entry: Mapping[str, Any]) -> str:
    """A digest of an entry, wherever it hangs and in whatever order its fields are."""
    return xxh3_64_hexdigest(encoded({key: entry[key] for key in sorted(entry) if key != "parentId"}))


def _blocks(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def _sums(usages: list[dict[str, Any]]) -> dict[str, Any]:
    """The usage of the parts of an answer together."""
    total: dict[str, Any] = {}
    for usage in usages:
        for name, value in usage.items():
            if isinstance(value, dict):
                total[name] = _sums([total.get(name, {}), value])
            elif isinstance(value, int | float):
                total[name] = total.get(name, 0) + value
            else:
                total[name] = value
    return total
