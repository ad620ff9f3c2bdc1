"""All facts about a session as a table of names and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.formats.amounts import token_count
from app.formats.prices import LIST_PRICES, Prices, Spending
from app.formats.text import inert, one_line
from app.formats.timestamps import iso
from app.index.row import Row
from app.index.subagents import NO_SUBAGENTS, SubagentTotals
from app.sessions.summary import ABORTED, DONE, FAILED, FROM_NAME, INTERRUPTED, WAITING
from app.stores import agent_named
from app.stores.tags import Tagging
from app.view.cells import max_width, pad, stable_width
from app.view.formatting import ago, counted, spent, tilde
from app.view.line import Line, fit_line, wrap

LONGEST = 2_000
"""Characters of a value."""
_NAMES = 15
"""Cells of the names, on a dialog that has room for them beside the values."""
_BESIDE_FROM = 40
_ENDINGS = {
    DONE: "done",
    WAITING: "waits for an answer",
    INTERRUPTED: "interrupted",
    ABORTED: "aborted",
    FAILED: "ended with an error",
}

Fact = tuple[str, str]
"""A name and a value; both are inert."""


def session_facts(
    row: Row,
    tagging: Tagging,
    *,
    home: str,
    now_ms: int,
    pinned: bool = False,
    state: str = "",
    subagents: SubagentTotals = NO_SUBAGENTS,
    prices: Prices = LIST_PRICES,
) -> list[Fact]:
    """The facts about a session. Those that it does not have are left out.

    :param tagging: its tags and its note.
    :param home: the home folder, for ``~``.
    :param state: the reason why it counts as open in an agent, raw; "" if it does not.
    :param subagents: the totals of its sub-agents.
    :param prices: those of tokens without a cost.
    """
    tokens, own = _tokens(row.tokens), prices.spending(row.cost, row.unpriced)
    dollars = spent(own)
    if subagents.number:
        together = _tokens([own + more for own, more in zip(row.tokens, subagents.tokens, strict=True)])
        tokens = f"own {tokens or 0}; with {counted(subagents.number, 'sub-agent')} {together or 0}"
        dollars = spending_text((0, 0), own, subagents._replace(tokens=(0, 0, 0, 0)))
    if tokens and not agent_named(row.agent).counts_compactions:
        tokens += ", without compactions"
    dialect = f", as {row.dialect} writes" if row.dialect and row.dialect != row.agent else ""
    facts = [
        ("Name" if row.title_source == FROM_NAME else "Title", row.title),
        ("Note", tagging.note),
        ("Tags", " ".join(f"#{tag}" for tag in tagging.tags)),
        ("Last prompt", row.last_prompt),
        ("Ended", _ENDINGS.get(row.ending, "")),
        ("Open", state),
        ("Pinned", "yes" if pinned else ""),
        ("Agent", f"{row.agent}{dialect}"),
        ("Folder", tilde(row.cwd, home)),
        ("Id", row.id),
        ("Leaf", row.leaf_id or ""),
        ("Parent", tilde(row.parent_session, home) if row.parent_session else ""),
        ("Went on in", row.continued_in),
        ("File", tilde(row.path, home)),
        ("Size", f"{row.size:,} bytes"),
        ("Created", _time(row.created, now_ms)),
        ("Last activity", _time(row.newest, now_ms)),
    ]
    if not row.provisional:
        facts += [
            ("Messages", f"{row.message_count:,} of {row.entry_count:,} entries"),
            ("Branches", f"{row.branch_count:,}" if row.branch_count > 1 else ""),
            ("Labels", ", ".join(label for _, label in row.labels)),
            ("Models", ", ".join(row.models)),
            ("Tools", ", ".join(row.tools)),
            ("Tokens", tokens),
            ("Cost", dollars),
            ("Errors", f"{row.errors:,}" if row.errors else ""),
            ("Images", f"{row.images:,}" if row.images else ""),
            ("Damaged", counted(row.problems, "damaged line") if row.problems else ""),
        ]
    return [(name, stable_width(one_line(inert(value), LONGEST))) for name, value in facts if value]


def _tokens(tokens: Sequence[int]) -> str:
    sent, answered, read, written = tokens
    if not any(tokens):
        return ""
    together = f"{token_count(tokens):,}: {sent:,} in, {answered:,} out"
    return f"{together}; cached: {read:,} read, {written:,} written"


def spending_text(tokens: Sequence[int], own: Spending, subagents: SubagentTotals) -> str:
    """``own $0.40, with 3 sub-agents $1.90``, or tokens (in and out) where nothing has a cost. "" if there
    are no sub-agents, and if nothing was spent.

    :param tokens, own: those of the session itself, and its cost.
    """
    if not subagents.number:
        return ""
    others = f"with {counted(subagents.number, 'sub-agent')}"
    together = own.and_(subagents.cost)
    if together.dollars:
        return f"own {spent(own) or '$0.00'}, {others} {spent(together)}"
    mine, more = token_count(tokens), token_count(subagents.tokens)
    return f"own {mine:,} tokens, {others} {mine + more:,} tokens" if mine or more else ""


def _time(ms: int | None, now_ms: int) -> str:
    return f"{iso(ms)} ({ago(ms, now_ms)})" if ms else ""


def details_lines(facts: list[Fact], cells: int) -> list[Line]:
    """The table in lines of at most ``cells`` cells; on a narrow dialog a value stands under its name."""
    return list(_lines(facts, max(4, cells)))


def _lines(facts: list[Fact], cells: int) -> Iterator[Line]:
    is_wide = cells >= _BESIDE_FROM
    for name, value in facts:
        if not is_wide:
            yield fit_line([(name, "argument")], cells)
        for number, piece in enumerate(wrap(value, cells - (_NAMES if is_wide else 2))):
            before = pad("" if number else name, _NAMES) if is_wide else "  "
            yield [(before, "argument"), (piece if max_width(piece) <= cells else piece[:cells], "text")]
