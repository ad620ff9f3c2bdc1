"""Migration and forks keep every byte that they do not change."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import REMOVED, BadLine, edit_fields, migrate_line
from tests.cases import cases

DEEP = b"[" * 50_000 + b"]" * 50_000


def test_fields_are_changed_removed_and_added_in_place() -> None:
    line = b'{"a": 1.10, "b":  {"x" : 1}, "c": 3}'
    assert edit_fields(line, {"a": None, "c": REMOVED, "d": "new"}) == b'{"a":null,"b":{"x" : 1},"d":"new"}'


@cases(
    "value",
    [
        DEEP,
        b"1e400",
        b"123456789012345678901234567890",
        b'"\xff\xfe"',
        b'"\\ud83d"',
        b'"\\"}],:{\\\\"',
        b"[ ]",
    ],
    ids=["deep", "huge", "long", "not UTF-8", "half a character", "signs in a text", "empty"],
)
def test_other_values_are_kept_byte_for_byte(value: bytes) -> None:
    line = b'{"keep": ' + value + b', "parentId":"x"}\r'
    assert edit_fields(line, {"parentId": None}) == b'{"keep":' + value + b',"parentId":null}'
    # The same holds if the fast decoder refuses another part of the line.
    line = b'{"\xff":1e400,"deep":' + DEEP + b',"keep":' + value + b',"parentId":"x"}'
    assert b'"deep":' + DEEP + b',"keep":' + value + b',"parentId":null}' in edit_fields(
        line, {"parentId": None}
    )


def test_an_old_message_keeps_all_but_its_role() -> None:
    line = b'{"type":"message","message":{"role":"hookMessage","content":' + DEEP + b',"n":1e400,"s":"\xff"}}'
    edited = migrate_line(line, 1, 1)
    assert b'{"role":"custom","content":' + DEEP + b',"n":1e400,"s":"\xff"}' in edited
    assert edited.endswith(b'"id":"00000001","parentId":"00000000"}')


def test_a_line_that_is_not_an_object_is_refused() -> None:
    for line in (b"[]", b"{", b"", b'{"a":NaN}'):
        with pytest.raises(BadLine):
            edit_fields(line, {})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.dictionaries(st.text(), VALUES, max_size=2))
def test_the_lenient_way_gives_the_same_result(fields: dict[str, object], changes: dict[str, object]) -> None:
    expected = {**fields, "huge": 0, **changes}
    line = json.dumps(fields)[:-1] + (", " if fields else "") + '"huge": ' + "1e400}"
    edited = edit_fields(line.encode(), {**changes, "huge": changes.get("huge", 0)})
    assert json.loads(edited) == expected
