"""Images in entries: how they are stored, what they are, and their pixels.

Decoding gives an image, or one line with the reason why there is none: a file from a session may be cut
short, claim another type, or claim to be larger than any memory. Pillow decodes; it is imported when the
first image is drawn, and only the formats that agents keep are tried.
"""

from __future__ import annotations

import base64
import binascii
import io
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PIL import Image

BLOB_PREFIX = "blob:"
"""The prefix of the name of a blob, in which omp keeps an image (formats/README.md, "oh-my-pi")."""


class ImageError(Exception):
    """There is nothing that could be drawn; says why in one short line, which is not inert."""


class EmbeddedImage(NamedTuple):
    """An image of an entry.

    :param mime: the type that the entry claims, not inert; "image" where it claims none.
    :param data: base64, or the name of a blob; None where the entry has neither.
    """

    mime: str
    data: str | None


def image_of(block: dict[str, Any]) -> EmbeddedImage:
    """The image in a block of an entry's content, whatever else is in the block."""
    mime, data = block.get("mimeType"), block.get("data")
    return EmbeddedImage(
        mime if isinstance(mime, str) and mime else "image", data if isinstance(data, str) else None
    )


def describe_image(image: EmbeddedImage) -> str:
    """Type, size in pixels where the first bytes tell it, and size of the file; or the name of the blob."""
    data = image.data
    if data is None:
        return f"{image.mime}, not in the file"
    if data.startswith(BLOB_PREFIX):
        return f"{image.mime}, kept as {data}"
    size = dimensions(head_of(data))
    pixels = f", {size[0]}×{size[1]}" if size else ""
    return f"{image.mime}{pixels}, {format_bytes(max(0, len(data) * 3 // 4 - data[-2:].count('=')))}"


def format_bytes(count: int) -> str:
    """A size in bytes as text."""
    if count < 1000:
        return f"{count} bytes"
    rounded = f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
    return f"{rounded} ({count:,} bytes)"


HEAD_CHARACTERS = 64 << 10
"""Characters of base64 that are looked at: a photograph's frame stands behind what the camera wrote."""
_PNG = b"\x89PNG\r\n\x1a\n"
# the frames of a JPEG that hold its size: all but tables, arithmetic conditioning and what is no frame
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset((0x01, *range(0xD0, 0xD9)))


def head_of(data: str) -> bytes:
    """The first bytes of what is in base64; none where it is no base64."""
    head = data[:HEAD_CHARACTERS]
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


IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""The formats that are drawn, by Pillow's names. Of an animation the first picture is drawn."""
MAX_PIXELS = 32 << 20
"""An image of more pixels is not decoded: one takes up to eight bytes meanwhile."""
_HEAD_BYTES = 64 << 10
_ORIENTATION = 0x0112
# orientation of EXIF -> what turns the image upright, by the names of Pillow's Transpose
_UPRIGHT = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
_LYING = frozenset((5, 6, 7, 8))


def upright_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, as the image is seen: upright.

    :raises NoImage: it is none that can be drawn.
    """
    image, orientation = _opened(data, lambda: False)
    width, height = image.size
    return (height, width) if orientation in _LYING else (width, height)


def rgb_pixels(
    data: bytes, size: tuple[int, int], grounds: Iterable[str], overtaken: Callable[[], bool]
) -> dict[str, bytes]:
    """The image upright, scaled to `size`, three bytes a pixel, over each of some colours (`#rrggbb`).

    :raises NoImage: it cannot be decoded.
    :raises Cancelled: it was not finished, because `overtaken` said so.
    """
    image = _scaled(data, size, overtaken)
    if image.mode != "RGBA":
        same = image.convert("RGB").tobytes()
        return dict.fromkeys(grounds, same)
    from PIL import Image

    found = {}
    for ground in grounds:
        under = Image.new("RGBA", image.size, ground)
        found[ground] = Image.alpha_composite(under, image).convert("RGB").tobytes()
    return found


def png_bytes(data: bytes, size: tuple[int, int], overtaken: Callable[[], bool]) -> bytes:
    """The image upright, scaled to `size`, as a PNG without anything else that was in its file.

    :raises NoImage: it cannot be decoded.
    :raises Cancelled: it was not finished, because `overtaken` said so.
    """
    image = _scaled(data, size, overtaken)
    if image.mode != "RGBA":
        image = image.convert("RGB")
    image.info.clear()
    made = io.BytesIO()
    image.save(made, "PNG", compress_level=1)
    return made.getvalue()


class _Bytes(io.BytesIO):
    """A file in memory that stops being read when its image is no longer needed: decoding may take a second,
    and Pillow reads as it decodes.
    """

    def __init__(self, data: bytes, overtaken: Callable[[], bool]) -> None:
        super().__init__(data)
        self._overtaken = overtaken

    def read(self, size: int | None = -1, /) -> bytes:
        if self._overtaken():
            raise Cancelled
        return super().read(size)


def _opened(data: bytes, overtaken: Callable[[], bool]) -> tuple[Image.Image, int]:
    """The image, not decoded yet, and its orientation."""
    size = dimensions(data[:_HEAD_BYTES])
    if size is not None:
        _check(*size)
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(_Bytes(data, overtaken), formats=IMAGE_FORMATS)
        _check(*image.size)
        orientation = image.getexif().get(_ORIENTATION) if "exif" in image.info else None
    except (Cancelled, ImageError):
        raise
    except UnidentifiedImageError:
        kinds = f"{', '.join(IMAGE_FORMATS[:-1])} or {IMAGE_FORMATS[-1]}"
        raise ImageError(f"it is no {kinds}, or its beginning is damaged") from None
    except Exception as error:
        raise ImageError(_reason(error)) from None
    return image, orientation if isinstance(orientation, int) else 1


def _check(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise ImageError(f"{width:,}×{height:,} pixels are more than are drawn ({MAX_PIXELS:,})")


def _scaled(data: bytes, size: tuple[int, int], overtaken: Callable[[], bool]) -> Image.Image:
    """RGBA where something shines through, else a mode without."""
    image, orientation = _opened(data, overtaken)
    from PIL import Image

    lying = size[::-1] if orientation in _LYING else size
    try:
        # a JPEG can be decoded at a fraction of its size
        image.draft("RGB", (2 * lying[0], 2 * lying[1]))
        # A WebP cannot. Once decoded, its pixels are copied by Pillow while no other thread runs: some 40 ms
        # for twelve million of them, of the 400 that it takes in all.
        image.load()
        if overtaken():
            raise Cancelled
        if image.mode not in ("RGB", "L"):
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        elif "transparency" in image.info:
            image = image.convert("RGBA")
        if image.size != lying:
            image = image.resize(lying, Image.Resampling.HAMMING, reducing_gap=2.0)
        turn = _UPRIGHT.get(orientation)
        return image.transpose(Image.Transpose[turn]) if turn else image
    except Cancelled:
        raise
    except Exception as error:
        raise ImageError(_reason(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory to decode it"
    return f"its file is damaged ({str(error).strip() or type(error).__name__})"
