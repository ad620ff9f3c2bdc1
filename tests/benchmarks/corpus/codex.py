"""Codex's spelling (formats/README.md, "Codex"): a line for each item, tokens as sums, no ids."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xxhash import xxh3_64_hexdigest

from tests.benchmarks.corpus.clock import iso
from tests.benchmarks.corpus.draft import Block, Draft, prompt_forms, quote
from tests.benchmarks.corpus.list_prices import at_list_price

if TYPE_CHECKING:
    from tests.benchmarks.corpus.chunks import Text, ToolCall, Usage
    from tests.benchmarks.corpus.truth import Truth


class CodexDraft(Draft):
    """Codex: linear; the model is told before each turn, and tokens after each answer, twice."""

    can = frozenset({"name", "compaction", "custom_message", "model"})

    def __init__(self, truth: Truth, *, serial: int) -> None:
        super().__init__(truth, serial=serial)
        self.provider, self.model = "openai", "gpt-5.3-codex"
        self.sums = [0, 0, 0, 0]
        self.items: dict[str, tuple[str | None, int]] = {}

    def header(self, **fields: object) -> None:
        truth = self.truth
        meta: dict[str, Any] = {"id": truth.id, "timestamp": iso(truth.created or 0), "cwd": truth.cwd}
        if truth.cwd is None:
            del meta["cwd"]
        if truth.parent_session is not None:
            meta["forked_from_id"] = truth.parent_session
        self.note("session_meta", {**meta, "originator": "codex_cli_rs", "model_provider": "openai"})
        self.note("turn_context", {"model": self.model, "approval_policy": "never"})
        context = "<environment_context>x</environment_context>"
        told = f'"role":"user","content":[{{"type":"input_text","text":"{context}"}}]'
        self.item(f'"type":"message",{told}')

    def note(self, kind: str, payload: dict[str, Any]) -> None:
        """Append a line that is no entry."""
        line = {"timestamp": iso(self.at), "type": kind, "payload": payload}
        self.raw(json.dumps(line, ensure_ascii=False, separators=(",", ":")))

    def line(self, kind: str, rest: str, entry_id: str | None, parent: str | None) -> str:
        return f'{{"timestamp":"{iso(self.at)}","type":"response_item"{rest}}}'

    def lost(self, line: str | bytes) -> None:
        self.broken(line)

    def item(self, payload: str, place: str = "", *, kind: str = "response_item") -> str:
        """Append a line with the fields `payload` as an entry; its id is a digest of it."""
        line = f'{{"timestamp":"{iso(self.at)}","type":"{kind}","payload":{{{payload}}}}}'.encode(
            "utf-8", "surrogatepass"
        )
        entry_id = xxh3_64_hexdigest(line)[:12]
        if entry_id in self.truth.ids:
            entry_id += "#1"
        self.place(line, entry_id, self.leaf)
        self.items[place] = entry_id, len(self.truth.ids) - 1
        return entry_id

    def written(self, place: str) -> tuple[str | None, int]:
        return self.items.get(place) or super().written(place)

    def user(self, text: Text, *, form: str = "blocks") -> str | None:
        image = '{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}'
        block = f'{{"type":"input_text","text":{text.json}}}'
        content, plain = prompt_forms(text, block, image, f"[{block}]")[form]
        entry_id = self.item(f'"type":"message","role":"user","content":{content}', "user")
        self.truth.message("user", self.at, plain)
        self.items["abandoned"] = self.items["user"]
        return entry_id

    def thinking_block(self, thinking: Text) -> str:
        summary = f'[{{"type":"summary_text","text":{thinking.json}}}]'
        return f'"type":"reasoning","summary":{summary},"encrypted_content":"c2ln"'

    def text_block(self, text: Text) -> str:
        content = f'[{{"type":"output_text","text":{text.json}}}]'
        return f'"type":"message","role":"assistant","content":{content}'

    def call_block(self, call_id: str, call: ToolCall) -> str:
        arguments = quote(call.arguments)
        return f'"type":"function_call","name":"{call.name}","arguments":{arguments},"call_id":"{call_id}"'

    def answer(self, blocks: list[Block], usage: Usage, stop: str | None) -> str | None:
        """Append an answer: an item for each block, what the screen was told of it, and its tokens."""
        for block in blocks:
            self.item(block.json, block.place)
            self.truth.message("assistant", self.at, block.text)
        if stop in ("aborted", "error"):
            told = '"type":"turn_aborted"' if stop == "aborted" else '"type":"error","message":"overloaded"'
            self.item(told, kind="event_msg")
            self.truth.message("assistant", self.at)
        self._tokens(usage)
        if blocks:
            self.answered_by(f"{self.provider}/{self.model}")
        return self.leaf

    def _tokens(self, usage: Usage) -> None:
        self.sums = [before + now for before, now in zip(self.sums, usage.tokens, strict=True)]
        sent, received, read, written = self.sums
        told = {"input_tokens": sent + read + written, "cached_input_tokens": read}
        told |= {"cache_write_input_tokens": written, "output_tokens": received}
        for _ in range(2):
            self.note("event_msg", {"type": "token_count", "info": {"total_token_usage": told}})
        self.note("event_msg", {"type": "token_count", "info": None})
        self.truth.usage(at_list_price(usage, self.model))

    def tool_result(self, call_id: str, name: str, output: str, *, failed: bool = False) -> str | None:
        told = f'"type":"function_call_output","call_id":"{call_id}","output":{output}'
        entry_id = self.item(told, "tool_result")
        self.truth.message("toolResult", self.at)
        return entry_id

    def name(self, name: str) -> None:
        self.note("event_msg", {"type": "thread_name_updated", "thread_name": name})
        self.truth.name = name.strip() or None

    def compaction(self, summary: Text, kept: str | None, usage: Usage | None = None) -> None:
        self.item(f'"message":{summary.json}', "compaction", kind="compacted")

    def custom_message(self, text: Text) -> None:
        content = f'[{{"type":"input_text","text":{text.json}}}]'
        self.item(f'"type":"message","role":"developer","content":{content}', "custom_message")

    def use_model(self, provider: str, model: str) -> None:
        self.model = model
        self.note("turn_context", {"model": model, "approval_policy": "never"})
