"""The fields of a session in the lists of the command line."""

from __future__ import annotations

from typing import NamedTuple

from app.formats.timestamps import iso
from app.index.row import Row, problem_count
from app.reports.fields import Field, session_fields
from app.stores.tags import NOTHING, Tagging
from app.view.formatting import age


class Listed(NamedTuple):
    """A session of a list.

    :param now_ms: the time of the list, in milliseconds since the epoch.
    :param state: "live", "maybe" or "idle".
    """

    row: Row
    now_ms: int
    state: str = "idle"
    tagging: Tagging = NOTHING


def _labels(item: Listed) -> str:
    return ", ".join([label for _, label in item.row.labels])


ROW_FIELDS: tuple[Field[Listed], ...] = (
    *session_fields(lambda item: item.row.id, lambda item: item.row),
    Field("name", "name that a user gave it", lambda item: item.row.name),
    Field("cwd", "folder that it works in", lambda item: item.row.cwd),
    Field("path", "its file", lambda item: item.row.path),
    Field("modified", "time of the newest message", lambda item: iso(item.row.modified)),
    Field("age", "age of the newest message, such as 3d", lambda item: age(item.row.modified, item.now_ms)),
    Field(
        "created",
        "time of its beginning",
        lambda item: None if item.row.created is None else iso(item.row.created),
    ),
    Field("messages", "number of messages", lambda item: item.row.message_count),
    Field("entries", "number of entries", lambda item: item.row.entry_count),
    Field("branches", "number of branches", lambda item: item.row.branch_count),
    Field(
        "labels",
        "labels, with commas between them",
        _labels,
    ),
    Field("models", "models that answered", lambda item: ", ".join(item.row.models)),
    Field("tokens", "tokens, cached ones too", lambda item: sum(item.row.tokens)),
    Field("cost", "cost in dollars", lambda item: f"{item.row.cost:.4f}"),
    Field("size", "bytes of the file", lambda item: item.row.size),
    Field("problems", "number of faults in the file", lambda item: problem_count(item.row, item.now_ms)),
)

LIST_FIELDS: tuple[Field[Listed], ...] = (
    *ROW_FIELDS,
    Field("state", "live, maybe or idle", lambda item: item.state),
    Field("tags", "tags, with blanks between them", lambda item: " ".join(item.tagging.tags)),
    Field("note", "note", lambda item: item.tagging.note),
)
LIST_PIPE = ("id", "modified", "agent", "messages", "title", "cwd")
"""The fields of `leafmark list` in a pipe."""
