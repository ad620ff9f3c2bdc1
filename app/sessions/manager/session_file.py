"""Read and write the file of a session, including lines that other processes append.

See formats/README.md, "Writing", also for writes beside a running agent.
"""

from __future__ import annotations

import errno
import logging
import os
import secrets
import time
from random import random
from typing import TYPE_CHECKING, Any, TypeVar

from app.formats.dialects import dialect_named
from app.formats.errors import NotASession
from app.formats.header import Header, find_header, header_fields_of, read_header
from app.formats.json_codec import REMOVED, BadLine, decode, edit_fields, encode
from app.formats.lines import BLOCK_SIZE, BOM, read_at
from app.formats.migrate import CURRENT_VERSION, migrate_line
from app.formats.timestamps import iso
from app.formats.title_slot import read_slot, slot_line
from app.sessions.bases import base_parts
from app.sessions.errors import (
    AlreadyThere,
    AmbiguousEntry,
    BadValue,
    Changed,
    MissingBase,
    ReadOnly,
    UnknownEntry,
    Unreadable,
    WriteFailed,
)
from app.sessions.manager.entry_store import Entry, EntryStore
from app.sessions.storage.blobs import externalize
from app.sessions.storage.file_storage import refused, signature_of
from app.stores import agent_named
from app.stores.live import MAYBE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from app.formats.dialects.base import WriteFormat
    from app.sessions.manager.live_guard import LiveGuard
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.storage.session_storage import SessionStorage, Signature

    ReplacedLines = Sequence[tuple[str, bytes, bytes]]
    """The id of an entry, "" for the header; its line before and after."""

Written = TypeVar("Written")

_log = logging.getLogger("leafmark")
# Without a handler of the program that uses this library, the logging module would write to standard error.
_log.addHandler(logging.NullHandler())

_TAIL = 64
"""Bytes before the end of what was read. If they are unchanged, only newer bytes are read."""
_MAX_ATTEMPTS = 50
"""Attempts at one write. Each failed attempt means that another process wrote a whole entry."""
_TITLE_FIELDS = ("title", "titleSource")
REFERENCES = ("parentId", "targetId", "fromId", "firstKeptEntryId")
"""The fields of an entry that name other entries, which must be in the file
(formats/README.md, "Rules for every write").
"""


class SessionFile:
    """A session in memory, and the file behind it if there is one.

    storage         where files are kept; None for a session that is never written
    guard           asked before each write to a file that an agent may have open; None if no agent can
    blobs           where images go, for agents that keep them outside of the session
    path            the path of the file, "" in memory
    header          the parsed header; ``header_fields`` is the header as it stands on disk
    entry_store     the entries
    written         the file is there and has all entries; before, they wait for the message that makes it.
                    Never set without a storage
    leaf_moved      the leaf was placed by the caller, so it does not follow what others append
    previous_leaf   the id of the leaf just before the last entry was appended
    """

    def __init__(self, storage: SessionStorage | None, guard: LiveGuard | None = None) -> None:
        self.storage = storage
        self.guard = guard
        self.blobs: BlobStore | None = None
        self.path = ""
        self.header: Header
        self.header_fields: dict[str, Any] = {}
        self.entry_store: EntryStore
        self.written = False
        self.leaf_moved = False
        self.previous_leaf: str | None = None
        self._signature: Signature
        """The signature of the file when it was last read or written."""
        self._offset = 0
        """The offset after the last whole line that was read."""
        self._tail = b""
        """The last bytes before that offset, at most `_TAIL`."""
        self._is_shortened = False
        """Some bytes of the file were not read, because it has a long run of NUL bytes."""
        self._failure: WriteFailed | None = None
        self._made_here = False
        """This process made the file, so no other had a chance to open it."""
        self._tidied = ""
        """The path of the session before whose first write its folder was cleared up."""

    @property
    def writing(self) -> WriteFormat:
        """How entries are written here.

        :raises ReadOnly: sessions of this format are only read.
        """
        writing = self.entry_store.dialect.writing
        if writing is None:
            reason = f"sessions of this format ({self.entry_store.dialect.name}) are only read here"
            raise ReadOnly(self.path, 0, f"cannot be written to: {reason}")
        if self.entry_store.numbered and self.header.version >= 2:
            raise ReadOnly(self.path, 0, "cannot be written to: its entries have no ids")
        return writing

    @property
    def leaf(self) -> Entry | None:
        """The entry of the leaf; the last of the file if that has no id and the leaf was not moved."""
        return self.entry_store.entries[-1] if self._has_nameless_leaf else self.entry_store.leaf

    def only_entry(self, entry_id: Any) -> Entry:
        """Return the only entry with that id.

        :raises UnknownEntry, AmbiguousEntry: none or several entries have it.
        """
        entry = self.entry_store.by_id.get(entry_id) if isinstance(entry_id, str) else None
        if entry is None:
            raise UnknownEntry(self.path, 0, f"there is no entry {entry_id!r}")
        if entry_id in self.entry_store.repeated:
            raise AmbiguousEntry(self.path, entry.line, f"several entries have the id {entry_id!r}")
        return entry

    @property
    def _has_nameless_leaf(self) -> bool:
        entries = self.entry_store.entries
        is_unset = self.entry_store.leaf_id is None and not self.leaf_moved
        return is_unset and bool(entries) and not entries[-1].id

    @property
    def _files(self) -> SessionStorage:
        assert self.storage is not None
        return self.storage

    def check(self) -> None:
        """Raise the error of the last write again: after it, memory and file may differ.

        :raises WriteFailed: as it was raised then.
        """
        if self._failure is not None:
            raise type(self._failure)(self._failure.path, self._failure.reason, self._failure.code)

    def _keep_failure(self, error: WriteFailed) -> None:
        """Keep the error of a write for `check`, and log it once (formats/README.md, "Behaviour of
        SessionManager").
        """
        self._failure = error
        _log.error("%s: %s", error.path or self.path, error.reason)

    # reading

    def begin(
        self,
        path: str,
        agent: str,
        session_id: str,
        timestamp: str,
        cwd: str,
        parent: str | None = None,
        name: str | None = None,
    ) -> None:
        """Begin a new session without entries. It is not written yet.

        :param path: where it will be kept, "" without a storage.
        :param timestamp: ISO 8601.
        :param parent: the session that it is made from.
        :param name: the name in the header, for agents that keep it there.
        :raises ReadOnly: the agent's sessions are only read here.
        """
        writing = dialect_named(agent).writing
        if writing is None:
            raise ReadOnly(path, 0, f"sessions of {agent} are only read here")
        self.header_fields = writing.new_header(session_id, timestamp, cwd, parent, name)
        self.path = path
        self.header = read_header(path, encode(self.header_fields) + b"\n", (agent,))
        self.entry_store = EntryStore(path, self.header.dialect, self.header.version, self.header.name)
        self.written = self.leaf_moved = self._made_here = False
        self._failure = None

    def load(self, path: str, agents: tuple[str, ...] = ()) -> None:
        """Read the session at `path`. Nothing is written, not even a migration.

        :param agents: the agents that it may belong to; all agents if empty.
        :raises NotASession: the file is no session.
        :raises Unreadable: the file cannot be read.
        """
        before, self.path = self.path, path
        try:
            with self._files.large(path) as descriptor:
                if descriptor is None:
                    self._parse(*self._files.read(path), agents)
                else:
                    self._parse_large(descriptor, agents)
        except (NotASession, Unreadable):
            self.path = before
            raise
        self.written = True
        self.leaf_moved = False
        self._failure = None

    def refresh(self) -> bool:
        """Read the bytes that other processes wrote since; return whether there were any.

        The leaf follows theirs, unless the caller moved it.

        :raises NotASession, Unreadable: the file is gone, or is no session any more.
        """
        if not self.written:
            return False
        signature = self._files.signature(self.path)
        if signature == self._signature:
            return False
        before = self._signature
        leaf, moved = self.entry_store.leaf_id, self.leaf_moved
        grown = (
            signature is not None
            and signature[:2] == before[:2]
            and signature.size >= before.size
            and not self.entry_store.ends_open
            and not self._is_shortened
            and not self.header.title_slot  # it may hold another title by now
            and self.entry_store.dialect.one_entry_a_line
            and self.header.version >= CURRENT_VERSION
        )
        if not (grown and self._read_new_bytes()):
            self.load(self.path, (self.header.agent,))
        if moved and (leaf is None or leaf in self.entry_store.by_id):
            self.entry_store.leaf_id = leaf
            self.leaf_moved = True
        return True

    def _read_new_bytes(self) -> bool:
        """Read the bytes after the last whole line; return False if the file must be read whole."""
        start = max(0, self._offset - _TAIL)
        data, signature = self._files.read(self.path, start)
        skip = self._offset - start
        if len(data) != signature.size - start or data[:skip] != self._tail:
            return False
        settled = self.entry_store.read(data[skip:])
        self._offset += settled
        self._tail = data[max(0, skip + settled - _TAIL) : skip + settled]
        self._signature = signature
        return True

    def _parse(self, data: bytes, signature: Signature, agents: tuple[str, ...] | None = None) -> None:
        """Replace header and entries by those in `data`, the bytes of the file."""
        header = read_header(self.path, data, (self.header.agent,) if agents is None else agents)
        entry_store, self._offset = self._read_entries(header, data, lambda store: store.read(data))
        self._is_shortened = len(data) != signature.size
        self._tail = data[max(0, self._offset - _TAIL) : self._offset]
        self._accept(data, header, entry_store, signature)

    def _parse_large(self, descriptor: int, agents: tuple[str, ...]) -> None:
        """As `_parse`, of an open file whose lines stay there.

        :raises Unreadable: it cannot be read.
        """
        try:
            signature = signature_of(os.fstat(descriptor))
            header = find_header(self.path, descriptor, agents)
            beginning = read_at(descriptor, max(BLOCK_SIZE, header.offset + header.length), 0)
            entry_store, offset = self._read_entries(
                header, beginning, lambda store: store.read_file(descriptor)
            )
            tail = read_at(descriptor, min(offset, _TAIL), max(0, offset - _TAIL))
        except OSError as error:
            raise Unreadable(self.path, 0, f"cannot be read: {error.strerror or error}") from None
        self._accept(beginning, header, entry_store, signature)
        self._offset, self._tail, self._is_shortened = offset, tail, False

    def _read_entries(
        self, header: Header, data: bytes, read: Callable[[EntryStore], int]
    ) -> tuple[EntryStore, int]:
        """The entries of the file, after those of the sessions that it goes on from, and the size of its
        whole lines.

        :param data: the beginning of the file.
        :param read: adds the entries of the file, and returns that size.
        """
        entry_store = EntryStore(self.path, header.dialect, header.version, header.name)
        missing = self._read_base(data, header, entry_store)
        size = read(entry_store)
        again = entry_store.reader.again()
        if again is not None:
            entry_store = EntryStore(self.path, header.dialect, header.version, header.name, again)
            size = read(entry_store)
        if missing:
            reason = f"it goes on from {missing}, which is not here: the messages before are missing"
            entry_store.skipped.insert(0, MissingBase(self.path, 1, reason))
        return entry_store, size

    def _accept(self, data: bytes, header: Header, entry_store: EntryStore, signature: Signature) -> None:
        """Replace header and entries.

        :param data: has the line of the header.
        """
        self.header_fields = (
            decode(data[header.offset : header.offset + header.length])
            if header.length
            else header_fields_of(header)
        )
        self.header, self.entry_store = header, entry_store
        self._signature = signature

    def _read_base(self, data: bytes, header: Header, entry_store: EntryStore) -> str:
        """Read the entries of the sessions that this one goes on from without repeating them.

        :return: the id of one that is not here; "" if all are.
        """
        parts, missing = base_parts(
            self.path, header.agent, entry_store.dialect, data, lambda path: self._files.read(path)[0]
        )
        for part in parts:
            entry_store.read_base(part.lines)
        return missing

    def _lines(self, *, keep_mark: bool = False) -> list[bytes]:
        """Return the lines of the file, without a byte order mark and without the last newline.

        :param keep_mark: with the byte order mark.
        :raises Changed: the file is not what was read.
        :raises WriteFailed: the file has bytes that were not read.
        """
        data, signature = self._files.read(self.path)
        if signature != self._signature:
            raise Changed(self.path)
        if self._is_shortened or len(data) != signature.size:
            raise WriteFailed(self.path, "is not rewritten: it has a long run of NUL bytes", errno.EFBIG)
        return (data if keep_mark else data.removeprefix(BOM)).removesuffix(b"\n").split(b"\n")

    # appending

    def append(
        self,
        fields: Mapping[str, Any],
        *,
        operation: str = "append",
        keep_time: bool = False,
        before_write: Callable[[Entry], object] | None = None,
    ) -> Entry:
        """Append an entry below the leaf and make it the leaf.

        :param fields: the entry without id, parent and time; with ``parentId`` to append it below another
            entry than the leaf.
        :param operation: what kind of write this is to a running agent (`app.stores.base.DANGERS`).
        :param keep_time: keep the file's modification time (formats/README.md, "Rules for every write").
        :param before_write: called with the entry directly before it is written to the file, again for each
            attempt, and not at all while the session has no file.
        :raises ReadOnly, LiveSession, WriteFailed, Unreadable, BadValue: nothing was written.
        :raises UnknownEntry: the file was rewritten, and an entry that `fields` names is not in it any more.
        """
        self._check_writable(fields)
        if not self.written:
            entry = self._make_entry(fields)
            self.previous_leaf = self.entry_store.leaf_id
            self.entry_store.append(entry)
            self.leaf_moved = False
            if self.storage is not None and self.makes_file(entry):
                self.save()
            return entry

        def write() -> Entry:
            self.refuse_danger(operation)
            self._tidy()
            self._migrate()
            entry = self._make_entry(fields, written=True)
            line = self._line(entry)
            self.previous_leaf = self.entry_store.leaf_id
            if before_write is not None:
                before_write(entry)
            signature = self._files.append(self.path, line, self._signature, keep_time=keep_time)
            return self._add_written(entry, line, signature)

        return self._repeat(write, lambda: self._catch_up(fields))

    def _repeat(self, write: Callable[[], Written], catch_up: Callable[[], object]) -> Written:
        """Return the result of `write`. While it raises Changed, call `catch_up` and try again.

        :raises WriteFailed: as `write`; each further write raises it again.
        """
        for attempt in range(_MAX_ATTEMPTS):
            try:
                return write()
            except Changed:
                # Back off from a busy writer, each time for a little longer.
                time.sleep(random() * attempt / 1000)
                catch_up()
            except WriteFailed as error:
                self._keep_failure(error)
                raise
        raise Changed(self.path)

    def _check_writable(self, fields: Mapping[str, Any]) -> None:
        """:raises ReadOnly, WriteFailed: no entry of these fields can be written."""
        self.check()
        _ = self.writing
        if self._has_nameless_leaf and "parentId" not in fields:
            # The entry would become a root and take all entries before it out of the context.
            raise ReadOnly(self.path, 0, "cannot be written to: its last entry has no id")

    def _catch_up(self, fields: Mapping[str, Any]) -> None:
        """Read the new entries of other processes, and check that those that `fields` names still exist."""
        by_id = self.entry_store.by_id
        references = [fields[name] for name in REFERENCES if fields.get(name) in by_id]
        if self.leaf_moved and self.entry_store.leaf_id is not None:
            references.append(self.entry_store.leaf_id)
        self.refresh()
        for entry_id in references:
            if entry_id not in self.entry_store.by_id:
                raise UnknownEntry(self.path, 0, f"there is no entry {entry_id!r} any more")

    def _make_entry(self, fields: Mapping[str, Any], *, written: bool = False) -> Entry:
        """Return the entry of `fields` with id, parent and time; it is not in the session yet.

        :param written: the entry goes to the file now, so that it has a line.
        :raises BadValue: it cannot be written as JSON.
        """
        entry = {
            "type": fields["type"],
            "id": fresh_id(self.entry_store.by_id),
            "parentId": self.entry_store.leaf_id,
            "timestamp": iso(now_ms()),
            **fields,
        }
        try:
            line = encode(entry)
        except ValueError as error:
            raise BadValue(self.path, 0, f"a {fields['type']} entry cannot be written: {error}") from None
        return self.entry_store.make(entry, line if written else b"")

    def _add_written(self, entry: Entry, line: bytes, signature: Signature) -> Entry:
        """Add `entry`, whose `line` was appended to the file.

        :param signature: of the file after that.
        """
        self.previous_leaf = self.entry_store.leaf_id
        self.leaf_moved = False
        if self.entry_store.ends_open or signature.size != self._signature.size + len(line):
            # An unfinished line was closed before ours: read the file again.
            self.load(self.path, (self.header.agent,))
            return self.entry_store.by_id[entry.id]
        self.entry_store.append(entry)
        self._advance(signature, line)
        return entry

    def _advance(self, signature: Signature, line: bytes) -> None:
        """Record that this process appended `line`, and the new signature of the file."""
        self._signature = signature
        self._offset += len(line)
        self._tail = (self._tail + line)[-_TAIL:]

    def _line(self, entry: Entry) -> bytes:
        """Return the line of a new entry, with its images moved to the blob store.

        :raises WriteFailed: they cannot be moved.
        """
        if self.writing.limits_size:
            return encode(self._with_blobs(entry.raw)) + b"\n"
        return (entry.source or encode(entry.raw)) + b"\n"

    def _with_blobs(self, fields: dict[str, Any]) -> dict[str, Any]:
        """:raises WriteFailed: the images cannot be moved."""
        try:
            return externalize(fields, self.blobs)
        except OSError as error:
            if error.errno == errno.EEXIST:  # a file in the place of the folder
                error = NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            refused(self.blobs.folder if self.blobs else self.path, error)

    # writing the whole file

    def makes_file(self, entry: Entry) -> bool:
        """Return whether a new session gets its file with `entry`."""
        message = entry.raw.get("message") if entry.type == "message" else None
        return isinstance(message, dict) and message.get("role") in self.writing.first_roles

    def save(self) -> None:
        """Write the whole session to its new file, which must not exist.

        :raises AlreadyThere: it exists.
        :raises WriteFailed: the system refused.
        """
        self._tidy()
        try:
            head = self.writing.head_lines(self.header_fields, now_ms())
            entries = self.entry_store.entries
            lines = [entry.source + b"\n" if entry.source else self._line(entry) for entry in entries]
            data = head + b"".join(lines)
            empty = self._files.signature(self.path)
            if empty is not None and empty.size == 0:
                signature = self._files.replace(self.path, data, empty, self._publish_lock())
            else:
                signature = self._files.create(self.path, data)
        except Changed:
            begun = AlreadyThere(self.path, "was begun by another program meanwhile", errno.EEXIST)
            self._keep_failure(begun)
            raise begun from None
        except WriteFailed as error:
            self._keep_failure(error)
            raise
        self.written = self._made_here = True
        self._accept_rewritten(data, signature)

    def _replace(self, data: bytes) -> None:
        """Replace the content of the file by `data`; the leaf stays.

        :raises Changed: the file is not what was read.
        """
        lock = self._publish_lock()
        self._accept_rewritten(data, self._files.replace(self.path, data, self._signature, lock))

    def _accept_rewritten(self, data: bytes, signature: Signature) -> None:
        """Continue with `data` as the content of the file; the leaf stays."""
        leaf, moved = self.entry_store.leaf_id, self.leaf_moved
        self._parse(data, signature)
        self.entry_store.leaf_id, self.leaf_moved = leaf, moved

    def _migrate(self) -> None:
        """Rewrite a file of an old version as version 3, now that an entry is really written to it
        (formats/README.md, "Migrations").

        Lines that are no entries stay in their places.
        """
        version = self.header.version
        if version >= CURRENT_VERSION:
            return
        self.refuse_danger("rewrite")
        lines = self._lines()
        lines[self.header.line - 1] = edit_fields(lines[self.header.line - 1], {"version": CURRENT_VERSION})
        for entry in self.entry_store.entries:
            lines[entry.line - 1] = migrate_line(entry.source, version, entry.index)
        self._replace(b"\n".join(lines) + b"\n")

    def rewrite(
        self,
        edit: Callable[[SessionFile], Mapping[str, Mapping[str, Any] | bytes] | None],
        before_write: Callable[[ReplacedLines], object],
    ) -> ReplacedLines:
        """Replace the lines of some entries, or of the header. Every other byte of the file stays, and so
        does the leaf. A file of an old version is migrated first.

        :param edit: returns the new fields by the id of the entry ("" for the header), or the new line as
            bytes; None to give up. It is called again if another process wrote meanwhile.
        :param before_write: called with the lines directly before they are written, again for each attempt,
            and not at all while the session has no file.
        :return: the lines that changed: id, line before and line after, without newlines.
        :raises Changed: `edit` gave up.
        :raises LiveSession, ReadOnly, WriteFailed, BadValue: nothing was written.
        """
        self._check_writable({"parentId": None})

        def write() -> ReplacedLines | None:
            if self.written:
                self.refuse_danger("rewrite")
                self._tidy()
                self._migrate()
            changed = edit(self)
            if changed is None:
                return None
            if self.written:
                return self._replace_lines(changed, before_write)
            return self._replace_entries(changed)

        replaced = self._repeat(write, self.refresh)
        if replaced is None:
            raise Changed(self.path)
        return replaced

    def _replace_lines(
        self,
        changed: Mapping[str, Mapping[str, Any] | bytes],
        before_write: Callable[[ReplacedLines], object],
    ) -> ReplacedLines:
        """:raises Changed: the file is not what was read."""
        lines = self._lines(keep_mark=True)
        replaced = []
        for entry_id, new in changed.items():
            number = self.entry_store.by_id[entry_id].line if entry_id else self.header.line
            line = lines[number - 1]
            mark = BOM if number == 1 and line.startswith(BOM) else b""
            before = line[len(mark) :]
            after = new if isinstance(new, bytes) else self._edited(before, new)
            if after != before:
                lines[number - 1] = mark + after
                replaced.append((entry_id, before, after))
        if replaced:
            before_write(replaced)
            self._replace(b"\n".join(lines) + b"\n")
        return replaced

    def _replace_entries(self, changed: Mapping[str, Mapping[str, Any] | bytes]) -> ReplacedLines:
        """Replace entries of a session that has no file yet."""
        replaced = []
        fields = {key: decode(new) if isinstance(new, bytes) else dict(new) for key, new in changed.items()}
        if "" in fields:
            replaced.append(("", encode(self.header_fields), encode(fields[""])))
            self.header_fields = fields[""]
            self.header = read_header(self.path, encode(self.header_fields) + b"\n", (self.header.agent,))
        before, leaf = self.entry_store, self.entry_store.leaf_id
        self.entry_store = EntryStore(self.path, self.header.dialect, self.header.version, self.header.name)
        for entry in before.entries:
            raw, line = fields.get(entry.id), entry.source
            if raw is not None and (after := self._encoded(raw)) != (line or encode(entry.raw)):
                replaced.append((entry.id, line or encode(entry.raw), after))
                line = after if line else b""
            self.entry_store.append(self.entry_store.make(entry.raw if raw is None else raw, line))
        self.entry_store.leaf_id = leaf
        return replaced

    def _edited(self, line: bytes, fields: Mapping[str, Any]) -> bytes:
        """Return `line` with the values of `fields` where they differ, and with its own bytes elsewhere.

        :raises BadValue: a value cannot be written as JSON.
        """
        self._encoded(fields)
        if self.writing.limits_size and fields.get("type") != "session":
            fields = self._with_blobs(dict(fields))
        before = decode(line)
        changes = {name: value for name, value in fields.items() if not _same_value(before, name, value)}
        changes |= {name: REMOVED for name in before if name not in fields}
        return edit_fields(line, changes) if changes else line

    def _encoded(self, fields: Mapping[str, Any]) -> bytes:
        try:
            return encode(dict(fields))
        except ValueError as error:
            raise BadValue(self.path, 0, f"an entry cannot be written: {error}") from None

    def header_line(self) -> bytes:
        """Return the line of the header.

        :raises Changed: the file is not what was read.
        """
        if not self.written:
            return encode(self.header_fields)
        return self._lines()[self.header.line - 1]

    def rename(self, target: str) -> None:
        """Give the file the path `target`, where nothing may be.

        :raises LiveSession, WriteFailed, Changed, Unreadable: it is where it was.
        """
        if self.written:
            lock = self._publish_lock()
            self._signature = self._files.rename(self.path, target, self._signature, lock)
        self.path = self.entry_store.file = target

    # the title line

    def retitle(self, title: str, fields: Mapping[str, Any] | None = None) -> Entry | None:
        """Write `title` to the title line; a file without one is rewritten to get it
        (formats/README.md, "Results of writing").

        :param title: "" for none.
        :param fields: an entry that records the title, as for `append`; None for no entry.
        :return: that entry.
        :raises LiveSession, WriteFailed: the title is unchanged, and there is no entry.
        """
        self._check_writable(fields or {"parentId": None})
        header = {name: value for name, value in self.header_fields.items() if name not in _TITLE_FIELDS}
        if title:
            header |= {"title": title, "titleSource": "user"}
        if not self.written:
            added = None if fields is None else self.append(fields)
            self.header_fields, self.entry_store.name = header, title or None
            return added
        slot = slot_line(title, "user" if title else None, now_ms())

        def write() -> Entry | None:
            if fields is not None:
                self.refuse_danger("branch" if self.leaf_moved else "append")
                self._tidy()
                self._migrate()
            if self.header.slot_writable:
                return self._overwrite_title(slot, fields)
            return self._rewrite_with_title(header, slot, fields)

        return self._repeat(write, lambda: self._catch_up(fields or {}))

    def _overwrite_title(self, slot: bytes, fields: Mapping[str, Any] | None) -> Entry | None:
        """Write the title line in place, and the entry of `fields` at the end.

        :raises Changed: the file is not what was read.
        """
        self.refuse_danger("slot")
        entry = None if fields is None else self._make_entry(fields, written=True)
        line = b"" if entry is None else self._line(entry)
        signature = self._files.overwrite(self.path, slot, self._signature, line)
        if entry is None:
            self._advance(signature, b"")
        else:
            entry = self._add_written(entry, line, signature)
        self.entry_store.name = read_slot(slot[:-1]) or None
        return entry

    def _rewrite_with_title(
        self, header: dict[str, Any], slot: bytes, fields: Mapping[str, Any] | None
    ) -> Entry | None:
        """Rewrite the file with a title line, and with the entry of `fields` at the end.

        :raises Changed: the file is not what was read.
        """
        self.refuse_danger("rewrite")
        entry = None if fields is None else self._make_entry(fields, written=True)
        previous_leaf = self.entry_store.leaf_id
        self._replace(self._with_title(header, slot) + (b"" if entry is None else self._line(entry)))
        if entry is None:
            return None
        self.previous_leaf, self.leaf_moved = previous_leaf, False
        self.entry_store.leaf_id = entry.id
        return self.entry_store.by_id[entry.id]

    def _with_title(self, header: dict[str, Any], slot: bytes) -> bytes:
        """Return the file with the title line `slot` first, and the title in its header as well."""
        lines = self._lines()
        header_index = self.header.line - 1
        before = [line for line in lines[:header_index] if not _is_title(line)]
        changes = {name: header.get(name, REMOVED) for name in _TITLE_FIELDS}
        after = [edit_fields(lines[header_index], changes), *lines[header_index + 1 :]]
        return slot + b"\n".join([*before, *after]) + b"\n"

    # beside running agents and other writers

    def refuse_danger(self, operation: str) -> None:
        """Refuse a write that would harm a running agent.

        :param operation: one of `app.stores.base.DANGERS`.
        :raises LiveSession: the write would harm the agent, or have no effect.
        """
        if self.guard is not None and self.written:
            # A file that was made here cannot be open in an agent, unless it is seen to be.
            self.guard.check(operation, self.header, self.path, now_ms(), only_live=self._made_here)

    def danger_note(self, operation: str) -> str:
        """Return a warning about such a write, which is not refused, beside an agent that may have the
        session open; "" for none.

        :raises LiveSession: the write is refused.
        """
        if self.guard is None or not self.written or self._made_here:
            return ""
        verdict = self.guard.check(operation, self.header, self.path, now_ms())
        if verdict is None or verdict.state != MAYBE:
            return ""
        _, harm = agent_named(self.header.agent).dangers[operation]
        return f"{verdict.reason}; if it has this session open, {harm}"

    def _publish_lock(self) -> AbstractContextManager[None] | None:
        return agent_named(self.header.agent).publish_lock(self.path)

    def _tidy(self) -> None:
        """Clear up after writes that were killed, before the first write to this session."""
        if self.storage is not None and self._tidied != self.path:
            self._tidied = self.path
            self.storage.tidy(self.path, self._publish_lock())


def now_ms() -> int:
    """Return the current time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def fresh_id(taken: Mapping[str, Any]) -> str:
    """Return eight hex digits that are no key of `taken`: pi fails to open a session with an id used twice
    (formats/README.md, "Rules for every write").
    """
    while True:
        entry_id = secrets.token_hex(4)
        if entry_id not in taken:
            return entry_id


def _same_value(fields: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in fields and encode({"v": fields[name]}) == encode({"v": value})


def _is_title(line: bytes) -> bool:
    try:
        return decode(line).get("type") == "title"
    except BadLine:
        return False
