"""The leaf of a transcript that names none (formats/README.md, "indusagi")."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def deepest(shape: Sequence[tuple[str | None, str | None]]) -> str | None:
    """The id at the end of the longest chain of parents, the largest of several
    (formats/README.md, "indusagi").

    `shape` is (id, parent id) of every entry. No recursion; a loop counts each of its entries once.
    """
    parents = {entry_id: parent for entry_id, parent in shape if entry_id is not None}
    depths: dict[str, int] = {}
    for start in parents:
        chain: list[str] = []
        met: set[str] = set()
        at: str | None = start
        while at is not None and at in parents and at not in depths and at not in met:
            chain.append(at)
            met.add(at)
            at = parents[at]
        depth = depths.get(at, 0) if at is not None else 0
        for entry_id in reversed(chain):
            depth += 1
            depths[entry_id] = depth
    return max(depths, key=lambda entry_id: (depths[entry_id], entry_id), default=None)
