"""What can go wrong with a session, one class for each cause (formats/README.md, "Rules for every write").

Errors of asking are raised before a byte is written. `Damage` is what a file already has: it is collected in
`SessionManager.problems`, the rest of the file is read, and nothing is repaired behind its owner's back.
"""

from __future__ import annotations

import errno

from app.formats.errors import SessionError
from app.formats.header import NotASession
from app.sessions.tree.entry_loader import Changed

__all__ = [
    "AlreadyThere",
    "AmbiguousEntry",
    "BadEncoding",
    "BadValue",
    "Changed",
    "Damage",
    "DamagedLine",
    "DiskFull",
    "DuplicateId",
    "HeaderlessContinuation",
    "LiveSession",
    "LongLine",
    "NoFile",
    "NoPath",
    "NoTrash",
    "NotAFile",
    "NotAFolder",
    "NotASession",
    "NotThere",
    "NulBytes",
    "ParentLoop",
    "ReadOnly",
    "ReadOnlyFolder",
    "SessionError",
    "TornLine",
    "UnansweredCalls",
    "UnknownAgent",
    "UnknownEntry",
    "UnknownLabelTarget",
    "UnknownParent",
    "Unreadable",
    "WriteFailed",
]


class Unreadable(SessionError):
    """The file cannot be read; `reason` is the system's word for why."""


class NotThere(Unreadable):
    """There is no such file."""


class NotAFile(Unreadable):
    """A folder, a pipe or a socket stands where a session should be."""


class NoPath(Unreadable, ValueError):
    """No file system takes that for a path: there is a NUL in it, or half a character."""


class NoFile(SessionError, ValueError):
    """A session in memory has no file, and goes on in none."""


class UnknownAgent(SessionError, LookupError):
    """No agent has that name."""


class NotAFolder(SessionError):
    """The working folder of a new session is not there, or is none."""


class UnknownEntry(SessionError, LookupError):
    """No entry of the session has that id."""


class UnansweredCalls(SessionError):
    """The conversation would end in tool calls without results, and providers refuse such a conversation."""


class AmbiguousEntry(SessionError, LookupError):
    """Several entries have that id, so what is meant by it cannot be written down."""


class BadValue(SessionError, ValueError):
    """What was handed over has the wrong type, or is nothing that a session can hold."""


class ReadOnly(SessionError):
    """Sessions of this format are read only here; the agent's store says why (formats/README.md, "pi")."""


class LiveSession(SessionError):
    """A running agent has the session open, and would lose or break it by such a write
    (formats/README.md, "Writing beside a running agent").

    :param pid: the process, where it is known.
    :param sure: False where an agent only may have it open (formats/README.md, "Detecting a running agent").
    """

    def __init__(self, path: str, reason: str, pid: int | None, *, sure: bool = True) -> None:
        super().__init__(path, 0, reason)
        self.pid = pid
        self.sure = sure


class NoTrash(SessionError):
    """The system has no trash for what lies at that place, or it took nothing; nothing was moved."""


class WriteFailed(SessionError):
    """The system refused a write; the file is as it was. `code` is the errno, 0 where there is none."""

    def __init__(self, path: str, reason: str, code: int = 0) -> None:
        super().__init__(path, 0, reason)
        self.code = code


class ReadOnlyFolder(WriteFailed):
    """The folder or the file may not be written."""


class DiskFull(WriteFailed):
    """There is no room left, or no more is allowed."""


class AlreadyThere(WriteFailed):
    """A new file would take the place of one that is there."""


class HeaderlessContinuation(AlreadyThere):
    """An agent went on writing after its session was trashed. Its entries stand at the session's place, in a
    file without a header, which no agent opens.

    :param problem: why the entries cannot be appended to the session, "" if they can.
    """

    def __init__(self, path: str, reason: str, problem: str) -> None:
        super().__init__(path, reason, errno.EEXIST)
        self.problem = problem


class Damage(SessionError):
    """Something in the file that no agent would have written so."""


class DamagedLine(Damage):
    """A line that is no entry. It is skipped."""


class TornLine(Damage):
    """The unfinished last line. It may still be being written, and is closed before anything is appended."""


class NulBytes(Damage):
    """A line with NUL bytes, as a crash of the machine leaves them. It is skipped."""


class BadEncoding(Damage):
    """A line that is not UTF-8. It is read, with U+FFFD for what is not."""


class LongLine(Damage):
    """A line of more than `damage.LONG_LINE` bytes. It is read; an agent may have trouble with it."""


class DuplicateId(Damage):
    """An id that an entry before has already. Both are kept; the later one is found by the id."""


class UnknownParent(Damage):
    """An entry whose parent is nowhere in the file. It stands as a root."""


class ParentLoop(Damage):
    """Entries whose parents go round. The loop is cut at its earliest entry."""


class UnknownLabelTarget(Damage):
    """A label on an entry that is nowhere in the file."""
