"""The row that a tally's sums amount to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.amounts import finite, whole
from app.formats.text import one_line
from app.sessions.leaf import deepest
from app.sessions.summary import LAST_PROMPT_LIMIT, Summary, title_of

if TYPE_CHECKING:
    from app.sessions.tally.tally import SummaryBuilder

    Titled = tuple[str | None, str, str, str]
    """A name and a first message, the title that they make, and how the message begins."""


UNTOLD = -1
"""As a number of branches: the lines, looked at one after the other, do not tell; all of them together do."""


def row_of(tally: SummaryBuilder, mtime_ms: int, torn: bool) -> Summary:
    """The row so far.

    :param mtime_ms: the file's own time, for sessions in which neither a message nor the header has one.
    :param torn: whether the last line is unfinished.
    """
    sums = tally.sums
    header = tally.header
    created = header.created_ms
    if created is None:
        created = sums.first_stamp or None
    if sums.newest > 0:
        modified = int(sums.newest)
    else:
        modified = mtime_ms if created is None else created
    titled = tally.titled
    if titled is None or titled[0] != sums.name or titled[1] != sums.first_message:
        titled = tally.titled = _titled(sums.name, sums.first_message)
    _, first_message, title, beginning = titled
    one_a_line = tally.dialect.one_entry_a_line
    in_a_row = not tally.has_ids or _is_without_ids(tally)
    return Summary(
        agent=header.agent,
        dialect=header.dialect,
        id=header.id,
        cwd=header.cwd,
        name=sums.name,
        title=title,
        first_message=first_message,
        last_prompt="" if sums.last_prompt == beginning else sums.last_prompt,
        created=created,
        modified=modified,
        message_count=sums.messages,
        entry_count=sums.entries,
        leaf_count=min(sums.entries, 1) if in_a_row else tally.leaves.count(),
        branch_count=_branches(tally, in_a_row),
        labels=tuple(sums.labels.items()),
        leaf_id=_leaf_id(tally),
        parent_session=sums.parent_session,
        models=tuple([f"{provider}/{model}" if provider else str(model) for provider, model in tally.models]),
        tools=tuple(sums.tools),
        tokens=(whole(sums.input), whole(sums.output), whole(sums.cache_read), whole(sums.cache_write)),
        cost=float(finite(sums.cost)),
        errors=sums.errors,
        images=sums.images,
        problems=sums.problems,
        torn=torn,
        # Where a line may hold several entries, it may name any leaf.
        linear=one_a_line and (in_a_row or tally.leaves.linear),
    )


def _titled(name: str | None, first_message: str) -> Titled:
    title = title_of(name, first_message)
    return name, first_message, title, one_line(first_message, LAST_PROMPT_LIMIT)


def _is_without_ids(tally: SummaryBuilder) -> bool:
    """True when a file that should have ids has not one: it is a line of entries, as version 1 is."""
    leaves = tally.leaves
    return (
        not leaves.old_leaves and leaves.fresh.keys() == {None} and leaves.fresh[None] == tally.sums.entries
    )


def _branches(tally: SummaryBuilder, in_a_row: bool) -> int:
    sums, leaves = tally.sums, tally.leaves
    if in_a_row or not sums.entries:
        return min(sums.entries, 1)
    one_a_line = tally.dialect.one_entry_a_line
    if one_a_line and (leaves.told is not None or not leaves.tangled):
        return leaves.branches(sums.leaf_id)
    if leaves.every is None:
        return UNTOLD
    # Few sessions need it.
    from app.sessions.branch_tips import count_ends

    return count_ends(leaves.every, _leaf_id(tally), leaves.silent, last_is_leaf=one_a_line)


def _leaf_id(tally: SummaryBuilder) -> str | None:
    sums = tally.sums
    if tally.dialect.one_entry_a_line:
        return sums.leaf_id if tally.has_ids else None
    return sums.marked_leaf if sums.leaf_marked else deepest(sums.shape)
