"""Make image files for tests."""

from __future__ import annotations

import base64
import io
from typing import Any

from PIL import Image

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def image_file(*rows: Any, kind: str = "PNG", mode: str = "RGB", **options: Any) -> bytes:
    """Return the file of an image with these rows of pixels."""
    return saved(image_of(*rows, mode=mode), kind, **options)


def image_of(*rows: Any, mode: str = "RGB") -> Image.Image:
    """Return an image with these rows of pixels."""
    image = Image.new(mode, (len(rows[0]), len(rows)))
    for y, row in enumerate(rows):
        for x, pixel in enumerate(row):
            image.putpixel((x, y), pixel)
    return image


def plain(
    width: int, height: int, colour: Any = RED, kind: str = "PNG", mode: str = "RGB", **options: Any
) -> bytes:
    """Return the file of an image of one colour."""
    return saved(Image.new(mode, (width, height), colour), kind, **options)


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """Return an image as a file."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def block(data: bytes | str, mime: str = "image/png") -> dict[str, str]:
    """Return a message block that holds the file. A string is used as the encoded data."""
    encoded = data if isinstance(data, str) else base64.b64encode(data).decode()
    return {"type": "image", "mimeType": mime, "data": encoded}
