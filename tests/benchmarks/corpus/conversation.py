"""A believable working session: prompts, tool calls, answers, and now and then everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    from tests.benchmarks.corpus.chunks import Chunks, Text
    from tests.benchmarks.corpus.draft import Draft

MODELS = (
    ("anthropic", "claude-sonnet-4-5"), ("anthropic", "claude-opus-4-7"), ("openai-codex", "gpt-5.5"),
    ("openrouter", "z-ai/glm-5.2"), ("google", "gemini-3-pro"),
)  # fmt: skip
LABELS = ("checkpoint", "before refactor", "works", "ask Anna", "idea: cache it", "ÜBER", "実験")
FORMS = ("blocks",) * 14 + ("string",) * 4 + ("image", "silent")


class Conversation:
    """Writes turns into one draft; `events` is the share of turns in which something unusual happens."""

    def __init__(self, draft: Draft, rng: random.Random, chunks: Chunks, *, events: float = 0.08) -> None:
        self.draft = draft
        self.rng = rng
        self.chunks = chunks
        self.events = events
        self.can = sorted(draft.can) if draft.version != 1 else ["bash", "custom", "model", "thinking_level"]
        self.prompts: list[str] = []
        self.calls = 0
        self._serial = rng.getrandbits(20)

    def talk(self, entries: int) -> None:
        """Write turns until the session has `entries` more of them, to the entry."""
        end = len(self.draft.truth.ids) + entries
        while self._left(end):
            if self.prompts and self.can and self.rng.random() < self.events:
                self.event(self.rng.choice(self.can))
            if self._left(end):
                self._turn(end)

    def prompt(self) -> Text:
        """A prompt that no other session has word for word."""
        self._serial += 1
        text = self.rng.choice(self.chunks.prompts)
        mark = f" ({self._serial})"
        return text._replace(plain=text.plain + mark, json=text.json[:-1] + mark + '"')

    def _left(self, end: int) -> int:
        return end - len(self.draft.truth.ids)

    def _tick(self, most: int = 40_000) -> None:
        self.draft.at += 1 + int(self.rng.random() * most)

    def _turn(self, end: int) -> None:
        draft, rng, chunks = self.draft, self.rng, self.chunks
        self._tick(180_000)
        self._prompted(draft.user(self.prompt(), form=rng.choice(FORMS)))
        while self._left(end) > 2 and rng.random() < 0.82:
            self._tick()
            self.calls += 1
            call_id, call = f"call_{self.calls:06d}", rng.choice(chunks.calls)
            text = rng.choice(chunks.prose) if rng.random() < 0.4 else None
            thinking = rng.choice(chunks.thinking) if rng.random() < 0.5 else None
            draft.assistant(text, rng.choice(chunks.usages), thinking=thinking, calls=[(call_id, call)])
            self._tick(4_000)
            draft.tool_result(call_id, call.name, rng.choice(chunks.output).json, failed=rng.random() < 0.05)
        if self._left(end):
            self._tick()
            stop = rng.choice(("stop",) * 18 + ("error", "aborted", "length"))
            draft.assistant(rng.choice(chunks.prose), rng.choice(chunks.usages), stop=stop)

    def _prompted(self, entry_id: str | None) -> None:
        if entry_id is not None:
            self.prompts.append(entry_id)

    def event(self, kind: str) -> None:
        """One of `Draft.can`."""
        draft, rng, chunks = self.draft, self.rng, self.chunks
        self._tick()
        if kind == "branch":
            draft.branch(rng.choice(self.prompts))
        elif kind == "label":
            target = rng.choice([*draft.truth.labels, rng.choice(self.prompts)])
            draft.label(target, rng.choice((*LABELS, None, "")))
        elif kind == "name":
            draft.name(rng.choice((*rng.sample(chunks.short, 4), "")))
        elif kind == "compaction":
            usage = rng.choice(chunks.usages) if draft.provider != "google" and rng.random() < 0.5 else None
            draft.compaction(rng.choice(chunks.prose), self.prompts[-1], usage)
        elif kind == "branch_summary":
            source = draft.leaf
            target = rng.choice(self.prompts)
            draft.branch(target)
            usage = rng.choice((None, rng.choice(chunks.usages)))
            draft.branch_summary(rng.choice(chunks.prose), source, usage)
        elif kind == "custom":
            draft.custom()
        elif kind == "custom_message":
            draft.custom_message(rng.choice(chunks.prose))
        elif kind == "usage":
            draft.usage_entry(rng.choice(chunks.usages))
        elif kind == "model":
            draft.use_model(*rng.choice(MODELS))
        elif kind == "thinking_level":
            draft.thinking_level(rng.choice(("off", "low", "high")))
        elif kind == "bash":
            draft.bash("git status --short", rng.choice(chunks.output))
