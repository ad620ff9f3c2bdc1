"""Many pieces packed at once are each packed by itself (PERFORMANCE 3.3)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.sessions.pieces import pack, pack_all, pieces

OFFSETS = st.integers(0, (1 << 36) - 1) | st.sampled_from([0, 63, 64, 4095, 4096, (1 << 24) - 1, 1 << 24])
SAID = st.tuples(st.integers(0, 15), OFFSETS, st.sampled_from([b"", b"a", b"two\nlines", "é".encode()]))


@given(st.lists(SAID))
def test_all_at_once(said: list[tuple[int, int, bytes]]) -> None:
    packed = pack_all([(kind, at) for kind, at, _ in said], [text for _, _, text in said])
    kept = [one for one in said if one[2]]
    assert packed == b"".join(pack(*one) for one in kept)
    assert [(kind, at, packed[begin:end]) for kind, at, begin, end in pieces(packed)] == kept
