"""What events about paths mean for a store: which files to look at, and when to look at everything."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from app.stores.base import Store


class Hints:
    """What a watch has noticed. Hints may be wrong: they only say where to look.

    paths   session files that may have changed, come or gone
    walk    folders have come or gone: only a walk tells what that means
    count   how many events there were
    """

    __slots__ = ("count", "paths", "walk")

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.walk = False
        self.count = 0


def hints_of(paths: Iterable[str], stores: Sequence[Store], known: Container[str]) -> Hints:
    """Sort changed paths by what they mean.

    :param known: the paths of the session files we know of.
    """
    hints = Hints()
    for path in paths:
        hints.count += 1
        if path in known:
            hints.paths.add(path)
        elif "\ufffd" in path:
            # A name that is no text was made one on the way here.
            hints.walk = True
        else:
            for store in stores:
                _place(path, store, known, hints)
    return hints


def _place(path: str, store: Store, known: Container[str], hints: Hints) -> None:
    """What an unknown path means for one store; files deeper than its sub-folders mean nothing."""
    folder = os.path.dirname(path)
    if path == store.root:
        hints.walk = True
    elif folder == store.root:
        if not os.path.isdir(path) and path.endswith(store.suffixes):
            hints.paths.add(path)
        elif os.path.isdir(path) or not os.path.lexists(path):
            # A folder came, or one may have gone: only a walk can tell what was in it.
            hints.walk = True
    elif os.path.dirname(folder) == store.root and path.endswith(store.suffixes):
        if any(folder + suffix in known for suffix in store.suffixes):
            return  # artifacts of the session beside the folder
        if os.path.islink(folder):
            # Which of a folder's names counts, only a walk decides.
            hints.walk = True
        else:
            hints.paths.add(path)
