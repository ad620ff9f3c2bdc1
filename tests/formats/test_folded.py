"""Folding many JSON strings at once equals folding the text of each."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import content, replace_surrogates, utf8_text
from app.formats.content import read_json_strings
from app.formats.utf8_text import fold, to_nfc, to_utf8
from tests.cases import cases

TEXT = st.text(
    st.sampled_from('aZ \n\t"\\/\0ßÉİΣςé\u0301\u0345\u1100\u1161한語😀—\ud83d\udc00\ua7dc') | st.characters(),
    max_size=9,
)


def as_json(text: str, *, ascii_only: bool) -> bytes:
    """Return `text` as JSON; lone surrogates become escapes, or bytes that are not UTF-8."""
    return json.dumps(text, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


def fold_one(text: str) -> bytes:
    return to_utf8(fold(replace_surrogates(text).replace("\0", "")))


@given(
    st.lists(st.tuples(TEXT, st.booleans()), min_size=1, max_size=6), st.booleans(), st.sampled_from([1, 20])
)
def test_strings_folded_at_once_equal_strings_folded_one_by_one(
    texts: list[tuple[str, bool]], wheel: bool, several: int
) -> None:
    strings = [as_json(text, ascii_only=ascii_only) for text, ascii_only in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "_GROUP_BYTES", several)
        if not wheel:
            patch.setattr(utf8_text, "stringzilla", None)
        folded, written = read_json_strings(strings)
    for string, (text, _), as_folded, as_written in zip(strings, texts, folded, written, strict=True):
        try:
            string.decode()
        except UnicodeDecodeError:
            assert "\ufffd".encode() in as_folded
            assert "\ufffd".encode() in as_written
        else:
            assert as_folded == fold_one(text)
            assert as_written == to_utf8(to_nfc(replace_surrogates(text).replace("\0", "")))


@cases("not_a_string", [b"5", b"null", b"[]", b'{"a":"B\\n"}', b"true", b'["A"]', b'[{"a":"\\u0000"}]'])
@cases("place", [0, 1, 2])
def test_a_value_that_is_not_a_string_folds_to_nothing(not_a_string: bytes, place: int) -> None:
    strings = [b'"One"', b'"Two\\n"']
    strings.insert(place, not_a_string)
    expected = [b"one", b"two\n"]
    expected.insert(place, b"")
    written = [b"One", b"Two\n"]
    written.insert(place, b"")
    assert list(map(list, read_json_strings(strings))) == [expected, written]


def test_an_escaped_quote_does_not_end_a_string() -> None:
    folded, written = read_json_strings([rb'"A\"\u0000\"B"', rb'"\""', b'""', rb'"\\"'])
    assert list(folded) == [b'a""b', b'"', b"", b"\\"]
    assert list(written) == [b'A""B', b'"', b"", b"\\"]


def test_every_escape_of_json_is_decoded() -> None:
    escapes = rb'"\"\\\/\b\f\n\r\t\u0041\u00df\ud83d\ude00\\n\\u0041\\/"'
    text = json.loads(escapes)
    assert read_json_strings([escapes]) == ([fold(text).encode()], [text.encode()])
    # The same without the escapes that differ in Python.
    plain = rb'"\"\\\b\f\n\r\t\\n\\\n\\x41\\101"'
    text = json.loads(plain)
    assert read_json_strings([plain]) == ([fold(text).encode()], [text.encode()])
