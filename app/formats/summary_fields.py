"""The fields of a line that the summary of a session needs, decoded for all lines of a block in one call.

`SummaryFields` has fewer fields than a `PartialEntry`: a tool result is only its place in the tree, and a
tool call only its name. `decode_lines` reads lines as the agents write them. For any other line,
`decode_partial` reads it and `summary_fields_of` makes the same of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta, Raw, Struct, defstruct

from app.formats.content import TypedContent, read_typed_content, string_of
from app.formats.entry_types import EXTENSION_ROLES, RESULT_ROLES, SUMMARY_ROLES
from app.formats.json_codec import DECODE_ERRORS
from app.formats.partial_entry import ABSENT, CamelUsage, PartialEntry, PartialMessage, Usage
from app.formats.timestamps import LAST_MS, message_time, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SUMMARY_TYPES = ("compaction", "branch_summary")
"""The types of entries with a summary."""

_Time = Annotated[int, Meta(ge=0, le=LAST_MS)]

_OTHER_ROLES = (
    "bashExecution",
    "pythonExecution",
    "fileMention",
    "developer",
    "system",
)


class Message(Struct, gc=False):
    """A message of which no field is needed."""


class Prompt(Message, gc=False, tag_field="role", tag="user"):
    """A message of the user; `timestamp` is in milliseconds, 0 for none."""

    content: TypedContent
    timestamp: _Time


class Answer(Message, gc=False, tag_field="role", tag="assistant"):
    """A message of the assistant; `content` and `timestamp` as in a `Prompt`."""

    content: TypedContent
    timestamp: _Time
    usage: Usage | None = None
    provider: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None


class ToolResult(Message, gc=False):
    """The result of a tool: the usage of the models that the tool asked, and the calls that it made, as JSON
    not yet read.
    """

    usage: Usage | None = None
    nested_calls: Raw = ABSENT


class ExtensionMessage(Message, gc=False):
    """A message of an extension."""

    content: TypedContent = None


class SummaryMessage(Message, gc=False):
    """A summary that is a message."""

    summary: str | None = None


class SummaryFields(Struct, gc=False):
    """One line. Every field is optional."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    message: Message | None = None
    target_id: str | None = None
    label: str | None = None
    name: str | None = None
    usage: Usage | None = None
    parent_session_path: str | None = None
    summary: str | None = None
    content: TypedContent = None
    branch_summary: str | None = None
    display: Any = None
    custom_type: Any = None


_CamelAnswer = defstruct(
    "CamelAnswer",
    [
        ("usage", CamelUsage | None, None),
        ("stop_reason", str | None, None),
        ("error_message", str | None, None),
    ],
    bases=(Answer,),
    gc=False,
    tag_field="role",
    tag="assistant",
    rename="camel",
)


def _tagged(base: type[Struct], roles: Iterable[str]) -> list[Any]:
    return [
        defstruct(f"{base.__name__}{number}", [], bases=(base,), gc=False, tag_field="role", tag=role)
        for number, role in enumerate(sorted(roles))
    ]


_CamelResult = defstruct(
    "CamelResult",
    [("usage", CamelUsage | None, None), ("nested_calls", Raw, ABSENT)],
    bases=(ToolResult,),
    gc=False,
    rename="camel",
)
_CAMEL_RESULTS, _SNAKE_RESULTS = _tagged(_CamelResult, RESULT_ROLES), _tagged(ToolResult, RESULT_ROLES)
_MESSAGES = (
    *_tagged(ExtensionMessage, EXTENSION_ROLES),
    *_tagged(SummaryMessage, SUMMARY_ROLES),
    *_tagged(Message, _OTHER_ROLES),
    None,
)

# Reading a session asks for the type of each message. With `isinstance`, which is slow for structs, a cold
# index takes a tenth longer.
ANSWER_TYPES = frozenset((Answer, _CamelAnswer))
"""The type of every `Answer`."""
RESULT_TYPES = frozenset((ToolResult, *_CAMEL_RESULTS, *_SNAKE_RESULTS))
"""The type of every `ToolResult`."""


def _decoder(
    answer: Any, results: Sequence[Any], usage: Any, rename: Literal["camel"] | None
) -> Callable[[memoryview], list[SummaryFields]]:
    kinds: dict[str, Any] = {
        "message": Union[(Prompt, answer, *results, *_MESSAGES)],
        "usage": usage | None,
        "content": TypedContent,
        "display": Any,
        "custom_type": Any,
    }
    fields = [(name, kinds.get(name, str | None), None) for name in SummaryFields.__struct_fields__]
    line: Any = defstruct("Line", fields, bases=(SummaryFields,), gc=False, rename=rename)
    return msgspec.json.Decoder(line).decode_lines


_CAMEL = _decoder(_CamelAnswer, _CAMEL_RESULTS, CamelUsage, "camel")
_SNAKE = _decoder(Answer, _SNAKE_RESULTS, Usage, None)


def decode_lines(
    block: bytes, offset: int = 0, *, snake: bool = False
) -> tuple[list[SummaryFields], list[int]] | None:
    """Every line of `block` that ends with a LF, and its offset in the file; at least one.

    :param offset: where `block` begins in the file.
    :return: None if a line is unusual: blank, damaged, with a field of a wrong type or an unknown role. A
        line that `decode_partial` would refuse is never in the list.
    """
    starts, end = _starts(block, offset)
    if not starts:
        return None
    try:
        found = (_SNAKE if snake else _CAMEL)(memoryview(block)[:end])
    except DECODE_ERRORS:
        return None
    return (found, starts) if len(found) == len(starts) else None


def _starts(block: bytes, offset: int) -> tuple[list[int], int]:
    """The offset in the file of each line that ends with a LF, and the length in `block` of all these lines.

    There are none if one of the lines is not "{...}". The decoder ignores where lines end, but no JSON value
    contains "}" followed by a LF and "{". Each line therefore holds whole values, and their number shows
    whether it holds one.
    """
    # Searching for a number is faster than searching for bytes of length one.
    find, newline, opens, closes = block.find, ord("\n"), ord("{"), ord("}")
    starts: list[int] = []
    start = 0
    while (end := find(newline, start)) >= 0:
        if block[start] != opens or (block[end - 1] != closes and block[end - 2 : end] != b"}\r"):
            return [], 0
        starts.append(offset + start)
        start = end + 1
    return starts, start


def summary_fields_of(skim: PartialEntry, wrong: list[str] | None = None) -> SummaryFields:
    """The same of a line that was read by itself.

    :param wrong: gets the names of more fields whose values are invalid, as `skim` found the others.
    """
    if wrong is not None and skim.type in SUMMARY_TYPES and bytes(skim.summary)[:1] not in (b"", b'"', b"n"):
        wrong.append("summary")
    return SummaryFields(
        skim.type,
        skim.id,
        skim.parent_id,
        None if skim.message is None else _message_of(skim, skim.message, wrong),
        skim.target_id,
        skim.label,
        skim.name,
        skim.usage,
        skim.parent_session_path,
        _string(skim.summary),
        read_typed_content(skim.content, wrong if skim.type == "custom_message" else None),
        skim.branch_summary,
        skim.display,
        skim.custom_type,
    )


def _message_of(skim: PartialEntry, message: PartialMessage, wrong: list[str] | None) -> Message:
    role = message.role
    if wrong is not None and message.timestamp is not None:
        at = parse_time(message.timestamp)
        if at is None or at < 0:
            wrong.append("message.timestamp")
    if role == "user" or role == "assistant":
        content = read_typed_content(message.content, wrong)
        # pi does not ask a message without content for its time.
        no_time = message.content is ABSENT
        time = 0 if no_time else message_time(message.timestamp, skim.timestamp) or 0
        if role == "user":
            return Prompt(content, time)
        return Answer(
            content,
            time,
            message.usage,
            message.provider,
            message.model,
            message.stop_reason,
            message.error_message,
        )
    if role in EXTENSION_ROLES:
        return ExtensionMessage(read_typed_content(message.content, wrong))
    if role in SUMMARY_ROLES:
        return SummaryMessage(_string(message.summary))
    return ToolResult(message.usage, message.nested_calls) if role in RESULT_ROLES else Message()


def _string(value: Raw) -> str | None:
    return None if value is ABSENT else string_of(value) or None
