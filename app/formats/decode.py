"""One line of JSON as a dict, accepted exactly where JavaScript's JSON.parse would accept it.

That is what the agents count by (formats/README.md, "pi"): bad UTF-8 reads as U+FFFD, lone surrogates
are allowed, NaN and Infinity are not, nesting has no limit that a session meets.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import msgspec

from app.formats.deep import flatten

NOT_AN_OBJECT = "not a JSON object"
"""The reason of a line that is JSON all the same."""

_LONGEST_EXACT_INTEGER = 4000  # digits; Python refuses to convert longer ones, JavaScript makes them a float


class BadLine(ValueError):
    """A line that holds no JSON object. `reason` is one short sentence for `doctor`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def decode(line: bytes) -> dict[str, Any]:
    """The JSON object of `line` (a trailing CR or LF is white space).

    Strings may hold lone surrogates. What is nested deeper than `deep.DEPTH` levels may be laid flat, see
    `deep`.

    :raises BadLine: the line is not JSON, or not an object.
    """
    try:
        value = _decode(line)
    except (ValueError, RecursionError):
        value = _decode_leniently(line)
    if not isinstance(value, dict):
        raise BadLine(NOT_AN_OBJECT)
    return value


def _decode_leniently(line: bytes) -> Any:
    text = line.decode("utf-8", "replace")
    try:
        return _DECODER.decode(text)
    except RecursionError:
        pass
    except json.JSONDecodeError as error:
        raise BadLine(_reason(line, error)) from None
    except ValueError as error:
        raise BadLine(f"not JSON: {error}") from None
    try:
        return _DECODER.decode(flatten(text))
    except json.JSONDecodeError as error:
        raise BadLine(_reason(line, error)) from None
    except ValueError as error:
        raise BadLine(f"not JSON: {error}") from None


def _reason(line: bytes, error: json.JSONDecodeError) -> str:
    if b"\0" in line:
        return f"NUL bytes from byte {line.index(0)} on"
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return "not JSON: the line ends in the middle of a value"
    why = error.msg.removesuffix(" at")
    return f"not JSON: {why[:1].lower()}{why[1:]} at character {error.pos}"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_EXACT_INTEGER else float(digits)


_decode = msgspec.json.Decoder().decode
_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer)
