"""The base classes of dialects: how an agent's lines are read and written
(formats/README.md, "The version 3 family").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from app.formats.context import compaction_messages, messages_of
from app.formats.dialects.calls import call_for_omp
from app.formats.dialects.copies import Copies
from app.formats.dialects.omp_entries import entry_for_omp
from app.formats.json_codec import BadLine, decode, encode
from app.formats.migrate import CURRENT_VERSION
from app.formats.partial_entry import PartialEntry, decode_partial
from app.formats.title_slot import slot_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class WriteFormat:
    """How entries are written, for pi and for the older indusagi, which is a fork of pi.

    hook_field               the field of a summary that an extension made
    has_title_slot           whether a title line before the header has the name of the session, and not an
                             entry
    limits_size              whether long texts are cut, and images are moved to the blob store
                             (formats/README.md, "Size limits of oh-my-pi")
    forks_by_id              whether a fork of all entries names its parent by id, and keeps its title
    first_roles              roles of messages, of which the first in a new session makes its file
                             (formats/README.md, "Behaviour of SessionManager")
    extension_fields         the other fields of an extension's message
    keeps_system_messages    whether a compaction keeps the system messages before it
    sends_foreign_thoughts   whether the thinking of one model is sent to another, as text
    keeps_context_edits      whether an entry can change the content of an earlier one in the context
    own_types                types of entries that a script may append, and that the other agents do not know
    """

    hook_field = "fromHook"
    has_title_slot = False
    limits_size = False
    forks_by_id = False
    first_roles: ClassVar[tuple[str, ...]] = ("assistant",)

    extension_fields: ClassVar[dict[str, Any]] = {}
    keeps_system_messages = True
    sends_foreign_thoughts = False
    keeps_context_edits = True
    own_types: ClassVar[frozenset[str]] = frozenset()

    def model_fields(self, provider: str, model_id: str) -> dict[str, Any]:
        """The fields of a model_change."""
        return {"provider": provider, "modelId": model_id}

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A call of pi, as the agent spells it (`dialects.calls`)."""
        return name, arguments

    def entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An entry of pi, as the agent spells it, but for its calls (`dialects.omp_entries`)."""
        return entry

    def branch_from_id(self, leaf_id: str | None, target_id: str | None) -> str:
        """`fromId` of a branch summary: the leaf that was left."""
        return leaf_id or "root"

    def new_header(
        self, session_id: str, timestamp: str, cwd: str, parent: str | None, name: str | None
    ) -> dict[str, Any]:
        """A new header."""
        header = {
            "type": "session",
            "version": CURRENT_VERSION,
            "id": session_id,
            "timestamp": timestamp,
            "cwd": cwd,
        }
        if parent:
            header["parentSession"] = parent
        return header

    def fork_header(self, header: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
        """The header of a fork with all entries.

        :param header: a new header.
        :param source: the header of the session that is forked.
        """
        return header

    def head_lines(self, header: dict[str, Any], now_ms: int) -> bytes:
        """The lines before the entries, with their newlines."""
        return encode(header) + b"\n"


class OmpWriteFormat(WriteFormat):
    """oh-my-pi."""

    hook_field = "fromExtension"
    has_title_slot = True
    limits_size = True
    forks_by_id = True
    extension_fields: ClassVar[dict[str, Any]] = {"attribution": "agent"}
    keeps_system_messages = False
    keeps_context_edits = False
    sends_foreign_thoughts = True
    own_types = frozenset(("ttsr_injection", "session_init", "mode_change"))

    def model_fields(self, provider: str, model_id: str) -> dict[str, Any]:
        """The fields of a model_change: provider and model in one word, and the model's role."""
        return {"model": f"{provider}/{model_id}", "role": "default"}

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A call of pi, as oh-my-pi spells it."""
        return call_for_omp(name, arguments)

    def entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An entry of pi, as oh-my-pi spells it."""
        return entry_for_omp(entry)

    def branch_from_id(self, leaf_id: str | None, target_id: str | None) -> str:
        """`fromId` of a branch summary: the entry below which the new branch begins."""
        return target_id or "root"

    def new_header(
        self, session_id: str, timestamp: str, cwd: str, parent: str | None, name: str | None
    ) -> dict[str, Any]:
        """A new header, which repeats the title of the slot."""
        header = super().new_header(session_id, timestamp, cwd, parent, name)
        if name:
            # omp puts the title between id and time.
            fields = list(header.items())
            fields[3:3] = [("title", name), ("titleSource", "user")]
            header = dict(fields)
        return header

    def fork_header(self, header: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
        """The header of a fork. It has the cache key of the first session, by which the provider knows the
        conversation.
        """
        return {**header, "providerPromptCacheKey": source.get("providerPromptCacheKey") or source["id"]}

    def head_lines(self, header: dict[str, Any], now_ms: int) -> bytes:
        """The title line, then the header."""
        title = header.get("title")
        source = header.get("titleSource")
        slot = slot_line(
            title if isinstance(title, str) else "", source if source in ("auto", "user") else None, now_ms
        )
        return slot + super().head_lines(header, now_ms)


class MetadataRecord(PartialEntry, gc=False):
    """A fact about a session in a line that is not an entry.

    `type` is "leaf" (`target_id` is it, or None), "label" (`target_id`, `label`), "session_info" (`name`),
    "usage" (`usage`), "kept" (the fields that say what the compaction `target_id` keeps, in `content`),
    "folder" (`name` is one in which the session was used), "parent" (`name` is the id of the session that the
    last entries were copied from), or "skip": the next entry of the line has a number higher by one
    (`Dialect.entry`).
    """


class ForkHeader(NamedTuple):
    """The head of a new session cut from another.

    `timestamp` is ISO 8601; `left_at` the id of the last entry that is carried over; `note` why it was
    forked.
    """

    session_id: str
    timestamp: str
    cwd: str
    parent_path: str
    left_at: str
    entry_id: str
    note: str = ""


class FirstLines(NamedTuple):
    """The facts in the first lines of a session, in a format without a header line.

    `line` is the number of the line with the folder, `created` a time as it is written, `parent` the session
    that it was forked from or that started it, and `spawned` tells whether a sub-agent wrote it. `first_id`
    is the id of the first entry, which copies of the session keep.
    """

    session_id: str
    cwd: object
    created: object
    parent: object
    line: int
    spawned: bool = False
    first_id: str = ""


BASE_WITHIN = 1 << 20
"""Bytes in which a file names the session that it goes on from."""


class Base(NamedTuple):
    """The session that another one goes on from without repeating it: its id, the ordinal of the first of its
    lines that does not count, and the bytes before that line. None: the file does not tell.
    """

    session_id: str
    ordinal: int | None = None
    size: int | None = None


class LineReader(Protocol):
    """Reads the lines of one file, each once and in their order."""

    def foresee(self, lines: bytes) -> None:
        """Look at the lines that `partial_entries` gets next, for facts about lines before them."""

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """As `Dialect.partial_entries`, with the facts that the other lines add to its entries."""

    def again(self) -> LineReader | None:
        """A reader for the same lines once more, if a later line took the place of an earlier one; what this
        reader gave does not count then. None if it counts.
        """


class Dialect:
    """The spelling of pi's v3 family: one entry a line, the last one is the leaf (formats/README.md, "Leaf").

    Agents that differ override what differs.

    one_entry_a_line        false if a line may have several entries, facts besides an entry, or other keys
                            than `partial_entry` decodes: such a file is read whole when it changes. The last
                            record of a leaf names its leaf; without one, it is the deepest entry
    lines_are_entries       whether a line, as it is in the file, has the shape of an entry
    linear                  whether the format has no branches: the parent of each entry is the one before it
    migrates                whether the versions are pi's, so that older ones are read as version 3
                            (formats/README.md, "Migrations")
    is_dated_by_file        whether a session whose messages have no times is as old as its file, and not as
                            its header
    knows_prompts           whether each message in the user's role was typed, because the dialect tells those
                            of the agent
    name_marker             bytes in each line that names the session; empty if no line after the header does
    writing                 how entries are written; None if sessions of the agent are only read
    forks_last              whether a fork has the last messages of the session, and not the path to an entry
    copies_stay_in_family   whether a session can have copies of the entries of those alone that it was forked
                            from, and of other forks of one that is gone
    answers                 the fields of pi's answers that tell who was asked, where the files of the agent
                            do not
    """

    name = "pi"
    one_entry_a_line = True
    lines_are_entries = True
    snake = False
    linear = False
    migrates = True
    is_dated_by_file = False
    knows_prompts = False
    name_marker = b"session_info"

    writing: WriteFormat | None = WriteFormat()
    forks_last = False

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entries and metadata records of `line`, in order.

        :param wrong: gets the names of the fields whose values are invalid and count as absent.
        :raises BadLine: it is not JSON of this dialect.
        """
        return (decode_partial(line, wrong, snake=self.snake),)

    def partial_entry(self, line: bytes, part: int = 0) -> PartialEntry:
        """The fields of what `entry` gives.

        :raises BadLine: there is none.
        """
        found = [entry for entry in self.partial_entries(line) if type(entry) is not MetadataRecord]
        if part >= len(found):
            raise BadLine("the line has no such entry")
        return found[part]

    def foresee(self, lines: bytes) -> None:
        """Nothing: each line says all that it means."""

    def again(self) -> LineReader | None:
        """None: no line takes the place of another."""
        return None

    copies_stay_in_family = False

    def copies(self) -> Copies:
        """The keys of the copies of entries, for one file."""
        return Copies()

    def reader(self) -> LineReader:
        """A reader of the lines of one file. The dialect itself, where each line says all that it means."""
        return self

    def first_lines(self, path: str, lines: Iterator[bytes]) -> FirstLines | None:
        """The facts of a header, in a format without header lines; None for one that has them, and where
        `lines` do not tell.

        :param lines: the first lines of the file at `path`.
        """
        return None

    def name_after(self, before: str | None, name: str | None) -> str | None:
        """The name of the session after an entry with the name `name`. For pi, the latest name counts, and an
        empty one clears it.
        """
        return name

    def entry(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """The whole of entry number `part` of `line`, in the spelling of pi's version 3.

        :raises BadLine: there is none.
        """
        entries = self.entries(line)
        if part >= len(entries):
            raise BadLine("the line has no such entry")
        return entries[part]

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """All entries of `line`, each as `entry` gives it.

        :raises BadLine: it is not JSON of this dialect.
        """
        return [decode(line)]

    def metadata_entries(self, line: bytes) -> list[dict[str, Any]]:
        """The facts in `line` that are not entries, as entries without ids, for a search of the text.

        :raises BadLine: it is not JSON of this dialect.
        """
        return []

    def raw_entry(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """Entry number `part` of `line` as it is in the file, with all fields. If the line has another shape,
        this is the same as `entry`.

        :raises BadLine: there is none.
        """
        return decode(line) if self.lines_are_entries else self.entry(line, part)

    def fork(self, head: ForkHeader, lines: Sequence[bytes]) -> bytes | None:
        """A new session with the last messages of another one, for a format whose forks are always made so
        (`forks_last`). None: the format has other forks, or is only read.

        :param lines: the lines of the messages.
        """
        return None

    answers: ClassVar[dict[str, str]] = {}

    def call_for_pi(self, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A call of the agent, as pi spells it (`dialects.calls`)."""
        return name, arguments

    def entry_for_pi(self, entry: dict[str, Any]) -> dict[str, Any]:
        """The content of `entry` as pi itself has it, but for its calls."""
        return entry

    def file_call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, Any]:
        """The name that pi gives the tool of a call, and the path among its arguments."""
        return tool, arguments.get("path")

    def file_path(self, tool: str, path: str) -> str:
        """The file that a call of `tool` with this `path` argument reads or writes; "" if it is no file."""
        return path

    def folders(self, cwd: str, used: Sequence[str]) -> tuple[str, ...]:
        """The folders that may be that of a session, the best one first; the first that exists counts.

        :param cwd: the folder in its header, which counts if none of them exists.
        :param used: those of the lines, absolute, in the order in which they were used last.
        """
        return ()

    def base(self, data: bytes) -> Base | None:
        """The session that the one in `data` goes on from without repeating it; None for none."""
        return None

    def base_lines(self, data: bytes, base: Base) -> bytes:
        """The lines of the session `base` that count.

        :param data: the bytes of its file.
        """
        return data

    def history(self, line: bytes) -> list[dict[str, Any]] | None:
        """The messages that the compaction in `line` keeps, the summary among them, where the line has them;
        None if it does not.

        :raises BadLine: it is not JSON of this dialect.
        """
        return None

    def summary(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """The messages that replace everything before the compaction `entry` of time `stamp` (ms) in the
        context.
        """
        return compaction_messages(entry, stamp)

    def messages(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """The messages that `entry` of time `stamp` (ms) adds to the context; none for most types."""
        return messages_of(entry, stamp)

    def first_kept(self, compaction: dict[str, Any], ids: Sequence[str]) -> int:
        """The index of the first entry before `compaction` that the context keeps.

        :param ids: of the entries on the path before the compaction; their number means that none is kept.
        """
        first_id = compaction.get("firstKeptEntryId")
        return next((index for index, entry_id in enumerate(ids) if entry_id == first_id), len(ids))

    def prune(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The messages of a path that the agent leaves in its context; for pi, all of them."""
        return messages


class SnakeDialect(Dialect):
    """A dialect whose keys are in snake_case."""

    snake = True
    writing = None
