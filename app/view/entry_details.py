"""The details of an entry: the few in the rule above it, and all of them as a table of two columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from app.formats.amounts import finite, token_count
from app.formats.entry_parts import Field, Part
from app.formats.model_names import with_provider
from app.formats.prices import LIST_PRICES, NO_COST, Prices, Spending, unpriced_of
from app.formats.text import one_line, string_of
from app.formats.timestamps import parse_time
from app.view.cells import stable_width, width
from app.view.document_line import DocumentLine, own_line, paragraphs
from app.view.formatting import count, moment, spent
from app.view.line import wrap

DETAIL_KINDS = ("details", "meta")
"""The kinds of the parts that are details, not the text of an entry."""
_KINDS = {
    "user": "Prompt",
    "assistant": "Answer",
    "toolResult": "Tool result",
    "bashExecution": "Bash",
    "pythonExecution": "Python",
    "branchSummary": "Branch summary",
    "branch_summary": "Branch summary",
    "compactionSummary": "Compaction",
    "compaction": "Compaction",
    "system": "System prompt",
    "label": "Label",
    "model_change": "Model",
    "session_info": "Name",
}
"""The word for each role of a message and type of an entry."""
_LONGEST_WORD = 60


class EntryFacts(NamedTuple):
    """The details in the rule above an entry. Texts are inert.

    time_ms  in milliseconds since the epoch; None if it is unknown
    spending  the cost
    """

    kind: str
    model: str = ""
    time_ms: int | None = None
    spending: Spending = NO_COST
    tokens: int = 0

    def titles(self, now_ms: int) -> tuple[str, ...]:
        """The details as a title in several lengths: items are left out whole, the last one first."""
        items = [self.kind, self.model]
        items.append(moment(self.time_ms, now_ms) if self.time_ms is not None else "")
        items += [spent(self.spending), f"{count(self.tokens)} tokens" if self.tokens else ""]
        shown = [item for item in items if item]
        return tuple(" · ".join(shown[:number]) for number in range(len(shown), 0, -1))


def facts_of(raw: Mapping[str, Any], prices: Prices = LIST_PRICES) -> EntryFacts:
    """The details of an entry. Never raises, whatever the entry holds.

    :param raw: the entry as it is read from the file.
    :param prices: those of tokens without a cost.
    """
    # Imported here: the first key would wait for it.
    from app.formats.partial_entry import CamelUsage, struct_of

    message = raw.get("message")
    if not isinstance(message, dict):
        message = {}
    named = message.get("role") or raw.get("type")
    word = one_line(named, _LONGEST_WORD) if isinstance(named, str) else ""
    kind = _KINDS.get(word) or word.replace("_", " ").capitalize() or "Entry"
    model, usage = message.get("model"), message.get("usage", raw.get("usage"))
    time_ms = parse_time(message.get("timestamp"))
    if time_ms is None:
        time_ms = parse_time(raw.get("timestamp"))
    spending, tokens = NO_COST, 0
    if isinstance(usage, dict):
        amounts = struct_of(CamelUsage, usage)
        given = amounts.cost.total if amounts.cost is not None else None
        found = unpriced_of(amounts, with_provider(string_of(message.get("provider")), string_of(model)))
        spending = prices.spending(finite(given), [] if found is None else [found])
        tokens = token_count((amounts.input or 0, amounts.output or 0))
    model = stable_width(one_line(model, _LONGEST_WORD)) if isinstance(model, str) else ""
    return EntryFacts(kind, model, time_ms, spending, tokens)


def detail_lines(parts: Iterable[Part], cells: int) -> list[DocumentLine]:
    """All details of an entry as a table of names and values.

    :param cells: the width of a line, at least 4.
    """
    fields = [field for part in parts if part.kind in DETAIL_KINDS for field in part.fields]
    names = [stable_width(" " * field.column + one_line(field.name, _LONGEST_WORD)) for field in fields]
    column = min(max(map(width, names), default=0), max(1, cells // 3))
    lines: list[DocumentLine] = []
    for field, name in zip(fields, names, strict=True):
        lines += _row(field, name, column, cells)
    return lines or [own_line("(no details)")]


def _row(field: Field, name: str, column: int, cells: int) -> Iterator[DocumentLine]:
    before = next(wrap(name, column), "") if width(name) > column else name
    room = max(1, cells - column - 2)
    for paragraph in paragraphs(field.text) if field.text else [""]:
        for piece in wrap(paragraph, room):
            padded = before + " " * (column - width(before) + 2)
            yield DocumentLine([(padded, "argument"), (piece, "text")], own=1)
            before = ""
