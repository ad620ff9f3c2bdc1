"""The sessions that one goes on from without repeating them (formats/README.md, "Files of Codex")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from app.sessions.errors import SessionError
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.formats.dialects.base import Dialect


class BasePart(NamedTuple):
    """The file of such a session, and the lines at its beginning that count."""

    path: str
    lines: bytes


def base_parts(
    path: str, agent: str, dialect: Dialect, data: bytes, read: Callable[[str], bytes]
) -> tuple[list[BasePart], str]:
    """The sessions that the one at `path` goes on from, the oldest first, and the id of one that is not here;
    "" if all are.

    :param data: the beginning of its file.
    :param read: returns the bytes of a file; raises OSError or SessionError.
    """
    parts: list[BasePart] = []
    seen = {os.path.realpath(path)}
    while (base := dialect.base(data)) is not None:
        found = agent_named(agent).base_path(path, base.session_id)
        if not found or os.path.realpath(found) in seen:
            return parts[::-1], base.session_id
        seen.add(os.path.realpath(found))
        try:
            data = read(found)
        except (OSError, SessionError):
            return parts[::-1], base.session_id
        parts.append(BasePart(found, dialect.base_lines(data, base)))
    return parts[::-1], ""
