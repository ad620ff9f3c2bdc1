"""How the session list is shown: which sessions, in which order, how much of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

SCOPES = ("all", "here")
ORDERS = ("threaded", "recent", "relevance")

_FIELDS = (
    "scope",
    "order",
    "grouped",
    "named_only",
    "agent",
    "hidden",
    "pinned_first",
    "roomy",
    "paths",
)
_LOOKS = ("roomy", "paths")


class Arrangement:
    """One way to show the sessions; it does not change, `changed` makes another.

    scope         ``all`` folders, or ``here``: sessions of this folder alone
    order         ``threaded``: forks under their parents, the threads by the newest activity in them;
                  ``recent``: by the session's own activity; ``relevance``: in the order of the search while
                  a query is on, else as ``recent``
    grouped       by project under heads that fold; else one list over all projects
    named_only    sessions that a user gave a name; one of blanks is none
    agent         sessions of this agent alone; "" for all
    hidden        sub-agent sessions and empty ones are shown as well
    pinned_first  inside each group, or over all without groups; a thread with a pinned session counts. The
                  order of a search by relevance has no pins.
    roomy         a second line for each session, with its last prompt
    paths         a second line for each session, with the path of its file and nothing else
    """

    __slots__ = _FIELDS

    def __init__(
        self,
        *,
        scope: str = "all",
        order: str = "threaded",
        grouped: bool = True,
        named_only: bool = False,
        agent: str = "",
        hidden: bool = False,
        pinned_first: bool = True,
        roomy: bool = False,
        paths: bool = False,
    ) -> None:
        self.scope = scope
        self.order = order
        self.grouped = grouped
        self.named_only = named_only
        self.agent = agent
        self.hidden = hidden
        self.pinned_first = pinned_first
        self.roomy = roomy
        self.paths = paths

    def changed(self, **fields: Any) -> Arrangement:
        """Another arrangement, with these fields. TypeError for a field that there is not."""
        return Arrangement(**{name: getattr(self, name) for name in _FIELDS} | fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arrangement) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return "Arrangement(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in _FIELDS) + ")"

    def _values(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in _FIELDS])

    def lists_like(self, other: Arrangement) -> bool:
        """Whether both list the same sessions in the same order, however they look."""
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS if name not in _LOOKS)

    @property
    def row_height(self) -> int:
        """Lines that each row takes."""
        return 2 if self.roomy or self.paths else 1

    @property
    def narrows(self) -> bool:
        """Whether it leaves out sessions that are counted as being there."""
        return self.named_only or bool(self.agent)

    def titles(self, *, tools: bool = False) -> tuple[str, ...]:
        """What stands in the upper border of the list that is shown so: the whole, then ways to say it where
        there is less room (`app.view.cells.fitting`).

        What leaves sessions out comes first, then what else is not as it mostly is; of that, words go last,
        and from the end. Scope and order are said where they are as usual, too, as long as there is room.

        :param tools: what tools were asked and gave back is searched as well.
        """
        special = ["named only"] if self.named_only else []
        special += filter(None, [self.agent])
        special += ["this folder"] if self.scope == "here" else []
        special += ["tools as well"] if tools else []
        special += [self.order] if self.order != ORDERS[0] else []
        special += ["with hidden ones"] if self.hidden else []
        usual = ["all folders"] if self.scope != "here" else []
        usual += [self.order] if self.order == ORDERS[0] else []
        said = ["sessions", *special]
        ways = [[*said, *usual[:much]] for much in range(len(usual), -1, -1)]
        return tuple(" · ".join(way) for way in [*ways, special or said])


def turned(arrangement: Arrangement, what: str, agents: Sequence[str] = ()) -> Arrangement:
    """The arrangement with the next value of one field; after the last comes the first.

    :param what: the field.
    :param agents: those that there are, where that is ``agent``: after the last come all of them.
    """
    if what == "scope":
        ring: Sequence[Any] = SCOPES
    elif what == "order":
        ring = ORDERS
    elif what == "agent":
        ring = ("", *agents)
    else:
        ring = (False, True)
    now = getattr(arrangement, what)
    at = ring.index(now) if now in ring else -1
    return arrangement.changed(**{what: ring[(at + 1) % len(ring)]})


def remembered(arrangement: Arrangement) -> dict[str, str]:
    """What of it the next run begins with, for `app.paths.write_screen`; `initial` takes it."""
    return {name: "yes" if getattr(arrangement, name) else "no" for name in _LOOKS}


def initial(last: Mapping[str, str], *, selects: bool = False) -> Arrangement:
    """The arrangement that a run begins with.

    :param last: what is remembered of the last run (`app.paths.read_screen`).
    :param selects: it is the selector's: this folder in one list, as in pi; the browser has all of them.
    """
    begun = Arrangement(scope="here" if selects else "all", grouped=not selects)
    return begun.changed(**{name: last.get(name) == "yes" for name in _LOOKS})
