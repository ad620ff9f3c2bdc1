"""What an empty list says: why, and which key shows more (PARITY 4.1, "empty")."""

from __future__ import annotations

from app.formats.text import inert, one_line
from app.view.folders import tilde

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_REASONS = {
    "here": ("No sessions in this folder.", "shows those of all folders."),
    "named": ("No session has a name here.", "shows those without one as well."),
    "agent": ("No sessions of this program here.", "goes on to the next program."),
    "hidden": ("Nothing but empty sessions and sub-agents here.", "shows them."),
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


def nothing_shown(why: str, query: str, key: str) -> list[str]:
    """What is said where there are sessions and none is shown.

    :param why: as `SessionList.empty` says it.
    :param query: what is searched for.
    :param key: the key that shows more, as people write it; "" where none does.
    """
    if why == "query":
        elsewhere = [f"{key} looks in all folders."] if key else []
        return [f"No session matches “{one_line(query, 60)}”.", *elsewhere, "Esc drops the filter."]
    if why not in _REASONS:
        return []
    reason, way_out = _REASONS[why]
    return [reason, f"{key} {way_out}"] if key else [reason]
