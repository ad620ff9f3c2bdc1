"""What a row needs of the lines of a session, and of all lines of a block in one call.

Less is named here than in a `Skim`, and less is built: of a tool's result nothing but where it hangs, of its
call the name. Lines that are not as the agents write them are for `skim`; `brief_of` makes the same of what
that finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta, Struct, defstruct

from app.formats.bytes_in import starts_of_objects
from app.formats.content import string_of
from app.formats.everything import EXTENSIONS, SUMMED
from app.formats.skim import ABSENT, REFUSALS, CamelUsage, Skim, SkimMessage, Usage
from app.formats.spoken import Spoken, read_spoken
from app.formats.stamps import LAST_MS, message_time, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from msgspec import Raw

_SUMMARIES = ("compaction", "branch_summary")
"""The types of entries with a summary."""

_Time = Annotated[int, Meta(ge=0, le=LAST_MS)]

_OTHER_ROLES = (
    "toolResult",
    "tool_result",
    "bashExecution",
    "pythonExecution",
    "fileMention",
    "developer",
    "system",
)


class Message(Struct, gc=False):
    """A message of which no more is needed than that it is one."""


class Prompt(Message, gc=False, tag_field="role", tag="user"):
    """A message of the user; `timestamp` is in milliseconds, 0 for none."""

    content: Spoken
    timestamp: _Time


class Answer(Message, gc=False, tag_field="role", tag="assistant"):
    """A message of the assistant; `content` and `timestamp` as in a `Prompt`."""

    content: Spoken
    timestamp: _Time
    usage: Usage | None = None
    provider: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None


class Extra(Message, gc=False):
    """A message of an extension."""

    content: Spoken = None


class Summed(Message, gc=False):
    """A summary that is a message."""

    summary: str | None = None


class Brief(Struct, gc=False):
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
    content: Spoken = None
    branch_summary: str | None = None


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

ANSWERS: tuple[type[Struct], ...] = (_CamelAnswer, Answer)
"""The classes of an answer: to look for one here takes half the time of an `isinstance`."""


def _tagged(base: type[Struct], roles: Iterable[str]) -> list[Any]:
    return [
        defstruct(f"{base.__name__}{number}", [], bases=(base,), gc=False, tag_field="role", tag=role)
        for number, role in enumerate(sorted(roles))
    ]


_EXTRAS, _SUMMED = _tagged(Extra, EXTENSIONS), _tagged(Summed, SUMMED)
_MESSAGES = (*_EXTRAS, *_SUMMED, *_tagged(Message, _OTHER_ROLES), None)
SPEAKING: frozenset[type[Struct]] = frozenset((*_EXTRAS, *_SUMMED, Extra, Summed))
"""The classes of other messages that say something."""


def _decoder(answer: Any, usage: Any, rename: Literal["camel"] | None) -> Callable[[memoryview], list[Brief]]:
    kinds = {"message": Union[(Prompt, answer, *_MESSAGES)], "usage": usage | None, "content": Spoken}
    fields = [(name, kinds.get(name, str | None), None) for name in Brief.__struct_fields__]
    line: Any = defstruct("Line", fields, bases=(Brief,), gc=False, rename=rename)
    return msgspec.json.Decoder(line).decode_lines


_CAMEL = _decoder(_CamelAnswer, CamelUsage, "camel")
_SNAKE = _decoder(Answer, Usage, None)


def briefs(block: bytes, offset: int = 0, *, snake: bool = False) -> tuple[list[Brief], list[int]] | None:
    """Every line of `block` that ends with a LF, and where in the file each begins; there is one at least.

    :param offset: where `block` begins in the file.

    None where one of them is not plain: blank, damaged, a field of a wrong type, a role that nobody knows.
    What `skim` would refuse is never in the list.
    """
    starts, end = _starts(block, offset)
    if not starts:
        return None
    try:
        found = (_SNAKE if snake else _CAMEL)(memoryview(block)[:end])
    except REFUSALS:
        return None
    return (found, starts) if len(found) == len(starts) else None


def _starts(block: bytes, offset: int) -> tuple[list[int], int]:
    """Where in the file each line that ends with a LF begins, and where in `block` the last one ends; none
    where not each is "{…}".

    The decoder does not care where lines end, but JSON has no "}" that is followed by a "{". So no LF stands
    within a value, and of two values on a line their number tells.
    """
    # A number is looked for faster than bytes of length one.
    find, newline, opens, closes = block.find, ord("\n"), ord("{"), ord("}")
    if 0 <= find(newline) == len(block) - 1 and block[0] == opens and block[-2] == closes:
        # One line, as it is appended.
        return [offset], len(block)
    quickly = starts_of_objects(block, offset)
    if quickly is not None:
        return quickly
    starts: list[int] = []
    add = starts.append
    at = 0
    while (end := find(newline, at)) >= 0:
        if block[at] != opens or (block[end - 1] != closes and block[end - 2 : end] != b"}\r"):
            return [], 0
        add(offset + at)
        at = end + 1
    return starts, at


def brief_of(skim: Skim, wrong: list[str] | None = None) -> Brief:
    """The same of a line that was read by itself.

    :param wrong: gets the names of more fields whose values are invalid, as `skim` found the others.
    """
    if wrong is not None and skim.type in _SUMMARIES and bytes(skim.summary)[:1] not in (b"", b'"', b"n"):
        wrong.append("summary")
    return Brief(
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
        read_spoken(skim.content, wrong if skim.type == "custom_message" else None),
        skim.branch_summary,
    )


def _message_of(skim: Skim, message: SkimMessage, wrong: list[str] | None) -> Message:
    role = message.role
    if wrong is not None and message.timestamp is not None:
        at = parse_time(message.timestamp)
        if at is None or at < 0:
            wrong.append("message.timestamp")
    if role == "user":
        return Prompt(read_spoken(message.content, wrong), time_of(skim) or 0)
    if role == "assistant":
        return Answer(
            read_spoken(message.content, wrong),
            time_of(skim) or 0,
            message.usage,
            message.provider,
            message.model,
            message.stop_reason,
            message.error_message,
        )
    if role in EXTENSIONS:
        return Extra(read_spoken(message.content, wrong))
    if role in SUMMED:
        return Summed(_string(message.summary))
    return Message()


def _string(value: Raw) -> str | None:
    return None if value is ABSENT else string_of(value) or None


def time_of(skim: Skim) -> int | None:
    """When the message of `skim` was, in milliseconds: its own number, else the entry's time.

    None when nothing says, and for a message without content, which pi does not ask for its time.
    """
    message = skim.message
    if message is None or message.content is ABSENT:
        return None
    return message_time(message.timestamp, skim.timestamp)
