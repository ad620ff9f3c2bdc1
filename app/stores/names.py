"""The names of sessions that an agent keeps in a file beside the sessions
(formats/README.md, "Files of Codex").

Each line of such a file is a JSON object with the `id` of a session and its `thread_name`; the last line of
an id counts. The agent appends to it, so its end may be unfinished.

A printed list loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.small_files import read_small
from app.stores.json_state import Damaged, parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.stores.base import Store

LONGEST = 1_000
"""Characters of a name; the rest is cut off."""

_NONE: Mapping[str, str] = {}
_read: dict[str, tuple[tuple[int, ...], Mapping[str, str]]] = {}
"""Path -> (signature, names) of the files that were read, because a file is looked at often and seldom
changes.
"""


def read_names(path: str) -> Mapping[str, str]:
    """The names of sessions by id; none from a file that is missing, too long or not readable. The result is
    the same object until the file changes.

    :param path: of the file (`Store.names`); "" for an agent without one.
    """
    if not path:
        return _NONE
    try:
        status = os.stat(path)
        signature = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    except (OSError, ValueError):  # ValueError: the path from a variable has a NUL
        return _NONE
    known = _read.get(path)
    if known is not None and known[0] == signature:
        return known[1]
    try:
        names = _names(read_small(path))
    except OSError:  # `doctor` has the reason
        names = _NONE
    # The status is from before the reading: a file that has grown since is read again.
    _read[path] = signature, names
    return names


def names_problem(path: str) -> str:
    """The reason why the file cannot be used; "" if it can, or does not exist."""
    try:
        read_small(path)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or str(error)
    return ""


def name_of(store: Store, names: Mapping[str, str], path: str) -> str:
    """The name of the session at `path`, which `store` lists; "" for none.

    :param names: the result of `read_names` for the store.
    """
    return names.get(store.agent.session_id(os.path.basename(path)), "") if names else ""


def _names(data: bytes) -> Mapping[str, str]:
    """The names in the lines; a line that cannot be read, or has other values than strings, is skipped."""
    names = {}
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            content = parse_json(line)
        except Damaged:
            continue
        if isinstance(content, dict):
            session_id, name = content.get("id"), content.get("thread_name")
            if isinstance(session_id, str) and isinstance(name, str):
                names[session_id] = name[:LONGEST]
    return names
