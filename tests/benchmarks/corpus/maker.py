"""Starts drafts in the right store and writes the finished ones to disk."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.corpus.chunks import Chunks
from tests.benchmarks.corpus.claude import ClaudeDraft
from tests.benchmarks.corpus.clock import DAY_MS, FAR_FUTURE_MS, NOW_MS
from tests.benchmarks.corpus.codex import CodexDraft
from tests.benchmarks.corpus.conversation import Conversation
from tests.benchmarks.corpus.draft import Draft
from tests.benchmarks.corpus.needles import Plan
from tests.benchmarks.corpus.places import Places, projects, session_id
from tests.benchmarks.corpus.spellings import AgentDraft, OldIndusagiDraft, OmpDraft, TranscriptDraft
from tests.benchmarks.corpus.truth import Truth

if TYPE_CHECKING:
    from tests.benchmarks.corpus.sizes import Size
    from tests.benchmarks.corpus.truth import Record

SECONDS_AN_ENTRY = 25


class Written(NamedTuple):
    """A session on disk, of which later ones may be forks."""

    path: str
    id: str
    cwd: str


class Maker:
    """The state that the sessions of one corpus share."""

    def __init__(self, out: str, size: Size, seed: int) -> None:
        self.out = os.path.abspath(out)
        self.rng = random.Random(f"maker {seed}")
        self.chunks = Chunks(seed, size.pools)
        self.places = Places(self.out)
        self.projects = projects(size.projects)
        self.written: dict[str, list[Written]] = {}
        self.records: list[Record] = []
        self.plan = Plan(seed)
        self.damaged = "pi"
        """The kind of the sessions that are damaged."""
        self.serial = seed

    def start(
        self,
        kind: str = "pi",
        *,
        version: int | None = 3,
        entries: int = 60,
        parent: str | None = None,
        cwd: str | None = None,
        created: int | None = None,
    ) -> Draft:
        """Return an empty draft in the store `kind`; its start time leaves room for `entries` entries."""
        rng = self.rng
        if cwd is None:
            cwd = self.projects[int(len(self.projects) * rng.random() ** 2.2)]
        if created is None:
            age = int(rng.expovariate(1 / 30) * DAY_MS) % (400 * DAY_MS)
            created = (NOW_MS - age - entries * SECONDS_AN_ENTRY * 1000) // 1000 * 1000
        self.serial += 1
        identity = session_id(kind, created, rng)
        truth = Truth(self.places[kind].agent, identity, cwd, created, parent_session=parent)
        draft: Draft
        if kind == "omp":
            draft = OmpDraft(truth, serial=self.serial, version=version)
        elif kind == "indusagi":
            draft = OldIndusagiDraft(truth, serial=self.serial, version=version)
        elif kind == "agent":
            draft = AgentDraft(truth, serial=self.serial)
        elif kind == "codex":
            draft = CodexDraft(truth, serial=self.serial)
        elif kind == "claude":
            draft = ClaudeDraft(truth, serial=self.serial)
            draft.at = created
        elif kind == "indus":
            draft = TranscriptDraft(truth, serial=self.serial)
            truth.created = None
            draft.at = created
        else:
            draft = Draft(truth, serial=self.serial, version=version)
        draft.wanted = self.plan.choose(draft)
        draft.store = kind
        draft.path = self.places.path(kind, cwd, created, identity)
        return draft

    def talk(self, draft: Draft, entries: int, events: float = 0.03) -> Conversation:
        """Write a conversation of `entries` entries into `draft`; return it, to be continued."""
        conversation = Conversation(draft, self.rng, self.chunks, events=events)
        conversation.talk(entries)
        return conversation

    def older(self, kind: str) -> Written:
        """Return a session of the store `kind` that is on disk."""
        return self.rng.choice(self.written[kind])

    def finish(self, draft: Draft, kind: str, *, mtime_ms: int | None = None) -> None:
        """Write the file and keep its truth. 5 % of the files get a modification time unrelated to their
        activity.
        """
        truth, rng = draft.truth, self.rng
        if mtime_ms is None:
            mtime_ms = max(draft.at, truth.newest or 0) + 40
            stray = rng.random()
            if stray < 0.04:
                mtime_ms += rng.randint(-40, 40) * DAY_MS
            elif stray < 0.05:
                mtime_ms = FAR_FUTURE_MS
        content = draft.content()
        self.put(draft.path, content, mtime_ms)
        record = truth.record(draft.path, kind, mtime_ms, len(content))
        self.records.append(record)
        self.plan.count(record["needles"])
        self.written.setdefault(draft.store, []).append(Written(draft.path, truth.id, truth.cwd or ""))

    def put(self, path: str, content: bytes, mtime_ms: int = NOW_MS - 90 * DAY_MS) -> None:
        """Write a file with its folders and its modification time."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.utime(path, ns=(mtime_ms * 1_000_000, mtime_ms * 1_000_000))
