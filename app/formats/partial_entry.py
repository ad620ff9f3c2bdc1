"""The few fields of a line that rows and trees need, without building the rest.

One shape, two spellings: pi's family writes camelCase, nickcecere/agent snake_case. A line is decoded into a
typed struct that skips everything it does not name; whatever that refuses (a field of another type, lone
surrogates, bad UTF-8, deep nesting) goes through `decode` and a lenient builder, so both ways count the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, Raw, Struct, defstruct

from app.formats.json_codec import DECODE_ERRORS, decode, raw_json
from app.formats.text import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_NUMBER = 1 << 53
"""JavaScript counts no further, so a larger number is a mistake of the program that wrote it."""
_AsNumber, _AsAmount = Meta(ge=-MAX_NUMBER, le=MAX_NUMBER), Meta(ge=0, le=MAX_NUMBER)
Number = Annotated[int, _AsNumber] | Annotated[float, _AsNumber] | None
Amount = Annotated[int, _AsAmount] | Annotated[float, _AsAmount] | None
Timestamp = int | float | str | None

AnyStruct = TypeVar("AnyStruct", bound=Struct)

ABSENT = Raw(b"")
"""The value of a raw field that the line does not have."""


class Cost(Struct, gc=False):
    """The cost of an answer, in dollars."""

    total: Amount = None


class Usage(Struct, gc=False):
    """Tokens of one answer.

    cache_write_1h   the part of `cache_write` that is kept for an hour
    prompt           the tokens of the whole request, if `input` and the cached ones are not all of it; no
                     agent writes it
    """

    input: Amount = None
    output: Amount = None
    cache_read: Amount = None
    cache_write: Amount = None
    cost: Cost | None = None
    cache_write_1h: Amount = None
    prompt: Amount = None


def sum_of(one: Usage | None, other: Usage) -> Usage:
    """The tokens of both, and the cost of the first that has one."""
    one = one or Usage()
    return Usage(
        (one.input or 0) + (other.input or 0),
        (one.output or 0) + (other.output or 0),
        (one.cache_read or 0) + (other.cache_read or 0),
        (one.cache_write or 0) + (other.cache_write or 0),
        one.cost or other.cost,
    )


class PartialMessage(Struct, gc=False):
    """The message of an entry. `content` is JSON not yet read, `ABSENT` when there is none."""

    role: str | None = None
    content: Raw = ABSENT
    timestamp: Timestamp = None
    usage: Usage | None = None
    provider: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    nested_calls: Raw = ABSENT
    command: str | None = None
    custom_type: str | None = None
    summary: Raw = ABSENT
    is_error: Any = None


class PartialEntry(Struct, gc=False):
    """One line. Every field is optional; a field of a wrong type reads as absent."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: Timestamp = None
    message: PartialMessage | None = None
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
    tokens_before: Amount = None
    usage: Usage | None = None
    parent_session_path: str | None = None
    branch_summary: str | None = None
    display: Any = None


def _camel_case(name: str) -> str:
    """The key of a field. msgspec's own rule would make "cacheWrite1H" of "cache_write_1h"."""
    first, *rest = name.split("_")
    return first + "".join([word[:1].upper() + word[1:] for word in rest])


def _in_camel_case(struct: type[Struct], **replaced: Any) -> Any:
    """A subclass of `struct` spelt in camelCase. msgspec renames only the fields a class declares itself."""
    kinds = {**get_type_hints(struct, include_extras=True), **replaced}
    defaults = zip(struct.__struct_fields__, struct.__struct_defaults__, strict=True)
    fields = [(name, kinds[name], default) for name, default in defaults]
    return defstruct(f"Camel{struct.__name__}", fields, bases=(struct,), gc=False, rename=_camel_case)


CamelUsage = _in_camel_case(Usage)
CamelMessage = _in_camel_case(PartialMessage, usage=CamelUsage | None)
CamelEntry = _in_camel_case(PartialEntry, message=CamelMessage | None, usage=CamelUsage | None)

DECODE_CAMEL: Callable[[bytes], PartialEntry]
DECODE_CAMEL = msgspec.json.Decoder(CamelEntry).decode
DECODE_SNAKE = msgspec.json.Decoder(PartialEntry).decode


def decode_partial(line: bytes, wrong: list[str] | None = None, *, snake: bool = False) -> PartialEntry:
    """The fields of `line`, in either spelling.

    :param wrong: gets the names of the fields whose values are invalid and count as absent.
    :raises BadLine: the line holds no JSON object.
    """
    try:
        return DECODE_SNAKE(line) if snake else DECODE_CAMEL(line)
    except DECODE_ERRORS:
        return decode_partial_leniently(line, wrong, snake=snake)


def decode_partial_leniently(
    line: bytes, wrong: list[str] | None = None, *, snake: bool = False
) -> PartialEntry:
    """As `decode_partial`, by way of a whole dict: slower, and forgiving about types.

    :raises BadLine: the line holds no JSON object.
    """
    return partial_entry_of(decode(line), wrong, snake=snake)


def partial_entry_of(
    entry: dict[str, Any], wrong: list[str] | None = None, *, snake: bool = False
) -> PartialEntry:
    """The fields of an entry that is a dict already; `wrong` is that of `decode_partial`."""
    built = _build(PartialEntry if snake else CamelEntry, entry, [] if wrong is None else wrong)
    assert isinstance(built, PartialEntry)
    return built


def struct_of(struct: type[AnyStruct], value: dict[str, Any]) -> AnyStruct:
    """A `struct` of texts and numbers from a dict; fields of a wrong type are left out."""
    built = _build(struct, value, [])
    assert isinstance(built, struct)
    return built


def _text(value: Any) -> str | None:
    return replace_surrogates(value) if isinstance(value, str) else None


def _number(value: Any, least: int = -MAX_NUMBER) -> Number:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and least <= value <= MAX_NUMBER else None


def _amount(value: Any) -> Amount:
    return _number(value, 0)


def _stamp(value: Any) -> Timestamp:
    return replace_surrogates(value) if isinstance(value, str) else _number(value)


def _cost(value: Any) -> Cost | None:
    if isinstance(value, dict):
        value = value.get("total")
        if value is None:
            return Cost()
    total = _amount(value)
    return None if total is None else Cost(total)


_AMOUNTS = ("input", "output", "cache_read", "cache_write", "cache_write_1h", "prompt")
_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("content", "summary", "replacement", "nested_calls", "arguments"), raw_json),
    **dict.fromkeys((*_AMOUNTS, "tokens_before"), _amount),
    **dict.fromkeys(("offset", "limit"), _number),
    "timestamp": _stamp,
    "cost": _cost,
    **dict.fromkeys(("display", "is_error"), lambda value: value),
}
"""The function that reads the value of a field, by the field's name. Other fields are texts."""

_NESTED: dict[tuple[type[Struct], str], type[Struct]] = {
    (PartialEntry, "message"): PartialMessage,
    (PartialEntry, "usage"): Usage,
    (PartialMessage, "usage"): Usage,
    (CamelEntry, "message"): CamelMessage,
    (CamelEntry, "usage"): CamelUsage,
    (CamelMessage, "usage"): CamelUsage,
}

_Plan = dict[str, "tuple[str, Callable[[Any], Any]]"]
_plans: dict[type[Struct], _Plan] = {}


def _build(struct: type[Struct], value: dict[str, Any], wrong: list[str], path: str = "") -> Struct:
    """A `struct` of the fields of `value`.

    :param wrong: as in `decode_partial`.
    :param path: the path of `value` in its entry, with a dot at the end.
    """
    plan = _plans.get(struct)
    if plan is None:
        plan = _plans[struct] = _plan(struct)
    fields: dict[str, Any] = {}
    for key, found in value.items():
        if key not in plan:
            continue
        name, read = plan[key]
        nested = _NESTED.get((struct, name))
        if nested is None:
            fields[name] = read(found)
        else:
            inside = isinstance(found, dict)
            fields[name] = _build(nested, found, wrong, f"{path}{key}.") if inside else None
        # A message entry without a message is a fault of its own.
        if found is not None and fields[name] is None and name != "message":
            wrong.append(path + key)
    return struct(**fields)


def _plan(struct: type[Struct]) -> _Plan:
    """The key of each field of `struct`, its name, and what makes its value."""
    keys = zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True)
    return {key: (name, _READERS.get(name, _text)) for key, name in keys}
