"""The entries of the lines of Claude Code, each line for itself, in the spelling of pi's version 3."""

from __future__ import annotations

import os
from typing import Any

from app.formats.dialects.base import MetadataRecord
from app.formats.dialects.claude_prompts import INTERRUPTION, PROMPT, SHELL, editor_tag, written_of
from app.formats.dialects.content_blocks import joined_text
from app.formats.json_codec import BadLine
from app.formats.text import replace_surrogates, string_of

TURNS = frozenset(("user", "assistant"))
"""The types of lines with prompts, results and answers."""
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
_NO_MODEL = "<synthetic>"
"""The model of answers that Claude Code itself writes, such as errors."""
_NO_RESPONSE = "No response requested."
"""The answer that Claude Code makes up for a message that needs none, such as the output of a command."""
BOUNDARY = "compact_boundary"
"""The subtype of the line that a compaction writes before its summary."""
ABORTED = {"role": "assistant", "content": [], "stopReason": "aborted"}
"""The answer that the note of an interruption ends."""


def entries_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of a line, in the spelling of pi's version 3.

    :raises BadLine: it has no type.
    """
    kind = value.get("type")
    if not isinstance(kind, str):
        raise BadLine("a line without a type")
    if kind == "progress" or (kind not in TURNS and "uuid" not in value):
        # A state of the screen of Claude Code, or a fact about the session.
        return []
    parent = value.get("parentUuid")
    if parent is None and value.get("subtype") == BOUNDARY:
        parent = value.get("logicalParentUuid")
    head = {"id": value.get("uuid"), "parentId": parent, "timestamp": value.get("timestamp")}
    if kind == "user":
        return _user(value, head)
    if kind == "assistant":
        return [_answer(value, head)]
    attachment = value.get("attachment")
    if kind == "attachment" and isinstance(attachment, dict):
        if attachment.get("type") == "queued_command" and attachment.get("commandMode") in (None, "prompt"):
            # A prompt that was typed while the agent was at work.
            return [_written(attachment.get("prompt"), attachment, head)]
        if given := _given_file(value, attachment):
            return [{"type": "custom_message", **head, **given}]
        name, data = attachment.get("type"), {key: attachment[key] for key in attachment if key != "type"}
    else:
        name = value.get("subtype") if kind == "system" else kind
        data = {key: field for key, field in value.items() if key not in _ENVELOPE}
    return [{"type": "custom", **head, "customType": name or kind, "data": data}]


_FILES = frozenset(("file", "image", "directory", "already_read_file", "pdf", "pdf_reference"))
"""The types of attachments that the user gave a prompt with `@`."""


def _given_file(value: dict[str, Any], attachment: dict[str, Any]) -> dict[str, Any] | None:
    """The fields of the message with a file that the user gave with `@`; None for another attachment.

    `rendered` has the messages that were sent for it; older versions do not write it.
    """
    kind = string_of(attachment.get("type"))
    if kind not in _FILES:
        return None
    path = attachment.get("displayPath") or attachment.get("filename") or attachment.get("path")
    name = os.path.basename(path.rstrip("/")) if isinstance(path, str) else ""
    content: list[Any] = []
    rendered = value.get("rendered", attachment.get("rendered"))
    for message in rendered if isinstance(rendered, list) else [rendered]:
        sent = message.get("content") if isinstance(message, dict) else message
        content += [{"type": "text", "text": sent}] if isinstance(sent, str) else list_of(_content(sent))
    if not content:
        content = _file_content(attachment.get("content"))
    what = "file" if kind == "already_read_file" else kind
    return {"customType": f"{what} {name}".strip(), "content": content}


def _file_content(content: Any) -> list[Any]:
    """The blocks of the file in an attachment without `rendered`: its text, or its picture."""
    file = content.get("file") if isinstance(content, dict) else None
    if not isinstance(file, dict):
        return [{"type": "text", "text": content}] if isinstance(content, str) else list_of(_content(content))
    if isinstance(file.get("base64"), str):
        return [{"type": "image", "mimeType": file.get("type"), "data": file["base64"]}]
    text = file.get("content")
    return [{"type": "text", "text": text}] if isinstance(text, str) else []


def list_of(content: Any) -> list[Any]:
    """A list as it is; none for any other value."""
    return content if isinstance(content, list) else []


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
        return _chained(_with_editor(content, value), head)
    messages: list[dict[str, Any]] = [_result(block) for block in results]
    if len(results) == 1 and (diff := _diff(value.get("toolUseResult"))):
        messages[0]["details"] = {"diff": diff}
    entries = [{"type": "message", "message": message} for message in messages]
    rest = [block for block in blocks if block not in results]
    if rest:
        entries.append(_written(rest, value, {}))
    return _chained(entries, head)


def _with_editor(content: Any, value: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of a content in the user's role: what an extension told of an editor, and then the rest."""
    entries: list[dict[str, Any]] = []
    blocks = content if isinstance(content, list) else []
    while blocks and (tag := editor_tag(joined_text(blocks[:1]))):
        entries.append({"type": "custom_message", "customType": tag, "content": blocks[:1], "display": False})
        content = blocks = blocks[1:]
    return entries if entries and not blocks else [*entries, _written(content, value, {})]


def _written(content: Any, marks: dict[str, Any], head: dict[str, Any]) -> dict[str, Any]:
    """The entry of a content in the user's role: a prompt, a command, its output, the end of a turn, or a
    notice.

    :param marks: the line, or the attachment, that says where it comes from.
    """
    is_text = isinstance(content, str) or (
        isinstance(content, list)
        and all(isinstance(block, dict) and block.get("type") == "text" for block in content)
    )
    written = written_of(joined_text(content) if is_text else None, marks)
    shown = _content(content) if written.text is None else written.text
    if written.kind == PROMPT:
        message = {"role": "user", "content": shown}
    elif written.kind == SHELL:
        message = {"role": "bashExecution", "command": shown, "output": ""}
    elif written.kind == INTERRUPTION:
        message = {**ABORTED, "content": []}
    else:
        name = written.name or written.kind
        return {"type": "custom_message", **head, "customType": name, "content": shown}
    return {"type": "message", **head, "message": message}


def _chained(entries: list[dict[str, Any]], head: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of one line below each other. The last one has the id on which later lines hang."""
    parent, last = head["parentId"], head["id"]
    for number, entry in enumerate(entries):
        is_last = number == len(entries) - 1
        own = last if is_last or not isinstance(last, str) else f"{last}#{number}"
        entry |= head | {"id": own, "parentId": parent}
        parent = own
    return entries


def _answer(value: dict[str, Any], head: dict[str, Any]) -> dict[str, Any]:
    message = value.get("message")
    if not isinstance(message, dict):
        return {"type": "message", **head, "message": None}
    if message.get("model") == _NO_MODEL and joined_text(message.get("content")) == _NO_RESPONSE:
        return {"type": "custom", **head, "customType": "no-response", "data": {}}
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
        kept = usage.get("cache_creation")
        if isinstance(kept, dict) and "ephemeral_1h_input_tokens" in kept:
            fields["usage"]["cacheWrite1h"] = kept["ephemeral_1h_input_tokens"]
        if cost is not None:
            fields["usage"]["cost"] = {"total": cost}
    if message.get("id") is not None:
        fields["responseId"] = message["id"]
    kept = {key: field for key, field in fields.items() if field is not None}
    return {"type": "message", **head, "message": kept | {"content": fields["content"]}}


def answer_id(message: object, line: dict[str, Any]) -> str | None:
    """The id that all lines of an answer have: its own, or that of the request where a proxy left it out."""
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return None
    ids = (message.get("responseId"), line.get("requestId"))
    return next((each for each in ids if each and isinstance(each, str)), None)


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


TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
"""The field of the title, by the type of the line; the user's own one first."""


def titles_of(value: dict[str, Any]) -> list[MetadataRecord]:
    """The title that a line gives the session."""
    kind = value.get("type")
    title = value.get(TITLES.get(kind, "")) if isinstance(kind, str) else None
    if not isinstance(title, str) or "uuid" in value:
        return []
    return [MetadataRecord(type="session_info", name=replace_surrogates(title))]
