"""Lines are accepted exactly where the agents' parser accepts them (formats/README.md, "pi")."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import BadLine, decode, flatten
from tests.cases import cases

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@cases(
    ("line", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b'  {"a":1} \r', {"a": 1}),
        (b'{"a":"\\ud83d"}', {"a": "\ud83d"}),
        (b'{"a":"\\ud83d\\ude00"}', {"a": "😀"}),
        (b'{"a":"\xff\xe2\x82"}', {"a": "\ufffd\ufffd"}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":1e999}', {"a": float("inf")}),
        (b'{"a":' + b"9" * 5000 + b"}", {"a": float("inf")}),
        ('{"a":"\u2028"}'.encode(), {"a": "\u2028"}),
        (b'{"a":"\x7f"}', {"a": "\x7f"}),
    ],
)
def test_a_valid_line_is_decoded(line: bytes, value: object) -> None:
    assert decode(line) == value


@cases(
    ("line", "reason"),
    [
        (b"", "not JSON: the line ends in the middle of a value"),
        (b"{", "not JSON: the line ends in the middle of a value"),
        (b'{"a": "unfinish', "not JSON: the line ends in the middle of a value"),
        (b"\0\0\0\0", "NUL bytes from byte 0 on"),
        (b'{"a":1}\0\0', "NUL bytes from byte 7 on"),
        (b"[1]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"0", "not a JSON object"),
        (b"garbage", "not JSON: expecting value at character 0"),
        (b'{"a":1}{"b":2}', "not JSON: extra data at character 7"),
        (b'{"a":NaN}', "not JSON: NaN is no JSON number"),
        (b'{"a":-Infinity}', "not JSON: -Infinity is no JSON number"),
        (b'{"a":"\x01"}', "not JSON: invalid control character at character 6"),
        (b'{"a":01}', "not JSON: expecting ',' delimiter at character 6"),
        (b'{"a":1,2}', "not JSON: expecting property name enclosed in double quotes at character 7"),
        (b"\xef\xbb\xbf{}", "not JSON: expecting value at character 0"),
        (b'{"a":' + b"[" * 100_000 + b"}", "not JSON: unexpected character at character 100005"),
    ],
)
def test_an_invalid_line_is_refused_with_a_reason(line: bytes, reason: str) -> None:
    with pytest.raises(BadLine) as caught:
        decode(line)
    assert caught.value.reason == reason


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=4))
def test_output_of_json_is_decoded(value: dict[str, object]) -> None:
    assert decode(json.dumps(value).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_an_object_or_a_bad_line(line: bytes) -> None:
    try:
        value = decode(line)
    except BadLine:
        return
    assert isinstance(value, dict)


def test_three_thousand_brackets_are_an_entry() -> None:
    deep = b'{"id":"x","deep":' + b"[" * 3000 + b"]" * 3000 + b',"after":{"a":1}}'
    value = decode(deep)
    assert value["id"] == "x"
    assert value["after"] == {"a": 1}
    json.dumps(value)


@cases("opening", ['{"a":', "["])
def test_a_hundred_thousand_levels_do_not_recurse(opening: str) -> None:
    closing = "}" if opening.startswith("{") else "]"
    line = '{"deep":' + opening * 100_000 + "1" + closing * 100_000 + ',"after":2}'
    assert decode(line.encode())["after"] == 2


@given(JSON)
def test_flatten_does_not_change_shallow_values(value: object) -> None:
    text = json.dumps(value, indent=1)
    assert json.loads(flatten(text)) == value


@given(JSON, st.integers(1, 4))
def test_flatten_limits_the_depth(value: object, depth: int) -> None:
    flat = json.loads(flatten(json.dumps(value), depth))
    assert _depth(flat) <= depth + 2
    # No name and no value is left out.
    names, scalars = _names_and_scalars(value)
    its_names, its_scalars = _names_and_scalars(flat)
    assert names == its_names
    assert scalars <= its_scalars
    assert its_scalars - scalars <= {"null", '"[nested too deeply to show]"'}


def test_flatten_lists_deep_names_and_values_once() -> None:
    text = '{"x":[1,{"a":{"b":[{"a":{"c":"d","b":"d"}},"e",[],[2]]}},3]}'
    kept = [{"b": None}, {"a": None}, {"c": None}, "d", "e", 2]
    assert json.loads(flatten(text, 3)) == {"x": [1, {"a": ["[nested too deeply to show]", *kept]}, 3]}
    assert json.loads(flatten('{"x":[[[]]]}', 1)) == {"x": "[nested too deeply to show]"}


@given(st.text(alphabet='[]{}",:1-.eE\\ut fn', max_size=12))
def test_flatten_accepts_what_json_accepts(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"character|middle"):
            flatten(text)
    else:
        assert json.loads(flatten(text)) == expected


def _names_and_scalars(value: object) -> tuple[set[str], set[str]]:
    """Return the names of all fields, and all values but objects and arrays, as JSON."""
    names: set[str] = set()
    scalars: set[str] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            names.update(value)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        else:
            scalars.add(json.dumps(value))
    return names, scalars


def _depth(value: object) -> int:
    depth = 0
    level = [value]
    while level:
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        depth += 1
    return depth - 1
