"""Messages of Codex, and which of those in the user's role a person typed
(formats/README.md, "Lines of Codex").
"""

from __future__ import annotations

import re
from typing import Any

from app.formats.dialects.content_blocks import joined_text
from app.formats.json_codec import BadLine, decode

_CONTEXT = re.compile(
    r"\s*(?:# AGENTS\.md instructions(?: for [^\n]*)?\s*(?:\n|<|\Z)"
    r"|<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted"
    r"|skill|permissions instructions|collaboration_mode|personality_spec|model_switch|subagent_notification"
    r"|apps_instructions|skills_instructions|plugins_instructions|user_shell_command|recommended_plugins"
    r"|realtime_conversation|goal_context|hook_context|user_action)\b)"
)
"""How texts begin that Codex put in the user's role; it counts in files without marks alone."""
_EDITOR = re.compile(r"\s*# [^\n]{1,100}:\s*\n.*?^## My request for \w+:[ \t]*\n?", re.DOTALL | re.MULTILINE)
"""The files and the state of an editor, which Codex puts before the prompt in one text with it."""
_IMAGE_TAG = re.compile(r"\s*(?:<image(?:\s[^<>]*)?>|</image>)\s*")
_SHELL = re.compile(
    r"\s*<user_shell_command>\s*<command>\n?(.*?)\n?</command>\s*<result>\n?(.*?)\n?</result>"
    r"\s*</user_shell_command>\s*",
    re.DOTALL,
)
"""The command and its output, as Codex writes what a user ran with `!`."""
_SHELL_KIND = "shell.user_command"
_TYPED_KINDS = "user."
"""How the kinds begin of blocks that a person gave: `user.text`, `user.image`."""
_MARKS = re.compile(rb'"(?:user_message|UserMessage)"')
_USER = re.compile(rb'"role":\s*"user"')
_PART = 20
"""Characters of a note, white space aside, that may be a part of its prompt."""
_ROLE_WITHIN = 1000
"""Bytes of a line in which its role stands."""
EXIT_CODE = re.compile(r"^(?:Exit code: |Process exited with code )(\d{1,9})", re.MULTILINE)


def message_entries(item: dict[str, Any], typed: bool | None) -> list[dict[str, Any]]:
    """The entries of a message: an answer, or what is no prompt, and then the prompt.

    :param typed: whether notes for the screen say that a person typed it (`TypedMarks`); None if none does.
    """
    role, content = item.get("role"), content_of(item.get("content"))
    if role == "assistant":
        return [answer(content)]
    if role != "user":
        return [_context(content, role)]
    blocks = content if isinstance(content, list) else []
    kinds = _kinds(item)
    if kinds is None and typed is None:
        typed = not _is_context(blocks)
    is_shell = not typed if kinds is None else _SHELL_KIND in kinds
    if is_shell and (command := _shell_command(blocks)) is not None:
        return [{"type": "message", "message": command}]
    if kinds is not None:
        typed = any(kind.startswith(_TYPED_KINDS) for kind in kinds)
        if typed and len(kinds) == len(blocks):
            pairs = list(zip(blocks, kinds, strict=True))
            before = [block for block, kind in pairs if not kind.startswith(_TYPED_KINDS)]
            return _prompt(before, [block for block, kind in pairs if kind.startswith(_TYPED_KINDS)])
    return _prompt([], content) if typed else [_context(content)]


def history_of(items: list[Any], summary: object) -> list[dict[str, Any]]:
    """The messages that a compaction keeps.

    :param items: of the conversation, as in its lines. The summary may be one of them, in the user's role.
    :param summary: its text; empty if it is encrypted.
    """
    messages: list[dict[str, Any]] = []
    text = summary if isinstance(summary, str) else ""
    for item in items:
        if not isinstance(item, dict) or item.get("type") != "message":
            continue
        if text and _squeezed(joined_text(item.get("content"))) == _squeezed(text):
            messages.append({"role": "compactionSummary", "summary": text})
            text = ""
            continue
        for entry in message_entries(item, None):
            message = entry.get("message")
            if message is None:
                message = {key: entry[key] for key in entry if key != "type"} | {"role": "custom"}
            messages.append(message)
    return [*messages, {"role": "compactionSummary", "summary": text}] if text else messages


def _context(content: Any, name: object = "context") -> dict[str, Any]:
    return {"type": "custom_message", "customType": name, "content": content, "display": False}


def _prompt(before: list[Any], content: Any) -> list[dict[str, Any]]:
    """A prompt, without the tags around pictures; and before it, as context, the blocks `before` and the
    files of an editor that stand in its text.
    """
    if isinstance(content, list):
        first = next((block for block in content if _text_of(block).strip()), None)
        heading = _EDITOR.match(_text_of(first))
        if first is not None and heading is not None:
            before = [*before, {"type": "text", "text": heading[0].rstrip()}]
            rest = {**first, "text": _text_of(first)[heading.end() :]}
            content = [rest if block is first else block for block in content]
        if any(isinstance(block, dict) and block.get("type") == "image" for block in content):
            content = [block for block in content if not _IMAGE_TAG.fullmatch(_text_of(block))]
    prompt = {"type": "message", "message": {"role": "user", "content": content}}
    return [_context(before), prompt] if before else [prompt]


def _kinds(item: dict[str, Any]) -> list[str] | None:
    """The kinds of the blocks of a message, as newer versions note them; None if they do not."""
    notes = item.get("internal_chat_message_metadata_passthrough")
    kinds = notes.get("content_item_kinds") if isinstance(notes, dict) else None
    if not isinstance(kinds, list) or not kinds or not all(isinstance(kind, str) for kind in kinds):
        return None
    return kinds


def _text_of(block: Any) -> str:
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else ""


def _is_context(blocks: list[Any]) -> bool:
    """Whether all texts of a message begin as those that Codex writes."""
    texts = [text for block in blocks if (text := _text_of(block))]
    return bool(texts) and all(_CONTEXT.match(text) for text in texts)


def _shell_command(blocks: list[Any]) -> dict[str, Any] | None:
    """The command that a user ran with `!`, as pi has it; None if the texts are none."""
    found = _SHELL.fullmatch("".join(map(_text_of, blocks)))
    if found is None:
        return None
    command, result = found.groups()
    before, mark, output = result.partition("Output:")
    code = EXIT_CODE.search(before)
    message = {"role": "bashExecution", "command": command, "output": output.lstrip("\n") if mark else result}
    return message | {"exitCode": int(code[1]) if code else None, "cancelled": False, "truncated": False}


def answer(content: Any, stop: str = "stop") -> dict[str, Any]:
    """An entry with an answer of the model; `stop` is why it ended, in the spelling of pi."""
    return {"type": "message", "message": {"role": "assistant", "content": content, "stopReason": stop}}


def content_of(content: Any) -> Any:
    """The blocks of a content, as pi spells them."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return content
    return [_block(block) for block in content if not _is_sealed(block)]


def _is_sealed(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "encrypted_content"


def _block(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    kind = block.get("type")
    if kind in ("input_text", "output_text", "text", "summary_text", "reasoning_text"):
        return {**block, "type": "text"}
    url = block.get("image_url")
    if kind == "input_image" and isinstance(url, str):
        mime, _, data = url.removeprefix("data:").partition(";base64,")
        if url.startswith("data:image/") and data:
            return {"type": "image", "data": data, "mimeType": mime}
        return {"type": "image", "url": url}
    return block


def _typed_mark(value: dict[str, Any]) -> tuple[bool, str] | None:
    """The text of a prompt that a note for the screen tells, and whether it is a note of the newer kind; None
    for any other line.
    """
    item = value.get("payload")
    if value.get("type") != "event_msg" or not isinstance(item, dict):
        return None
    done = item.get("item")
    if item.get("type") == "item_completed" and isinstance(done, dict) and done.get("type") == "UserMessage":
        return True, joined_text(done.get("content"))
    if item.get("type") == "user_message" and item.get("kind") in (None, "plain"):
        text = item.get("message")
        return (False, text) if isinstance(text, str) else None
    return None


def _squeezed(text: str) -> str:
    return "".join(text.split())


class TypedMarks:
    """The prompts that notes for the screen repeat, in the lines of one file so far and those ahead."""

    def __init__(self) -> None:
        self._typed: dict[str, None] = {}
        self._has_newer_marks = False
        # The last line, if it is a message: its note comes with the next lines.
        self._last = ""

    def add(self, lines: bytes) -> None:
        """Remember the prompts that notes in the next lines repeat."""
        for mark in _MARKS.finditer(lines):
            start = lines.rfind(b"\n", 0, mark.start()) + 1
            end = lines.find(b"\n", mark.end())
            try:
                found = _typed_mark(decode(lines[start : end if end >= 0 else len(lines)]))
            except BadLine:
                continue
            if found is not None:
                is_newer, text = found
                self._has_newer_marks = self._has_newer_marks or is_newer
                if is_newer or not self._has_newer_marks:
                    self._typed[_squeezed(text)] = None
        start = lines.rfind(b"\n", 0, len(lines) - 1) + 1
        self._last = ""
        if _USER.search(lines, start, start + _ROLE_WITHIN):
            try:
                item = decode(lines[start:]).get("payload")
            except BadLine:
                return
            self._last = _squeezed(joined_text(item.get("content"))) if isinstance(item, dict) else ""

    def is_typed(self, item: dict[str, Any]) -> bool | None:
        """Whether notes for the screen tell that a person typed the texts of a message in the user's role;
        None if there are no notes, or the message is none.
        """
        if not self._typed or item.get("role") != "user" or item.get("type") != "message":
            return None
        if _kinds(item) is not None:
            return None
        content = content_of(item.get("content"))
        content = content if isinstance(content, list) else []
        blocks = [block for block in content if not _IMAGE_TAG.fullmatch(_text_of(block))]
        texts = [squeezed for block in blocks if (squeezed := _squeezed(_text_of(block)))]
        whole = "".join(texts)
        if whole in self._typed or any(text in self._typed for text in texts):
            return True
        if _is_context(blocks):
            return False
        if whole == self._last:
            return None
        # An older version may have noted a part of the text, or more. An answer such as "A" is in any text.
        return any(whole in text or (len(text) >= _PART and text in whole) for text in self._typed if text)
