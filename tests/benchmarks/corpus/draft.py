"""A session that is being written, as pi and its family spell it: the lines as bytes, and their truth."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.corpus.clock import iso

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.corpus.chunks import Text, ToolCall, Usage
    from tests.benchmarks.corpus.needles import Needle
    from tests.benchmarks.corpus.truth import Truth

EVENTS = frozenset({
    "branch", "label", "name", "compaction", "branch_summary", "custom", "custom_message", "usage", "model",
    "thinking_level", "bash",
})  # fmt: skip


def quote(text: str) -> str:
    """`text` as a JSON string; lone surrogates become `\\udXXX` escapes, everything else stays as it is."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False)


class Block(NamedTuple):
    """A part of an answer.

    :param place: where a needle in it is planted: "thinking", "assistant" or "tool_arguments".
    :param json: its JSON.
    :param text: its text, if it is one of the conversation.
    """

    place: str
    json: str
    text: str = ""


def prompt_forms(text: Text, block: str, image: str, string: str) -> dict[str, tuple[str, str]]:
    """Return the forms of a prompt: name -> (content, text).

    :param block: the text as a block; `image`: a block before it; `string`: a content that is no list.
    """
    return {
        "blocks": (f"[{block}]", text.plain),
        "string": (string, text.plain),
        "image": (f"[{image},{block}]", text.plain),
        "two": (f"[{block},{block}]", f"{text.plain} {text.plain}"),
        "silent": (f"[{image}]", ""),
    }


class Draft:
    """A session in pi's spelling (formats/README.md, "pi"). Subclasses change parts of it for other agents.

    Every method appends one line to `lines` and adds to `truth` what a reader must find in it. `at` is the
    current time of the session in ms; the caller advances it.
    """

    can = EVENTS

    def __init__(self, truth: Truth, *, serial: int, version: int | None = 3) -> None:
        self.truth = truth
        self.version = version
        self.lines: list[bytes] = []
        self.at = truth.created or 0
        self.leaf: str | None = None
        self.provider, self.model = "anthropic", "claude-sonnet-4-5"
        # Ids that look random and are unique: an odd step through 32 bits.
        self.next_id = (serial * 0x9E3779B1 + 0x1234567) & 0xFFFFFFFF
        self.store, self.path = "", ""
        # The needles that are still to be planted.
        self.wanted: list[Needle] = []
        self.prefix = b""
        self.newline = b"\n"
        self.tail = b""

    # -- the file --

    def content(self) -> bytes:
        """Return the bytes of the file."""
        body = self.newline.join(self.lines)
        return self.prefix + body + (self.newline if self.lines else b"") + self.tail

    def raw(self, line: str | bytes) -> None:
        """Append a line as it is, without any truth about it."""
        self.lines.append(line if isinstance(line, bytes) else line.encode())

    def broken(self, line: str | bytes) -> None:
        """Append a line that cannot be read."""
        self.raw(line)
        self.truth.problems += 1

    def header(self, **fields: object) -> None:
        """Append the header; `fields` replaces or adds fields, and None removes one."""
        values: dict[str, object] = {"type": "session"}
        if self.version is not None:
            values["version"] = self.version
        values["id"] = self.truth.id
        if self.truth.created is not None:
            values["timestamp"] = iso(self.truth.created)
        if self.truth.cwd is not None:
            values["cwd"] = self.truth.cwd
        if self.truth.parent_session is not None:
            values["parentSession"] = self.truth.parent_session
        values.update(fields)
        kept = {key: value for key, value in values.items() if value is not None}
        self.raw(json.dumps(kept, ensure_ascii=False, separators=(",", ":")))

    # -- entries --

    def new_id(self) -> str:
        """Return an id that no other entry of this session has."""
        self.next_id = (self.next_id + 0x3C6EF373) & 0xFFFFFFFF
        return f"{self.next_id:08x}"

    def line(self, kind: str, rest: str, entry_id: str | None, parent: str | None) -> str:
        """Return a line of type `kind`; `rest` is its other fields as JSON and begins with a comma."""
        ids = ""
        if entry_id is not None:
            ids = f',"id":"{entry_id}","parentId":' + ("null" if parent is None else f'"{parent}"')
        return f'{{"type":"{kind}"{ids},"timestamp":"{iso(self.at)}"{rest}}}'

    def entry(self, kind: str, rest: str) -> str | None:
        """Append an entry below the leaf and make it the leaf; return its id."""
        entry_id = self.new_id() if self.version in (2, 3, 9) else None
        self.place(self.line(kind, rest, entry_id, self.leaf), entry_id, self.leaf)
        return entry_id

    def place(self, line: str | bytes, entry_id: str | None, parent: str | None) -> None:
        """Append a line that is an entry, and make the entry the leaf."""
        self.raw(line)
        self.truth.entry(entry_id, parent)
        self.leaf = entry_id

    def lost(self, line: str | bytes) -> None:
        """Append a damaged entry, whose later children are orphans. `{id}` in `line` is replaced by
        its id.
        """
        entry_id = self.new_id()
        if isinstance(line, str):
            line = line.replace("{id}", entry_id)
        self.broken(line)
        self.leaf = entry_id

    def written(self, place: str) -> tuple[str | None, int]:
        """Return the id and the number of the entry with the text that was written last at `place`."""
        return self.leaf, len(self.truth.ids) - 1

    def branch(self, entry_id: str | None) -> None:
        """Go on below `entry_id` (None: a new root)."""
        self.leaf = entry_id

    # -- messages --

    def message(self, role: str, body: str, *, text: str = "", at: int | None = None) -> str | None:
        """Append a message; `body` is its JSON object, `at` its own time in ms if it has one."""
        entry_id = self.entry("message", f',"message":{body}')
        self.truth.message(role, self.at if at is None else at, text)
        return entry_id

    def user(self, text: Text, *, form: str = "blocks") -> str | None:
        """Append a prompt: in "blocks", as a "string", with an "image", in "two" blocks, or "silent" (no
        text).
        """
        at = self.at - 7
        image = '{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}'
        block = f'{{"type":"text","text":{text.json}}}'
        content, plain = prompt_forms(text, block, image, text.json)[form]
        return self.message("user", self.user_body(content, at), text=plain, at=at)

    def user_body(self, content: str, at: int) -> str:
        return f'{{"role":"user","content":{content},"timestamp":{at}}}'

    def assistant(
        self,
        text: Text | None,
        usage: Usage,
        *,
        thinking: Text | None = None,
        calls: Iterable[tuple[str, ToolCall]] = (),
        stop: str | None = None,
    ) -> str | None:
        """Append an answer: thinking, text, tool calls (call id, call), usage."""
        blocks = []
        if thinking is not None:
            blocks.append(Block("thinking", self.thinking_block(thinking)))
        if text is not None:
            blocks.append(Block("assistant", self.text_block(text), text.plain))
        blocks += [Block("tool_arguments", self.call_block(call_id, call)) for call_id, call in calls]
        return self.answer(blocks, usage, stop)

    def answer(self, blocks: list[Block], usage: Usage, stop: str | None) -> str | None:
        """Append an answer with these blocks."""
        reason = stop or ("toolUse" if blocks and blocks[-1].place == "tool_arguments" else "stop")
        at = self.at - 1500
        body = self.answer_body(",".join(block.json for block in blocks), usage, reason, at)
        entry_id = self.message("assistant", body, text="".join(block.text for block in blocks), at=at)
        self.truth.usage(usage)
        self.answered_by(f"{self.provider}/{self.model}")
        return entry_id

    def answered_by(self, model: str) -> None:
        """Add a model that answered to the truth."""
        if model not in self.truth.models:
            self.truth.models.append(model)

    def thinking_block(self, thinking: Text) -> str:
        return f'{{"type":"thinking","thinking":{thinking.json},"thinkingSignature":"c2ln"}}'

    def text_block(self, text: Text) -> str:
        return f'{{"type":"text","text":{text.json}}}'

    def call_block(self, call_id: str, call: ToolCall) -> str:
        return f'{{"type":"toolCall","id":"{call_id}","name":"{call.name}","arguments":{call.arguments}}}'

    def answer_body(self, blocks: str, usage: Usage, reason: str, at: int) -> str:
        return (
            f'{{"role":"assistant","content":[{blocks}],"api":"anthropic-messages","provider":"{self.provider}",'
            f'"model":"{self.model}","usage":{usage.camel},"stopReason":"{reason}","timestamp":{at}}}'
        )

    def tool_result(self, call_id: str, name: str, output: str, *, failed: bool = False) -> str | None:
        """Append a tool result; `output` is a JSON string with its quotes."""
        return self.message(
            "toolResult",
            f'{{"role":"toolResult","toolCallId":"{call_id}","toolName":"{name}","content":[{{"type":"text",'
            f'"text":{output}}}],"isError":{"true" if failed else "false"},"timestamp":{self.at}}}',
        )

    # -- everything else --

    def bash(self, command: str, output: Text) -> None:
        self.message(
            "bashExecution",
            f'{{"role":"bashExecution","command":{quote(command)},"output":{output.json},"exitCode":0,'
            f'"cancelled":false,"truncated":false,"timestamp":{self.at}}}',
        )

    def hook_message(self, text: Text) -> None:
        """Append a message of the role that version 3 renamed to custom
        (formats/README.md, "Migrations").
        """
        self.message(
            "hookMessage",
            f'{{"role":"hookMessage","customType":"plan","content":{text.json},"display":true,"timestamp":{self.at}}}',
        )

    def label(self, target: str, label: str | None) -> None:
        """Label an entry; None omits the field and "" writes it empty: both clear the label."""
        spelling = "" if label is None else f',"label":{quote(label)}'
        self.entry("label", f',"targetId":"{target}"{spelling}')
        self.truth.label(target, label)

    def name(self, name: str) -> None:
        """Name the session; "" clears the name."""
        self.entry("session_info", f',"name":{quote(name)}')
        self.truth.name = name.strip() or None

    def compaction(self, summary: Text, kept: str | None, usage: Usage | None = None) -> None:
        first = f',"firstKeptEntryId":"{kept}"' if kept else ',"firstKeptEntryIndex":1'
        spent = "" if usage is None else f',"usage":{usage.camel}'
        self.entry("compaction", f',"summary":{summary.json}{first},"tokensBefore":42000{spent}')
        if usage is not None:
            self.truth.usage(usage)

    def branch_summary(self, summary: Text, source: str | None, usage: Usage | None = None) -> None:
        spent = "" if usage is None else f',"usage":{usage.camel}'
        self.entry("branch_summary", f',"fromId":"{source or "root"}","summary":{summary.json}{spent}')
        if usage is not None:
            self.truth.usage(usage)

    def custom(self, kind: str = "plan-mode") -> None:
        self.entry("custom", f',"customType":"{kind}","data":{{"step":3,"done":false}}')

    def custom_message(self, text: Text) -> None:
        self.entry("custom_message", f',"customType":"reminder","content":{text.json},"display":true')

    def usage_entry(self, usage: Usage) -> None:
        self.entry(
            "usage",
            f',"kind":"title","provider":"{self.provider}","model":"{self.model}","usage":{usage.camel}',
        )
        self.truth.usage(usage)

    def use_model(self, provider: str, model: str) -> None:
        self.provider, self.model = provider, model
        self.entry("model_change", f',"provider":"{provider}","modelId":"{model}"')

    def thinking_level(self, level: str) -> None:
        self.entry("thinking_level_change", f',"thinkingLevel":"{level}"')
