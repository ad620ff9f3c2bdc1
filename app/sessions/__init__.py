"""Sessions: their rows and trees for the screen, and `SessionManager` for scripts and for all code that
writes.

The public names load when they are first used: the first frame needs only the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.sessions.errors import SessionError
    from app.sessions.manager.change import Change
    from app.sessions.manager.context import Context
    from app.sessions.manager.entry_store import Entry
    from app.sessions.manager.listing import SessionInfo
    from app.sessions.manager.nested_tree import TreeNode
    from app.sessions.manager.session_manager import SessionManager
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.storage.file_storage import FileStorage
    from app.sessions.storage.prompt_history import History, HistoryRow, HistoryStorage, open_history
    from app.sessions.storage.session_storage import MemoryStorage, SessionStorage

__all__ = [
    "BlobStore",
    "Change",
    "Context",
    "Entry",
    "FileStorage",
    "History",
    "HistoryRow",
    "HistoryStorage",
    "MemoryStorage",
    "SessionError",
    "SessionInfo",
    "SessionManager",
    "SessionStorage",
    "TreeNode",
    "open_history",
]

_MODULES = {
    "BlobStore": "storage.blobs",
    "Change": "manager.change",
    "Context": "manager.context",
    "Entry": "manager.entry_store",
    "FileStorage": "storage.file_storage",
    "History": "storage.prompt_history",
    "HistoryRow": "storage.prompt_history",
    "HistoryStorage": "storage.prompt_history",
    "MemoryStorage": "storage.session_storage",
    "SessionError": "errors",
    "SessionInfo": "manager.listing",
    "SessionManager": "manager.session_manager",
    "SessionStorage": "storage.session_storage",
    "TreeNode": "manager.nested_tree",
    "open_history": "storage.prompt_history",
}

if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept every missing name

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # Imported here: each name of the library loads only the modules that it needs.
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
