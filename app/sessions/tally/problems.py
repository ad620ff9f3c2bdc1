"""Every line of a file that is skipped, or why the whole file is refused; for `leafmark doctor`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.formats.header import Fault, NotASession, find_header
from app.formats.lines import feed_lines, open_file
from app.sessions.tally.summarise import feed_unfinished, why
from app.sessions.tally.tally import SummaryBuilder

if TYPE_CHECKING:
    from collections.abc import Sequence

Problem = Fault
"""A line (from 1; None for the whole file), its offset in bytes, the reason, and whether it is the torn last
line, which is told but not counted in `Summary.problems`: it may still be being written."""


def problems(path: str, agents: Sequence[str] = ()) -> list[Problem]:
    """Read the file at `path` again and list what is wrong with it, in file order.

    Raises nothing: a file that cannot be read is itself the one problem.
    """
    found: list[Problem] = []
    try:
        descriptor = open_file(path)
    except OSError as error:
        return [Problem(None, 0, why(error))]
    try:
        _list(path, descriptor, agents, found)
    except NotASession as refusal:
        found.append(Problem(refusal.line or None, 0, refusal.reason))
    except OSError as error:
        found.append(Problem(None, 0, why(error)))
    finally:
        os.close(descriptor)
    return found


def _list(path: str, descriptor: int, agents: Sequence[str], found: list[Problem]) -> None:
    tally = SummaryBuilder(find_header(path, descriptor, agents), found.append)
    offset, unfinished = feed_lines(descriptor, tally.feed)
    if unfinished and not feed_unfinished(tally, unfinished, offset):
        reason = "the last line is unfinished; it may still be being written"
        found.append(Problem(tally.sums.lines + 1, offset, reason, torn=True))
