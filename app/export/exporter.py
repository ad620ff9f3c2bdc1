"""One session as a document of one of the formats."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from app.export.articles import Articles, Beginning
from app.export.choice import HTML, JSON, JSONL, Choice
from app.export.context_json import context_document, context_pieces
from app.export.html_page import html_page
from app.export.markdown_page import markdown_lines
from app.export.session_lines import session_lines
from app.formats.dialects import dialect_named
from app.formats.dialects.base import BASE_WITHIN
from app.formats.lines import opened, read_all, read_at
from app.formats.prices import LIST_PRICES, Prices
from app.sessions.bases import base_parts
from app.sessions.manager.session_manager import SessionManager
from app.sessions.storage.blobs import BlobStore, blobs_of
from app.sessions.summaries.quick_summary import quick_title
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from app.redact import Redactor
    from app.sessions.tree.tree import SessionTree
    from app.stores.base import Store

_TEXTS_IN_PIECE = 128


class Surroundings(NamedTuple):
    """The machine on which a session is exported.

    :param stores: the stores in which sessions are found.
    :param env: the environment by which agents find their files.
    :param home: the home folder.
    :param now_ms: milliseconds since the epoch.
    :param prices: those of tokens without a cost.
    """

    stores: Sequence[Store]
    env: Mapping[str, str]
    home: str
    now_ms: int
    prices: Prices = LIST_PRICES


class Export(NamedTuple):
    """A session that was opened to be exported.

    agent, session_id   of the session
    title               of the session; it may have secrets
    problems            what of the file cannot be read, one line each
    pieces              the document, piece by piece; once. It raises SessionError if the file was changed by
                        another program meanwhile, and OSError if it cannot be read
    """

    agent: str
    session_id: str
    title: str
    problems: Sequence[str]
    pieces: Iterator[bytes]


def open_export(
    path: str,
    agents: tuple[str, ...],
    format: str,
    choice: Choice,
    surroundings: Surroundings,
    *,
    redactor: Redactor | None = None,
    target: str = "pi",
) -> Export:
    """Open the session at `path` to export it.

    :param agents: the agents in whose store it is; empty if that is not known.
    :param format: one of the formats of `export.choice`.
    :param redactor: redacts everything; None for nothing.
    :param target: the agent that a session file is made for; of `session_lines.TARGETS`.
    :raises SessionError: it is no session, or has no such entry.
    :raises OSError: it cannot be read.
    """
    if format in (JSON, JSONL):
        manager = SessionManager.open(path, env=surroundings.env, agents=agents, new=False)
        if redactor is not None:
            redactor.add_user_of(manager.header_cwd)
        problems = [f"line {damage.line}: {damage.reason}" for damage in manager.problems]
        title = manager.session_name or quick_title(path, (manager.agent,))
        if format == JSON:
            pieces = context_pieces(context_document(manager, choice, redactor))
        else:
            blobs = _blobs(manager.agent, path, manager.cwd, surroundings)
            pieces = session_lines(manager, choice, target, surroundings.now_ms, redactor, blobs)
        return Export(manager.agent, manager.session_id, title, problems, pieces)
    tree = open_tree(path, agents)
    if redactor is not None:
        redactor.add_user_of(tree.header.cwd)
    blobs = _blobs(tree.header.agent, path, tree.header.cwd, surroundings) if choice.images else None
    beginnings, missing = _beginnings(tree)
    articles = Articles(tree, choice, redactor, blobs, surroundings.prices, beginnings)
    if missing:
        reason = f"it goes on from {missing}, which is not here: the messages before are missing"
        articles.problems.insert(0, reason)
    texts = html_page(articles) if format == HTML else markdown_lines(articles)
    return Export(tree.header.agent, tree.header.id, articles.title, articles.problems, _encoded(texts))


def _beginnings(tree: SessionTree) -> tuple[list[Beginning], str]:
    """The parts of other sessions that `tree` goes on from, and the id of one that is not here; "" if all
    are.
    """
    header = tree.header
    trees: dict[str, SessionTree] = {}

    def read(path: str) -> bytes:
        trees[path] = open_tree(path, (header.agent,))
        with opened(path) as descriptor:
            return read_all(descriptor, os.fstat(descriptor).st_size, 0)

    with opened(tree.path) as descriptor:
        head = read_at(descriptor, BASE_WITHIN, 0)
    parts, missing = base_parts(tree.path, header.agent, dialect_named(header.dialect), head, read)
    return [Beginning(trees[part.path], len(part.lines)) for part in parts], missing


def _encoded(texts: Iterator[str]) -> Iterator[bytes]:
    """The texts in pieces: a page has a quarter of a million texts of a few characters."""
    while batch := list(islice(texts, _TEXTS_IN_PIECE)):
        # A character that UTF-8 has not was replaced before.
        yield "".join(batch).encode("utf-8", "replace")


def _blobs(agent: str, path: str, cwd: str, surroundings: Surroundings) -> BlobStore | None:
    return blobs_of(agent, path, cwd, surroundings.stores, surroundings.env, surroundings.home)
