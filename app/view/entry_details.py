"""The details of an entry: the few in the rule above it, and all of them as a table of two columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from app.formats.amounts import finite, finite_int
from app.formats.entry_parts import Field, Part
from app.formats.text import one_line
from app.formats.timestamps import parse_time
from app.view.cells import stable_width, width
from app.view.document_line import DocumentLine, own_line, paragraphs
from app.view.formatting import cost, count, moment
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
_TOKENS = ("input", "output", "cacheRead", "cacheWrite")


class EntryFacts(NamedTuple):
    """The details in the rule above an entry. Texts are inert.

    time_ms  in milliseconds since the epoch; None if it is unknown
    dollars  the cost
    """

    kind: str
    model: str = ""
    time_ms: int | None = None
    dollars: float = 0.0
    tokens: int = 0

    def titles(self, now_ms: int) -> tuple[str, ...]:
        """The details as a title in several lengths: items are left out whole, the last one first."""
        items = [self.kind, self.model]
        items.append(moment(self.time_ms, now_ms) if self.time_ms is not None else "")
        items += [cost(self.dollars), f"{count(self.tokens)} tokens" if self.tokens else ""]
        shown = [item for item in items if item]
        return tuple(" · ".join(shown[:number]) for number in range(len(shown), 0, -1))


def facts_of(raw: Mapping[str, Any]) -> EntryFacts:
    """The details of an entry. Never raises, whatever the entry holds.

    :param raw: the entry as it is read from the file.
    """
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
    dollars, tokens = 0.0, 0
    if isinstance(usage, dict):
        spent = usage.get("cost")
        total = spent.get("total") if isinstance(spent, dict) else spent
        dollars = finite(total) if _is_number(total) else 0.0
        tokens = finite_int(sum(usage[name] for name in _TOKENS if _is_number(usage.get(name))))
    model = stable_width(one_line(model, _LONGEST_WORD)) if isinstance(model, str) else ""
    return EntryFacts(kind, model, time_ms, dollars, tokens)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
