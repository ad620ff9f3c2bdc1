"""The errors of sessions, one class for each cause (formats/README.md, "Rules for every write").

Errors of a call are raised before a byte is written. `Damage` is a problem that a file has already: it is
collected in `SessionManager.problems`, the rest of the file is read, and nothing is repaired unasked.
"""

from __future__ import annotations

import errno

from app.formats.errors import NotASession as NotASession
from app.formats.errors import SessionError as SessionError


class Changed(SessionError):
    """A file is no longer what it was when it was opened."""

    def __init__(self, path: str) -> None:
        super().__init__(path, 0, "was changed by another program")


class Unreadable(SessionError):
    """The file cannot be read; `reason` is the system's message."""


class NotThere(Unreadable):
    """There is no such file."""


class NotAFile(Unreadable):
    """The path leads to a folder, a pipe or a socket, not to a session."""


class NoPath(Unreadable, ValueError):
    """The text is not a valid path: it contains a NUL character or half a character."""


class NoFile(SessionError, ValueError):
    """A session in memory has no file, and cannot continue with one."""


class UnknownAgent(SessionError, LookupError):
    """No agent has that name."""


class NotAFolder(SessionError):
    """The working folder of a new session is missing, or is no folder."""


class UnknownEntry(SessionError, LookupError):
    """No entry of the session has that id."""


class UnansweredCalls(SessionError):
    """The conversation would end in tool calls without results, and providers refuse such a conversation."""


class AmbiguousEntry(SessionError, LookupError):
    """Several entries have that id, so that a reference to one of them would be ambiguous."""


class AmbiguousSession(SessionError, LookupError):
    """Several sessions have an id that begins so."""


class BadValue(SessionError, ValueError):
    """The value has the wrong type, or a session cannot hold it."""


class ReadOnly(SessionError):
    """Sessions of this format are only read here; the agent's store says why
    (formats/README.md, "For a new format").
    """


class LiveSession(SessionError):
    """A running agent has the session open, and the write would lose entries or break the session
    (formats/README.md, "Writing beside a running agent").

    :param pid: the process, if it is known.
    :param sure: False if an agent only may have it open (formats/README.md, "Detecting a running agent").
    """

    def __init__(self, path: str, reason: str, pid: int | None, *, sure: bool = True) -> None:
        super().__init__(path, 0, reason)
        self.pid = pid
        self.sure = sure


class NoTrash(SessionError):
    """The system has no trash for files at that place, or the trash took nothing; nothing was moved."""


class WriteFailed(SessionError):
    """The system refused a write; the file is as it was. `code` is the errno, 0 for none."""

    def __init__(self, path: str, reason: str, code: int = 0) -> None:
        super().__init__(path, 0, reason)
        self.code = code


class ReadOnlyFolder(WriteFailed):
    """The folder or the file is read-only for this user."""


class DiskFull(WriteFailed):
    """The disk is full, or the user's quota or the limit for a file is reached."""


class AlreadyThere(WriteFailed):
    """A new file would replace an existing one."""


class HeaderlessContinuation(WriteFailed):
    """An agent continued to write after its session was trashed. Its entries are at the session's path, in a
    file without a header, which no agent opens.

    :param problem: why the entries cannot be appended to the session, "" if they can.
    """

    def __init__(self, path: str, reason: str, problem: str) -> None:
        super().__init__(path, reason, errno.EEXIST)
        self.problem = problem


class Damage(SessionError):
    """A problem of a file that no agent would have written."""


class DamagedLine(Damage):
    """The line is no entry. It is skipped."""


class TornLine(Damage):
    """The last line is unfinished. A process may still be writing it; a newline ends it before an append."""


class NulBytes(Damage):
    """The line has NUL bytes, as a crash of the machine leaves them. It is skipped."""


class BadEncoding(Damage):
    """The line is not UTF-8. It is read, with U+FFFD for invalid bytes."""


class MissingBase(Damage):
    """The session goes on from another one, without repeating it, whose file is gone."""


class LongLine(Damage):
    """The line has more than `nested_tree.LONG_LINE` bytes. It is read; an agent may fail to read it."""


class DuplicateId(Damage):
    """An earlier entry has the same id. Both are kept; a lookup by the id returns the later one."""


class UnknownParent(Damage):
    """The parent of an entry is not in the file. The entry is shown as a root."""


class ParentLoop(Damage):
    """The parents of some entries form a loop. The loop is cut at its earliest entry."""


class UnknownLabelTarget(Damage):
    """A label names an entry that is not in the file."""
