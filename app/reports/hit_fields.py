"""The fields of a hit in the output of `leafmark search`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from app.formats.timestamps import iso
from app.index.search.hit_branch import Place
from app.index.search.results import Hit
from app.reports.fields import Field
from app.reports.row_fields import ROW_FIELDS, Listed

Locator = Callable[[Hit], Place]


class FoundHit(NamedTuple):
    """A hit of a search.

    :param now_ms: the time of the search, in milliseconds since the epoch.
    :param place: gives the branch of a hit.
    """

    hit: Hit
    now_ms: int
    place: Locator


def _of_session(field: Field[Listed]) -> Field[FoundHit]:
    return Field(field.name, field.help, lambda item: field.of(Listed(item.hit.row, item.now_ms)))


def place_notes(place: Place) -> list[str]:
    """The branch of a hit that is not on the active path; none for a hit that is."""
    if place.on_active_path is not False:
        return []
    number = [f"branch {place.branch} of {place.branches}"] if place.branch and place.branches > 1 else []
    return [*number, "not on the active path"]


def _notes(item: FoundHit) -> str:
    notes = place_notes(item.place(item.hit))
    return ", ".join(["other spelling", *notes] if item.hit.near else notes)


HIT_FIELDS: tuple[Field[FoundHit], ...] = (
    *map(_of_session, ROW_FIELDS),
    Field("entry_id", "id of the entry", lambda item: item.hit.entry_id),
    Field("role", "user, assistant, name, folder and so on", lambda item: hit_role(item.hit)),
    Field("snippet", "one line around the hit", lambda item: item.hit.snippet),
    Field(
        "timestamp",
        "time of the entry",
        lambda item: None if item.hit.timestamp is None else iso(item.hit.timestamp),
    ),
    Field("place", "branch, if it is not the active path; other spelling, if it is one", _notes),
)
HIT_PIPE = ("id", "modified", "agent", "title", "entry_id", "role", "place", "snippet")
"""The fields of `leafmark search` in a pipe."""


def hit_role(hit: Hit) -> str | None:
    """The role of a hit in a report: the speaker, or the field of the session that matched, for example
    "name"; None for a session that is a hit as a whole.
    """
    return hit.role or (None if hit.where == "row" else hit.where)


def hit_document(hit: Hit, place: Locator) -> dict[str, Any]:
    """The JSON object of a hit in `leafmark search --json`."""
    return {
        "agent": hit.row.agent,
        "session_id": hit.row.id,
        "path": hit.path,
        "title": hit.row.title,
        "entry_id": hit.entry_id,
        "role": hit_role(hit),
        "snippet": hit.snippet,
        "on_active_path": place(hit).on_active_path,
        "timestamp": None if hit.timestamp is None else iso(hit.timestamp),
    }
