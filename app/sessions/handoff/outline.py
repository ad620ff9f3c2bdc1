"""The tree of a session before it is spelled for another agent: which entries it has, and below which they
hang. A file may be damaged in any way; the result is a tree that every agent opens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from app.formats.dialects.copies import HANDED_OVER
from app.formats.text import string_of
from app.sessions.handoff.messages import FAILED, Losses
from app.sessions.manager.session_file import fresh_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.sessions.manager.entry_store import Entry
    from app.sessions.manager.session_manager import SessionManager

_SENT: Final = "sent"
_SILENT: Final = "silent"
_ANSWER: Final = "answer"
_RESULT: Final = "result"
_OTHER: Final = "other"


class OutlineEntry:
    """An entry of the tree.

    sources   the entries of the session that it is made of: one, or the parts of an answer; none for an entry
              that has its `fields`
    id        of the entry; ``parent`` is the one that it hangs on, None for a root
    fields    of an entry that the session does not have
    """

    __slots__ = ("children", "fields", "id", "kind", "model", "parent", "sources")

    def __init__(
        self, entry_id: str, source: Entry | None = None, fields: dict[str, Any] | None = None
    ) -> None:
        self.id = entry_id
        self.sources = [] if source is None else [source]
        self.fields = fields
        self.parent: OutlineEntry | None = None
        self.children = 0
        self.kind = _SILENT
        self.model: object = None

    @property
    def type(self) -> str:
        """The type of the entry, in the session."""
        return self.sources[-1].type if self.fields is None else str(self.fields["type"])


class Outline:
    """The entries of a session, each parent before its children.

    :param manager: the session.
    :param path: the entries of one path, which are the only ones; None for the whole tree.
    :param losses: counts what was damaged.
    """

    def __init__(self, manager: SessionManager, path: Sequence[Entry] | None, losses: Losses) -> None:
        self._manager = manager
        self._losses = losses
        self.ids: dict[str, str] = {}
        """Id -> id in the session, where they differ."""
        self.marker: Entry | None = None
        """leafmark's own entry, if the session was handed over before; it is not among the entries."""
        self._by_id: dict[str, OutlineEntry] = {}
        self._of: dict[int, OutlineEntry] = {}
        """The index of an entry -> what it became."""
        self._last_before: dict[int, OutlineEntry] = {}
        """The identity of a result that was moved -> the entry that it stood below."""
        entries = manager.get_entries() if path is None else path
        self.entries = self._read(entries, is_path=path is not None)
        self._break_loops()
        if not manager.dialect.lines_are_entries:
            self._tidy_turns()
        self.entries = list(self._in_order())

    def of(self, entry: Entry | None) -> OutlineEntry | None:
        """The entry that an entry of the session became."""
        return None if entry is None else self._of.get(entry.index)

    def end_at(self, entry: Entry | None) -> OutlineEntry | None:
        """The end of the path that ends with an entry of the session: the notes before a result stand behind
        it.
        """
        made = self.of(entry)
        return made if made is None else self._last_before.get(id(made), made)

    def named(self, entry_id: str) -> OutlineEntry | None:
        """The entry that the entry with that id in the session became."""
        return self._by_id.get(entry_id)

    def add(self, fields: dict[str, Any], parent: OutlineEntry | None, entry_id: str = "") -> OutlineEntry:
        """Add an entry that the session does not have, behind all others."""
        made = OutlineEntry(entry_id or fresh_id(self._taken), fields=fields)
        self._taken[made.id] = None
        made.parent = parent
        self.entries.append(made)
        return made

    def path_to(self, entry: OutlineEntry | None) -> list[OutlineEntry]:
        """The entries from a root to `entry`."""
        path = []
        while entry is not None:
            path.append(entry)
            entry = entry.parent
        return path[::-1]

    # reading

    def _read(self, entries: Sequence[Entry], *, is_path: bool) -> list[OutlineEntry]:
        self._taken: dict[str, None] = dict.fromkeys(entry.id for entry in entries)
        last = {entry.id: entry.index for entry in entries}
        found: list[OutlineEntry] = []
        before: OutlineEntry | None = None
        waiting: list[Entry] = []
        for entry in entries:
            is_own = entry.type == "custom" and entry.raw.get("customType") == HANDED_OVER
            if self.marker is None and is_own:
                self.marker = entry
                continue
            if is_path and entry.type == "label":
                # The labels of a path are added again behind it.
                waiting.append(entry)
                continue
            entry_id = entry.id
            if not entry_id or last[entry_id] != entry.index:
                self._losses.add("entries", "their ids are missing, or those of others: they have new ones")
                entry_id = fresh_id(self._taken)
                self._taken[entry_id] = None
                self.ids[entry_id] = entry.id
            made = OutlineEntry(entry_id, entry)
            if is_path or self._manager.dialect.linear:
                made.parent = before
            self._of[entry.index] = before = made
            for label in waiting:
                self._by_id[label.id] = made
            waiting.clear()
            if entry.id and last[entry.id] == entry.index:
                self._by_id[entry.id] = made
            found.append(made)
        if not (is_path or self._manager.dialect.linear):
            self._link(found)
        return found

    def _link(self, found: Iterable[OutlineEntry]) -> None:
        root = self.marker.id if self.marker is not None else None
        for made in found:
            [entry] = made.sources
            if entry.parent_id is None or entry.parent_id == root:
                continue
            made.parent = self._by_id.get(entry.parent_id)
            if made.parent is None:
                self._losses.add("entries", "their parent is missing: they begin at the root")

    def _break_loops(self) -> None:
        """Make the first entry of each loop of parents a root."""
        settled: set[int] = set()
        for start in self.entries:
            walked: dict[int, OutlineEntry] = {}
            entry: OutlineEntry | None = start
            while entry is not None and id(entry) not in settled and id(entry) not in walked:
                walked[id(entry)] = entry
                entry = entry.parent
            if entry is not None and id(entry) in walked:
                loop = list(walked.values())[list(walked).index(id(entry)) :]
                min(loop, key=lambda each: each.sources[0].index).parent = None
                self._losses.add("entries", "their parents form a loop: the first one begins at the root")
            settled.update(walked)

    def _in_order(self) -> Iterator[OutlineEntry]:
        """The entries in the order of the file, but each behind its parent."""
        done: set[int] = set()
        for start in self.entries:
            above = []
            entry: OutlineEntry | None = start
            while entry is not None and id(entry) not in done:
                above.append(entry)
                done.add(id(entry))
                entry = entry.parent
            yield from reversed(above)

    # turns of agents that write the parts of an answer one by one

    def _tidy_turns(self) -> None:
        """Join the parts of each answer, and put results directly behind it: providers refuse a message
        between a call and its result.
        """
        for made in self.entries:
            _look_at(made)
            if made.parent is not None:
                made.parent.children += 1
        for made in self.entries:
            if made.kind == _RESULT:
                self._put_behind_answer(made)
        dropped: set[int] = set()
        for made in self.entries:
            if made.kind != _ANSWER:
                continue
            below, above = made, made.parent
            while above is not None and above.kind == _SILENT and above.children == 1:
                below, above = above, above.parent
            if above is None or above.kind != _ANSWER or above.children != 1 or above.model != made.model:
                continue
            made.sources = [*above.sources, *made.sources]
            below.parent = above.parent
            dropped.add(id(above))
            for source in above.sources:
                self._of[source.index] = made
                self._by_id[source.id] = made
        self.entries = [made for made in self.entries if id(made) not in dropped]

    def _put_behind_answer(self, result: OutlineEntry) -> None:
        first, above = result, result.parent
        is_moved = False
        while above is not None and above.kind in (_SENT, _SILENT) and above.children == 1:
            is_moved |= above.kind == _SENT
            first, above = above, above.parent
        if not is_moved or above is None or above.kind not in (_ANSWER, _RESULT):
            return
        last = result.parent
        if result.children:
            for made in self.entries:
                if made.parent is result:
                    made.parent = last
        result.parent, first.parent = above, result
        assert last is not None
        self._last_before[id(result)] = last
        last.children, result.children = result.children, 1


def _look_at(made: OutlineEntry) -> None:
    """Find out what an entry sends to the model."""
    [entry] = made.sources
    if entry.type != "custom":
        made.kind = _SENT if entry.type == "custom_message" else _OTHER
    message = entry.decoded().get("message") if entry.type == "message" else None
    if not isinstance(message, dict):
        return
    role = message.get("role")
    made.kind = _RESULT if role == "toolResult" else _SENT
    if role == "assistant":
        # A failed answer is not sent, and what was before it is.
        made.kind = _OTHER if string_of(message.get("stopReason")) in FAILED else _ANSWER
        made.model = (message.get("provider"), message.get("model"))
