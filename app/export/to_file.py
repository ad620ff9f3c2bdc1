"""A session exported to a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from app.export.choice import Order
from app.export.exporter import Surroundings, open_export
from app.export.file_name import file_name
from app.export.output_file import Target
from app.formats.errors import Cancelled
from app.redact import Personal, Redactor, user_in


class Exported(NamedTuple):
    """A session that was exported.

    path      of the file
    size      of the file in bytes
    replaced  the number of secrets that were replaced; None if nothing was redacted
    problems  what of the session cannot be read, one line each
    """

    path: str
    size: int
    replaced: int | None
    problems: tuple[str, ...]


def redactor_for(path: str, env: Mapping[str, str], home: str) -> Redactor:
    """The redactor for the session at `path`: it also replaces the names of this user.

    :param env: the environment of the user, with the names.
    :param home: the home folder.
    """
    names = {env.get("USER", ""), env.get("LOGNAME", ""), os.path.basename(home), user_in(path)}
    return Redactor(Personal(home, names))


def private_name(title: str, agent: str, session_id: str, format: str, redactor: Redactor) -> str:
    """The name of the file of a session (`file_name`), without the secrets in its title.

    :param redactor: one of this session (`redactor_for`), which is not that of a document.
    """
    return file_name(redactor.cut_line(title), agent, session_id, format)


def export_to_file(
    path: str,
    agents: tuple[str, ...],
    order: Order,
    surroundings: Surroundings,
    target: Target,
    redactor: Redactor | None,
    keep_going: Callable[[], bool] = lambda: True,
) -> Exported:
    """Export the session at `path`. If that fails, there is no file.

    :param agents: the agents in whose store it is; empty if that is not known.
    :param target: the file, in an existing folder.
    :param redactor: redacts everything; None for nothing.
    :param keep_going: asked between the pieces of the document.
    :raises Cancelled: `keep_going` said no.
    :raises FileExistsError: the target is there, and is not to be replaced.
    :raises SessionError: it is no session, or has no such entry.
    :raises OSError: it cannot be read, or the file cannot be written.
    """
    target.check()
    export = open_export(
        path, agents, order.format, order.choice, surroundings, redactor=redactor, target=order.target
    )
    with target.opened() as file:
        for piece in export.pieces:
            if not keep_going():
                raise Cancelled
            file.write(piece)
        size = file.tell()
    replaced = None if redactor is None else len(redactor.replacements)
    return Exported(target.path, size, replaced, tuple(export.problems))
