"""What is found in the file of a session."""

from __future__ import annotations

from typing import NamedTuple

SHOWN = 50
"""Of so many sessions that match the best place is worked out at once: who asks shows few at a time. It takes
as long as to look through a file that lacks it all.
"""


class Spot(NamedTuple):
    """A piece where terms are.

    :param offset: where its line begins in the file; `part` which entry of the line it is from, for lanes.
    :param mask: which of `Plan.wanted` it has.
    :param tool: whose call or result it is.
    :param nth: so many pieces of its kind stand before it in its line.
    """

    kind: int
    offset: int
    part: int
    mask: int
    tool: str
    nth: int = 0


class Verdict(NamedTuple):
    """What is found in a file.

    :param matches: all that is wanted is there, and nothing that is not.
    :param mask: all of `Plan.wanted` but, where it lacks any of them, those that were not found.
    :param best: the best place, where it was asked for; None where it does not match or only by what was
        known before.
    :param spots: all places in the order of the file, where they were asked for.
    """

    matches: bool
    mask: int = 0
    best: Spot | None = None
    spots: tuple[Spot, ...] = ()
