"""The few fields of a line that rows and trees need, without building the rest (PERFORMANCE 2.1).

One shape, two spellings: pi's family writes camelCase, nickcecere/agent snake_case. A line is decoded into a
typed struct that skips everything it does not name; whatever that refuses (a field of another type, lone
surrogates, bad UTF-8, deep nesting) goes through `decode` and a lenient builder, so both ways count the same.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Raw, Struct, defstruct

from app.formats.decode import decode

if TYPE_CHECKING:
    from collections.abc import Callable

Number = int | float | None
Stamp = int | float | str | None

AnyStruct = TypeVar("AnyStruct", bound=Struct)

ABSENT = Raw(b"")
"""What a raw field holds when the line does not have it."""


class Cost(Struct, gc=False):
    """What an answer cost, in dollars."""

    total: Number = None


class Usage(Struct, gc=False):
    """Tokens of one answer."""

    input: Number = None
    output: Number = None
    cache_read: Number = None
    cache_write: Number = None
    cost: Cost | None = None


class SkimMessage(Struct, gc=False):
    """The message of an entry. `content` is JSON not yet read, `ABSENT` when there is none."""

    role: str | None = None
    content: Raw = ABSENT
    timestamp: Stamp = None
    usage: Usage | None = None
    provider: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    command: str | None = None
    custom_type: str | None = None
    summary: Raw = ABSENT


class Skim(Struct, gc=False):
    """One line. Every field is optional; a field of a wrong type reads as absent."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: Stamp = None
    message: SkimMessage | None = None
    target_id: str | None = None
    label: str | None = None
    name: str | None = None
    title: str | None = None
    provider: str | None = None
    model_id: str | None = None
    model: str | None = None
    summary: Raw = ABSENT
    content: Raw = ABSENT
    replacement: Raw = ABSENT
    custom_type: str | None = None
    thinking_level: str | None = None
    tokens_before: Number = None
    usage: Usage | None = None
    parent_session_path: str | None = None


def _in_camel_case(struct: type[Struct], **replaced: Any) -> Any:
    """A subclass of `struct` spelt in camelCase. msgspec renames only the fields a class declares itself."""
    kinds = {**get_type_hints(struct), **replaced}
    defaults = zip(struct.__struct_fields__, struct.__struct_defaults__, strict=True)
    fields = [(name, kinds[name], default) for name, default in defaults]
    return defstruct(f"Camel{struct.__name__}", fields, bases=(struct,), gc=False, rename="camel")


CamelUsage = _in_camel_case(Usage)
CamelMessage = _in_camel_case(SkimMessage, usage=CamelUsage | None)
CamelSkim = _in_camel_case(Skim, message=CamelMessage | None, usage=CamelUsage | None)

DECODE_CAMEL: Callable[[bytes], Skim]
DECODE_CAMEL = msgspec.json.Decoder(CamelSkim).decode
DECODE_SNAKE = msgspec.json.Decoder(Skim).decode
REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What the two decoders raise for a line that needs `skim_leniently`."""


def skim(line: bytes, *, snake: bool = False) -> Skim:
    """The fields of `line`, in either spelling.

    :raises BadLine: the line holds no JSON object.
    """
    try:
        return DECODE_SNAKE(line) if snake else DECODE_CAMEL(line)
    except REFUSALS:
        return skim_leniently(line, snake=snake)


def skim_leniently(line: bytes, *, snake: bool = False) -> Skim:
    """As `skim`, by way of a whole dict: slower, and forgiving about types.

    :raises BadLine: the line holds no JSON object.
    """
    return skim_dict(decode(line), snake=snake)


def skim_dict(entry: dict[str, Any], *, snake: bool = False) -> Skim:
    """The fields of an entry that is a dict already."""
    built = _build(Skim if snake else CamelSkim, entry)
    assert isinstance(built, Skim)
    return built


def skim_fields(struct: type[AnyStruct], value: dict[str, Any]) -> AnyStruct:
    """A `struct` of texts and numbers from a dict; fields of a wrong type are left out."""
    built = _build(struct, value)
    assert isinstance(built, struct)
    return built


def clean(text: str) -> str:
    """`text` with lone surrogates replaced by U+FFFD, so that it can be stored and encoded."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def raw_json(value: Any) -> Raw:
    """`value` as JSON that any decoder accepts: lone surrogates are replaced."""
    return Raw(clean(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode())


_TEXTS = frozenset(
    name
    for struct in (Skim, SkimMessage)
    for name, kind in struct.__annotations__.items()
    if kind == "str | None"
) | {"path", "file_path", "pattern"}
_STAMPS = frozenset(("timestamp",))
_NUMBERS = frozenset(
    ("tokens_before", "input", "output", "cache_read", "cache_write", "total", "offset", "limit")
)
_RAWS = frozenset(("content", "summary", "replacement"))
_NESTED = frozenset(("message", "usage"))


def _build(struct: type[Struct], value: dict[str, Any]) -> Struct:
    fields: dict[str, Any] = {}
    for name, key in zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True):
        if key not in value:
            continue
        found = value[key]
        if name in _RAWS:
            fields[name] = raw_json(found)
        elif name in _TEXTS:
            if isinstance(found, str):
                fields[name] = clean(found)
        elif name in _STAMPS:
            if _is_number(found):
                fields[name] = found
            elif isinstance(found, str):
                fields[name] = clean(found)
        elif name in _NUMBERS:
            if _is_number(found):
                fields[name] = found
        elif name == "cost":
            if isinstance(found, dict):
                total = found.get("total")
                fields[name] = Cost(total if _is_number(total) else None)
            elif _is_number(found):
                fields[name] = Cost(found)
        elif name in _NESTED and isinstance(found, dict):
            fields[name] = _build(_NESTED_TYPES[struct, name], found)
    return struct(**fields)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_NESTED_TYPES: dict[tuple[type[Struct], str], type[Struct]] = {
    (Skim, "message"): SkimMessage,
    (Skim, "usage"): Usage,
    (SkimMessage, "usage"): Usage,
    (CamelSkim, "message"): CamelMessage,
    (CamelSkim, "usage"): CamelUsage,
    (CamelMessage, "usage"): CamelUsage,
}
