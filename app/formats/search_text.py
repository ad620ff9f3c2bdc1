"""The searchable text of an entry, with its kind.

Ids, times, signatures, type names, images and encrypted fields are left out. An image is recognised by its
position and never by its contents: a path or a key may look like base64.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.entry_types import EXTENSION_ROLES, SHELL_ROLES, SUMMARY_ROLES, TOOL_CALL_TYPES
from app.formats.nested_calls import nested_calls
from app.formats.text import replace_surrogates, string_of, valid_string_of
from app.formats.text_kinds import ASSISTANT, CALL, CUSTOM, OTHER, RESULT, SHELL, SUMMARY, THINKING, USER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    Part = tuple[int, str, str]

# Fields that an agent writes for itself. The `data`, `details` and `arguments` of tools and extensions are
# searched whole.
_NOT_SEARCHED = frozenset(
    (
        *("id", "parentId", "targetId", "fromId", "firstKeptEntryId", "forkEntryId", "leafId"),
        "providerReplayThroughEntryId",
        *("toolCallId", "responseId", "itemId", "seq", "kind", "type", "role", "api", "stopReason"),
        *("timestamp", "thinkingSignature", "textSignature", "thoughtSignature", "signature"),
    )
)
_BINARY_FIELDS = {
    "image": "data",
    "image_generation_call": "result",
    "redactedThinking": "data",
    "reasoning": "encrypted_content",
}
"""Type of an object -> its field with an image, or with data that the provider encrypted."""
_MIME_TYPES = ("mimeType", "media_type")
_BINARY_WITH_MIME_TYPE = frozenset(("data", "blob"))
"""The fields with an image in an object that has the MIME type of an image."""
_PICTURE = re.compile(r"data:image/[^,]{0,100};base64,[A-Za-z0-9+/_-]*={0,2}")


class TextPiece(NamedTuple):
    """A piece of text: its kind (`formats.text_kinds`), and for calls and results the name of the tool."""

    kind: int
    text: str
    tool: str = ""


def text_pieces(entry: dict[str, Any], *, other: bool = True) -> list[TextPiece]:
    """The pieces of an entry in the spelling of `read_entry`, one for each kind and tool, without empty ones.

    A call has the tool's name and the names and values of its arguments; a result has its texts, the texts of
    its details and the tool's name. A header is an entry without an id. Nothing is cut. Lone surrogates are
    replaced, and NUL characters left out. The pieces of kinds 1 to 5 are those of the text store. Nothing is
    raised.

    :param other: include the kind `OTHER`, which takes as long as all other kinds.
    """
    texts_by_kind: dict[tuple[int, str], list[str]] = {}
    for kind, text, tool in iter_texts(entry, other=other):
        texts_by_kind.setdefault((kind, tool), []).append(text)
    pieces = [TextPiece(kind, "\n".join(texts), tool) for (kind, tool), texts in texts_by_kind.items()]
    return [piece for piece in pieces if piece.text]


def iter_texts(entry: dict[str, Any], *, other: bool) -> Iterator[Part]:
    """(kind, text, tool) of each text, the most important first. A piece is its texts joined with newlines.

    :param other: as in `text_pieces`.
    """
    for kind, text, tool in _entry_texts(entry, other):
        if text and (other or kind != OTHER):
            if not text.isascii():
                text = replace_surrogates(text)
            if "\0" in text:
                text = text.replace("\0", "")
            yield kind, text, tool


def _entry_texts(entry: dict[str, Any], other: bool) -> Iterator[Part]:
    message = entry.get("message")
    kind = entry.get("type")
    done: tuple[str, ...] = ()
    if kind == "message" and isinstance(message, dict):
        yield from _message(message, other)
        done = ("message",)
    elif kind == "compaction" or kind == "branch_summary":
        done = _if_text(entry, "summary")
        yield from _fields(SUMMARY, entry, done)
        if "content" in entry:
            # A summary of a transcript may have other content than its texts.
            yield from _content(OTHER, entry["content"], "", other)
            done += ("content",)
    elif kind == "branch":
        done = _if_text(entry, "branchSummary")
        yield from _fields(SUMMARY, entry, done)
    elif kind == "custom_message":
        done = ("content",)
        yield from _content(CUSTOM, entry.get("content"), "", other)
    elif kind == "session":
        # The header; the catalog knows the folder.
        done = ("cwd",)
    if other:
        yield from _rest(entry, done)


def _message(message: dict[str, Any], other: bool) -> Iterator[Part]:
    role = string_of(message.get("role"))
    done: tuple[str, ...] = ("content",)
    tool = ""
    if role == "user":
        kind = USER
    elif role == "assistant":
        kind = ASSISTANT
    elif role == "toolResult":
        kind = RESULT
        done = ("content", "details", "toolName", "nestedCalls")
        tool = valid_string_of(message.get("toolName"))
    elif role in SHELL_ROLES:
        kind = SHELL
        run = _if_text(message, SHELL_ROLES[role]) + _if_text(message, "output")
        yield from _fields(SHELL, message, run)
        done += run
    elif role in SUMMARY_ROLES:
        kind = OTHER
        summary = _if_text(message, "summary")
        yield from _fields(SUMMARY, message, summary)
        done += summary
    elif role in EXTENSION_ROLES:
        kind = CUSTOM
    else:
        kind = OTHER
    yield from _content(kind, message.get("content"), tool, other)
    if role == "toolResult":
        yield from _strings(RESULT, message.get("details"), tool)
        yield RESULT, tool, tool
        for call in nested_calls({"message": message}):
            yield CALL, call.name, call.name
            for text in (*argument_texts(call.arguments), call.text if call.failed else ""):
                yield CALL, text, call.name
    if other:
        yield from _rest(message, done)


def _if_text(value: dict[str, Any], key: str) -> tuple[str, ...]:
    """The name of a field in a tuple, which is empty if the field is no text."""
    return (key,) if isinstance(value.get(key), str) else ()


def _fields(kind: int, value: dict[str, Any], keys: tuple[str, ...]) -> Iterator[Part]:
    for key in keys:
        yield kind, value[key], ""


def _content(kind: int, content: Any, tool: str, other: bool) -> Iterator[Part]:
    """The content of a message: a text, or blocks."""
    if isinstance(content, str):
        yield kind, content, tool
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield from _block(kind, block, tool, other)
            else:
                yield from _strings(OTHER, block)
    else:
        yield from _strings(OTHER, content)


def _block(kind: int, block: dict[str, Any], tool: str, other: bool) -> Iterator[Part]:
    type_ = string_of(block.get("type"))
    done: Collection[str] = ()
    if type_ == "text" and isinstance(block.get("text"), str):
        yield kind, block["text"], tool
        if not other or len(block) == 2:
            return
        done = ("text",)
    elif type_ == "thinking" and isinstance(block.get("thinking"), str):
        yield THINKING if kind == ASSISTANT else OTHER, block["thinking"], ""
        done = ("thinking",)
    elif type_ in TOOL_CALL_TYPES:
        name = valid_string_of(block.get("name"))
        yield CALL, name, name
        for text in argument_texts(block.get("arguments")):
            yield CALL, text, name
        done = ("name", "arguments")
    else:
        done = _binary_fields(block)
    if other:
        yield from _rest(block, done)


def _rest(value: dict[str, Any], done: Collection[str]) -> Iterator[Part]:
    """The texts of the other fields that are for people.

    :param done: the fields that are already known.
    """
    for key, field in value.items():
        if key in _NOT_SEARCHED or key in done:
            continue
        if isinstance(field, str):
            if not _is_picture(field):
                yield OTHER, field, ""
        elif isinstance(field, dict | list):
            yield from _strings(OTHER, field)


def _strings(kind: int, value: Any, tool: str = "") -> Iterator[Part]:
    """Every text in `value` in order, without the names of fields.

    There is no recursion, because `decode` allows more levels than Python.
    """
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if not _is_picture(value):
                yield kind, value, tool
        elif isinstance(value, dict):
            coded = _binary_fields(value)
            waiting.extend([field for key, field in reversed(value.items()) if key not in coded])
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def argument_texts(arguments: Any) -> Iterator[str]:
    """The names and values of the arguments of a call; numbers as in JSON."""
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if not _is_picture(value):
                yield value
        elif isinstance(value, dict):
            coded = _binary_fields(value)
            for key, field in reversed(value.items()):
                if key not in coded:
                    waiting.append(field)
                waiting.append(key)
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif value is not None:
            yield json.dumps(value)


def _binary_fields(value: dict[str, Any]) -> Collection[str]:
    """The fields of an object that hold an image or encrypted data."""
    type_ = value.get("type")
    if isinstance(type_, str) and type_ in _BINARY_FIELDS:
        return (_BINARY_FIELDS[type_],)
    for key in _MIME_TYPES:
        mime = value.get(key)
        if isinstance(mime, str) and mime.startswith("image/"):
            return _BINARY_WITH_MIME_TYPE
    return ()


def _is_picture(text: str) -> bool:
    return text.startswith("data:image/") and _PICTURE.fullmatch(text) is not None
