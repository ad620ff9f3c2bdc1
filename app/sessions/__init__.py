"""Sessions: their rows and trees for the screen, and `SessionManager` for scripts and for everything that
writes.

The public names load when they are asked for: rows are needed before the first frame, the rest is not.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.sessions.manager import SessionManager as SessionManager

_HOMES = {
    "BlobStore": "blobs",
    "Change": "change",
    "Context": "context",
    "Entry": "entry",
    "FileStorage": "file_storage",
    "HistoryStorage": "history",
    "MemoryStorage": "storage",
    "SessionError": "errors",
    "SessionInfo": "listing",
    "SessionManager": "manager",
    "SessionStorage": "storage",
    "TreeNode": "tree_nodes",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
