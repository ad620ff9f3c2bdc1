"""Claude Code: lines that hang on each other by `uuid` and `parentUuid`, without a header
(formats/README.md, "Claude Code").

One answer is spread over several lines, one for each block, which repeat its id and its usage. The results
of calls that were made together hang beside each other. `_Reader` puts this in order.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.formats.dialects.base import Dialect, FirstLines, MetadataRecord
from app.formats.dialects.content_blocks import ToolNames, joined_text
from app.formats.json_codec import BadLine, decode
from app.formats.partial_entry import CamelUsage, PartialEntry, Usage, partial_entry_of
from app.formats.text import replace_surrogates, trim_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.formats.dialects.base import LineReader

_TURNS = frozenset(("user", "assistant"))
_ENVELOPE = frozenset(
    (
        *("type", "uuid", "parentUuid", "logicalParentUuid", "timestamp", "sessionId", "session_id", "cwd"),
        *("version", "gitBranch", "userType", "entrypoint", "isSidechain", "isMeta", "slug", "agentId"),
        *("requestId", "promptId", "level", "subtype", "message"),
    )
)
"""The fields of lines that say where and when they were written, and those that the entry has elsewhere."""
_STOPS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "toolUse",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "error",
}
_CALLS = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
_AMOUNTS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_input_tokens": "cacheRead",
    "cache_creation_input_tokens": "cacheWrite",
}
_FILE_TOOLS = {
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookRead": "read",
    "NotebookEdit": "edit",
}
_NO_MODEL = "<synthetic>"
"""The model of answers that Claude Code itself writes, such as errors."""
_BOUNDARY = "compact_boundary"


class Claude(Dialect):
    """Claude Code."""

    name = "claude"
    one_entry_a_line = False
    lines_are_entries = False
    migrates = False
    writing = None
    name_marker = b'Title"'

    def reader(self) -> LineReader:
        """A reader that joins the lines of an answer."""
        return _Reader()

    def first_lines(self, path: str, lines: Iterator[bytes]) -> FirstLines | None:
        """The facts of the first line of the conversation; the id is in the name of the file."""
        for number, line in enumerate(lines, 1):
            try:
                value = decode(line)
            except BadLine:
                continue
            if isinstance(value.get("uuid"), str) and isinstance(value.get("sessionId"), str):
                forked = value.get("forkedFrom")
                parent = forked.get("sessionId") if isinstance(forked, dict) else None
                stem = os.path.splitext(os.path.basename(path))[0]
                return FirstLines(stem, value.get("cwd"), value.get("timestamp"), parent, number)
        return None

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entries of the line, each as it stands for itself."""
        value = decode(line)
        found = [partial_entry_of(entry, wrong) for entry in _entries(value)]
        return [*found, *_titles(value)]

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """The message; the results of several calls are several entries."""
        return _entries(decode(line))

    def metadata_entries(self, line: bytes) -> list[dict[str, Any]]:
        """The titles, as names."""
        return [{"type": "session_info", "name": each.name} for each in _titles(decode(line))]

    def file_call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, Any]:
        """The tools that read and change files have names and arguments of their own."""
        path = arguments.get("file_path", arguments.get("notebook_path"))
        return _FILE_TOOLS.get(tool, tool), path


def _entries(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of a line, in the spelling of pi's version 3.

    :raises BadLine: it has no type.
    """
    kind = value.get("type")
    if not isinstance(kind, str):
        raise BadLine("a line without a type")
    if kind == "progress" or (kind not in _TURNS and "uuid" not in value):
        # A state of the screen of Claude Code, or a fact about the session.
        return []
    parent = value.get("parentUuid")
    if parent is None and value.get("subtype") == _BOUNDARY:
        parent = value.get("logicalParentUuid")
    head = {"id": value.get("uuid"), "parentId": parent, "timestamp": value.get("timestamp")}
    if kind == "user":
        return _user(value, head)
    if kind == "assistant":
        return [_answer(value, head)]
    attachment = value.get("attachment")
    if kind == "attachment" and isinstance(attachment, dict):
        prompt = attachment.get("prompt")
        if attachment.get("type") == "queued_command" and attachment.get("commandMode") in (None, "prompt"):
            # A prompt that was typed while the agent was at work.
            return [{"type": "message", **head, "message": {"role": "user", "content": _content(prompt)}}]
        name, data = attachment.get("type"), {key: attachment[key] for key in attachment if key != "type"}
    else:
        name = value.get("subtype") if kind == "system" else kind
        data = {key: field for key, field in value.items() if key not in _ENVELOPE}
    return [{"type": "custom", **head, "customType": name or kind, "data": data}]


def _user(value: dict[str, Any], head: dict[str, Any]) -> list[dict[str, Any]]:
    message = value.get("message")
    if not isinstance(message, dict):
        return [{"type": "message", **head, "message": None}]
    content = message.get("content")
    if value.get("isCompactSummary") is True:
        return [{"type": "compaction", **head, "summary": joined_text(content)}]
    blocks = content if isinstance(content, list) else []
    results = [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]
    if not results:
        if value.get("isMeta") is True:
            fields = {"customType": "meta", "content": _content(content), "display": False}
            return [{"type": "custom_message", **head, **fields}]
        if value.get("promptSource") == "system":
            # Claude Code went on by itself, for example because a task in the background has ended.
            origin = value.get("origin")
            kind = origin.get("kind") if isinstance(origin, dict) else None
            return [
                {
                    "type": "custom_message",
                    **head,
                    "customType": kind or "system",
                    "content": _content(content),
                }
            ]
        return [{"type": "message", **head, "message": {"role": "user", "content": _content(content)}}]
    messages: list[dict[str, Any]] = [_result(block) for block in results]
    if len(results) == 1 and (diff := _diff(value.get("toolUseResult"))):
        messages[0]["details"] = {"diff": diff}
    rest = [block for block in blocks if block not in results]
    if rest:
        messages.append({"role": "user", "content": _content(rest)})
    return _chained(messages, head)


def _chained(messages: list[dict[str, Any]], head: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of one line below each other. The last one has the id on which later lines hang."""
    entries = []
    parent, last = head["parentId"], head["id"]
    for number, message in enumerate(messages):
        is_last = number == len(messages) - 1
        own = last if is_last or not isinstance(last, str) else f"{last}#{number}"
        entries.append({"type": "message", **head, "id": own, "parentId": parent, "message": message})
        parent = own
    return entries


def _answer(value: dict[str, Any], head: dict[str, Any]) -> dict[str, Any]:
    message = value.get("message")
    if not isinstance(message, dict):
        return {"type": "message", **head, "message": None}
    fields: dict[str, Any] = {"role": "assistant", "content": _content(message.get("content"))}
    blocks = fields["content"] if isinstance(fields["content"], list) else []
    if message.get("model") != _NO_MODEL:
        fields["model"] = message.get("model")
    stop = message.get("stop_reason")
    fields["stopReason"] = _STOPS.get(stop, stop) if isinstance(stop, str) else stop
    if stop is None and any(isinstance(block, dict) and block.get("type") == "toolCall" for block in blocks):
        fields["stopReason"] = "toolUse"
    if value.get("isApiErrorMessage") is True:
        fields |= {"stopReason": "error", "errorMessage": joined_text(message.get("content"))}
    elif value.get("isAbortedMidStream") is True:
        fields["stopReason"] = "aborted"
    usage = message.get("usage")
    cost = value.get("costUSD")
    if isinstance(usage, dict):
        fields["usage"] = {ours: usage[theirs] for theirs, ours in _AMOUNTS.items() if theirs in usage}
        if cost is not None:
            fields["usage"]["cost"] = {"total": cost}
    if message.get("id") is not None:
        fields["responseId"] = message["id"]
    kept = {key: field for key, field in fields.items() if field is not None}
    return {"type": "message", **head, "message": kept | {"content": fields["content"]}}


def _content(content: Any) -> Any:
    return [_block(block) for block in content] if isinstance(content, list) else content


def _block(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    kind = block.get("type")
    if not isinstance(kind, str):
        return block
    if kind in _CALLS:
        rest = {key: field for key, field in block.items() if key not in ("type", "input")}
        return {"type": "toolCall", **rest, "arguments": block.get("input")}
    if kind == "thinking":
        fields = {key: field for key, field in block.items() if key != "signature"}
        return fields | ({"thinkingSignature": block["signature"]} if "signature" in block else {})
    if kind == "redacted_thinking":
        return {**block, "type": "redactedThinking"}
    source = block.get("source")
    if kind in ("image", "document") and isinstance(source, dict):
        fields = {key: field for key, field in block.items() if key != "source"}
        fields["mimeType"] = source.get("media_type")
        if kind == "image" and source.get("type") == "base64":
            fields["data"] = source.get("data")
        elif source.get("type") != "base64":
            # The bytes of a document stay in the file: nothing shows them.
            fields |= {key: source[key] for key in ("url", "file_id", "data") if key in source}
        return {key: field for key, field in fields.items() if field is not None}
    return block


def _result(block: dict[str, Any]) -> dict[str, Any]:
    content = block.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    message = {"role": "toolResult", "toolCallId": block.get("tool_use_id"), "content": _content(content)}
    return message | {"isError": block.get("is_error") is True}


def _diff(result: Any) -> str:
    """The changes to a file as Claude Code keeps them beside the result of an edit."""
    hunks = result.get("structuredPatch") if isinstance(result, dict) else None
    lines: list[str] = []
    for hunk in hunks if isinstance(hunks, list) else ():
        changed = hunk.get("lines") if isinstance(hunk, dict) else None
        if isinstance(changed, list) and changed:
            places = [hunk.get(key) for key in ("oldStart", "oldLines", "newStart", "newLines")]
            lines.append("@@ -{},{} +{},{} @@".format(*places))
            lines += [line for line in changed if isinstance(line, str)]
    return "\n".join(lines)


_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
"""The field of the title, by the type of the line; the user's own one first."""


def _titles(value: dict[str, Any]) -> list[MetadataRecord]:
    """The title that a line gives the session."""
    kind = value.get("type")
    title = value.get(_TITLES.get(kind, "")) if isinstance(kind, str) else None
    if not isinstance(title, str) or "uuid" in value:
        return []
    return [MetadataRecord(type="session_info", name=replace_surrogates(title))]


class _Reader:
    """The lines of one file. It knows what was read before:

    - A line that is no entry passes its children on to its parent.
    - The lines of an answer and its results form a chain in the order of the file, and what hangs on one of
      them goes on from the last: results of calls that were made together would be branches otherwise.
    - The usage of an answer counts once, as its last line tells it: each line adds what is new.
    - A result has the name of the tool that was called.
    - The user's title is the name of the session, before that of the agent, before a summary of one of the
      entries.
    - The last entry that is not a sub-agent's is the leaf.
    """

    def __init__(self) -> None:
        self._passed: dict[str, str | None] = {}
        self._known: set[str] = set()
        self._answer_of: dict[str, str] = {}
        self._last_of: dict[str, str] = {}
        self._spent: dict[str, Usage] = {}
        self._tools = ToolNames()
        self._given: dict[str, str] = {}
        self._summaries: dict[str, str] = {}
        self._name = ""
        self._leaf: str | None = None
        self._is_sidechain: bool | None = None

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entries of the line in their places, then its facts about the session."""
        value = decode(line)
        entries = _entries(value)
        found = [partial_entry_of(entry, wrong) for entry in entries]
        if not entries:
            self._pass_over(value)
        else:
            message = entries[0].get("message")
            answer = message.get("responseId") if isinstance(message, dict) else None
            answer = answer if isinstance(answer, str) else None
            for entry, partial in zip(entries, found, strict=True):
                self._place(value, partial, answer)
                self._tools.complete(entry, partial)
                if answer is not None:
                    self._count(partial, answer)
        records = list(self._renamed(value))
        last = found[-1].id if found else None
        if last is not None:
            if self._is_sidechain is None:
                self._is_sidechain = value.get("isSidechain") is True
            if self._is_sidechain or value.get("isSidechain") is not True:
                self._leaf = last
                records.append(MetadataRecord(type="leaf", target_id=last))
        return [*found, *records]

    def _pass_over(self, value: dict[str, Any]) -> None:
        entry_id, parent = value.get("uuid"), value.get("parentUuid")
        if isinstance(entry_id, str):
            self._passed[entry_id] = self._parent(parent) if isinstance(parent, str) else None

    def _parent(self, parent: str) -> str | None:
        """The entry that stands for `parent`."""
        while parent in self._passed:
            above = self._passed[parent]
            if above is None:
                return None
            if above == parent:
                break
            parent = above
        answer = self._answer_of.get(parent)
        return parent if answer is None else self._last_of[answer]

    def _place(self, value: dict[str, Any], partial: PartialEntry, answer: str | None) -> None:
        """Hang an entry where it belongs."""
        entry_id, parent = partial.id, partial.parent_id
        if entry_id is None or entry_id in self._known:
            return
        self._known.add(entry_id)
        self._passed.pop(entry_id, None)
        if parent is not None:
            above = self._parent(parent)
            if above not in self._known and value.get("subtype") == _BOUNDARY:
                # It names an entry that was never written.
                above = self._leaf
            partial.parent_id = above
            is_turn = partial.message is not None and partial.message.role in ("user", "assistant")
            if answer is None and not is_turn and above is not None and above != entry_id:
                answer = self._answer_of.get(above)
        if answer is not None:
            self._answer_of[entry_id] = answer
            self._last_of[answer] = entry_id

    def _count(self, partial: PartialEntry, answer: str) -> None:
        """Count the usage of an answer once."""
        message = partial.message
        if message is not None and message.usage is not None:
            before, self._spent[answer] = self._spent.get(answer), message.usage
            if before is not None:
                message.usage = _more(before, message.usage)

    def _renamed(self, value: dict[str, Any]) -> Iterator[MetadataRecord]:
        """The name of the session, if the line changes it."""
        kind, entry_id = value.get("type"), value.get("uuid")
        for title in _titles(value):
            leaf = value.get("leafUuid")
            if kind != "summary":
                self._given[str(kind)] = title.name or ""
            elif isinstance(leaf, str):
                self._summaries[leaf] = title.name or ""
                entry_id = leaf
        if isinstance(entry_id, str) and entry_id in self._summaries and entry_id in self._known:
            self._given["summary"] = self._summaries[entry_id]
        elif kind not in _TITLES:
            return
        names = (trim_name(self._given.get(each)) for each in _TITLES)
        name = next(filter(None, names), "")
        if name != self._name:
            self._name = name
            yield MetadataRecord(type="session_info", name=name)


def _more(before: Usage, usage: Usage) -> Usage:
    """The usage that a later line of an answer adds."""
    more = CamelUsage()
    for field in ("input", "output", "cache_read", "cache_write"):
        count = getattr(usage, field)
        if count is None:
            setattr(usage, field, getattr(before, field))
        else:
            setattr(more, field, max(0, count - (getattr(before, field) or 0)))
    if usage.cost is None:
        usage.cost = before.cost
    elif before.cost is None:
        more.cost = usage.cost
    assert isinstance(more, Usage)
    return more
