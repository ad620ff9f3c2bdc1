"""Claude Code's spelling (formats/README.md, "Claude Code"): no header, and answers in several lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.clock import iso
from tests.benchmarks.corpus.draft import Block, Draft, prompt_forms, quote
from tests.benchmarks.corpus.list_prices import at_list_price

if TYPE_CHECKING:
    from tests.benchmarks.corpus.chunks import Text, ToolCall, Usage
    from tests.benchmarks.corpus.truth import Truth

_STOPS = {"toolUse": "tool_use", "length": "max_tokens"}
_PROGRESS = 5
"""One in so many entries has a line of the screen before it."""


class ClaudeDraft(Draft):
    """Claude Code: titles are no entries, a compaction is two entries, costs are not written."""

    can = frozenset({"branch", "name", "compaction", "custom", "custom_message", "model"})

    def __init__(self, truth: Truth, *, serial: int) -> None:
        super().__init__(truth, serial=serial)
        # The first entry gives the time.
        truth.created = None
        self.answers = serial << 20
        self.blocks: dict[str, tuple[str, int]] = {}

    def header(self, **fields: object) -> None:
        """Append what stands before the conversation."""
        self.raw(f'{{"type":"permission-mode","permissionMode":"default","sessionId":"{self.truth.id}"}}')
        snapshot = f'{{"messageId":"x","trackedFileBackups":{{}},"timestamp":"{iso(self.at)}"}}'
        self.raw(f'{{"type":"file-history-snapshot","messageId":"x","snapshot":{snapshot}}}')

    def new_id(self) -> str:
        return f"{super().new_id()}-0000-4000-8000-000000000000"

    def line(self, kind: str, rest: str, entry_id: str | None, parent: str | None) -> str:
        named = {"message": '"type":"user"', "custom": '"type":"system","subtype":"turn_duration"'}[kind]
        return self.spelt(named + rest, entry_id, parent)

    def spelt(self, rest: str, entry_id: str | None, parent: str | None) -> str:
        """Return a line with the fields that all lines of a conversation have, and `rest`."""
        if self.truth.created is None:
            self.truth.created = self.at
        above = "null" if parent is None else quote(parent)
        folder = "" if self.truth.cwd is None else f'"cwd":{quote(self.truth.cwd)},'
        return (
            f'{{"parentUuid":{above},"isSidechain":false,"userType":"external",{folder}'
            f'"sessionId":"{self.truth.id}","version":"2.1.39","gitBranch":"main",'
            f'"uuid":{quote(entry_id or "")},"timestamp":"{iso(self.at)}",{rest}}}'
        )

    def written(self, place: str) -> tuple[str | None, int]:
        return self.blocks.get(place) or super().written(place)

    def put(self, rest: str, *, written_below: str | None = None) -> str:
        """Append an entry below the leaf.

        :param written_below: the parent that the line names, if it is another.
        """
        entry_id, parent = self.new_id(), self.leaf
        named = written_below or parent
        if len(self.truth.ids) % _PROGRESS == 2:
            own = self.new_id()
            self.raw(self.spelt('"type":"progress","data":{"type":"hook_progress"}', own, named))
            named = own
        self.place(self.spelt(rest, entry_id, named), entry_id, parent)
        return entry_id

    def message(self, role: str, body: str, *, text: str = "", at: int | None = None) -> str | None:
        kind = "assistant" if role == "assistant" else "user"
        entry_id = self.put(f'"type":"{kind}","message":{body}')
        self.truth.message(role, self.at, text)
        return entry_id

    def user(self, text: Text, *, form: str = "blocks") -> str | None:
        source = '{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}'
        image = f'{{"type":"image","source":{source}}}'
        content, plain = prompt_forms(text, self.text_block(text), image, text.json)[form]
        return self.message("user", f'{{"role":"user","content":{content}}}', text=plain)

    def thinking_block(self, thinking: Text) -> str:
        return f'{{"type":"thinking","thinking":{thinking.json},"signature":"c2ln"}}'

    def call_block(self, call_id: str, call: ToolCall) -> str:
        return f'{{"type":"tool_use","id":"{call_id}","name":"{call.name}","input":{call.arguments}}}'

    def answer(self, blocks: list[Block], usage: Usage, stop: str | None) -> str | None:
        """Append an answer: a line for each block. Their tokens grow; the last one tells all of them."""
        self.answers += 1
        sent, received, read, written = usage.tokens
        for number, block in enumerate(blocks):
            is_last = number == len(blocks) - 1
            told = (
                f'"input_tokens":{sent},"cache_creation_input_tokens":{written},"cache_read_input_tokens":{read},'
                f'"output_tokens":{received if is_last else min(1, received)},'
                '"service_tier":"standard"'
            )
            reason = "null" if not is_last else f'"{_STOPS.get(stop or "", "end_turn")}"'
            body = (
                f'{{"model":"{self.model}","id":"msg_{self.answers}","type":"message","role":"assistant",'
                f'"content":[{block.json}],"stop_reason":{reason},"usage":{{{told}}}}}'
            )
            ended = {"error": ',"isApiErrorMessage":true', "aborted": ',"isAbortedMidStream":true'}
            extra = ended.get(stop or "", "") if is_last else ""
            entry_id = self.put(f'"type":"assistant","message":{body}{extra}')
            self.blocks[block.place] = entry_id, len(self.truth.ids) - 1
            self.truth.message("assistant", self.at, block.text)
        self.truth.usage(at_list_price(usage, self.model))
        self.answered_by(self.model)
        return self.leaf

    def tool_result(self, call_id: str, name: str, output: str, *, failed: bool = False) -> str | None:
        block = f'{{"type":"tool_result","tool_use_id":"{call_id}","content":{output}'
        block += ',"is_error":true}' if failed else "}"
        return self.message("toolResult", f'{{"role":"user","content":[{block}]}}')

    def together(self, usage: Usage, calls: list[tuple[str, ToolCall]], output: str) -> None:
        """Append an answer with several calls whose results hang on their calls, and not on each other."""
        first = len(self.truth.ids)
        self.assistant(None, usage, calls=calls)
        callers = self.truth.ids[first:]
        for caller, (call_id, _) in zip(callers, calls, strict=True):
            block = f'{{"type":"tool_result","tool_use_id":"{call_id}","content":{output}}}'
            rest = f'"type":"user","message":{{"role":"user","content":[{block}]}}'
            self.put(rest, written_below=caller)
            self.truth.message("toolResult", self.at)

    def name(self, name: str) -> None:
        self.raw(json.dumps({"type": "custom-title", "customTitle": name, "sessionId": self.truth.id}))
        self.truth.name = name.strip() or None

    def title(self, kind: str, title: str, leaf: str | None = None) -> None:
        """Append a title that the agent made; the caller sets the name of the truth."""
        field = {"ai-title": "aiTitle", "summary": "summary"}[kind]
        line = {"type": kind, field: title, "leafUuid": leaf} if leaf else {"type": kind, field: title}
        self.raw(json.dumps(line))

    def compaction(self, summary: Text, kept: str | None, usage: Usage | None = None) -> None:
        entry_id, above = self.new_id(), self.leaf
        told = f'"logicalParentUuid":{quote(above or "")},"type":"system","subtype":"compact_boundary",'
        told += '"content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":167094}'
        self.place(self.spelt(told, entry_id, None), entry_id, above)
        self.put(
            '"type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,'
            f'"message":{{"role":"user","content":{summary.json}}}'
        )

    def custom(self, kind: str = "turn_duration") -> None:
        self.put(f'"type":"system","subtype":"{kind}","durationMs":88947,"isMeta":false')

    def custom_message(self, text: Text) -> None:
        self.put(f'"type":"user","isMeta":true,"message":{{"role":"user","content":{text.json}}}')

    def use_model(self, provider: str, model: str) -> None:
        self.provider, self.model = provider, model
