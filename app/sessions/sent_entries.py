"""The entries of a path that the agent sends to the model (formats/README.md, "Context")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.formats.dialects.base import Dialect
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree

MESSAGE_TYPES = frozenset(("message", "custom_message", "branch_summary"))
"""The types of entries that add messages to the context."""
_CUTS = ("compaction", "reset_boundary")


class PathEntry(Protocol):
    """An entry of a path: its type and its id."""

    @property
    def type(self) -> str: ...

    @property
    def id(self) -> str | None: ...


Entry = TypeVar("Entry", bound=PathEntry)


@dataclass(frozen=True, slots=True)
class SentEntries(Generic[Entry]):
    """The entries that the context keeps, and the compaction that replaces the others; None for none."""

    entries: Sequence[Entry]
    compaction: Entry | None = None


def sent_entries(
    path: Sequence[Entry],
    dialect: Dialect,
    fields: Callable[[Entry], Mapping[str, Any]],
    is_system: Callable[[Entry], bool],
) -> SentEntries[Entry]:
    """The entries of a path that the context keeps. The last compaction or reset of the path decides.

    :param fields: gives an entry with the fields of pi's version 3; only called for that compaction.
    :param is_system: whether an entry is a system message; a compaction has these itself.
    """
    last = dict.fromkeys(_CUTS, -1)
    for index, entry in enumerate(path):
        if entry.type in last:
            last[entry.type] = index
    at = last["compaction"]
    if last["reset_boundary"] > at:
        return SentEntries(path[last["reset_boundary"] + 1 :])
    if at < 0:
        return SentEntries(path)
    compaction = fields(path[at])
    if isinstance(ids := compaction.get("keptEntryIds"), list):
        # Claude Code names each line that it keeps.
        named = set(ids)
        before = [entry for entry in path[:at] if (entry.id or "").partition("#")[0] in named]
    else:
        start = dialect.first_kept(dict(compaction), [entry.id or "" for entry in path[:at]])
        before = [entry for entry in path[start:at] if not is_system(entry)]
    return SentEntries([*before, *path[at + 1 :]], path[at])


@dataclass(frozen=True, slots=True)
class Cut:
    """A compaction or a reset on a path.

    entry   it
    unsent  the number of messages above it that the agent does not send to the model any more
    sent    the number of messages above it that it still sends
    """

    entry: Node
    unsent: int
    sent: int


def cuts_of(tree: SessionTree, path: Sequence[Node]) -> list[Cut]:
    """The compactions and resets of a path of a tree, in order.

    :raises Changed: the file is no longer the one that was opened.
    :raises OSError: it cannot be read.
    """
    if not any(node.type in _CUTS for node in path):
        return []
    kept = sent_entries(path, tree.dialect, tree.read_compaction, lambda node: node.role == "system")
    sent = {node.index for node in kept.entries}
    cuts = []
    above = still = 0
    for node in path:
        if node.type in _CUTS:
            cuts.append(Cut(node, above - still, still))
        is_message = node.type in MESSAGE_TYPES
        above += is_message or node.type == "compaction"
        still += is_message and node.index in sent
    return cuts
