"""Which session files there are now, and in which state (DESIGN, "How data flows", 1).

On the fast path: only directory entries are read here, never contents.
"""

from __future__ import annotations

import os
import stat
import time

from app.index.row import signature_of
from app.stores.layout import reason, session_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.row import Signature
    from app.stores.base import Store
    from app.stores.layout import Complaint

# A walk beside the screen lets go of the interpreter after so many files (TEXTUAL 4).
_CHUNK = 200
_BREATH_SECONDS = 0.002


class Found:
    """What a walk found.

    files        path -> (signature, the store that lists it); the first of the stores that do
    complaints   (path, reason) of what was passed over, folders that could not be read among them
    """

    __slots__ = ("complaints", "files")

    def __init__(self) -> None:
        self.files: dict[str, tuple[Signature, Store]] = {}
        self.complaints: list[Complaint] = []

    def gone(self, paths: Iterable[str]) -> list[str]:
        """Those of `paths` that were not found and are really no more.

        A file below a folder that cannot be read at the moment is not: nothing vanishes from the list because
        a disk or a right is away for a while.
        """
        unread = {path for path, _ in self.complaints}
        return [
            path
            for path in paths
            if path not in self.files and not (_touches(path, unread) and _may_be_there(path))
        ]


def walk(stores: Sequence[Store], gentle: bool = False) -> Found:
    """Look at every file of the stores. Raises nothing.

    :param gentle: let other threads go first now and then; for walks beside the screen.
    """
    found = Found()
    files = found.files
    for store in stores:
        try:
            for path, status in session_files(store, found.complaints):
                if path not in files:
                    files[path] = (signature_of(status), store)
                    if gentle and len(files) % _CHUNK == 0:
                        time.sleep(_BREATH_SECONDS)
        except OSError as error:
            # The root vanished in the middle of the walk.
            found.complaints.append((store.root, reason(error)))
        except ValueError:
            # A variable gave a path that cannot be one (a NUL in it); it holds nothing.
            found.complaints.append((store.root, "not a path"))
    return found


def store_of(path: str, stores: Sequence[Store]) -> Store | None:
    """The store that would list a session file at `path`, judged by its place and name alone."""
    folder = os.path.dirname(path)
    for store in stores:
        if path.endswith(store.suffixes) and store.root in (folder, os.path.dirname(folder)):
            return store
    return None


def _touches(path: str, unread: set[str]) -> bool:
    """True when `path` or a folder above it is among `unread`."""
    while unread:
        if path in unread:
            return True
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return False


def _may_be_there(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
