"""The calls that a tool made itself while it ran: `nestedCalls` in the result of pi 1.6.0 (formats/README.md,
"Messages"). pi keeps them with their arguments, without their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.json_codec import BadLine, decode
from app.formats.text import string_of, valid_string_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from msgspec import Raw

MOST_CALLS = 256
"""Calls of one result that are read; pi writes no more."""


class NestedCall(NamedTuple):
    """A call that a tool made.

    arguments   of any type; None if they are not known
    failed      whether it ended with an error
    text        the reason of the error, or the reason why there are no arguments or no result; "" for none
    duration    in milliseconds; None if it is not known
    """

    name: str
    arguments: Any
    failed: bool = False
    text: str = ""
    duration: int | None = None


def nested_calls(entry: Mapping[str, Any]) -> list[NestedCall]:
    """The calls that the tool of a result made; none in any other entry. Nothing is raised."""
    message = entry.get("message")
    if not isinstance(message, dict) or message.get("role") != "toolResult":
        return []
    return _calls_in(message.get("nestedCalls"))


def nested_names(nested: Raw) -> list[str]:
    """The names of the tools in `nestedCalls`, each once; none if it is not as pi writes it."""
    try:
        calls = _calls_in(decode(bytes(nested)))
    except BadLine:
        return []
    return list(dict.fromkeys(call.name for call in calls))


def _calls_in(nested: Any) -> list[NestedCall]:
    listed = nested.get("calls") if isinstance(nested, dict) else None
    if not isinstance(listed, list):
        return []
    calls = [call for call in listed[:MOST_CALLS] if isinstance(call, dict) and string_of(call.get("name"))]
    return [_call(call) for call in calls]


def _call(call: dict[str, Any]) -> NestedCall:
    failed = call.get("status") == "error"
    size, duration = call.get("argumentsBytes"), call.get("durationMs")
    text = valid_string_of(call.get("error")) if failed else ""
    if not failed and "arguments" not in call and _is_count(size):
        text = f"{size:,} bytes of arguments were not kept"
    elif call.get("status") == "unfinished":
        text = "did not end"
    return NestedCall(
        valid_string_of(call["name"]),
        call.get("arguments"),
        failed,
        text,
        duration if _is_count(duration) else None,
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
