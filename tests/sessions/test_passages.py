"""Passages that are packed together equal passages that are packed one by one."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from app.formats.utf8_text import fold, to_nfc
from app.sessions.passages import (
    BLOCK,
    HEAD,
    HEADS,
    MARK,
    Block,
    PackedText,
    is_intact,
    joined,
    pack,
    pack_all,
    unpack,
)

if TYPE_CHECKING:
    from random import Random

OFFSETS = st.integers(0, (1 << 48) - 1) | st.sampled_from([0, 63, 1 << 16, 1 << 32, (1 << 48) - 1])
SAID = st.tuples(
    st.integers(0, 31), OFFSETS, st.sampled_from(["", "A", "Two\nlines\n", "É", "ẞtraße", "ﬁ", "\u212a\n"])
)
Said = list[tuple[int, int, str]]


def packed(said: Said) -> PackedText:
    texts = [text for _, _, text in said]
    return pack_all(
        [HEADS[kind] for kind, _, _ in said],
        [at for _, at, _ in said],
        [fold(text).encode() for text in texts],
        [to_nfc(text).encode() for text in texts],
    )


def unpacked(data: bytes) -> list[tuple[int, int, bytes]]:
    return [*unpack(data)]


def assert_unpacked(data: PackedText, said: Said) -> None:
    assert unpacked(data.folded) == [(kind, at, fold(text).encode()) for kind, at, text in said if text]
    assert unpacked(data.written) == [(kind, at, to_nfc(text).encode()) for kind, at, text in said if text]


@given(st.lists(st.lists(SAID)))
def test_unpacking_returns_the_packed_passages(blocks: list[Said]) -> None:
    assert_unpacked(joined(map(packed, blocks)), [one for said in blocks for one in said])


@given(st.lists(SAID))
def test_packing_together_equals_packing_one_by_one(said: Said) -> None:
    assert_unpacked(joined(pack(*one) for one in said if one[2]), said)
    assert_unpacked(packed(said), said)


@given(st.lists(SAID, min_size=1))
def test_a_passage_has_the_same_place_in_both_copies(said: Said) -> None:
    folded, written = packed(said)
    assert len(folded) == len(written)
    if folded:
        assert Block(folded).marks == Block(written).marks
        assert Block(folded).offsets == Block(written).offsets


@given(st.lists(SAID))
def test_only_texts_are_utf8(said: Said) -> None:
    """No search matches a head or a table, or continues from one text into the next."""
    readable = packed(said).written.decode("utf-8", "replace")
    # Padding makes two marks of the texts whose copies differ in length.
    readable = re.sub(
        "\n\ufffd+\n\0|\n\ufffd+\\Z", lambda pad: pad[0].lstrip("\n\ufffd").replace("\0", "\n\0"), readable
    )
    texts = ["\n" + to_nfc(text) + "\n\0" for _, _, text in said if text]
    expected = "".join(["\n\0", "|", "\n\0", *[f"|{text}" for text in texts]])
    assert re.sub("\ufffd+", "|", readable) == (expected.removesuffix("\n\0") if texts else "")


def test_a_damaged_table_has_no_offsets() -> None:
    data = bytearray(pack(1, 77, "text").folded)
    data[len(MARK + BLOCK)] = 0xFE
    (mark,) = Block(bytes(data)).marks
    assert Block(bytes(data)).offset(mark) == 0
    assert bytes(data[mark + HEAD :]) == b"text"


@given(st.lists(st.lists(SAID)), st.randoms())
def test_each_damage_to_stored_blocks_is_noticed(blocks: list[Said], random: Random) -> None:
    copies = joined(map(packed, blocks))
    for written, data in enumerate(copies):
        intact = partial(is_intact, written=bool(written))
        assert intact(data, 0, len(data))
        assert not data or not is_intact(data, 0, len(data), written=not written)
        if data:
            changed = bytearray(data)
            changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
            assert not intact(changed, 0, len(data))
            cut = random.randrange(1, len(data) + 1)
            assert not intact(data[:-cut] + bytes(cut), 0, len(data))
            whole = {len(joined(map(packed, blocks[:number])).folded) for number in range(len(blocks))}
            assert intact(data, 0, len(data) - cut) == (len(data) - cut in whole)


@given(st.lists(SAID, min_size=1), st.binary(max_size=8), st.integers(0, 1000))
def test_damaged_data_is_unpacked_without_an_error(said: Said, instead: bytes, at: int) -> None:
    """Only the kinds are checked: a caller compares the text with the file."""
    data = packed(said).folded
    at = min(at, len(data))
    for damaged in (
        data[:at],
        data[:at] + instead + data[at + len(instead) :],
        data + MARK,
        data + MARK + BLOCK,
    ):
        assert all(0 <= kind < 32 for kind, _, _ in unpacked(damaged))
