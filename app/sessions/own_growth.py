"""What this process itself has added to session files: from that, nobody need conclude that an agent has the
file open (FORMATS 2.4).
"""

from __future__ import annotations

_INODE = 0x7FFF_FFFF_FFFF_FFFF
_grown: dict[str, tuple[int, int, int]] = {}
"""Path -> inode, and from which size to which our last writes, one right after the other, made it grow."""


def adding(path: str, inode: int, before: int, after: int) -> None:
    """Note a write of ours that is about to make the file at `path` grow from `before` bytes to `after`."""
    inode &= _INODE
    known, start, end = _grown.get(path, (inode, before, before))
    follows = known == inode and end == before
    _grown[path] = (inode, start if follows else before, after)


def is_ours(path: str, inode: int, before: int, after: int) -> bool:
    """Whether nobody else has made the file at `path` grow from `before` bytes to `after`."""
    known, start, end = _grown.get(path, (-1, 0, 0))
    return known == inode & _INODE and start <= before and after <= end
