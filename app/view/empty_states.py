"""What an empty list says: why, and which key shows more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import inert, one_line
from app.view.folders import tilde

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REASONS = {
    "here": "No sessions in this folder.",
    "named": "No session has a name here.",
    "agent": "No sessions of this program here.",
    "hidden": "Nothing but empty sessions and sub-agents here.",
}
_SHOWN = {
    "hidden": "that is not empty or a sub-agent's",
    "agent": "of this program",
    "named": "with a name",
    "here": "in this folder",
}
_WAYS_OUT = {
    "hidden": "shows empty sessions and sub-agents as well.",
    "agent": "goes on to the next program.",
    "named": "shows those without one as well.",
    "here": "looks in all folders.",
    "tools": "looks through tools as well.",
}


def nothing_found(places: Sequence[tuple[str, str, str]], home: str) -> list[str]:
    """What is said where there are no sessions at all: where it was looked, and what to do.

    :param places: (agents, folder, what is there) of each store.
    """
    lines = [
        "No sessions found.",
        "",
        "F6 opens example sessions in a throw-away folder.",
        "",
        "leafmark looked in:",
    ]
    for agents, folder, state in places:
        lines.append(f"{agents}: {inert(tilde(folder, home))}, {inert(state)}")
    return [*lines, "", "--store AGENT=FOLDER adds a folder."]


def nothing_shown(why: str, keys: Mapping[str, str]) -> list[str]:
    """What is said where there are sessions and none is shown, whatever is searched for.

    :param why: as `app.view.passing.why_nothing` says it.
    :param keys: for each reason why something is not shown the key that shows it as well, as people write it;
        none where no key does. "here" is among them only while this folder's sessions alone are shown.
    """
    if why not in _REASONS:
        return []
    if why == "here":
        return [_REASONS[why], *([f"{keys[why]} shows those of all folders."] if keys.get(why) else [])]
    # more folders may have what this one has not
    return [_REASONS[why], *_ways_out([why, "here"], keys)]


def searching_for(query: str) -> list[str]:
    """What is said where rows are to come: nobody knows yet what matches."""
    return [f"Searching for “{one_line(query, 60)}” …", "Esc drops the filter."]


def nothing_matches(
    query: str, left_out: Sequence[str], keys: Mapping[str, str], *, so_far: bool, leaves_tools: bool = False
) -> list[str]:
    """What is said where nothing of what is shown otherwise matches what is searched for.

    :param left_out: why what matches is not shown, as `app.view.passing.what_leaves_out` says it.
    :param keys: see `nothing_shown`; for "tools" the key that has them looked through as well.
    :param so_far: it is still being searched.
    :param leaves_tools: what tools were asked and gave back was not looked through, and can be.
    """
    which = " ".join(["No session", *(_SHOWN[why] for why in left_out), "matches"])
    said = f"{which} “{one_line(query, 60)}”{' so far' if so_far and not left_out else ''}."
    more = ["tools"] if leaves_tools and not so_far else []
    return [said, *_ways_out([*left_out, *more], keys), "Esc drops the filter."]


def _ways_out(reasons: Sequence[str], keys: Mapping[str, str]) -> list[str]:
    return [f"{keys[why]} {_WAYS_OUT[why]}" for why in reasons if keys.get(why)]
