"""Sessions: their rows and trees for the screen, and `SessionManager` for scripts and for everything that
writes.

The public names load when they are asked for: rows are needed before the first frame, the rest is not.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.sessions.blobs import BlobStore
    from app.sessions.change import Change
    from app.sessions.context import Context
    from app.sessions.entry import Entry
    from app.sessions.errors import SessionError
    from app.sessions.file_storage import FileStorage
    from app.sessions.history import HistoryStorage
    from app.sessions.listing import SessionInfo
    from app.sessions.manager import SessionManager
    from app.sessions.storage import MemoryStorage, SessionStorage
    from app.sessions.tree_nodes import TreeNode

__all__ = [
    "BlobStore",
    "Change",
    "Context",
    "Entry",
    "FileStorage",
    "HistoryStorage",
    "MemoryStorage",
    "SessionError",
    "SessionInfo",
    "SessionManager",
    "SessionStorage",
    "TreeNode",
]

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

if not TYPE_CHECKING:  # a checker would take every name that is not there for one that is

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
