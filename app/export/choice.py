"""The options of an export, and the entries that they select."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from app.sessions.errors import AmbiguousEntry, UnknownEntry

_Entry = TypeVar("_Entry")

HTML, MARKDOWN, JSON, JSONL = "html", "md", "json", "jsonl"
FORMATS = (HTML, MARKDOWN, JSON, JSONL)
FULL, SHORT, NONE = "full", "short", "none"
TOOLS = (FULL, SHORT, NONE)


class Choice(NamedTuple):
    """The options of an export.

    :param entry: an entry's id, or the beginning of one: export the path to it; "" for the leaf.
    :param branch: likewise: export the path to the newest end below it.
    :param all_branches: export every branch.
    :param thinking: with thinking.
    :param tools: `FULL`, `SHORT` for the first lines of what tools gave back, or `NONE`.
    :param images: with images.
    :param labelled: export only the turns with a label.
    """

    entry: str = ""
    branch: str = ""
    all_branches: bool = False
    thinking: bool = True
    tools: str = FULL
    images: bool = False
    labelled: bool = False


REDACTED = frozenset((HTML, MARKDOWN))
"""The formats that are redacted unless the user wants it otherwise."""


class Order(NamedTuple):
    """The parts of a session that are exported.

    :param format: one of the formats of `export.choice`.
    :param choice: the options.
    :param redacts: replace secrets, home folders and user names.
    :param target: the agent that a session file is made for; of `session_lines.TARGETS`.
    """

    format: str
    choice: Choice
    redacts: bool
    target: str = "pi"


def find_id(named: str, ids: Mapping[str, object] | Iterable[str], path: str) -> str:
    """The id that `named` stands for: `named` itself, else the only id that begins so.

    :param path: of the session, for the errors.
    :raises UnknownEntry: there is none.
    :raises AmbiguousEntry: there are several.
    """
    matches = set()
    for each in ids:
        if each == named:
            return named
        if named and each.startswith(named):
            matches.add(each)
    if len(matches) > 1:
        first = ", ".join(sorted(matches)[:3])
        more = f" and {len(matches) - 3:,} more" if len(matches) > 3 else ""
        raise AmbiguousEntry(path, 0, f"{named!r} names {len(matches):,} entries: {first}{more}")
    if not matches:
        raise UnknownEntry(path, 0, f"there is no entry {named!r}")
    return matches.pop()


def newest_end(
    entry: _Entry, children: Callable[[_Entry], Sequence[_Entry]], index: Callable[[_Entry], int]
) -> _Entry:
    """The newest end of a branch through `entry`: the last in the file of those below it without children."""
    newest = entry
    waiting = [entry]
    seen: set[int] = set()
    while waiting:
        entry = waiting.pop()
        if index(entry) in seen:  # parents of a damaged file go round
            continue
        seen.add(index(entry))
        below = children(entry)
        waiting.extend(below)
        if not below and index(entry) >= index(newest):
            newest = entry
    return newest
