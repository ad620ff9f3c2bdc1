"""Codex's spelling (formats/README.md, "Codex"): a line for each item, tokens as sums, no ids."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xxhash import xxh3_64_hexdigest

from tests.benchmarks.corpus.clock import iso
from tests.benchmarks.corpus.draft import Draft, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.corpus.chunks import Text, ToolCall, Usage
    from tests.benchmarks.corpus.truth import Truth


class CodexDraft(Draft):
    """Codex: linear; the model is told before each turn, and tokens after each answer, twice."""

    can = frozenset({"name", "compaction", "custom_message", "model"})

    def __init__(self, truth: Truth, *, serial: int) -> None:
        super().__init__(truth, serial=serial)
        self.provider, self.model = "openai", "gpt-5.3-codex"
        self._sums = [0, 0, 0, 0]
        self._items: dict[str, tuple[str | None, int]] = {}

    def header(self, **fields: object) -> None:
        truth = self.truth
        meta: dict[str, Any] = {"id": truth.id, "timestamp": iso(truth.created or 0), "cwd": truth.cwd}
        if truth.cwd is None:
            del meta["cwd"]
        if truth.parent_session is not None:
            meta["forked_from_id"] = truth.parent_session
        self._note("session_meta", {**meta, "originator": "codex_cli_rs", "model_provider": "openai"})
        self._note("turn_context", {"model": self.model, "approval_policy": "never"})
        context = "<environment_context>x</environment_context>"
        told = f'"role":"user","content":[{{"type":"input_text","text":"{context}"}}]'
        self.item(f'"type":"message",{told}')

    def _note(self, kind: str, payload: dict[str, Any]) -> None:
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
        self._items[place] = entry_id, len(self.truth.ids) - 1
        return entry_id

    def written(self, place: str) -> tuple[str | None, int]:
        return self._items.get(place) or super().written(place)

    def user(self, text: Text, *, form: str = "blocks") -> str | None:
        image = '{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}'
        block = f'{{"type":"input_text","text":{text.json}}}'
        forms = {
            "blocks": (f"[{block}]", text.plain),
            "string": (f"[{block}]", text.plain),
            "image": (f"[{image},{block}]", text.plain),
            "two": (f"[{block},{block}]", f"{text.plain} {text.plain}"),
            "silent": (f"[{image}]", ""),
        }
        content, plain = forms[form]
        entry_id = self.item(f'"type":"message","role":"user","content":{content}', "user")
        self.truth.message("user", self.at, plain)
        self._items["abandoned"] = self._items["user"]
        return entry_id

    def assistant(
        self,
        text: Text | None,
        usage: Usage,
        *,
        thinking: Text | None = None,
        calls: Iterable[tuple[str, ToolCall]] = (),
        stop: str | None = None,
    ) -> str | None:
        """Append an answer: an item for each block, what the screen was told of it, and its tokens."""
        blocks: list[tuple[str, str, str]] = []
        if thinking is not None:
            told = f'"summary":[{{"type":"summary_text","text":{thinking.json}}}],"encrypted_content":"c2ln"'
            blocks.append((f'"type":"reasoning",{told}', "thinking", ""))
        if text is not None:
            told = f'"role":"assistant","content":[{{"type":"output_text","text":{text.json}}}]'
            blocks.append((f'"type":"message",{told}', "assistant", text.plain))
        for call_id, call in calls:
            told = f'"name":"{call.name}","arguments":{quote(call.arguments)},"call_id":"{call_id}"'
            blocks.append((f'"type":"function_call",{told}', "tool_arguments", ""))
        for payload, place, plain in blocks:
            self.item(payload, place)
            self.truth.message("assistant", self.at, plain)
        if stop in ("aborted", "error"):
            told = '"type":"turn_aborted"' if stop == "aborted" else '"type":"error","message":"overloaded"'
            self.item(told, kind="event_msg")
            self.truth.message("assistant", self.at)
        self._tokens(usage)
        model = f"{self.provider}/{self.model}"
        if blocks and model not in self.truth.models:
            self.truth.models.append(model)
        return self.leaf

    def _tokens(self, usage: Usage) -> None:
        self._sums = [before + now for before, now in zip(self._sums, usage.tokens, strict=True)]
        sent, received, read, written = self._sums
        told = {"input_tokens": sent + read + written, "cached_input_tokens": read}
        told |= {"cache_write_input_tokens": written, "output_tokens": received}
        for _ in range(2):
            self._note("event_msg", {"type": "token_count", "info": {"total_token_usage": told}})
        self._note("event_msg", {"type": "token_count", "info": None})
        self.truth.usage(usage._replace(cost=0.0))

    def tool_result(self, call_id: str, name: str, output: str, *, failed: bool = False) -> str | None:
        told = f'"type":"function_call_output","call_id":"{call_id}","output":{output}'
        entry_id = self.item(told, "tool_result")
        self.truth.message("toolResult", self.at)
        return entry_id

    def name(self, name: str) -> None:
        self._note("event_msg", {"type": "thread_name_updated", "thread_name": name})
        self.truth.name = name.strip() or None

    def compaction(self, summary: Text, kept: str | None, usage: Usage | None = None) -> None:
        self.item(f'"message":{summary.json}', "compaction", kind="compacted")

    def custom_message(self, text: Text) -> None:
        content = f'[{{"type":"input_text","text":{text.json}}}]'
        self.item(f'"type":"message","role":"developer","content":{content}', "custom_message")

    def use_model(self, provider: str, model: str) -> None:
        self.model = model
        self._note("turn_context", {"model": model, "approval_policy": "never"})
