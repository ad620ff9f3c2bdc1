"""The file of an image as pixels of the size that it is drawn at.

Whatever the bytes are, what comes back is an image or one line that says why there is none: a file from a
session may be cut short, claim another type, or claim to be larger than any memory. Pillow decodes; it is
imported when the first image is drawn, and none of its many formats is tried but those that agents keep.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from app.formats.image_block import NoImage
from app.formats.image_header import dimensions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PIL import Image

KINDS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""What is drawn, by Pillow's names. Of one that moves, that is the first picture."""
MOST_PIXELS = 32 << 20
"""An image of more pixels is not decoded: one takes up to eight bytes meanwhile."""
_HEAD = 64 << 10
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


class Overtaken(Exception):
    """Nobody waits for the image any more."""


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, as the image is seen: upright.

    :raises NoImage: it is none that can be drawn.
    """
    image, orientation = _opened(data, lambda: False)
    width, height = image.size
    return (height, width) if orientation in _LYING else (width, height)


def flat(
    data: bytes, size: tuple[int, int], grounds: Iterable[str], overtaken: Callable[[], bool]
) -> dict[str, bytes]:
    """The image upright, scaled to `size`, three bytes a pixel, over each of some colours (`#rrggbb`).

    :raises NoImage: it cannot be decoded.
    :raises Overtaken: it was not finished, because `overtaken` said so.
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


def as_png(data: bytes, size: tuple[int, int], overtaken: Callable[[], bool]) -> bytes:
    """The image upright, scaled to `size`, as a PNG without anything else that was in its file.

    :raises NoImage: it cannot be decoded.
    :raises Overtaken: it was not finished, because `overtaken` said so.
    """
    image = _scaled(data, size, overtaken)
    if image.mode != "RGBA":
        image = image.convert("RGB")
    image.info.clear()
    made = io.BytesIO()
    image.save(made, "PNG", compress_level=1)
    return made.getvalue()


class _Bytes(io.BytesIO):
    """A file in memory from which nothing is read any more once nobody waits for it: decoding one may take a
    second, and Pillow reads as it decodes.
    """

    def __init__(self, data: bytes, overtaken: Callable[[], bool]) -> None:
        super().__init__(data)
        self._overtaken = overtaken

    def read(self, size: int | None = -1, /) -> bytes:
        if self._overtaken():
            raise Overtaken
        return super().read(size)


def _opened(data: bytes, overtaken: Callable[[], bool]) -> tuple[Image.Image, int]:
    """The image, not decoded yet, and its orientation."""
    size = dimensions(data[:_HEAD])
    if size is not None:
        _check(*size)
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(_Bytes(data, overtaken), formats=KINDS)
        _check(*image.size)
        orientation = image.getexif().get(_ORIENTATION) if "exif" in image.info else None
    except (Overtaken, NoImage):
        raise
    except UnidentifiedImageError:
        kinds = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
        raise NoImage(f"it is no {kinds}, or its beginning is damaged") from None
    except Exception as error:
        raise NoImage(_reason(error)) from None
    return image, orientation if isinstance(orientation, int) else 1


def _check(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise NoImage(f"{width:,}×{height:,} pixels are more than are drawn ({MOST_PIXELS:,})")


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
            raise Overtaken
        if image.mode not in ("RGB", "L"):
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        elif "transparency" in image.info:
            image = image.convert("RGBA")
        if image.size != lying:
            image = image.resize(lying, Image.Resampling.HAMMING, reducing_gap=2.0)
        turn = _UPRIGHT.get(orientation)
        return image.transpose(Image.Transpose[turn]) if turn else image
    except Overtaken:
        raise
    except Exception as error:
        raise NoImage(_reason(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory to decode it"
    return f"its file is damaged ({str(error).strip() or type(error).__name__})"
