"""Reads the lines of a file of Claude Code in their order.

One answer is spread over several lines, one for each block, which repeat its id and its usage. The results
of calls that were made together hang beside each other. `ClaudeReader` puts this in order.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, TypeGuard

from app.formats.dialects.base import MetadataRecord
from app.formats.dialects.claude_lines import (
    ABORTED,
    BOUNDARY,
    TITLES,
    TURNS,
    answer_id,
    entries_of,
    list_of,
    titles_of,
)
from app.formats.dialects.content_blocks import ToolNames
from app.formats.json_codec import decode, raw_json
from app.formats.partial_entry import CamelUsage, Cost, PartialEntry, Usage, partial_entry_of
from app.formats.text import replace_surrogates, trim_name, valid_string_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.formats.dialects.base import LineReader


class ClaudeReader:
    """The lines of one file. It knows what was read before:

    - A line that is no entry passes its children on to its parent.
    - A line that repeats an earlier one, its parent aside, adds nothing. A compaction writes the conversation
      again, and what hangs on such a copy goes on from the last entry.
    - The last of the lines with one id and different contents counts, in its place.
    - A boundary of a compaction hangs on the last entry, and the summary after it keeps the messages that the
      boundary names.
    - The lines of an answer and its results form a chain in the order of the file, and what hangs on one of
      them goes on from the last: results of calls that were made together would be branches otherwise.
    - The usage of an answer counts once, as its last line tells it: each line adds what is new.
    - A result has the name of the tool that was called.
    - The user's title is the name of the session, before that of the agent, before a summary of one of the
      entries.
    - The last entry that is not a sub-agent's is the leaf.
    - A session that went on in another one has not, if a prompt or an answer follows.
    """

    def __init__(self, contents: Mapping[str, int] | None = None) -> None:
        """:param contents: the digest of the line that counts, for the ids of lines with several contents."""
        self._passed: dict[str, str | None] = {}
        self._known: set[str] = set()
        self._digests: dict[str, int] = {}
        self._contents = contents or {}
        self._changed: dict[str, int] = {}
        self._parents: dict[str, str | None] = {}
        # The entries that the lines since the last new entry repeat, or that a compaction keeps.
        self._repeated: set[str] = set()
        self._kept: tuple[list[str], bool] | None = None
        self._answer_of: dict[str, str] = {}
        self._last_of: dict[str | None, str] = {}
        self._spent: dict[str, Usage] = {}
        self._tools = ToolNames()
        self._given: dict[str, str] = {}
        self._summaries: dict[str, str] = {}
        self._name = ""
        self._leaf: str | None = None
        self._source = ""
        # The last answer whose beginning was written and is aborted: a note of the end adds nothing.
        self._aborted: object = ""
        self._folder = ""
        # The folder to which the session returns when its worktree is gone.
        self._original = ""
        self._is_sidechain: bool | None = None
        self._is_continued = False

    def foresee(self, lines: bytes) -> None:
        """Nothing: the lines before tell all."""

    def again(self) -> LineReader | None:
        """A reader that knows which of the lines with one id counts."""
        return ClaudeReader(self._changed) if self._changed else None

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entries of the line in their places, then its facts about the session."""
        value = decode(line)
        if self._repeats(value, line):
            return ()
        entries = entries_of(value)
        if value.get("isAbortedMidStream") is True:
            self._aborted = value.get("uuid")
        elif entries and value.get("parentUuid") == self._aborted and entries[0].get("message") == ABORTED:
            entries = []
        found = [partial_entry_of(entry, wrong) for entry in entries]
        kept: list[MetadataRecord] = []
        if not entries:
            self._pass_over(value)
        else:
            kept = self._keep(value, found[-1])
            message = entries[0].get("message")
            answer = answer_id(message, value)
            for entry, partial in zip(entries, found, strict=True):
                self._place(value, partial, answer)
                self._tools.complete(entry, partial)
                if answer is not None:
                    self._count(partial, answer)
        records = [*kept, *self._renamed(value), *self._moved(value), *self._copied(value)]
        records += self._continued(value)
        last = found[-1].id if found else None
        if found and not kept and value.get("isSidechain") is not True:
            self._repeated.clear()
        if last is not None:
            if self._is_sidechain is None:
                self._is_sidechain = value.get("isSidechain") is True
            if self._is_sidechain or value.get("isSidechain") is not True:
                self._leaf = last
                records.append(MetadataRecord(type="leaf", target_id=last))
        return [*found, *records]

    def _repeats(self, value: dict[str, Any], line: bytes) -> bool:
        """Whether an earlier line was the same, its parent aside, or a later one takes its place."""
        entry_id = value.get("uuid")
        if not isinstance(entry_id, str):
            return False
        parent = _PARENT.search(line)
        start, end = parent.span() if parent else (0, 0)
        with memoryview(line) as view:
            # 64 bits for a line; its content is not kept.
            digest = hash((hash(view[:start]), hash(view[end:])))
        if self._contents.get(entry_id, digest) != digest:
            return True
        if self._digests.setdefault(entry_id, digest) != digest or entry_id in self._changed:
            self._changed[entry_id] = digest
            return False
        if entry_id not in self._parents:
            parent_id = value.get("parentUuid")
            self._parents[entry_id] = parent_id if isinstance(parent_id, str) else None
            return False
        if entry_id != self._leaf:
            self._repeated.add(entry_id)
        return True

    def _keep(self, value: dict[str, Any], partial: PartialEntry) -> list[MetadataRecord]:
        """The record of what the compaction in `partial` keeps; a boundary before it names that."""
        if value.get("subtype") == BOUNDARY:
            self._kept = _kept_of(value, self._parents)
            return []
        if partial.type != "compaction" or self._kept is None or partial.id is None:
            return []
        (ids, comes_first), self._kept = self._kept, None
        self._repeated |= set(ids)
        kept = {"keptEntryIds": ids, "keepsBefore": comes_first}
        return [MetadataRecord(type="kept", target_id=partial.id, content=raw_json(kept))]

    def _pass_over(self, value: dict[str, Any]) -> None:
        entry_id, parent = value.get("uuid"), value.get("parentUuid")
        if isinstance(entry_id, str):
            self._passed[entry_id] = self._parent(parent) if isinstance(parent, str) else None

    def _parent(self, parent: str) -> str | None:
        """The entry that stands for `parent`."""
        while parent in self._passed:
            above = self._passed[parent]
            if above is None:
                return None
            if above == parent:
                break
            parent = above
        answer = self._answer_of.get(parent)
        return parent if answer is None else self._last_of[answer]

    def _place(self, value: dict[str, Any], partial: PartialEntry, answer: str | None) -> None:
        """Hang an entry where it belongs."""
        entry_id, parent = partial.id, partial.parent_id
        if entry_id is None or entry_id in self._known:
            return
        self._known.add(entry_id)
        self._passed.pop(entry_id, None)
        if parent is None and value.get("subtype") == BOUNDARY:
            parent = self._leaf
        if parent is not None:
            above = self._parent(parent)
            if answer in self._last_of and parent not in self._known and parent not in self._passed:
                # A result that comes later hangs on this answer itself.
                above = self._last_of[answer]
            if value.get("isSidechain") is not True and (
                parent in self._repeated or value.get("subtype") == BOUNDARY
            ):
                above = None if self._leaf is None else self._parent(self._leaf)
            partial.parent_id = above
            is_turn = partial.message is not None and partial.message.role in ("user", "assistant")
            if answer is None and not is_turn and above is not None and above != entry_id:
                answer = self._answer_of.get(above)
        if answer is not None:
            self._answer_of[entry_id] = answer
            self._last_of[answer] = entry_id

    def _count(self, partial: PartialEntry, answer: str) -> None:
        """Count the usage of an answer once."""
        message = partial.message
        if message is not None and message.usage is not None:
            before, self._spent[answer] = self._spent.get(answer), message.usage
            if before is not None:
                message.usage = _more(before, message.usage)

    def _copied(self, value: dict[str, Any]) -> Iterator[MetadataRecord]:
        """The session that made an answer, if the answer was copied from one."""
        source = value.get("requestSessionId")
        if value.get("isSidechain") is True or not isinstance(source, str):
            return
        if source not in ("", value.get("sessionId"), self._source):
            self._source = source
            yield MetadataRecord(type="parent", name=replace_surrogates(source))

    def _continued(self, value: dict[str, Any]) -> Iterator[MetadataRecord]:
        """The session in which this one went on, or that it was used again after that."""
        kind, session = value.get("type"), value.get("continuedInSessionId")
        if kind == "continued-in" and isinstance(session, str):
            self._is_continued = True
            yield MetadataRecord(type="continued", name=replace_surrogates(session))
        elif self._is_continued and kind in TURNS and value.get("isSidechain") is not True:
            self._is_continued = False
            yield MetadataRecord(type="continued", name="")

    def _moved(self, value: dict[str, Any]) -> Iterator[MetadataRecord]:
        """The folders in which the session is used, if the line changes them; that of a worktree's repository
        comes last, as long as the session has a worktree.
        """
        folder: Any = self._folder
        if value.get("type") == "worktree-state":
            worktree = value.get("worktreeSession")
            original = worktree.get("originalCwd") if isinstance(worktree, dict) else None
            self._original = str(original) if _is_folder(original) else ""
        elif value.get("type") == "relocated":
            folder = value.get("relocatedCwd")
        elif isinstance(value.get("uuid"), str) and value.get("isSidechain") is not True:
            folder = value.get("cwd")
        else:
            return
        if _is_folder(folder) and folder != self._folder:
            self._folder = folder
            yield MetadataRecord(type="folder", name=folder)
        elif value.get("type") != "worktree-state":
            return
        if self._original:
            yield MetadataRecord(type="folder", name=self._original)

    def _renamed(self, value: dict[str, Any]) -> Iterator[MetadataRecord]:
        """The name of the session, if the line changes it."""
        kind, entry_id = value.get("type"), value.get("uuid")
        for title in titles_of(value):
            leaf = value.get("leafUuid")
            if kind != "summary":
                self._given[str(kind)] = title.name or ""
            elif isinstance(leaf, str):
                self._summaries[leaf] = title.name or ""
                entry_id = leaf
        if isinstance(entry_id, str) and entry_id in self._summaries and entry_id in self._known:
            self._given["summary"] = self._summaries[entry_id]
        elif kind not in TITLES:
            return
        names = (trim_name(self._given.get(each)) for each in TITLES)
        name = next(filter(None, names), "")
        if name != self._name:
            self._name = name
            yield MetadataRecord(type="session_info", name=name)


_PARENT = re.compile(rb'"parentUuid":\s*(?:null|"[^"]*")')


def _kept_of(boundary: dict[str, Any], parents: dict[str, str | None]) -> tuple[list[str], bool] | None:
    """The ids of the lines that a compaction keeps, in order, and whether they come before its summary; None
    if it keeps nothing (formats/README.md, "Lines of Claude Code").

    :param parents: the parents of the lines so far.
    """
    metadata = boundary.get("compactMetadata")
    if not isinstance(metadata, dict):
        return None
    listed, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
    if isinstance(listed, dict):
        anchor = listed.get("anchorUuid")
        ids = [each for each in list_of(listed.get("uuids")) if isinstance(each, str)]
    elif isinstance(segment, dict):
        anchor, ids = segment.get("anchorUuid"), []
        head, above = segment.get("headUuid"), segment.get("tailUuid")
        walked: dict[str, None] = {}
        while isinstance(above, str) and above in parents and above not in walked:
            walked[above] = None
            if above == head:
                ids = [*reversed(walked)]
                break
            above = parents[above]
    else:
        return None
    return (ids, anchor == boundary.get("uuid")) if ids else None


def _is_folder(path: object) -> TypeGuard[str]:
    return (
        isinstance(path, str) and os.path.isabs(path) and "\0" not in path and valid_string_of(path) == path
    )


def _more(before: Usage, usage: Usage) -> Usage:
    """The usage that a later line of an answer adds; it is negative if that line tells less."""
    more = CamelUsage()
    for field in ("input", "output", "cache_read", "cache_write", "cache_write_1h"):
        count = getattr(usage, field)
        if count is None:
            setattr(usage, field, getattr(before, field))
        else:
            setattr(more, field, count - (getattr(before, field) or 0))
    if usage.cost is None:
        usage.cost = before.cost
    elif before.cost is None:
        more.cost = usage.cost
    if more.cost is None and usage.cost is not None:
        more.cost = Cost(0.0)
    more.prompt = sum(each or 0 for each in (usage.input, usage.cache_read, usage.cache_write))
    assert isinstance(more, Usage)
    return more
