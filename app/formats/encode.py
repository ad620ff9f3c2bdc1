"""An object as one line of JSON, the way the agents write it: compact, text as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def encode(value: dict[str, Any]) -> bytes:
    """`value` as JSON in UTF-8, keys in their order, without a newline.

    Lone surrogates and integers of any size, which the lenient reader lets in, come out as they went in.

    :raises ValueError: it holds something that JSON has no word for (NaN, a set, keys that are no text).
    """
    # Imported late: whoever only reads does not need it, and it brings a good deal along.
    import orjson

    only_json = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
    try:
        # Strings with surrogates and integers above 64 bits are refused, and NaN would become null.
        line = orjson.dumps(value, option=only_json)
    except TypeError:
        return _leniently(value)
    return line if b"null" not in line else _leniently(value) if _has_nan(value) else line


def _leniently(value: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if _has_odd_key(value):
        # Written as text, it would come back as another.
        raise ValueError("not JSON: a key that is no text")
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def _has_nan(value: Any) -> bool:
    infinite = float("inf")
    return any(isinstance(part, float) and not -infinite < part < infinite for part in _parts(value))


def _has_odd_key(value: Any) -> bool:
    return any(
        isinstance(part, dict) and not all(isinstance(key, str) for key in part) for part in _parts(value)
    )


def _parts(value: Any) -> Iterator[Any]:
    """`value` and everything in it."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)
