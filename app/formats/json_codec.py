"""Decodes and encodes lines of JSON. A line is accepted exactly if JavaScript's JSON.parse accepts it.

The agents count lines by that (formats/README.md, "Lines"): invalid UTF-8 becomes U+FFFD, lone surrogates are
allowed, NaN and Infinity are not, and the depth of nesting has no practical limit. Values that are nested
more than `DEPTH` levels deep are checked, and then flattened behind a note, so that their words can be
searched.

`encode` writes as the agents do: compact, and without escapes that are not needed. `edit_fields` changes
single fields of a line and keeps every other byte, because numbers of any size, unusual escapes and unknown
fields must not change in a copy.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
from msgspec import Raw

from app.formats.long_lines import PASSED_OVER
from app.formats.text import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NOT_AN_OBJECT = "not a JSON object"
"""The reason for a line that is JSON, but no object."""

_LONGEST_EXACT_INTEGER = 4000  # digits; Python refuses to convert longer ones, JavaScript makes them a float


DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""The errors of the typed decoders for a line that needs a lenient decoder."""


class BadLine(ValueError):
    """A line that is not a JSON object. `reason` is one short sentence for `doctor`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def decode(line: bytes) -> dict[str, Any]:
    """The JSON object of `line` (a CR or LF at the end is white space).

    Strings may have lone surrogates. Values that are nested more than `DEPTH` levels deep may be flattened
    (`flatten`).

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
    if line.startswith(PASSED_OVER):
        return "longer than 256 MB: it is passed over"
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


def raw_json(value: Any) -> Raw:
    """`value` as JSON that any decoder accepts: lone surrogates are replaced."""
    try:
        return Raw(msgspec.json.encode(value))
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return Raw(replace_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode())


DEPTH = 200
NOTE = '"[nested too deeply to show]"'

_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
    r"|true|false|null"
)


def flatten(text: str, depth: int = DEPTH) -> str:
    """`text` with the arrays and objects below `depth` levels flattened. Each becomes a note, or an array of
    the note, the texts and numbers in it, and the names of its fields with null; each of these once.

    There is no recursion, and one pass.

    :raises ValueError: `text` is not JSON.
    """
    out: list[str] = []
    closers: list[str] = []
    length = len(text)
    kept = 0  # text up to here is in `out` or dropped
    position = 0
    expect = "value"  # value | first value | first key | key | after
    below: dict[str, None] = {}  # what is kept of the value below `depth` that is read, in order
    while True:
        position = _skip(text, position)
        if position >= length:
            break
        char = text[position]
        if expect == "after":
            if not closers:
                raise ValueError(f"trailing characters at character {position}")
            if char == closers[-1]:
                closers.pop()
                position += 1
                if len(closers) == depth:
                    out.append(f"[{','.join((NOTE, *below))}]" if below else NOTE)
                    below.clear()
                    kept = position
            elif char == ",":
                position += 1
                expect = "key" if closers[-1] == "}" else "value"
            else:
                raise ValueError(f"expected a comma at character {position}")
        elif (expect == "first value" and char == "]") or (expect == "first key" and char == "}"):
            expect = "after"
        elif expect in ("key", "first key"):
            end = _scalar(text, position, key=True)
            if len(closers) > depth:
                below[f"{{{text[position:end]}:null}}"] = None
            position = _colon(text, end)
            expect = "value"
        elif char in "[{":
            if len(closers) == depth:
                out.append(text[kept:position])
            closers.append("]" if char == "[" else "}")
            expect = "first value" if char == "[" else "first key"
            position += 1
        else:
            end = _scalar(text, position)
            if len(closers) > depth:
                below[text[position:end]] = None
            position = end
            expect = "after"
    if closers or expect != "after":
        raise ValueError("the line ends in the middle of a value")
    out.append(text[kept:])
    return "".join(out)


def _skip(text: str, position: int) -> int:
    if position < len(text) and text[position] not in " \t\n\r":
        return position
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _scalar(text: str, position: int, *, key: bool = False) -> int:
    match = _SCALAR.match(text, position)
    if match is None or (key and text[position] != '"'):
        raise ValueError(f"unexpected character at character {position}")
    return match.end()


def _colon(text: str, position: int) -> int:
    position = _skip(text, position)
    if not text.startswith(":", position):
        raise ValueError(f"expected a colon at character {position}")
    return position + 1


def encode(value: dict[str, Any]) -> bytes:
    """`value` as JSON in UTF-8, with the keys in their order and without a newline.

    Lone surrogates and integers of any size are encoded as `decode` reads them.

    :raises ValueError: it has a value that JSON does not have (NaN, a set, a key that is not a text).
    """
    # Imported here: most runs only read, and orjson is needed to write.
    import orjson

    only_json = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
    try:
        # Strings with surrogates and integers above 64 bits are refused, and NaN would become null.
        line = orjson.dumps(value, option=only_json)
    except TypeError:
        return _encode_leniently(value)
    return line if b"null" not in line else _encode_leniently(value) if _has_nan(value) else line


def _encode_leniently(value: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if _has_odd_key(value):
        # It would be decoded as another key.
        raise ValueError("not JSON: a key that is no text")
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def _has_nan(value: Any) -> bool:
    infinite = float("inf")
    return any(isinstance(part, float) and not -infinite < part < infinite for part in _nested_values(value))


def _has_odd_key(value: Any) -> bool:
    return any(
        isinstance(part, dict) and not all(isinstance(key, str) for key in part)
        for part in _nested_values(value)
    )


def _nested_values(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)


_FIELDS_DECODER = msgspec.json.Decoder(dict[str, Raw])
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
REMOVED = object()
"""The value of a field that `edit_fields` removes."""


def edit_fields(line: bytes, changes: Mapping[str, Any]) -> bytes:
    """`line` with the fields of `changes` replaced, added at the end, or removed (`REMOVED`).

    :raises BadLine: `line` is not a JSON object.
    """
    fields: dict[str, Any] = raw_fields(line)
    for name, value in changes.items():
        if value is REMOVED:
            fields.pop(name, None)
        else:
            fields[name] = value
    try:
        return msgspec.json.encode(fields)
    except (TypeError, ValueError, RecursionError):
        return b"{" + b",".join(_key(name) + b":" + _value(value) for name, value in fields.items()) + b"}"


def raw_fields(line: bytes) -> dict[str, Raw]:
    """The fields of an object, with their values as they are written.

    :raises BadLine: `line` is not a JSON object.
    """
    try:
        return _FIELDS_DECODER.decode(line)
    except DECODE_ERRORS:
        decode(line)
    # The line is JSON with deep nesting, large numbers or invalid UTF-8.
    fields: dict[str, Raw] = {}
    depth = start = 0
    name: str | None = None
    text = b""
    for token in _TOKENS.finditer(line):
        sign = token[0][:1]
        if sign == b'"':
            text = token[0]
            continue
        if name is None and depth == 1 and sign == b":":
            name, start = next(iter(decode(b"{" + text + b":0}"))), token.end()
        elif name is not None and depth == 1 and sign in b",}":
            fields[name] = Raw(line[start : token.start()].strip())
            name = None
        depth += (sign in b"{[") - (sign in b"}]")
    return fields


def _key(name: str) -> bytes:
    return encode({name: 0})[1:-3]


def _value(value: Any) -> bytes:
    return bytes(value) if isinstance(value, Raw) else encode({"v": value})[5:-1]
