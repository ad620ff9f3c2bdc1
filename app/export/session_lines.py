"""A path or a tree as a session file of its own, for pi or for oh-my-pi."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.export.choice import Choice
from app.export.context_json import chosen_end, without_images
from app.formats.dialects import dialect_named
from app.formats.json_codec import decode
from app.formats.timestamps import iso, parse_time
from app.sessions.handoff.handover import Handover, encoded, leaf_of

if TYPE_CHECKING:
    from app.redact import Redactor
    from app.sessions.manager.session_manager import SessionManager
    from app.sessions.storage.blobs import BlobStore

TARGETS = ("pi", "omp")
"""The agents that a session can be exported for."""


def session_lines(
    manager: SessionManager,
    choice: Choice,
    agent: str,
    now_ms: int,
    redactor: Redactor | None,
    blobs: BlobStore | None,
) -> Iterator[bytes]:
    """The lines of the session file, newlines included. The session keeps its id, its time and its folder;
    the session that it was forked from is not named.

    :param agent: of `TARGETS`.
    :param now_ms: the time of entries that the session does not have, milliseconds since the epoch.
    :param redactor: redacts everything, and leaves images out unless `choice` has them; None for nothing.
    :param blobs: where the session's agent keeps images; None if it keeps them in the session.
    :raises UnknownEntry, AmbiguousEntry: of an id in `choice`.
    """
    writing = dialect_named(agent).writing
    assert writing is not None
    end = None if choice.all_branches else chosen_end(manager, choice)
    leaf = leaf_of(manager) if end is None else manager.get_entry(end)
    handover = Handover(manager, agent, leaf, path_only=not choice.all_branches, blobs=blobs, now_ms=now_ms)
    created = parse_time(manager.header.get("timestamp"))
    header = writing.new_header(
        manager.session_id,
        iso(now_ms if created is None else created),
        manager.header_cwd or manager.cwd,
        None,
        manager.session_name,
    )
    if redactor is not None:
        redactor.at("header")
        header = redactor.value(header)
    yield writing.head_lines(header, now_ms)
    for number, entry in enumerate(handover.entries(), 1):
        if redactor is None:
            yield (entry.line or encoded(entry.raw)) + b"\n"
            continue
        redactor.at(f"line {number + 1}")
        raw = decode(entry.line) if entry.line else entry.raw
        yield encoded(redactor.value(raw if choice.images else without_images(raw))) + b"\n"
