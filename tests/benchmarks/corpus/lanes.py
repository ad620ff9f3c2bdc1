"""pi's version 4, "lanes" (formats/README.md, "pi"): tip, labels, name and costs are writes beside the
entries.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.draft import Draft, quote

if TYPE_CHECKING:
    from tests.benchmarks.corpus.chunks import Text, Usage
    from tests.benchmarks.corpus.truth import Truth


class LanesDraft(Draft):
    """One line is one transaction: a write, or an array of them."""

    can = frozenset({"branch", "label", "name", "custom"})

    def __init__(self, truth: Truth, *, serial: int) -> None:
        super().__init__(truth, serial=serial)
        self._number = 0

    def header(self, **fields: object) -> None:
        truth = self.truth
        values = {
            "v": 4,
            "kind": "header",
            "id": truth.id,
            "storageVersion": 1,
            "createdAt": truth.created,
            "cwd": truth.cwd,
            **fields,
        }
        self.raw(json.dumps(values, ensure_ascii=False, separators=(",", ":")))

    def _write(self, kind: str, rest: str) -> str:
        self._number += 1
        return f'{{"kind":"{kind}",{rest},"seq":{self._number}}}'

    def _set(self, namespace: str, key: str, text: str | None) -> str:
        change = '"op":"delete"' if text is None else f'"op":"set","value":{quote(text)}'
        return self._write("value", f'"namespace":"{namespace}","key":"{key}",{change}')

    def entry(self, kind: str, rest: str) -> str | None:
        """Append the entry and, in the same transaction, the new tip of the branch."""
        entry_id = self.new_id()
        parent = "null" if self.leaf is None else f'"{self.leaf}"'
        ids = f'"id":"{entry_id}","parentId":{parent},"timestamp":{self.at},"type":"{kind}"{rest}'
        line = f"[{self._write('entry', ids)},{self._set('pi.branch.tip', 'main', entry_id)}]"
        self.place(line, entry_id, self.leaf)
        return entry_id

    def assistant(self, text: Text | None, usage: Usage, **rest: object) -> str | None:
        entry_id = super().assistant(text, usage, **rest)  # type: ignore[arg-type]
        row = f'"id":"u{self._number}","usage":{usage.camel},"entryId":"{entry_id}","adjustment":false'
        self.raw(self._write("usage", row))
        return entry_id

    def branch(self, entry_id: str | None) -> None:
        super().branch(entry_id)
        self.raw(self._set("pi.branch.tip", "main", entry_id))
        self.truth.leaf_id = entry_id

    def label(self, target: str, label: str | None) -> None:
        self.raw(self._set("pi.entry.label", target, label or None))
        self.truth.label(target, label)

    def name(self, name: str) -> None:
        self.raw(self._set("pi.session.name", "", name or None))
        self.truth.name = name.strip() or None
