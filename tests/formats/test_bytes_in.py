"""What is looked for in bytes with SIMD is what plain Python finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import bytes_in

PIECES = st.lists(st.sampled_from([b"{", b"}", b"\n", b"}\n{", b"{}\n", b"\r", b" ", b"a", b'"', b"\xe9"]))


@given(PIECES.map(b"".join), st.integers(0, 1 << 40))
def test_lines_of_objects_begin_behind_each_lf(data: bytes, offset: int) -> None:
    found = bytes_in.starts_of_objects(data, offset)
    *lines, _ = data.split(b"\n")
    if found is None:
        assert not lines or not all(line[:1] == b"{" and line[-1:] == b"}" for line in lines)
        return
    starts, end = found
    assert all(line[:1] == b"{" and line[-1:] == b"}" for line in lines)
    assert [data[start - offset :].partition(b"\n")[0] for start in starts] == lines
    assert end == sum(len(line) + 1 for line in lines)


@pytest.mark.parametrize("wheel", [True, False])
@given(data=PIECES.map(b"".join))
def test_parts_are_what_stands_between_separators(wheel: bool, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not wheel:
            patch.setattr(bytes_in, "stringzilla", None)
        parts = bytes_in.split(data, b"}\n{")
    assert [bytes(part) for part in parts] == data.split(b"}\n{")
    assert b"-".join(parts) == b"-".join(data.split(b"}\n{"))
    assert [*map(bool, parts)] == [*map(bool, data.split(b"}\n{"))]


def test_without_the_wheel_nobody_tells_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bytes_in.starts_of_objects(b"{}\n{}\n{", 5) == ([5, 8], 6)
    monkeypatch.setattr(bytes_in, "stringzilla", None)
    assert bytes_in.starts_of_objects(b"{}\n{}\n{", 5) is None
