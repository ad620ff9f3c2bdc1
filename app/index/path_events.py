"""Turns events about paths into hints: the files to check, and whether all files have to be checked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from app.stores.base import Store


class Hints:
    """The changes that a watch has noticed. Hints may be wrong: they only say what to check.

    paths   session files that may be new, changed or removed
    walk    folders may be new or removed, so that a walk is needed to find the changed files
    count   the number of events
    """

    __slots__ = ("count", "paths", "walk")

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.walk = False
        self.count = 0


def hints_of(paths: Iterable[str], stores: Sequence[Store], known: Container[str]) -> Hints:
    """Return the hints for changed paths.

    :param known: the paths of the known session files.
    """
    hints = Hints()
    for path in paths:
        hints.count += 1
        if path in known:
            hints.paths.add(path)
        elif "\ufffd" in path:
            # The watcher has replaced bytes that are not UTF-8, so that the real name is unknown.
            hints.walk = True
        else:
            for store in stores:
                _add_unknown(path, store, known, hints)
    return hints


def _add_unknown(path: str, store: Store, known: Container[str], hints: Hints) -> None:
    """Add the hint of an unknown path for one store. Paths below the folders of the store give none."""
    folder = os.path.dirname(path)
    if path == store.root:
        hints.walk = True
    elif folder == store.root:
        if not os.path.isdir(path) and path.endswith(store.suffixes):
            hints.paths.add(path)
        elif os.path.isdir(path) or not os.path.lexists(path):
            # The folder is new, or a folder was removed: a walk finds the files that were in it.
            hints.walk = True
    elif os.path.dirname(folder) == store.root and path.endswith(store.suffixes):
        if any(folder + suffix in known for suffix in store.suffixes):
            return  # the folder has the artifacts of the session beside it
        if os.path.islink(folder):
            # Only a walk decides which name of a linked folder is used.
            hints.walk = True
        else:
            hints.paths.add(path)
