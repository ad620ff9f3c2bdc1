"""What a row needs of the lines of a session, and of all lines of a block in one call (PERFORMANCE 2.1).

Less is named here than in a `Skim`, and less is built: of a tool's result nothing but where it hangs. Lines
that are not as the agents write them are for `skim`; `brief_of` makes the same of what that finds.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Union

import msgspec
from msgspec import Raw, Struct, defstruct

from app.formats.skim import ABSENT, REFUSALS, CamelUsage, Skim, Usage
from app.formats.stamps import parse_time

if TYPE_CHECKING:
    from collections.abc import Callable

_OTHER_ROLES = (
    "toolResult",
    "tool_result",
    "bashExecution",
    "pythonExecution",
    "custom",
    "hookMessage",
    "fileMention",
    "branchSummary",
    "compactionSummary",
    "developer",
    "system",
)


class Message(Struct, gc=False):
    """A message of which no more is needed than that it is one."""


class Prompt(Message, gc=False, tag_field="role", tag="user"):
    """A message of the user. `content` is JSON not yet read; `timestamp` is in milliseconds, 0 for none."""

    content: Raw
    timestamp: int


class Answer(Message, gc=False, tag_field="role", tag="assistant"):
    """A message of the assistant; `content` and `timestamp` as in a `Prompt`."""

    content: Raw
    timestamp: int
    usage: Usage | None = None
    provider: str | None = None
    model: str | None = None


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


_CamelAnswer = defstruct(
    "CamelAnswer",
    [("usage", CamelUsage | None, None)],
    bases=(Answer,),
    gc=False,
    tag_field="role",
    tag="assistant",
)

ANSWERS: tuple[type[Struct], ...] = (_CamelAnswer, Answer)
"""The classes of an answer: to look for one here takes half the time of an `isinstance`."""


def _others() -> list[Any]:
    return [
        defstruct(f"Message{number}", [], bases=(Message,), gc=False, tag_field="role", tag=role)
        for number, role in enumerate(_OTHER_ROLES)
    ]


_Decoders = tuple["Callable[[memoryview], Brief]", "Callable[[memoryview], list[tuple[Brief]]]"]


def _decoders(answer: Any, usage: Any, rename: Literal["camel"] | None) -> _Decoders:
    kinds = {"message": Union[(Prompt, answer, *_others(), None)], "usage": usage | None}
    fields = [(name, kinds.get(name, str | None), None) for name in Brief.__struct_fields__]
    line: Any = defstruct("Line", fields, bases=(Brief,), gc=False, rename=rename)
    return msgspec.json.Decoder(line).decode, msgspec.json.Decoder(tuple[line]).decode_lines


_CAMEL = _decoders(_CamelAnswer, CamelUsage, "camel")
_SNAKE = _decoders(Answer, Usage, None)


def briefs(block: bytes, *, snake: bool = False) -> list[Brief] | None:
    """Every line of `block` that ends with a LF; there is one at least.

    None where one of them is not plain: blank, damaged, a field of a wrong type, a role that nobody knows.
    What `skim` would refuse is never in the list.
    """
    decode_one, decode_lines = _SNAKE if snake else _CAMEL
    # `decode_lines` does not care where lines end. In brackets of its own each has to be one value and one
    # only: a LF within a value would read "]\n[" where a comma must be, and of two on a line the count tells.
    framed = block.replace(b"\n", b"]\n[")
    count = (len(framed) - len(block)) // 2
    first = block.index(b"\n")
    try:
        # The first line has no bracket before it, and to give it one all of them would have to be copied.
        found = [decode_one(memoryview(block)[:first])]
        found += chain.from_iterable(decode_lines(memoryview(framed)[first + 2 : framed.rindex(b"\n")]))
    except REFUSALS:
        return None
    return found if len(found) == count else None


def brief_of(skim: Skim) -> Brief:
    """The same of a line that was read by itself."""
    message = skim.message
    brief = Brief(
        skim.type,
        skim.id,
        skim.parent_id,
        None,
        skim.target_id,
        skim.label,
        skim.name,
        skim.usage,
        skim.parent_session_path,
    )
    if message is None:
        return brief
    when = time_of(skim) or 0
    if message.role == "user":
        brief.message = Prompt(message.content, when)
    elif message.role == "assistant":
        brief.message = Answer(message.content, when, message.usage, message.provider, message.model)
    else:
        brief.message = Message()
    return brief


def time_of(skim: Skim) -> int | None:
    """When the message of `skim` was, in milliseconds: its own number, else the entry's time.

    None when nothing says, and for a message without content, which pi does not ask for its time.
    """
    message = skim.message
    if message is None or message.content is ABSENT:
        return None
    stamp = message.timestamp
    return parse_time(skim.timestamp if stamp is None or isinstance(stamp, str) else stamp)
