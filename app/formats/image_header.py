"""How large a picture is, told by the first bytes of its file."""

from __future__ import annotations

import base64
import binascii

HEAD = 64 << 10
"""Characters of base64 that are looked at: a photograph's frame stands behind what the camera wrote."""
_PNG = b"\x89PNG\r\n\x1a\n"
# the frames of a JPEG that hold its size: all but tables, arithmetic conditioning and what is no frame
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset((0x01, *range(0xD0, 0xD9)))


def head_of(data: str) -> bytes:
    """The first bytes of what is in base64; none where it is no base64."""
    head = data[:HEAD]
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def dimensions(head: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, WebP, BMP or JPEG; None where the first bytes do not tell."""
    found = None
    if head.startswith(_PNG) and head[12:16] == b"IHDR" and len(head) >= 24:
        found = _number(head[16:20], "big"), _number(head[20:24], "big")
    elif head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        found = _number(head[6:8], "little"), _number(head[8:10], "little")
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        found = _webp(head)
    elif head[:2] == b"BM" and len(head) >= 26:
        # the height of a picture that is stored from the top is negative
        found = _number(head[18:22], "little"), abs(int.from_bytes(head[22:26], "little", signed=True))
    elif head[:2] == b"\xff\xd8":
        found = _jpeg(head)
    return found if found is not None and all(found) else None


def _number(some: bytes, order: str) -> int:
    return int.from_bytes(some, "big" if order == "big" else "little")


def _webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8X" and len(head) >= 30:
        return _number(head[24:27], "little") + 1, _number(head[27:30], "little") + 1
    if kind == b"VP8L" and len(head) >= 25 and head[20] == 0x2F:
        bits = _number(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and len(head) >= 30 and head[23:26] == b"\x9d\x01\x2a":
        return _number(head[26:28], "little") & 0x3FFF, _number(head[28:30], "little") & 0x3FFF
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _ALONE:
            at += 2
        elif marker in _FRAMES:
            return _number(head[at + 7 : at + 9], "big"), _number(head[at + 5 : at + 7], "big")
        else:
            at += 2 + max(2, _number(head[at + 2 : at + 4], "big"))
    return None
