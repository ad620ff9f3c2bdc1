"""leafmark as a library: `leafmark help library` has examples.

The build installs this file as the package `leafmark`. leafmark's own package is called `app`, as are those
of many projects: this one refuses to be imported where Python finds another `app`, and replaces none.

    open_index, Index, Row, Hit    all sessions: the list, and the search in them
    SessionManager, Entry          one session: to read, to write to, to branch and to fork
    redact, export                 texts and sessions to share
    discover, Store                the folders of sessions on this machine
    complete, vocabulary           what may be typed next in a query
    FileStorage, MemoryStorage, BlobStore
                                   where sessions and images of oh-my-pi are kept
    HistoryStorage, open_history   the prompts that were sent
    QueryError, SessionError       the errors

The other names are the types that their methods return.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

_OWN_FILE = "resume_command.py"
"""A file by which leafmark's own package is told from other packages called `app`."""


def _check_package() -> None:
    """:raises ImportError: `app` is another package than leafmark's own."""
    if "app" in sys.modules:
        place = getattr(sys.modules["app"], "__file__", None)
        folders = getattr(sys.modules["app"], "__path__", ())
    else:
        spec = find_spec("app")
        place = spec and spec.origin
        folders = (spec and spec.submodule_search_locations) or ()
    if not any(os.path.isfile(os.path.join(folder, _OWN_FILE)) for folder in folders):
        raise ImportError(
            f"leafmark needs its own package `app`, and Python has another one ({place or 'no file'}). "
            "Use an environment of its own for leafmark, or its command with --json (`leafmark help library`)"
        )


_check_package()

from app import paths, stores
from app.index.index import Index
from app.index.query.completion import Completion, Vocabulary, complete, vocabulary
from app.index.query.query import Note, QueryError
from app.index.row import Row
from app.index.scan.deltas import Delta
from app.index.search.hit_branch import Place
from app.index.search.results import Hit, Page
from app.index.search.search_run import Search
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
from app.setup import setup_from_process
from app.stores.base import Store

__all__ = [
    "BlobStore",
    "Change",
    "Completion",
    "Context",
    "Delta",
    "Entry",
    "FileStorage",
    "History",
    "HistoryRow",
    "HistoryStorage",
    "Hit",
    "Index",
    "MemoryStorage",
    "Note",
    "Page",
    "Place",
    "QueryError",
    "Row",
    "Search",
    "SessionError",
    "SessionInfo",
    "SessionManager",
    "SessionStorage",
    "Store",
    "TreeNode",
    "Vocabulary",
    "complete",
    "discover",
    "export",
    "open_history",
    "open_index",
    "redact",
    "vocabulary",
]


def open_index() -> Index:
    """Open leafmark's own index, and bring it up to date with the sessions of this machine.

    Use it in a `with` statement, or close it. The first time, all sessions are read.

    :raises OSError: the folder of the index or of leafmark's state cannot be used.
    """
    index = setup_from_process().open_index()
    index.scan()
    return index


def discover() -> list[Store]:
    """Return the stores of this machine: those of the agents, and those in leafmark's settings."""
    return setup_from_process().stores


def redact(text: str) -> str:
    """Return `text` without secrets, home folders and names of this user, as an export has it."""
    # Imported here, as in `export`: most scripts need no template engine.
    from app.export.to_file import redactor_for

    return redactor_for("", os.environ, paths.home_folder(os.environ)).text(text)


def export(path: str | os.PathLike[str], format: str = "html", *, redacted: bool | None = None) -> bytes:
    """Return the session at `path` as a document, in UTF-8.

    :param format: "html", "md", "json" or "jsonl", a format of `leafmark export --to`.
    :param redacted: replace secrets, home folders and user names; None for HTML and Markdown alone.
    :raises SessionError, OSError: it is no session, or cannot be read.
    :raises ValueError: `format` is unknown.
    """
    from app.export.choice import FORMATS, REDACTED, Choice
    from app.export.exporter import Surroundings, open_export
    from app.export.to_file import redactor_for

    if format not in FORMATS:
        raise ValueError(f"no such format: {format!r}")
    setup = setup_from_process()
    file = paths.absolute(os.path.expanduser(path))
    store = stores.store_holding(file, setup.stores)
    redactor = None
    if redacted or (redacted is None and format in REDACTED):
        redactor = redactor_for(file, setup.env, setup.home)
    surroundings = Surroundings(setup.stores, setup.agent_env, setup.home, setup.now_ms(), setup.prices)
    agents = store.agents if store else ()
    return b"".join(open_export(file, agents, format, Choice(), surroundings, redactor=redactor).pieces)
