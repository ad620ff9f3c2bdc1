"""Sessions: their rows and trees for the screen, and `SessionManager` for scripts and for all code that
writes.

The public names load when they are first used: the first frame needs only the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.lazy_names import lazy_names

if TYPE_CHECKING:
    from app.sessions.errors import AlreadyThere as AlreadyThere
    from app.sessions.errors import AmbiguousEntry as AmbiguousEntry
    from app.sessions.errors import AmbiguousSession as AmbiguousSession
    from app.sessions.errors import BadEncoding as BadEncoding
    from app.sessions.errors import BadValue as BadValue
    from app.sessions.errors import Changed as Changed
    from app.sessions.errors import DamagedLine as DamagedLine
    from app.sessions.errors import DiskFull as DiskFull
    from app.sessions.errors import DuplicateId as DuplicateId
    from app.sessions.errors import HeaderlessContinuation as HeaderlessContinuation
    from app.sessions.errors import LiveSession as LiveSession
    from app.sessions.errors import LongLine as LongLine
    from app.sessions.errors import NoFile as NoFile
    from app.sessions.errors import NoPath as NoPath
    from app.sessions.errors import NotAFile as NotAFile
    from app.sessions.errors import NotAFolder as NotAFolder
    from app.sessions.errors import NotASession as NotASession
    from app.sessions.errors import NoTrash as NoTrash
    from app.sessions.errors import NotThere as NotThere
    from app.sessions.errors import NulBytes as NulBytes
    from app.sessions.errors import ParentLoop as ParentLoop
    from app.sessions.errors import ReadOnly as ReadOnly
    from app.sessions.errors import ReadOnlyFolder as ReadOnlyFolder
    from app.sessions.errors import SessionError as SessionError
    from app.sessions.errors import TornLine as TornLine
    from app.sessions.errors import UnansweredCalls as UnansweredCalls
    from app.sessions.errors import UnknownAgent as UnknownAgent
    from app.sessions.errors import UnknownEntry as UnknownEntry
    from app.sessions.errors import UnknownLabelTarget as UnknownLabelTarget
    from app.sessions.errors import UnknownParent as UnknownParent
    from app.sessions.errors import Unreadable as Unreadable
    from app.sessions.errors import WriteFailed as WriteFailed
    from app.sessions.manager.change import Change as Change
    from app.sessions.manager.context import Context as Context
    from app.sessions.manager.entry_store import Entry as Entry
    from app.sessions.manager.entry_store import EntryStore as EntryStore
    from app.sessions.manager.listing import SessionInfo as SessionInfo
    from app.sessions.manager.navigation import Target as Target
    from app.sessions.manager.navigation import target_of as target_of
    from app.sessions.manager.nested_tree import TreeNode as TreeNode
    from app.sessions.manager.session_manager import SessionManager as SessionManager
    from app.sessions.parent_links import deepest_leaf as deepest_leaf
    from app.sessions.storage.blobs import BlobStore as BlobStore
    from app.sessions.storage.file_storage import FileStorage as FileStorage
    from app.sessions.storage.prompt_history import History as History
    from app.sessions.storage.prompt_history import HistoryError as HistoryError
    from app.sessions.storage.prompt_history import HistoryRow as HistoryRow
    from app.sessions.storage.prompt_history import HistoryStorage as HistoryStorage
    from app.sessions.storage.prompt_history import open_history as open_history
    from app.sessions.storage.session_storage import MemoryStorage as MemoryStorage
    from app.sessions.storage.session_storage import SessionStorage as SessionStorage
    from app.sessions.summaries.quick_summary import quick_summary as quick_summary
    from app.sessions.summaries.summarise import extend as extend
    from app.sessions.summaries.summarise import summarise as summarise
    from app.sessions.summary import ABORTED as ABORTED
    from app.sessions.summary import DONE as DONE
    from app.sessions.summary import FAILED as FAILED
    from app.sessions.summary import FROM_NAME as FROM_NAME
    from app.sessions.summary import FROM_NOTHING as FROM_NOTHING
    from app.sessions.summary import FROM_PROMPT as FROM_PROMPT
    from app.sessions.summary import FROM_TEXT as FROM_TEXT
    from app.sessions.summary import INTERRUPTED as INTERRUPTED
    from app.sessions.summary import NO_MESSAGES as NO_MESSAGES
    from app.sessions.summary import NO_PROMPT as NO_PROMPT
    from app.sessions.summary import WAITING as WAITING
    from app.sessions.summary import Summary as Summary
    from app.sessions.tree.branches import Branches as Branches
    from app.sessions.tree.node import Node as Node
    from app.sessions.tree.path_reader import open_path as open_path
    from app.sessions.tree.tree import SessionTree as SessionTree
    from app.sessions.tree.tree import open_end as open_end
    from app.sessions.tree.tree import open_tree as open_tree
    from app.sessions.tree.tree import shared_tree as shared_tree
    from app.sessions.tree.tree_text import TreeText as TreeText

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
