"""The one family of errors about a session, so that a caller can catch them all and say where each is."""

from __future__ import annotations


class SessionError(Exception):
    """Something is wrong with a session or with what was asked of it.

    :param path: the session's file, "" where there is none.
    :param line: the line that shows it, counted from 1; 0 where no line is to blame.
    :param reason: one short sentence without the path.
    """

    def __init__(self, path: str, line: int, reason: str) -> None:
        where = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(where + reason)
        self.path = path
        self.line = line
        self.reason = reason


class NotASession(SessionError):
    """The file is not a session."""


class Cancelled(Exception):
    """The work was stopped because its result is no longer needed."""
