"""A session and the file it is kept in: read once, and read on where others wrote to it."""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, Any

from app.formats.decode import decode
from app.formats.dialects import named
from app.formats.encode import encode
from app.formats.header import WITHIN, Header, NotASession, read_header
from app.formats.lines import BOM
from app.formats.migrate import CURRENT_VERSION
from app.sessions.errors import Changed, ReadOnly, WriteFailed
from app.sessions.manager.entry_store import EntryStore

if TYPE_CHECKING:
    from app.formats.dialects.writing import Writing
    from app.sessions.manager.entry import Entry
    from app.sessions.manager.live_guard import LiveGuard
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.storage.storage import SessionStorage, Signature

_TAIL = 64
"""Bytes before the end of what was read by which it is known again."""


class TrackedFile:
    """The entries of one session, and the file behind them where there is one.

    :param storage: where files are kept; None for a session that is never written.
    :param guard: asked before a write to a file that an agent may have open; None where none can.
    :param blobs: where images go, for the agents that keep them outside.
    """

    def __init__(
        self, storage: SessionStorage | None, guard: LiveGuard | None = None, blobs: BlobStore | None = None
    ) -> None:
        self.storage = storage
        self.guard = guard
        self.blobs = blobs
        self.path = ""
        self.head: Header
        self.header: dict[str, Any] = {}
        self.book: EntryStore
        self.written = False
        """The file is there and has all entries; before, they wait for the first answer."""
        self.moved = False
        """The leaf was put somewhere by hand, so it does not follow what others append."""
        self.left: str | None = None
        """The leaf just before the last entry was appended."""
        self._signature: Signature | None = None
        self._offset = 0
        """The byte after the last whole line that was read, and what stands before it."""
        self._tail = b""
        self._is_shortened = False
        """Not all bytes of the file were read: it has a long run of NUL bytes."""
        self._failure: WriteFailed | None = None
        self._made_here = False
        """Nobody else has had the chance to open it."""
        self._tidied = ""
        """The session before whose first write its folder was cleared up."""

    @property
    def writing(self) -> Writing:
        """How entries are written here.

        :raises ReadOnly: they are not.
        """
        writing = self.book.dialect.writing
        if writing is None:
            reason = f"sessions of this format ({self.book.dialect.name}) are only read here"
            raise ReadOnly(self.path, 0, f"cannot be written to: {reason}")
        if self.book.numbered and self.head.version >= 2:
            raise ReadOnly(self.path, 0, "cannot be written to: its entries have no ids")
        return writing

    @property
    def leaf(self) -> Entry | None:
        """The entry of the leaf; the last of the file where that has no id and the leaf was not moved."""
        return self.book.entries[-1] if self._has_nameless_leaf else self.book.leaf

    @property
    def _has_nameless_leaf(self) -> bool:
        book = self.book
        return book.leaf_id is None and not self.moved and bool(book.entries) and not book.entries[-1].id

    def check(self) -> None:
        """Raise again what went wrong at the last write: from then on memory and file would differ.

        :raises WriteFailed: as it was raised then.
        """
        if self._failure is not None:
            raise type(self._failure)(self._failure.path, self._failure.reason, self._failure.code)

    # beginning

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
        """A new session without entries, not written yet.

        :param path: where it will be kept, "" without a storage.
        :param timestamp: ISO 8601; ``parent`` the session it comes from; ``name`` goes into the header, if
            anywhere.
        :raises ReadOnly: the agent's sessions are only read here.
        """
        writing = named(agent).writing
        if writing is None:
            raise ReadOnly(path, 0, f"sessions of {agent} are only read here")
        self.header = writing.header(session_id, timestamp, cwd, parent, name)
        self.path = path
        self.head = read_header(path, encode(self.header) + b"\n", (agent,))
        self.book = EntryStore(path, self.head.dialect, self.head.version, self.head.name)
        self.written = self.moved = self._made_here = False
        self._signature = self._failure = None
        self._is_shortened = False
        self._offset = 0

    def load(self, path: str, agents: tuple[str, ...] = ()) -> None:
        """Read the session at `path`. Nothing is written, not even a migration.

        :raises NotASession: it is none.
        :raises Unreadable: it cannot be read.
        """
        assert self.storage is not None
        data, signature = self.storage.read(path)
        before, self.path = self.path, path
        try:
            self._take(data, signature, agents)
        except NotASession:
            self.path = before
            raise
        self.written = True
        self.moved = False
        self._failure = None

    def refresh(self) -> bool:
        """Read what was written by others since; True where something was.

        The leaf goes along with theirs, unless it was put somewhere by hand.

        :raises NotASession, Unreadable: the file is gone, or is no session any more.
        """
        if self.storage is None or not self.written:
            return False
        signature = self.storage.signature(self.path)
        if signature == self._signature:
            return False
        before = self._signature
        leaf, moved = self.book.leaf_id, self.moved
        grown = (
            signature is not None
            and before is not None
            and signature[:2] == before[:2]
            and signature.size >= before.size
            and not self.book.ends_open
            and not self._is_shortened
            and not self.head.title_slot  # it may hold another title by now
            and self.book.dialect.one_entry_a_line
            and self.head.version >= CURRENT_VERSION
        )
        if not (grown and self._extend()):
            self.load(self.path, (self.head.agent,))
        if moved and (leaf is None or leaf in self.book.by_id):
            self.book.leaf_id = leaf
            self.moved = True
        return True

    def _extend(self) -> bool:
        assert self.storage is not None
        start = max(0, self._offset - _TAIL)
        data, signature = self.storage.read(self.path, start)
        skip = self._offset - start
        if len(data) != signature.size - start:
            return False
        if data[:skip] != self._tail[-skip:] if skip else False:
            return False
        settled = self.book.read(data[skip:])
        self._offset += settled
        self._tail = data[max(0, skip + settled - _TAIL) : skip + settled]
        self._signature = signature
        return True

    def _lines(self) -> list[bytes]:
        """The file's lines, without a byte order mark and without the last newline.

        :raises Changed: the file is not what was read.
        """
        assert self.storage is not None
        data, signature = self.storage.read(self.path)
        if signature != self._signature:
            raise Changed(self.path)
        if self._is_shortened:
            raise WriteFailed(self.path, "is not rewritten: it has a long run of NUL bytes", errno.EFBIG)
        return data.removeprefix(BOM).removesuffix(b"\n").split(b"\n")

    def _rewritten(self, data: bytes, signature: Signature) -> None:
        """Go on with `data` as what the file holds; the leaf stays."""
        leaf, moved = self.book.leaf_id, self.moved
        self._take(data, signature)
        self.book.leaf_id, self.moved = leaf, moved

    def _take(self, data: bytes, signature: Signature, agents: tuple[str, ...] | None = None) -> None:
        head = read_header(self.path, data[:WITHIN], (self.head.agent,) if agents is None else agents)
        book = EntryStore(self.path, head.dialect, head.version, head.name)
        self._offset = book.read(data)
        self._is_shortened = len(data) != signature.size
        self._tail = data[max(0, self._offset - _TAIL) : self._offset]
        self.header = decode(data[head.offset : head.offset + head.length])
        self.head, self.book = head, book
        self._signature = signature

    def _settle(self, signature: Signature, line: bytes) -> None:
        self._signature = signature
        self._offset += len(line)
        self._tail = (self._tail + line)[-_TAIL:]


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
