"""``leafmark tree``: one session's tree, drawn or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.formats.amounts import finite_int
from app.formats.prices import LIST_PRICES, Prices, Spending
from app.formats.text import one_line, visible_line
from app.formats.timestamps import iso
from app.index.resolve import Ambiguous, NotFound, current_rows, resolve
from app.index.subagents import NO_SUBAGENTS, SubagentTotals, subagent_totals
from app.options import Options
from app.reports.errors import complain_of, exit_code
from app.reports.fields import cost_fields
from app.reports.for_agent import OtherFolder, check_folder, check_options, write_quoted
from app.reports.output import (
    DIM,
    SCHEMA,
    columns,
    complain,
    painted,
    wants_ascii,
    wants_colour,
    write_json,
    write_lines,
)
from app.sessions.errors import SessionError, Unreadable
from app.sessions.summaries.quick_summary import quick_title
from app.sessions.tree.branches import spent_on
from app.sessions.tree.node import Node
from app.sessions.tree.tree import SessionTree, open_tree
from app.setup import Setup
from app.stores import agent_named
from app.stores.layout import reason
from app.view.cells import pad, shorten, width
from app.view.formatting import counted, tilde
from app.view.glyphs import ASCII, UNICODE
from app.view.line import Line, plain_text
from app.view.problems import is_damaged_line
from app.view.session_details import spending_text
from app.view.terminal import ascii_text
from app.view.tree_row import render_damaged_row, render_tree_row
from app.view.tree_view import ANEW, TreeView, begins_anew

if TYPE_CHECKING:
    from app.redact import Redactor

TOKENS = ("input", "output", "cache_read", "cache_write")
UNBOUNDED = 10_000
"""Cells of a line that is not cut."""


def run(options: Options, setup: Setup) -> int:
    """Print the tree of a session."""
    check_options(options)
    try:
        tree = open_session_tree(options.session, setup)
        if options.for_agent:
            check_folder(tree.header.cwd, setup.here, options)
    except (NotFound, Ambiguous, SessionError, OtherFolder) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    subagents = NO_SUBAGENTS if options.for_agent else _subagents_of(tree, setup)
    if options.for_agent:
        # Imported here: the rules for secrets are a tenth of the time of `leafmark show`.
        from app.redact import Redactor

        write_quoted(draw(tree, setup.home, None, ascii_only=options.ascii, redactor=Redactor()))
    elif options.json:
        write_json(as_json(tree, subagents, setup.prices))
    else:
        ascii_only = options.ascii or wants_ascii(setup.env)
        colour = wants_colour(setup.env)
        cells = _width(setup.env)
        shown = draw(
            tree,
            setup.home,
            cells,
            ascii_only=ascii_only,
            colour=colour,
            subagents=subagents,
            prices=setup.prices,
        )
        write_lines(shown)
    return 0


def _subagents_of(tree: SessionTree, setup: Setup) -> SubagentTotals:
    header = tree.header
    is_listed = agent_named(header.agent).lists_subagents
    rows = current_rows(setup.stores, setup.cache_folder, None) if is_listed else ()
    return subagent_totals(tree.path, header.agent, header.id, setup.stores, rows, setup.prices)


def _spent(tree: SessionTree, prices: Prices) -> tuple[list[int], Spending]:
    """The tokens and the cost of a session itself."""
    total, cost = spent_on(tree.entries, prices)
    return [finite_int(number) for number in total[:4]], cost


def _width(env: Mapping[str, str]) -> int | None:
    """The width to fit to: that of the terminal, and in a pipe COLUMNS; None for lines that are not cut."""
    return columns() or (int(env["COLUMNS"]) or None if env.get("COLUMNS", "").isdecimal() else None)


def draw(
    tree: SessionTree,
    home: str,
    cells: int | None,
    *,
    ascii_only: bool,
    colour: bool = False,
    redactor: Redactor | None = None,
    subagents: SubagentTotals = NO_SUBAGENTS,
    prices: Prices = LIST_PRICES,
) -> Iterator[str]:
    """The tree as lines of text, the active path marked by a character. Each row begins with the short id of
    its entry.

    :param cells: the width to fit to; None for lines that are not cut.
    :param colour: draw the ids dim.
    :param subagents: the totals of the sub-agents of the session.
    :param prices: those of tokens without a cost.
    :param redactor: replaces secrets before a text is cut: half a secret cannot be recognised.
    """
    view = TreeView(tree)
    tree.read_rows(tree.entries, redactor)
    clean = str if redactor is None else redactor.text
    glyphs = ASCII if ascii_only else UNICODE
    head = [
        visible_line(clean(tree.name or ""), 200)
        # A title may be cut already.
        or (redactor is None and visible_line(title_of(tree), 200))
        or _first_prompt(tree),
        one_line(tree.header.agent),
        one_line(clean(tree.header.id), 200),
        tilde(clean(tree.header.cwd), home),
        spending_text(*_spent(tree, prices), subagents),
    ]
    heading = "  ".join(part for part in head if part)
    yield _in_terminal_characters(shorten(heading, cells) if cells else heading, ascii_only)
    ids = _short_ids(tree, [view.row(index).node for index in range(view.count)], clean)
    id_cells = max(map(width, ids), default=0)
    indent = " " * (id_cells + 1) if id_cells else ""
    row_cells = max(1, cells - len(indent)) if cells else UNBOUNDED
    leaf = view.leaf_row()
    if leaf is None and view.begins_anew:
        yield f"{indent}   {glyphs.leaf}: {ANEW} here"
    for index in range(view.count):
        row = view.row(index)
        if redactor is not None and row.node.label is not None:
            row.node.label = clean(row.node.label)
        line = render_tree_row(
            row,
            row_cells,
            selected=False,
            active=row.node.index in view.active,
            leaf=index == leaf,
            glyphs=glyphs,
        )
        before = painted(pad(ids[index], id_cells), DIM, colour=colour) + " " if id_cells else ""
        yield before + _in_terminal_characters(_text_of(line, cells).rstrip(), ascii_only)
    for index in range(len(view.damage)):
        line = render_damaged_row(view.damage[index], row_cells, selected=False, glyphs=glyphs)
        yield indent + _in_terminal_characters(plain_text(line).rstrip(), ascii_only)
    hidden = len(tree.entries) - view.shown
    if hidden:
        yield f"  ({counted(hidden, 'entry', 'entries')} hidden; --json has all)"
    for fault in tree.problems:
        if is_damaged_line(tree, fault):
            continue
        place = f"line {fault.line}: " if fault.line else ""
        yield _in_terminal_characters(f"  ! {place}{one_line(clean(fault.reason))}", ascii_only)


def _text_of(line: Line, cells: int | None) -> str:
    """The text of a row; without a width, labels and notes stand close behind the text of the entry."""
    if cells is not None:
        return plain_text(line)
    return "".join("  " if len(text) > _GAP and text.isspace() else text for text, _ in line)


_GAP = 200
"""Blanks from which on a piece of a row is no indent."""
ID_CELLS = 8
"""Characters of an id that are shown. Those of pi have as many."""
LONGEST_ID = 64


def _short_ids(tree: SessionTree, nodes: Sequence[Node], clean: Callable[[str], str]) -> list[str]:
    """The beginnings of the ids of `nodes`, inert, all of one length: `ID_CELLS`, or as many more as
    distinguish all entries of the tree.

    :param clean: replaces secrets in an id before it is cut.
    """
    ids = {node.id for node in tree.entries if node.id}
    length = ID_CELLS
    while length < LONGEST_ID and len({id[:length] for id in ids}) < len(ids):
        length += 4
    return [one_line(clean(node.id or "")[:length]) for node in nodes]


def _first_prompt(tree: SessionTree) -> str:
    """The title of a session without a name."""
    prompts = (node.row_text.text for node in tree.entries if node.role == "user" and node.row_text)
    return next(filter(None, prompts), "")


def _in_terminal_characters(text: str, ascii_only: bool) -> str:
    return ascii_text(text) if ascii_only else text


def as_json(
    tree: SessionTree, subagents: SubagentTotals = NO_SUBAGENTS, prices: Prices = LIST_PRICES
) -> dict[str, Any]:
    """The tree as a JSON object: a flat list in file order. Parents are ids, so that JSON is never nested too
    deeply.

    :param subagents: the totals of the sub-agents of the session.
    :param prices: those of tokens without a cost.
    """
    tokens, cost = _spent(tree, prices)
    active = {node.index for node in tree.active_path()}
    tree.read_rows(tree.entries)
    header = tree.header
    return {
        "schema": SCHEMA,
        "session": {
            "agent": header.agent,
            "session_id": header.id,
            "path": tree.path,
            "title": tree.name or title_of(tree) or _first_prompt(tree),
            "cwd": header.cwd,
            "name": tree.name,
            "version": header.version,
            "parent_session": header.parent_session,
            "created": None if header.created_ms is None else iso(header.created_ms),
            "tokens": dict(zip(TOKENS, tokens, strict=True)),
            **cost_fields(cost),
            "subagents": {
                "sessions": subagents.number,
                "tokens": dict(zip(TOKENS, subagents.tokens, strict=True)),
                **cost_fields(subagents.cost),
            },
        },
        "leaf_id": tree.leaf.id if tree.leaf else None,
        "begins_anew": begins_anew(tree, tree.leaf),
        "entries": [
            {
                "entry_id": node.id,
                "parent_id": node.parent.id if node.parent else None,
                "named_parent_id": node.parent_id,
                "type": node.type,
                "role": node.role,
                "timestamp": None if node.timestamp is None else iso(node.timestamp),
                "line": node.line,
                "text": row_text(node),
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


def title_of(tree: SessionTree) -> str:
    """The title of a session in lists; "" if the ends of its file do not tell it."""
    return quick_title(tree.path, (tree.header.agent,))


def row_text(node: Node) -> str:
    """The row of an entry as one line; inert."""
    text = node.row_text
    return (text.prefix + text.text).strip() if text else ""


def open_session_tree(named: str, setup: Setup) -> SessionTree:
    """The tree of the session that ``named`` stands for (see ``app.index.resolve``).

    :raises NotFound, Ambiguous: there is no such session, or there are several.
    :raises SessionError: it cannot be read.
    """
    session = resolve(named, setup.stores, setup.cache_folder, complain)
    try:
        return open_tree(session.path, session.agents)
    except OSError as error:
        raise Unreadable(session.path, 0, reason(error)) from None
