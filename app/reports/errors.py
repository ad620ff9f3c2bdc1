"""Errors about a session that a command names: what is printed, and the exit code."""

from __future__ import annotations

from app.formats.text import one_line
from app.index.resolve import Ambiguous, NotFound
from app.options import FAILED, NOT_FOUND, WRONG_USE
from app.reports.output import complain, write_error
from app.sessions.errors import AmbiguousEntry, NotAFolder, NotThere, UnknownEntry
from app.view.cells import pad, width
from app.view.formatting import age, short_id


def exit_code(error: Exception) -> int:
    """The exit code of a command that an error stopped: there is no such session or entry, the name means
    several or is none, or it was refused or failed.
    """
    if isinstance(error, NotFound | NotThere | UnknownEntry):
        return NOT_FOUND
    return WRONG_USE if isinstance(error, Ambiguous | AmbiguousEntry | NotAFolder) else FAILED


SHOWN_CANDIDATES = 5
"""Sessions that are listed of those that an ambiguous name fits."""


def ambiguity_lines(error: Ambiguous, now_ms: int) -> list[str]:
    """The sessions that an ambiguous name fits: a line with their number, then a line for each of the newest
    ones with its short id, age, agent and title, or with its path if several have the same id.
    """
    newest = sorted(error.candidates, key=lambda each: (-each.at_ms, each.path))[:SHOWN_CANDIDATES]
    ids = [one_line(short_id(each.id)) for each in newest]
    if len(set(ids)) < len(ids):
        ids = [one_line(each.id, 100) for each in newest]
    cells = max(map(width, ids), default=0)
    lines = [f"{one_line(str(error), 200)}:"]
    for each, text in zip(newest, ids, strict=True):
        title = one_line(each.title, 60)
        if ids.count(text) > 1:
            title = one_line(each.path, 4_000)
        lines.append(f"  {pad(text, cells)}  {age(each.at_ms, now_ms):>4}  {each.agent:<8}  {title}".rstrip())
    more = len(error.candidates) - len(newest)
    if more:
        lines.append(f"  and {more:,} more")
    return lines


def complain_of(error: Exception, now_ms: int) -> None:
    """Print an error on standard error: one line, and the candidates of an ambiguous name below it."""
    if isinstance(error, Ambiguous):
        write_error("leafmark: " + "".join(f"{line}\n" for line in ambiguity_lines(error, now_ms)))
    else:
        complain(str(error))
