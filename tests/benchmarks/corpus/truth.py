"""The truth of a file: what a reader must find in it. The generator records it while it writes.

The fields are those of `leafmark list --json` without `state`, which depends on running agents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus.clock import iso
from tests.benchmarks.corpus.needles import NEEDLES, Planted

if TYPE_CHECKING:
    from tests.benchmarks.corpus.chunks import Usage

FIRST_MESSAGE_LIMIT = 65_536
"""Characters of the first message that a row keeps."""

NO_MESSAGES, NO_PROMPT = "(no messages)", "(no prompt)"

FIELDS = (
    "agent", "id", "path", "cwd", "name", "title", "first_message", "created", "modified", "message_count",
    "entry_count", "leaf_count", "labels", "leaf_id", "parent_session", "size", "models", "tokens", "cost",
    "problems",
)  # fmt: skip

Record = dict[str, Any]
"""One line of truth.jsonl: `FIELDS`; `kind`, the variant or damage; `exact`, whether `open` is empty; `open`,
the fields without one right answer; `refused`, why the file is not a session, or null; `hidden`, whether it
must not be seen at all; `needles`, the planted needles (`needles.Planted`); and `counted`, the tokens that
statistics count for it, if these are not `tokens`: without those of copies, and with those of sub-agents.
"""


@dataclass
class Truth:
    """The truth of one session while it is written."""

    agent: str
    id: str
    cwd: str | None
    created: int | None
    parent_session: str | None = None
    name: str | None = None
    first_message: str | None = None
    first_answer: str | None = None
    title: str | None = None
    """The title without a name, if the first message was not typed."""
    newest: int | None = None
    message_count: int = 0
    ids: list[str | None] = field(default_factory=list)
    parents: set[str] = field(default_factory=set)
    labels: dict[str, str] = field(default_factory=dict)
    leaf_id: str | None = None
    models: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    cost: float = 0.0
    is_partial: bool = False
    problems: int = 0
    open: set[str] = field(default_factory=set)
    needles: list[Planted] = field(default_factory=list)

    def entry(self, entry_id: str | None, parent: str | None) -> None:
        """Count one entry."""
        self.ids.append(entry_id)
        self.leaf_id = entry_id
        if parent is not None:
            self.parents.add(parent)

    def message(self, role: str, at: int, text: str = "") -> None:
        """Count one message of `role`, sent at `at` (ms)."""
        self.message_count += 1
        if role in ("user", "assistant"):
            self.newest = at if self.newest is None else max(self.newest, at)
        if role == "user" and text and self.first_message is None:
            self.first_message = text
        if role == "assistant" and text and self.first_answer is None:
            self.first_answer = text

    def usage(self, usage: Usage) -> None:
        """Add the usage of an answer or a summary."""
        self.tokens = [a + b for a, b in zip(self.tokens, usage.tokens, strict=True)]
        if usage.cost is None:
            self.is_partial = self.is_partial or any(usage.tokens)
        else:
            self.cost += usage.cost

    def label(self, target: str, label: str | None) -> None:
        """Set or clear the label of `target`; a changed label moves to the end."""
        self.labels.pop(target, None)
        if label:
            self.labels[target] = label

    @property
    def leaf_count(self) -> int:
        """The number of entries that no entry names as its parent; 1 for a file without ids."""
        if any(entry_id is None for entry_id in self.ids):
            return 1
        return sum(1 for entry_id in self.ids if entry_id not in self.parents)

    def record(self, path: str, kind: str, mtime_ms: int, size: int) -> Record:
        """Return the finished truth of the file at `path`."""
        modified = self.newest if self.newest is not None else self.created
        first = self.first_message and self.first_message[:FIRST_MESSAGE_LIMIT]
        nothing = NO_PROMPT if self.message_count else NO_MESSAGES
        return {
            "agent": self.agent,
            "id": self.id,
            "path": path,
            "cwd": self.cwd,
            "name": self.name,
            "title": self.name or self.title or first or self.first_answer or nothing,
            "first_message": first,
            "created": None if self.created is None else iso(self.created),
            "modified": iso(mtime_ms if modified is None else modified),
            "message_count": self.message_count,
            "entry_count": len(self.ids),
            "leaf_count": self.leaf_count,
            "labels": [{"entry_id": target, "label": label} for target, label in self.labels.items()],
            "leaf_id": self.leaf_id,
            "parent_session": self.parent_session,
            "size": size,
            "models": self.models,
            "tokens": dict(zip(("input", "output", "cache_read", "cache_write"), self.tokens, strict=True)),
            "cost": None if self.is_partial and not self.cost else self.cost,
            "problems": self.problems,
            "kind": kind,
            "exact": not self.open,
            "open": sorted(self.open),
            "refused": None,
            "hidden": False,
            "needles": [planted._asdict() for planted in self.needles + self.marks()],
        }

    def marks(self) -> list[Planted]:
        """Return the needles in the final name and labels."""
        planted = []
        for needle in NEEDLES:
            if needle.place == "name" and needle.text in (self.name or ""):
                planted.append(Planted(needle.name, "name", None, None))
            elif needle.place == "label":
                planted += [
                    Planted(needle.name, "label", target, None)
                    for target, label in self.labels.items()
                    if needle.text in label
                ]
        return planted


def refused(agent: str, path: str, kind: str, reason: str) -> Record:
    """Return the truth of a file that is not a session, but has the place and name of one."""
    return {"agent": agent, "path": path, "kind": kind, "refused": reason, "hidden": False, "exact": True}


def hidden(agent: str, path: str, kind: str) -> Record:
    """Return the truth of a file that must be neither listed nor reported."""
    return {"agent": agent, "path": path, "kind": kind, "refused": None, "hidden": True, "exact": True}
