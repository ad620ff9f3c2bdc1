"""Sessions: their rows and trees for the screen, and `SessionManager` for scripts and for everything that
writes.

The public names load when they are asked for: rows are needed before the first frame, the rest is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.sessions.errors import SessionError
    from app.sessions.manager.change import Change
    from app.sessions.manager.context import Context
    from app.sessions.manager.entry import Entry
    from app.sessions.manager.listing import SessionInfo
    from app.sessions.manager.manager import SessionManager
    from app.sessions.manager.nested_tree import TreeNode
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.storage.file_storage import FileStorage
    from app.sessions.storage.prompt_history import HistoryStorage
    from app.sessions.storage.storage import MemoryStorage, SessionStorage

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
    "BlobStore": "storage.blobs",
    "Change": "manager.change",
    "Context": "manager.context",
    "Entry": "manager.entry",
    "FileStorage": "storage.file_storage",
    "HistoryStorage": "storage.prompt_history",
    "MemoryStorage": "storage.storage",
    "SessionError": "errors",
    "SessionInfo": "manager.listing",
    "SessionManager": "manager.manager",
    "SessionStorage": "storage.storage",
    "TreeNode": "manager.nested_tree",
}

if not TYPE_CHECKING:  # a checker would take every name that is not there for one that is

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
