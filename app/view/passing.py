"""Which sessions an arrangement lets into the list, whatever is searched for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import is_unseen
from app.index.row import is_empty, is_subagent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable

    from app.index.row import Row
    from app.view.arrangement import Arrangement

# where a session stands: nobody has looked; in another folder than this; hidden; there, but without a name or
# of another agent; in the list
UNKNOWN, OUT, HIDDEN, LEFT_OUT, SHOWN = range(5)


class Passing:
    """Tells of a session where it stands.

    :param here: the folders that count as this one.
    :param live: paths of the sessions that are open somewhere, or may be.
    """

    __slots__ = ("agent", "here", "hidden", "live", "named_only", "only_here")

    def __init__(self, arrangement: Arrangement, here: Container[str], live: Container[str]) -> None:
        self.only_here = arrangement.scope == "here"
        self.hidden = arrangement.hidden
        self.named_only = arrangement.named_only
        self.agent = arrangement.agent
        self.here = here
        self.live = live

    def standing(self, row: Row) -> int:
        """`OUT`, `HIDDEN`, `LEFT_OUT` or `SHOWN`; what is at least `LEFT_OUT` is counted as being there."""
        if self.only_here and row.cwd not in self.here:
            return OUT
        if not self.hidden and (
            (not row.message_count and self._is_empty(row)) or (row.parent_session and is_subagent(row))
        ):
            return HIDDEN
        if (self.agent and row.agent != self.agent) or (self.named_only and not is_named(row)):
            return LEFT_OUT
        return SHOWN

    def _is_empty(self, row: Row) -> bool:
        return is_empty(row) and row.path not in self.live


def is_named(row: Row) -> bool:
    """Whether a user has given the session a name that can be seen."""
    return not is_unseen(row.name or "")


def why_nothing(
    rows: Collection[Row], arrangement: Arrangement, here: Container[str], live: Container[str]
) -> str:
    """Why an arrangement shows none of these sessions: the first of its conditions that leaves nothing.

    :return: ``none`` (there are none), ``here`` (none in this folder), ``hidden`` (sub-agents and empty ones
        alone), ``agent`` (none of this agent), ``named`` (none with a name); "" when something is shown.
    """

    def any_passes(**fields: object) -> bool:
        return _any(Passing(arrangement.changed(**fields), here, live).standing, rows)

    if not rows:
        return "none"
    if not any_passes(hidden=True, agent="", named_only=False):
        return "here"
    if not any_passes(agent="", named_only=False):
        return "hidden"
    if not any_passes(named_only=False):
        return "agent"
    return "" if any_passes() else "named"


_CONDITIONS = {"hidden": "hidden", "agent": "agent", "named": "named_only", "here": "scope"}
_NONE = {"hidden": True, "agent": "", "named_only": False, "scope": "all"}


def what_leaves_out(
    rows: Iterable[Row], arrangement: Arrangement, here: Container[str], live: Container[str]
) -> tuple[str, ...]:
    """Which conditions of an arrangement stand between a user and these sessions, none of which it shows: of
    each session those that it does not meet; of the sessions, the one that meets most.

    :return: some of ``hidden``, ``agent``, ``named`` and ``here``, in this order; see `why_nothing`.
    """
    each = {
        why: Passing(arrangement.changed(**_NONE | {field: getattr(arrangement, field)}), here, live)
        for why, field in _CONDITIONS.items()
    }
    unmet = [tuple(why for why, passing in each.items() if passing.standing(row) != SHOWN) for row in rows]
    return min(filter(None, unmet), key=len, default=())


def _any(standing: Callable[[Row], int], rows: Iterable[Row]) -> bool:
    return any(standing(row) == SHOWN for row in rows)
