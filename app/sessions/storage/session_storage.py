"""The interface to the bytes of sessions, and an implementation in memory
(formats/README.md, "Writing").

Everything that leafmark writes to a session goes through the five writes of `SessionStorage`: one line at
the end, a new file, a rewrite of the whole file, the title slot in place, and another path. `tidy` clears up
after writes that were killed.
"""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple, Protocol

from app.sessions.errors import AlreadyThere, Changed, NoPath, NotThere

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

AnyPath = str | os.PathLike[str]
"""A path as callers have it; a `pathlib.Path` will do."""


def path_text(path: AnyPath) -> str:
    """Return `path` as text that a file system can hold.

    :raises NoPath: it contains a NUL character or half a character.
    """
    path = os.fspath(path)
    try:
        if b"\0" not in os.fsencode(path):
            return path
        reason = "is no path: there is a NUL in it"
    except UnicodeEncodeError:
        reason = "is no path: there is half a character in it"
    raise NoPath(path, 0, reason)


class Signature(NamedTuple):
    """Tells whether a file is still the one that was read."""

    device: int
    inode: int
    size: int
    mtime_ns: int


class SessionStorage(Protocol):
    """The operations of a storage for sessions. All paths are absolute."""

    def read(self, path: str, start: int = 0) -> tuple[bytes, Signature]:
        """Return the bytes from the offset `start` on, and the signature of the file at that moment.

        The bytes are fewer than the size says if most of a long run of NUL bytes is left out.

        :raises Unreadable: the file cannot be read; NotThere and NotAFile say why.
        """

    def large(self, path: str) -> AbstractContextManager[int | None]:
        """The descriptor of the file, if it is too large to be read into memory; None if it is not.

        :raises Unreadable: the file cannot be opened.
        """

    def signature(self, path: str) -> Signature | None:
        """Return the signature of the file now; None if there is no file."""

    def append(self, path: str, line: bytes, expected: Signature, *, keep_time: bool = False) -> Signature:
        """Write `line`, newline included, after the last whole line, in one write.

        :param expected: the signature of the file when it was read.
        :param keep_time: keep the file's modification time (formats/README.md, "Rules for every write").
        :return: the new signature, as for the other writes.
        :raises Unreadable: there is no file.
        :raises Changed: the file is not `expected` any more; nothing was written.
        :raises LiveSession: another process has written half of the last line, and does not finish it.
        :raises WriteFailed: the system refused; the file is as it was.
        """

    def create(self, path: str, data: bytes) -> Signature:
        """Make the file with all of `data` in one step, and its folder if that is missing.

        :raises AlreadyThere: there is one; it is unchanged.
        :raises WriteFailed: the system refused; there is no file.
        """

    def replace(
        self, path: str, data: bytes, expected: Signature, lock: AbstractContextManager[None] | None = None
    ) -> Signature:
        """Replace the whole content of the file by `data` in one step; its mode stays.

        A line that another process appends meanwhile stands after `data`.

        :param lock: the lock of the agent's own programs, which is held for the step; None for none.
        :return: the signature of the file with `data` alone.
        :raises Unreadable: there is no file.
        :raises Changed: the file is not `expected` any more.
        :raises LiveSession: another process has it open or locked, or is writing its last line.
        :raises WriteFailed: the system refused; the file is as it was.
        """

    def overwrite(self, path: str, data: bytes, expected: Signature, line: bytes = b"") -> Signature:
        """Write `data` over the first bytes of the file, and `line` after its last one: both or neither.

        :param line: newline included; empty for none, and the file's size stays.
        :raises Unreadable: there is no file.
        :raises Changed: the file is not `expected` any more.
        :raises LiveSession: as `append`; not raised without a `line`.
        :raises WriteFailed: the system refused; the file is as it was.
        """

    def rename(
        self, path: str, target: str, expected: Signature, lock: AbstractContextManager[None] | None = None
    ) -> Signature:
        """Give the file the path `target` on the same file system, where nothing may be. The folder of
        `target` is made if it is missing.

        A second name that a killed call has left at `target` is taken over.

        :param lock: as for `replace`.
        :raises Unreadable: there is no file.
        :raises Changed: the file is not `expected` any more.
        :raises AlreadyThere: something else is at `target`; it is unchanged.
        :raises LiveSession: as `replace`.
        :raises WriteFailed: the system refused; the file is where it was.
        """

    def tidy(self, path: str, lock: AbstractContextManager[None] | None = None) -> None:
        """Clear up after killed writes in the folder of the session at `path`, which is about to be written.

        Lines that another process wrote to the file while it was replaced are appended to the session.
        Temporary copies older than an hour are removed, and so is an abandoned `lock`.
        """


class MemoryStorage:
    """Files that exist only in this process: for tests, and for sessions that are not kept."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._clock = 0
        self._stamps: dict[str, int] = {}

    def read(self, path: str, start: int = 0) -> tuple[bytes, Signature]:
        """As `SessionStorage.read`."""
        signature = self.signature(path)
        if signature is None:
            raise NotThere(path, 0, "no such file")
        return self.files[path][start:], signature

    def large(self, path: str) -> AbstractContextManager[int | None]:
        """As `SessionStorage.large`: none is."""
        return nullcontext()

    def signature(self, path: str) -> Signature | None:
        """As `SessionStorage.signature`."""
        data = self.files.get(path)
        return None if data is None else Signature(0, hash(path), len(data), self._stamps.get(path, 0))

    def append(self, path: str, line: bytes, expected: Signature, *, keep_time: bool = False) -> Signature:
        """As `SessionStorage.append`."""
        data = self._expect(path, expected)
        if data and not data.endswith(b"\n"):
            data += b"\n"
        return self._put(path, data + line, keep_time=keep_time)

    def create(self, path: str, data: bytes) -> Signature:
        """As `SessionStorage.create`."""
        if path in self.files:
            raise AlreadyThere(path, "is there already", errno.EEXIST)
        return self._put(path, data)

    def replace(
        self, path: str, data: bytes, expected: Signature, lock: AbstractContextManager[None] | None = None
    ) -> Signature:
        """As `SessionStorage.replace`."""
        self._expect(path, expected)
        return self._put(path, data)

    def overwrite(self, path: str, data: bytes, expected: Signature, line: bytes = b"") -> Signature:
        """As `SessionStorage.overwrite`."""
        before = self._expect(path, expected)
        return self._put(path, data + before[len(data) :] + line)

    def rename(
        self, path: str, target: str, expected: Signature, lock: AbstractContextManager[None] | None = None
    ) -> Signature:
        """As `SessionStorage.rename`."""
        data = self._expect(path, expected)
        if target in self.files:
            raise AlreadyThere(target, "is there already", errno.EEXIST)
        del self.files[path]
        return self._put(target, data)

    def tidy(self, path: str, lock: AbstractContextManager[None] | None = None) -> None:
        """As `SessionStorage.tidy`: writes to memory leave nothing behind."""

    def _expect(self, path: str, expected: Signature) -> bytes:
        if self.signature(path) != expected:
            raise Changed(path)
        return self.files[path]

    def _put(self, path: str, data: bytes, *, keep_time: bool = False) -> Signature:
        self.files[path] = data
        if not keep_time:
            self._clock += 1
            self._stamps[path] = self._clock
        signature = self.signature(path)
        assert signature is not None
        return signature
