"""The spellings of the other agents (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.clock import iso, iso_seconds
from tests.benchmarks.corpus.draft import EVENTS, Draft, quote
from tests.benchmarks.corpus.list_prices import at_list_price

if TYPE_CHECKING:
    from tests.benchmarks.corpus.chunks import Text, ToolCall, Usage
    from tests.benchmarks.corpus.truth import Truth

SLOT_BYTES = 256


class OmpDraft(Draft):
    """oh-my-pi: the name is in a title slot before the header, or in the header; models in one field."""

    can = EVENTS - {"name"}

    def slot(self, title: str, *, padded: bool = True) -> None:
        """Append the title line, of 256 bytes with its newline if `padded`. An empty title means no name."""
        line: dict[str, object] = {"type": "title", "v": 1, "title": title}
        if title:
            line["source"] = "user"
        line["updatedAt"] = iso(self.at)
        if padded:
            line["pad"] = ""
            short = len(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()) + 1
            line["pad"] = " " * (SLOT_BYTES - short)
        self.raw(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
        self.truth.name = title or None

    def user_body(self, content: str, at: int) -> str:
        return f'{{"role":"user","content":{content},"attribution":"user","timestamp":{at}}}'

    def usage_entry(self, usage: Usage) -> None:
        self.entry(
            "model_usage",
            f',"provider":"{self.provider}","model":"{self.model}","usage":{usage.camel},"purpose":"title"',
        )
        self.truth.usage(usage)

    def use_model(self, provider: str, model: str) -> None:
        self.provider, self.model = provider, model
        self.entry("model_change", f',"model":"{provider}/{model}","role":"default"')

    def thinking_level(self, level: str) -> None:
        self.entry("thinking_level_change", f',"thinkingLevel":"{level}","configured":null')


class OldIndusagiDraft(Draft):
    """indusagi's fork of pi: a name cannot be cleared (formats/README.md, "indusagi")."""

    can = EVENTS - {"usage"}

    def name(self, name: str) -> None:
        before = self.truth.name
        super().name(name)
        self.truth.name = self.truth.name or before


class AgentDraft(Draft):
    """nickcecere/agent: snake_case, linear, costs not written."""

    can = frozenset({"compaction"})

    def header(self, **fields: object) -> None:
        created = self.truth.created
        super().header(version=1, timestamp=None if created is None else iso_seconds(created), **fields)

    def line(self, kind: str, rest: str, entry_id: str | None, parent: str | None) -> str:
        link = "" if parent is None else f',"parent_id":"{parent}"'
        return f'{{"type":"{kind}","id":"{entry_id}"{link},"timestamp":"{iso_seconds(self.at)}"{rest}}}'

    def message(self, role: str, body: str, *, text: str = "", at: int | None = None) -> str | None:
        entry_id = self.entry("message", f',"role":"{role}","message":{body}')
        self.truth.message(role, self.at if at is None else at, text)
        return entry_id

    def forked_from(self, path: str, entry_id: str, summary: str) -> None:
        """Append the first entry of a fork, which names the parent's file and has no parent entry."""
        self.truth.parent_session = path
        own = self.new_id()
        rest = f',"parent_session_path":{quote(path)},"fork_entry_id":"{entry_id}"'
        rest += f',"branch_summary":{quote(summary)}'
        self.place(self.line("branch", rest, own, None), own, None)

    def call_block(self, call_id: str, call: ToolCall) -> str:
        return f'{{"type":"tool_call","id":"{call_id}","name":"{call.name}","arguments":{call.arguments}}}'

    def answer_body(self, blocks: str, usage: Usage, reason: str, at: int) -> str:
        stop = "tool_use" if reason == "toolUse" else reason
        return (
            f'{{"role":"assistant","content":[{blocks}],"model":"{self.model}","provider":"{self.provider}",'
            f'"usage":{usage.snake},"stop_reason":"{stop}","timestamp":{at}}}'
        )

    def assistant(self, text: Text | None, usage: Usage, **rest: object) -> str | None:
        return super().assistant(text, at_list_price(usage, self.model), **rest)  # type: ignore[arg-type]

    def tool_result(self, call_id: str, name: str, output: str, *, failed: bool = False) -> str | None:
        return self.message(
            "tool_result",
            f'{{"role":"tool_result","tool_call_id":"{call_id}","tool_name":"{name}","content":[{{"type":"text",'
            f'"text":{output}}}],"details":null,"is_error":{"true" if failed else "false"},'
            f'"timestamp":{self.at}}}',
        )

    def compaction(self, summary: Text, kept: str | None, usage: Usage | None = None) -> None:
        rest = f',"summary":{summary.json},"first_kept_entry_id":"{kept}","tokens_before":45000'
        self.entry("compaction", rest)


class TranscriptDraft(Draft):
    """indus/transcript@1: no header line with folder or time; heads name the leaf, the last one counts."""

    can = frozenset({"branch"})
    SCHEMA = '{"schema":"indus/transcript@1"'

    def __init__(self, truth: Truth, *, serial: int) -> None:
        super().__init__(truth, serial=serial)
        # The file has neither a folder nor a time, so a reader may choose them.
        truth.open |= {"cwd", "created"}

    def head(self, leaf: str | None) -> None:
        """Append a head line; the caller sets the leaf of the truth."""
        named = "null" if leaf is None else f'"{leaf}"'
        self.raw(f'{self.SCHEMA},"kind":"head","sessionId":"{self.truth.id}","leaf":{named}}}')

    def message(self, role: str, body: str, *, text: str = "", at: int | None = None) -> str | None:
        entry_id = self.new_id()
        prev = "null" if self.leaf is None else f'"{self.leaf}"'
        node = "tool" if role == "toolResult" else role
        line = (
            f'{self.SCHEMA},"kind":"entry","id":"{entry_id}","prev":{prev},"role":"{node}","message":{body},'
            f'"at":"{iso(self.at)}"}}'
        )
        self.place(line, entry_id, self.leaf)
        self.truth.message(role, self.at if at is None else at, text)
        return entry_id

    def condense(self, summary: Text) -> None:
        """Append a compaction, spelt as a node; a reader may count it as a message or not."""
        count = self.truth.message_count
        body = f'{{"role":"compactionSummary","summary":{summary.json},"tokensBefore":42000}}'
        self.message("condense", body)
        self.truth.message_count = count
        self.truth.open.add("message_count")
