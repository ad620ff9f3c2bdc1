"""Writing to a session's file: when it is born, one more entry, a title, a newer version.

See formats/README.md, "Writing", also for everything beside a running agent.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from random import random
from typing import TYPE_CHECKING, Any

from app.formats.decode import BadLine, decode
from app.formats.encode import encode
from app.formats.migrate import CURRENT_VERSION
from app.formats.respell import GONE, migrated, respell
from app.formats.slot import read_slot, slot_line
from app.formats.stamps import iso
from app.sessions.errors import (
    AlreadyThere,
    BadValue,
    Changed,
    LiveSession,
    ReadOnly,
    UnknownEntry,
    WriteFailed,
)
from app.sessions.manager.tracked_file import TrackedFile, now_ms
from app.sessions.storage.externalize import shrink
from app.sessions.storage.file_storage import refused
from app.stores import agent_named
from app.stores.live import MAYBE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from app.sessions.manager.entry import Entry
    from app.sessions.storage.storage import Signature

_TRIES = 50
"""How often a write is begun anew because somebody else wrote first. Each time they wrote a whole entry."""
_TITLE = ("title", "titleSource")
_NAMED = ("parentId", "targetId", "fromId", "firstKeptEntryId")
"""The fields of an entry that name others, which must be there
(formats/README.md, "Rules for every write").
"""


class SessionFile(TrackedFile):
    """A session that can be written to: one more entry, the whole of it when it is born, its title."""

    def append(
        self,
        fields: Mapping[str, Any],
        *,
        operation: str = "append",
        keep_time: bool = False,
        before_write: Callable[[Entry], object] | None = None,
    ) -> Entry:
        """One more entry below the leaf; it becomes the leaf.

        :param fields: the entry without id, parent and time; ``parentId`` where it goes below another entry
            than the leaf.
        :param operation: what kind of write it is to a running agent (`app.stores.base.DANGERS`).
        :param keep_time: leave the file's time alone (formats/README.md, "Rules for every write").
        :param before_write: is called with the entry directly before it is written to the file, which is not
            at all while the session has no file, and again for each attempt.
        :raises ReadOnly, LiveSession, WriteFailed, Unreadable, BadValue: nothing was written.
        :raises UnknownEntry: the file was written anew, and what the entry hangs on is not in it any more.
        """
        self._check_writable(fields)
        if self.storage is None or not self.written:
            entry = self._next(fields)
            self.left = self.book.leaf_id
            self.book.append(entry)
            self.moved = False
            if self.storage is not None and _is_answer(entry):
                self.save()
            return entry
        for attempt in range(_TRIES):
            self.protect(operation)
            self._tidy()
            try:
                self._migrate()
                return self._written(self._next(fields, written=True), keep_time, before_write)
            except Changed:
                # Whoever keeps losing to a busy writer steps back for a moment, each time a little longer.
                time.sleep(random() * attempt / 1000)
                self._follow(fields)
            except WriteFailed as error:
                self._failure = error
                raise
        raise Changed(self.path)

    def _check_writable(self, fields: Mapping[str, Any]) -> None:
        """:raises ReadOnly, WriteFailed: no entry of these fields can be written."""
        self.check()
        _ = self.writing
        if self._has_nameless_leaf and "parentId" not in fields:
            # It would become a root, and take everything before it out of the context.
            raise ReadOnly(self.path, 0, "cannot be written to: its last entry has no id")

    def _follow(self, fields: Mapping[str, Any]) -> None:
        """Read what others wrote, and see that what `fields` names is still there."""
        named = [fields[name] for name in _NAMED if fields.get(name) in self.book.by_id]
        if self.moved and self.book.leaf_id is not None:
            named.append(self.book.leaf_id)
        self.refresh()
        for entry_id in named:
            if entry_id not in self.book.by_id:
                raise UnknownEntry(self.path, 0, f"there is no entry {entry_id!r} any more")

    def _written(
        self, entry: Entry, keep_time: bool, before_write: Callable[[Entry], object] | None
    ) -> Entry:
        """Write `entry` and take it in.

        :raises Changed: the file is not what was read.
        """
        assert self.storage is not None
        assert self._signature is not None
        line, size = self._line(entry), self._signature.size
        self.left = self.book.leaf_id
        if before_write is not None:
            before_write(entry)
        signature = self.storage.append(self.path, line, self._signature, keep_time=keep_time)
        return self._added(entry, line, size, signature)

    def _line(self, entry: Entry) -> bytes:
        return (self._shrunk(entry) if self.writing.limits_size else entry.source) + b"\n"

    def _added(self, entry: Entry, line: bytes, size: int, signature: Signature) -> Entry:
        """Take in `entry`, whose `line` was appended when the file had `size` bytes."""
        self.left = self.book.leaf_id
        self.moved = False
        if self.book.ends_open or signature.size != size + len(line):
            # An unfinished line was closed before ours: read how it stands now.
            self.load(self.path, (self.head.agent,))
            return self.book.by_id[entry.id]
        self.book.append(entry)
        self._settle(signature, line)
        return entry

    def save(self) -> None:
        """Write the whole session to its new file, which must not be there.

        :raises WriteFailed: AlreadyThere and others.
        """
        assert self.storage is not None
        self._tidy()
        try:
            data = self.body()
            empty = self.storage.signature(self.path)
            if empty is not None and empty.size == 0:
                signature = self.storage.replace(self.path, data, empty, self._publish_lock())
            else:
                signature = self.storage.create(self.path, data)
        except Changed:
            self._failure = AlreadyThere(self.path, "was begun by another program meanwhile", errno.EEXIST)
            raise self._failure from None
        except WriteFailed as error:
            self._failure = error
            raise
        self.written = self._made_here = True
        self._rewritten(data, signature)

    def body(self) -> bytes:
        """All of the session as the lines of a file."""
        writing = self.writing
        lines = [writing.opening(self.header, now_ms())]
        for entry in self.book.entries:
            line = entry.source
            if not line:
                line = self._shrunk(entry) if writing.limits_size else encode(entry.raw)
            lines.append(line + b"\n")
        return b"".join(lines)

    def _shrunk(self, entry: Entry) -> bytes:
        """The line of `entry` with its images put aside.

        :raises WriteFailed: they cannot be.
        """
        try:
            return encode(shrink(entry.raw, self.blobs))
        except OSError as error:
            if error.errno == errno.EEXIST:  # a file in the place of the folder
                error = NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            refused(self.blobs.folder if self.blobs else self.path, error)

    def retitle(self, title: str, fields: Mapping[str, Any] | None = None) -> Entry | None:
        """Put `title` into the title line; a file without one is written anew to get it
        (formats/README.md, "Results of writing").

        :param title: "" for none.
        :param fields: of an entry that records the title, as for `append`; None for none.
        :return: that entry.
        :raises LiveSession, WriteFailed: the title is as it was, and there is no entry.
        """
        self._check_writable(fields or {"parentId": None})
        header = {name: value for name, value in self.header.items() if name not in _TITLE}
        if title:
            header |= {"title": title, "titleSource": "user"}
        if self.storage is None or not self.written:
            added = None if fields is None else self.append(fields)
            self.header, self.book.name = header, title or None
            return added
        slot = slot_line(title, "user" if title else None, now_ms())
        for _ in range(_TRIES):
            try:
                if fields is not None:
                    self.protect("branch" if self.moved else "append")
                    self._tidy()
                    self._migrate()
                if self.head.slot_writable:
                    return self._overwritten(slot, fields)
                return self._retitled(header, slot, fields)
            except Changed:
                self._follow(fields or {})
            except WriteFailed as error:
                self._failure = error
                raise
        raise Changed(self.path)

    def _overwritten(self, slot: bytes, fields: Mapping[str, Any] | None) -> Entry | None:
        """Write the title line in place, and the entry of `fields` at the end.

        :raises Changed: the file is not what was read.
        """
        assert self.storage is not None
        assert self._signature is not None
        self.protect("slot")
        entry = None if fields is None else self._next(fields, written=True)
        line, size = b"" if entry is None else self._line(entry), self._signature.size
        signature = self.storage.overwrite(self.path, slot, self._signature, line)
        if entry is None:
            self._settle(signature, b"")
        else:
            entry = self._added(entry, line, size, signature)
        self.book.name = read_slot(slot[:-1]) or None
        return entry

    def _retitled(
        self, header: dict[str, Any], slot: bytes, fields: Mapping[str, Any] | None
    ) -> Entry | None:
        """Write the file anew with a title line, and with the entry of `fields` at the end.

        :raises Changed: the file is not what was read.
        """
        assert self.storage is not None
        assert self._signature is not None
        self.protect("rewrite")
        entry = None if fields is None else self._next(fields, written=True)
        data = self._titled(header, slot) + (b"" if entry is None else self._line(entry))
        signature = self.storage.replace(self.path, data, self._signature, self._publish_lock())
        left = self.book.leaf_id
        self._rewritten(data, signature)
        if entry is None:
            return None
        self.left, self.moved = left, False
        self.book.leaf_id = entry.id
        return self.book.by_id[entry.id]

    def _titled(self, header: dict[str, Any], slot: bytes) -> bytes:
        """The file with the title line `slot` first, and the title in its header as well."""
        lines = self._lines()
        place = self.head.line - 1
        before = [line for line in lines[:place] if not _is_title(line)]
        changes = {name: header.get(name, GONE) for name in _TITLE}
        return slot + b"\n".join([*before, respell(lines[place], changes), *lines[place + 1 :]]) + b"\n"

    # inside

    def _next(self, fields: Mapping[str, Any], *, written: bool = False) -> Entry:
        book = self.book
        entry = {
            "type": fields["type"],
            "id": fresh_id(book.by_id),
            "parentId": book.leaf_id,
            "timestamp": iso(now_ms()),
            **fields,
        }
        try:
            line = encode(entry)
        except ValueError as error:
            raise BadValue(self.path, 0, f"a {fields['type']} entry cannot be written: {error}") from None
        return book.make(entry, line if written else b"")

    def is_dangerous(self, operation: str) -> bool:
        """Whether such a write would be refused now, because an agent has the session open."""
        try:
            self.protect(operation)
        except LiveSession:
            return True
        return False

    def protect(self, operation: str) -> None:
        """Pass, or refuse a write beside a running agent.

        :param operation: one of `app.stores.base.DANGERS`.
        :raises LiveSession: it would hurt the agent, or be in vain.
        """
        if self.guard is not None and self.written:
            # Nobody else can have opened what was made here, unless it is seen to be open.
            self.guard.check(operation, self.head, self.path, now_ms(), only_live=self._made_here)

    def doubt(self, operation: str) -> str:
        """What may come of such a write, which is not refused, beside an agent that may have the session open
        for all that is known; "" for nothing.

        :raises LiveSession: it is refused.
        """
        if self.guard is None or not self.written or self._made_here:
            return ""
        found = self.guard.check(operation, self.head, self.path, now_ms())
        if found is None or found.state != MAYBE:
            return ""
        _, harm = agent_named(self.head.agent).dangers[operation]
        return f"{found.reason}; if it has this session open, {harm}"

    def _migrate(self) -> None:
        """Write a file of an old version as one of version 3, now that it is really written to
        (formats/README.md, "Behaviour of SessionManager").

        Lines that are no entries stay where they are.
        """
        version = self.head.version
        if version >= CURRENT_VERSION:
            return
        assert self.storage is not None
        assert self._signature is not None
        self.protect("rewrite")
        lines = self._lines()
        lines[self.head.line - 1] = respell(lines[self.head.line - 1], {"version": CURRENT_VERSION})
        for entry in self.book.entries:
            lines[entry.line - 1] = migrated(entry.source, version, entry.index)
        data = b"\n".join(lines) + b"\n"
        lock = self._publish_lock()
        self._rewritten(data, self.storage.replace(self.path, data, self._signature, lock))

    def _publish_lock(self) -> AbstractContextManager[None] | None:
        return agent_named(self.head.agent).publish_lock(self.path)

    def _tidy(self) -> None:
        """Clear up behind writes that were killed, before the first write of this session."""
        if self.storage is not None and self._tidied != self.path:
            self._tidied = self.path
            self.storage.tidy(self.path, self._publish_lock())


def fresh_id(taken: Mapping[str, Any]) -> str:
    """Eight hex digits that no entry has: an id used twice makes pi fail on open
    (formats/README.md, "Rules for every write").
    """
    while True:
        found = secrets.token_hex(4)
        if found not in taken:
            return found


def _is_answer(entry: Entry) -> bool:
    if entry.type != "message":
        return False
    message = entry.raw.get("message")
    return isinstance(message, dict) and message.get("role") == "assistant"


def _is_title(line: bytes) -> bool:
    try:
        return decode(line).get("type") == "title"
    except BadLine:
        return False
