"""Images in entries: their description, size and pixels.

An image from a session may be cut short, claim another type, or claim to be larger than any memory: then
decoding raises an `ImageError` with the reason in one line. Pillow decodes the formats that agents store. It
is imported when the first image is drawn.
"""

from __future__ import annotations

import base64
import binascii
import io
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.errors import Cancelled
from app.formats.long_lines import full_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PIL import Image

BLOB_PREFIX = "blob:"
"""The prefix of the name of a blob in which oh-my-pi stores an image (formats/README.md, "Size limits of
oh-my-pi").
"""


class ImageError(Exception):
    """The image cannot be drawn. The message is the reason in one short line, which is not inert."""


class EmbeddedImage(NamedTuple):
    """An image of an entry.

    :param mime: the type that the entry claims, not inert; "image" if it claims none.
    :param data: base64, or the name of a blob; None if the entry has neither.
    """

    mime: str
    data: str | None


def image_of(block: dict[str, Any]) -> EmbeddedImage:
    """The image in a block of an entry's content. The values of the block may have any type."""
    mime, data = block.get("mimeType"), block.get("data")
    return EmbeddedImage(
        mime if isinstance(mime, str) and mime else "image", data if isinstance(data, str) else None
    )


def describe_image(image: EmbeddedImage) -> str:
    """The image in words: its type, its size in pixels if the first bytes contain it, and the size of its
    file; or the name of its blob.
    """
    data = image.data
    if data is None:
        return f"{image.mime}, not in the file"
    if data.startswith(BLOB_PREFIX):
        return f"{image.mime}, kept as {data}"
    size = dimensions(head_of(data))
    pixels = f", {size[0]}×{size[1]}" if size else ""
    length = full_length(data)
    shown = format_bytes(max(0, length * 3 // 4 - data[-2:].count("=")))
    if length > len(data):
        # It was cut, with the padding that tells the last two bytes.
        shown = shown.partition(" (")[0]
    return f"{image.mime}{pixels}, {shown}"


def format_bytes(count: int) -> str:
    """A size in bytes as text."""
    if count < 1000:
        return f"{count} bytes"
    rounded = f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
    return f"{rounded} ({count:,} bytes)"


HEAD_CHARACTERS = 64 << 10
"""Characters of base64 that are decoded to find the size: in a photograph, camera data precede the size."""
_PNG = b"\x89PNG\r\n\x1a\n"
# Markers of a JPEG: the frame headers, which hold the size, and the markers without a length after them.
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH = frozenset((0x01, *range(0xD0, 0xD9)))


def head_of(data: str) -> bytes:
    """The first bytes of data in base64; b"" if it is no base64."""
    head = data[:HEAD_CHARACTERS]
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def dimensions(head: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, WebP, BMP or JPEG; None if its first bytes do not contain
    them.
    """
    size = None
    if head.startswith(_PNG) and head[12:16] == b"IHDR" and len(head) >= 24:
        size = _number(head[16:20], "big"), _number(head[20:24], "big")
    elif head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        size = _number(head[6:8], "little"), _number(head[8:10], "little")
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        size = _webp(head)
    elif head[:2] == b"BM" and len(head) >= 26:
        # The height is negative if the rows are stored from top to bottom.
        size = _number(head[18:22], "little"), abs(int.from_bytes(head[22:26], "little", signed=True))
    elif head[:2] == b"\xff\xd8":
        size = _jpeg(head)
    return size if size is not None and all(size) else None


def _number(data: bytes, order: str) -> int:
    return int.from_bytes(data, "big" if order == "big" else "little")


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
    offset = 2
    while offset + 9 <= len(head) and head[offset] == 0xFF:
        marker = head[offset + 1]
        if marker == 0xFF:
            offset += 1
        elif marker in _WITHOUT_LENGTH:
            offset += 2
        elif marker in _FRAME_HEADERS:
            width, height = head[offset + 7 : offset + 9], head[offset + 5 : offset + 7]
            return _number(width, "big"), _number(height, "big")
        else:
            offset += 2 + max(2, _number(head[offset + 2 : offset + 4], "big"))
    return None


IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""Pillow's names of the formats that are drawn. The first frame of an animation is drawn."""
MAX_PIXELS = 32 << 20
"""The most pixels of an image that is decoded. Decoding takes up to eight bytes of memory for each."""
_HEAD_BYTES = 64 << 10
_ORIENTATION = 0x0112
# EXIF orientation -> the name in Pillow's Transpose of the operation that turns the image upright.
_UPRIGHT = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
# The orientations that swap width and height.
_SIDEWAYS = frozenset((5, 6, 7, 8))


def upright_size(data: bytes) -> tuple[int, int]:
    """The (width, height) of the upright image in pixels.

    :param data: the image file.
    :raises ImageError: the image cannot be drawn.
    """
    image, orientation = _opened(data, lambda: False)
    width, height = image.size
    return (height, width) if orientation in _SIDEWAYS else (width, height)


def rgb_pixels(
    data: bytes, size: tuple[int, int], backgrounds: Iterable[str], is_stale: Callable[[], bool]
) -> dict[str, bytes]:
    """Background -> the pixels of the upright image over it, three bytes a pixel.

    :param data: the image file.
    :param size: (width, height) in pixels to which the image is scaled.
    :param backgrounds: colours of the form `#rrggbb`.
    :param is_stale: called while the image is decoded; True if it is no longer needed.
    :raises ImageError: the image cannot be decoded.
    :raises Cancelled: `is_stale` returned True.
    """
    image = _scaled(data, size, is_stale)
    if image.mode != "RGBA":
        return dict.fromkeys(backgrounds, image.convert("RGB").tobytes())
    # Imported here, as in `_opened`.
    from PIL import Image

    pixels = {}
    for background in backgrounds:
        canvas = Image.new("RGBA", image.size, background)
        pixels[background] = Image.alpha_composite(canvas, image).convert("RGB").tobytes()
    return pixels


def png_bytes(data: bytes, size: tuple[int, int], is_stale: Callable[[], bool]) -> bytes:
    """The upright image as a PNG without the metadata of its file.

    The parameters and errors are those of `rgb_pixels`.
    """
    image = _scaled(data, size, is_stale)
    if image.mode != "RGBA":
        image = image.convert("RGB")
    image.info.clear()
    png = io.BytesIO()
    image.save(png, "PNG", compress_level=1)
    return png.getvalue()


class _Bytes(io.BytesIO):
    """A file in memory. Reading it raises `Cancelled` once its image is no longer needed: decoding may take a
    second, and Pillow reads while it decodes.
    """

    def __init__(self, data: bytes, is_stale: Callable[[], bool]) -> None:
        super().__init__(data)
        self._is_stale = is_stale

    def read(self, size: int | None = -1, /) -> bytes:
        if self._is_stale():
            raise Cancelled
        return super().read(size)


def _opened(data: bytes, is_stale: Callable[[], bool]) -> tuple[Image.Image, int]:
    """The image, not decoded yet, and its orientation."""
    size = dimensions(data[:_HEAD_BYTES])
    if size is not None:
        _check(*size)
    # Imported here: most runs draw no image.
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(_Bytes(data, is_stale), formats=IMAGE_FORMATS)
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


def _scaled(data: bytes, size: tuple[int, int], is_stale: Callable[[], bool]) -> Image.Image:
    """The upright image in this size: RGBA if it has transparency, else a mode without."""
    image, orientation = _opened(data, is_stale)
    # Imported here, as in `_opened`.
    from PIL import Image

    stored_size = size[::-1] if orientation in _SIDEWAYS else size
    try:
        # A JPEG can be decoded at a fraction of its size.
        image.draft("RGB", (2 * stored_size[0], 2 * stored_size[1]))
        # A WebP cannot. Pillow copies its decoded pixels while no other thread runs: about 40 of the 400 ms
        # that twelve million pixels take.
        image.load()
        if is_stale():
            raise Cancelled
        if image.mode not in ("RGB", "L"):
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        elif "transparency" in image.info:
            image = image.convert("RGBA")
        if image.size != stored_size:
            image = image.resize(stored_size, Image.Resampling.HAMMING, reducing_gap=2.0)
        operation = _UPRIGHT.get(orientation)
        return image.transpose(Image.Transpose[operation]) if operation else image
    except Cancelled:
        raise
    except Exception as error:
        raise ImageError(_reason(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory to decode it"
    return f"its file is damaged ({str(error).strip() or type(error).__name__})"
