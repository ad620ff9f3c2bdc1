"""A JSON value as lines of names and values."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.formats.entry_parts import fields_text, layout_fields
from tests.cases import cases


@cases(
    ("value", "text"),
    [
        ({"path": "a", "limit": 5, "all": True, "none": None}, "path: a\nlimit: 5\nall: true\nnone: null"),
        ({"content": "x\n  y"}, "content:\n  x\n    y"),
        ({"globs": ["*.py", "*.md"]}, 'globs: ["*.py", "*.md"]'),
        ({"empty": {}, "list": [], "text": ""}, "empty: {}\nlist: []\ntext:"),
        (
            {"edits": [{"old": "a\nb", "new": "c"}, {"old": "d", "new": "e"}]},
            "edits:\n  - old:\n      a\n      b\n    new: c\n  - old: d\n    new: e",
        ),
        ({"a": {"b": {"c": 1}}}, "a:\n  b:\n    c: 1"),
        ({"rows": [[[1], [2, [3]]], "x"]}, "rows:\n  -\n    - [1]\n    -\n      - 2\n      - [3]\n  - x"),
        (["one\ntwo", "three"], "- one\n  two\n- three"),
        ("only a text", "only a text"),
        (7, "7"),
        (None, "null"),
    ],
)
def test_laid_out(value: Any, text: str) -> None:
    assert "\n".join(line.rstrip() for line in fields_text(layout_fields(value)).split("\n")) == text


def test_a_long_list_of_short_values_is_opened() -> None:
    assert fields_text(layout_fields({"n": list(range(40))})).count("\n") == 40


def test_values_nested_too_deeply_are_shown_as_json() -> None:
    value: Any = 1
    for _ in range(150):
        value = {"k": value}
    found = layout_fields(value)
    assert found[-1].text.startswith('{"k": ')
    assert len(found) < 20


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=30,
)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict | list) and value:
        found = []
        for each in value.values() if isinstance(value, dict) else value:
            found += leaves(each)
        return found
    return [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]


@given(JSON)
def test_no_value_is_left_out(value: Any) -> None:
    found = layout_fields(value)
    texts = [field.text for field in found]
    for leaf in leaves(value):
        assert leaf in texts or any(json.dumps(leaf, ensure_ascii=False)[1:-1] in text for text in texts)
    assert all(field.column % 2 == 0 for field in found)
