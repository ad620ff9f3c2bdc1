"""Sessions: their rows and trees for the screen, and `SessionManager` for scripts and for all code that
writes.

The public names load when they are first used: the first frame needs only the rows.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "errors": (
            "AlreadyThere AmbiguousEntry AmbiguousSession BadEncoding BadValue Changed DamagedLine "
            "DiskFull DuplicateId HeaderlessContinuation LiveSession LongLine NoFile NoPath NoTrash "
            "NotAFile NotAFolder NotASession NotThere NulBytes ParentLoop ReadOnly ReadOnlyFolder "
            "SessionError TornLine UnansweredCalls UnknownAgent UnknownEntry UnknownLabelTarget "
            "UnknownParent Unreadable WriteFailed"
        ),
        "manager.change": "Change",
        "manager.context": "Context",
        "manager.entry_store": "Entry EntryStore",
        "manager.listing": "SessionInfo",
        "manager.navigation": "Target target_of",
        "manager.nested_tree": "TreeNode",
        "manager.session_manager": "SessionManager",
        "parent_links": "deepest_leaf",
        "storage.blobs": "BlobStore",
        "storage.file_storage": "FileStorage",
        "storage.prompt_history": "History HistoryError HistoryRow HistoryStorage open_history",
        "storage.session_storage": "MemoryStorage SessionStorage",
        "summaries.quick_summary": "quick_summary",
        "summaries.summarise": "extend summarise",
        "summary": (
            "ABORTED DONE FAILED FROM_NAME FROM_NOTHING FROM_PROMPT FROM_TEXT INTERRUPTED NO_MESSAGES "
            "NO_PROMPT Summary WAITING"
        ),
        "tree.branches": "Branches",
        "tree.node": "Node",
        "tree.path_reader": "open_path",
        "tree.tree": "SessionTree open_end open_tree shared_tree",
        "tree.tree_text": "TreeText",
    },
)
