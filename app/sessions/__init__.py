"""Sessions: their rows and trees for the screen, and `SessionManager` for scripts and for all code that
writes.

The public names load when they are first used: the first frame needs only the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.sessions.errors import SessionError as SessionError
    from app.sessions.manager.change import Change as Change
    from app.sessions.manager.context import Context as Context
    from app.sessions.manager.entry_store import Entry as Entry
    from app.sessions.manager.listing import SessionInfo as SessionInfo
    from app.sessions.manager.nested_tree import TreeNode as TreeNode
    from app.sessions.manager.session_manager import SessionManager as SessionManager
    from app.sessions.storage.blobs import BlobStore as BlobStore
    from app.sessions.storage.file_storage import FileStorage as FileStorage
    from app.sessions.storage.prompt_history import History as History
    from app.sessions.storage.prompt_history import HistoryRow as HistoryRow
    from app.sessions.storage.prompt_history import HistoryStorage as HistoryStorage
    from app.sessions.storage.prompt_history import open_history as open_history
    from app.sessions.storage.session_storage import MemoryStorage as MemoryStorage
    from app.sessions.storage.session_storage import SessionStorage as SessionStorage

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
    __all__ = [*_MODULES]

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # Imported here: each name of the library loads only the modules that it needs.
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
