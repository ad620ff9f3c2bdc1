"""The size of an image, read from its first bytes."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from app.formats import dimensions, head_of
from tests.cases import cases

HEAD_CHARACTERS = 64 << 10  # base64 that is decoded to find a size

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + bytes(9)
FRAME = b"\xff\xc2\x00\x11\x08" + (480).to_bytes(2, "big") + (640).to_bytes(2, "big") + bytes(10)
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(10) + b"\xff\xff\xdb\x00\x04ab" + FRAME
GIF = b"GIF89a" + (640).to_bytes(2, "little") + (480).to_bytes(2, "little") + b"..."
BMP = b"BM" + bytes(16) + (640).to_bytes(4, "little") + (-480).to_bytes(4, "little", signed=True)
WEBP = b"RIFF\x00\x00\x00\x00WEBP"
LOSSY = WEBP + b"VP8 " + bytes(4) + b"\x00\x00\x00\x9d\x01\x2a" + GIF[6:10]
LOSSLESS = WEBP + b"VP8L" + bytes(4) + b"\x2f" + (639 | 479 << 14).to_bytes(4, "little")
EXTENDED = WEBP + b"VP8X" + bytes(8) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
ALL = [PNG, JPEG, GIF, BMP, LOSSY, LOSSLESS, EXTENDED]


@cases("head", ALL)
def test_the_header_has_the_size(head: bytes) -> None:
    assert dimensions(head) == (640, 480)


@cases("head", ALL)
def test_a_truncated_header_has_no_size_or_the_same(head: bytes) -> None:
    assert {dimensions(head[:size]) for size in range(len(head))} <= {None, (640, 480)}


@cases("head", [b"", b"hello", b"<svg width='640'/>", b"\xff\xd8" + b"\xff" * 100])
def test_other_bytes_have_no_size(head: bytes) -> None:
    assert dimensions(head) is None


@given(st.sampled_from([b"", *(each[:20] for each in ALL)]), st.binary(max_size=200))
def test_any_bytes_have_a_size_or_none(begin: bytes, rest: bytes) -> None:
    found = dimensions(begin + rest)
    assert found is None or all(found)


def test_only_the_header_of_an_image_is_decoded() -> None:
    data = base64.b64encode(bytes(3 * HEAD_CHARACTERS)).decode()
    assert len(head_of(data)) == HEAD_CHARACTERS // 4 * 3
    assert head_of(data[:2]) == b""
    assert head_of("é" * 8) == b""
