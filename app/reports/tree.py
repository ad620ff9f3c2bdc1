"""``leafmark tree``: one session's tree, drawn or as JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.formats.one_line import one_line_of
from app.formats.stamps import iso
from app.formats.text import one_line
from app.index.index import Index
from app.reports.find import Ambiguous, NotFound, find_session
from app.reports.output import columns, complain, write_json, write_text
from app.sessions.tree import NotASession, open_tree
from app.stores.layout import reason
from app.view.folders import tilde
from app.view.line import plain
from app.view.tree_row import ASCII, UNICODE, render_tree_row
from app.view.tree_view import TreeView

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from app.sessions.tree import SessionTree
    from app.setup import Setup

SCHEMA = 1
UNBOUNDED = 10_000


def run(options: argparse.Namespace, setup: Setup) -> int:
    """Print the tree of the session that was named."""
    path = options.session
    try:
        path, agents = _place(options.session, setup)
        tree = open_tree(path, agents)
    except NotFound as error:
        complain(str(error))
        return 1
    except Ambiguous as error:
        complain(str(error))
        return 2
    except NotASession as error:
        complain(one_line(str(error), 1_000))
        return 3
    except OSError as error:
        complain(f"{one_line(path, 1_000)}: {reason(error)}")
        return 3
    if options.json:
        write_json(as_json(tree))
    else:
        write_text(
            "".join(line + "\n" for line in drawn(tree, setup.home, columns(), ascii_only=options.ascii))
        )
    return 0


def _place(named: str, setup: Setup) -> tuple[str, tuple[str, ...]]:
    """The path of the session, and the agents of the store that it lies in."""
    index = Index(setup.stores, setup.cache_folder)
    try:
        index.scan()
        row = find_session(named, index.rows())
        return row.path, (row.agent,)
    except NotFound:
        if os.path.exists(named):
            return os.path.abspath(named), ()
        raise
    finally:
        index.close()


def drawn(tree: SessionTree, home: str, cells: int | None, *, ascii_only: bool) -> Iterator[str]:
    """The tree as lines of text, the active path marked by a character.

    :param cells: the width to fit to; None for lines that are not cut.
    """
    view = TreeView(tree)
    glyphs = ASCII if ascii_only else UNICODE
    head = [
        one_line(tree.name or "", 200) or _first_prompt(tree),
        one_line(tree.header.agent),
        one_line(tree.header.id, 200),
        tilde(tree.header.cwd, home),
    ]
    yield _spelled("  ".join(part for part in head if part), ascii_only)
    leaf = view.leaf_row()
    for at in range(view.count):
        row = view.row(at)
        line = render_tree_row(
            row,
            cells or UNBOUNDED,
            selected=False,
            active=row.node.index in view.active,
            leaf=at == leaf,
            glyphs=glyphs,
        )
        yield _spelled(plain(line).rstrip(), ascii_only)
    hidden = len(tree.entries) - view.shown
    if hidden:
        yield f"  (not drawn: {hidden:,} of bookkeeping or of tool calls alone; --json has them)"
    for fault in tree.problems:
        place = f"line {fault.line}: " if fault.line else ""
        yield _spelled(f"  ! {place}{one_line(fault.reason)}", ascii_only)


def _first_prompt(tree: SessionTree) -> str:
    """What stands for a session without a name."""
    prompts = (node.preview for node in tree.entries if node.role == "user" and node.preview.strip())
    return one_line(next(prompts, ""), 200)


def _spelled(text: str, ascii_only: bool) -> str:
    return text.encode("ascii", "replace").decode() if ascii_only else text


def as_json(tree: SessionTree) -> dict[str, Any]:
    """The tree as a flat list in file order: parents are named by id, so that no depth is too deep."""
    active = {node.index for node in tree.active_path()}
    header = tree.header
    return {
        "schema": SCHEMA,
        "session": {
            "agent": header.agent,
            "id": header.id,
            "path": tree.path,
            "cwd": header.cwd,
            "name": tree.name,
            "version": header.version,
            "parent_session": header.parent_session,
            "created": None if header.created_ms is None else iso(header.created_ms),
        },
        "leaf_id": tree.leaf.id if tree.leaf else None,
        "entries": [
            {
                "id": node.id,
                "parent_id": node.parent.id if node.parent else None,
                "named_parent_id": node.parent_id,
                "type": node.type,
                "role": node.role,
                "timestamp": None if node.timestamp is None else iso(node.timestamp),
                "line": node.line,
                "text": _text(node),
                "label": node.label,
                "on_active_path": node.index in active,
                "children": len(node.children),
                "orphan": node.orphan,
                "loop": node.loop,
                "duplicate": node.duplicate,
            }
            for node in tree.entries
        ],
        "problems": [
            {"line": fault.line, "offset": fault.offset, "reason": fault.reason} for fault in tree.problems
        ],
    }


def _text(node: Any) -> str:
    said = one_line_of(node)
    return (said.prefix + said.text).strip()
