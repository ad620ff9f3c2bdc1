"""Lists each line of a file that is skipped, or the reason why the whole file is refused, for `leafmark
doctor`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.formats.header import Fault, NotASession, find_header
from app.formats.lines import feed_lines, open_file
from app.sessions.summaries.summarise import feed_unfinished, read_error
from app.sessions.summaries.summary_builder import SummaryBuilder

if TYPE_CHECKING:
    from collections.abc import Sequence

Problem = Fault
"""A line (from 1; None for the whole file), its offset in bytes, the reason, and whether it is the torn last
line. A torn line is listed, but `Summary.problems` does not count it: the agent may still be writing it."""


def problems(path: str, agents: Sequence[str] = ()) -> list[Problem]:
    """Read the file at `path` again and list what is wrong with it, in file order.

    Raises nothing: a file that cannot be read is itself the one problem.
    """
    found: list[Problem] = []
    try:
        descriptor = open_file(path)
    except OSError as error:
        return [Problem(None, 0, read_error(error))]
    try:
        _list(path, descriptor, agents, found)
    except NotASession as refusal:
        found.append(Problem(refusal.line or None, 0, refusal.reason))
    except OSError as error:
        found.append(Problem(None, 0, read_error(error)))
    finally:
        os.close(descriptor)
    return found


def _list(path: str, descriptor: int, agents: Sequence[str], found: list[Problem]) -> None:
    builder = SummaryBuilder(find_header(path, descriptor, agents), found.append)
    offset, unfinished = feed_lines(descriptor, builder.feed)
    if unfinished and not feed_unfinished(builder, unfinished, offset):
        reason = "the last line is unfinished; it may still be being written"
        found.append(Problem(builder.totals.lines + 1, offset, reason, torn=True))
