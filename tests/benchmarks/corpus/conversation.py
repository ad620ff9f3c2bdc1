"""A realistic session: prompts, tool calls, answers, and at times every other kind of entry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.chunks import Text, ToolCall
from tests.benchmarks.corpus.needles import Planted, with_needle

if TYPE_CHECKING:
    import random

    from tests.benchmarks.corpus.chunks import Chunks
    from tests.benchmarks.corpus.draft import Draft
    from tests.benchmarks.corpus.needles import Needle

MODELS = (
    ("anthropic", "claude-sonnet-4-5"), ("anthropic", "claude-opus-4-7"), ("openai-codex", "gpt-5.5"),
    ("openrouter", "z-ai/glm-5.2"), ("google", "gemini-3-pro"),
)  # fmt: skip
LABELS = ("checkpoint", "before refactor", "works", "ask Anna", "idea: cache it", "ÜBER", "実験")
FORMS = ("blocks",) * 14 + ("string",) * 4 + ("image", "silent")


class Conversation:
    """Writes turns into one draft; `events` is the share of turns with one of the entries of `Draft.can`."""

    def __init__(self, draft: Draft, rng: random.Random, chunks: Chunks, *, events: float = 0.08) -> None:
        self.draft = draft
        self.rng = rng
        self.chunks = chunks
        self.events = events
        self.can = sorted(draft.can) if draft.version != 1 else ["bash", "custom", "model", "thinking_level"]
        self.prompts: list[str] = []
        self.calls = 0
        self.serial = rng.getrandbits(20)

    def talk(self, entries: int) -> None:
        """Write turns until the session has `entries` more entries, or a few more where a message is
        several.
        """
        end = len(self.draft.truth.ids) + entries
        while self.left(end):
            if self.prompts and self.can and self.rng.random() < self.events:
                self.event(self.rng.choice(self.can))
            if self.prompts and self.left(end) > 4:
                self.plant()
            if self.left(end):
                self.turn(end)

    def prompt(self) -> Text:
        """Return a prompt that is different in every session."""
        self.serial += 1
        text = self.rng.choice(self.chunks.prompts)
        mark = f" ({self.serial})"
        return text._replace(plain=text.plain + mark, json=text.json[:-1] + mark + '"')

    def left(self, end: int) -> int:
        return max(0, end - len(self.draft.truth.ids))

    def tick(self, most: int = 40_000) -> None:
        # An answer is dated 1.5 seconds before its entry, and after the entry before.
        self.draft.at += 1_600 + int(self.rng.random() * most)

    def turn(self, end: int) -> None:
        draft, rng, chunks = self.draft, self.rng, self.chunks
        self.tick(180_000)
        form, needle = rng.choice(FORMS), self._needle("user")
        if needle is None:
            self.prompted(draft.user(self.prompt(), form=form))
        else:
            text_with_needle = with_needle(self.prompt(), needle)
            self.prompted(draft.user(text_with_needle, form="blocks" if form == "silent" else form))
            self.planted(needle)
        while self.left(end) > 2 and rng.random() < 0.82:
            self.tick()
            self.calls += 1
            call_id, call = f"call_{self.calls:06d}", rng.choice(chunks.calls)
            text = rng.choice(chunks.prose) if rng.random() < 0.4 else None
            thinking = rng.choice(chunks.thinking) if rng.random() < 0.5 else None
            thought, argument = self._needle("thinking"), self._needle("tool_arguments")
            if thought:
                thinking = with_needle(thinking or rng.choice(chunks.thinking), thought)
            if argument:
                call = ToolCall(call.name, _with_needle(call.arguments, argument))
            draft.assistant(text, rng.choice(chunks.usages), thinking=thinking, calls=[(call_id, call)])
            self.planted(thought, argument)
            self.tick(4_000)
            output, result = rng.choice(chunks.output), self._needle("tool_result")
            if result:
                output = with_needle(output, result)
            draft.tool_result(call_id, call.name, output.json, failed=rng.random() < 0.05)
            self.planted(result)
        if self.left(end):
            self.tick()
            stop = rng.choice(("stop",) * 18 + ("error", "aborted", "length"))
            answer, needle = rng.choice(chunks.prose), self._needle("assistant")
            if needle:
                answer = with_needle(answer, needle)
            draft.assistant(answer, rng.choice(chunks.usages), stop=stop)
            self.planted(needle)

    def _needle(self, place: str) -> Needle | None:
        """Take the next of the session's needles for `place`; None if there is none."""
        needle = next((needle for needle in self.draft.wanted if needle.place == place), None)
        if needle:
            self.draft.wanted.remove(needle)
        return needle

    def planted(self, *needles: Needle | None) -> None:
        """Record that the last entry contains `needles`."""
        truth = self.draft.truth
        for needle in needles:
            if needle:
                entry_id, number = self.draft.written(needle.place)
                truth.needles.append(Planted(needle.name, needle.place, entry_id, number))

    def plant(self) -> None:
        """Write one needle that needs an entry of its own."""
        draft, rng, chunks = self.draft, self.rng, self.chunks
        for place in ("abandoned", "compaction", "branch_summary", "custom_message", "bash_command"):
            needle = self._needle(place)
            if not needle:
                continue
            self.tick()
            text = with_needle(rng.choice(chunks.prose), needle)
            back = rng.choice(self.prompts)
            if place == "abandoned":
                draft.user(text)
            elif place == "compaction":
                draft.compaction(text, self.prompts[-1])
            elif place == "branch_summary":
                source = draft.leaf
                draft.branch(back)
                draft.branch_summary(text, source)
            elif place == "custom_message":
                draft.custom_message(text)
            else:
                draft.bash(f"make {needle.text}", rng.choice(chunks.output))
            self.planted(needle)
            if place == "abandoned":
                draft.branch(back)
            return
        needle = self._needle("bash_output")
        if needle:
            draft.bash("make test", with_needle(rng.choice(chunks.output), needle))
            self.planted(needle)
            return
        # Later labels and names may replace these: `Truth` looks for them at the end.
        needle = self._needle("label")
        if needle:
            draft.label(str(draft.leaf), f"see {needle.text}")
            return
        needle = self._needle("name")
        if needle:
            draft.name(f"The {needle.text} one")

    def prompted(self, entry_id: str | None) -> None:
        if entry_id is not None:
            self.prompts.append(entry_id)

    def event(self, kind: str) -> None:
        """Write an entry of a kind in `Draft.can`."""
        draft, rng, chunks = self.draft, self.rng, self.chunks
        self.tick()
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


def _with_needle(arguments: str, needle: Needle) -> str:
    """Add a nested argument with the needle to a tool's arguments."""
    spelt = needle.spelt(needle.text)
    return json.dumps(json.loads(arguments))[:-1] + f', "env": [{{"NOTE": "{spelt} it is"}}]}}'
