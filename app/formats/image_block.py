"""An image in an entry: where its bytes are, and what is said about it without drawing it."""

from __future__ import annotations

from typing import Any, NamedTuple

from app.formats.image_header import dimensions, head_of

BLOB = "blob:"
"""What begins the name of a blob, which omp keeps an image in (formats/README.md, "oh-my-pi")."""


class NoImage(Exception):
    """There is nothing that could be drawn; says why in one short line, which is not inert."""


class Image(NamedTuple):
    """An image of an entry.

    :param mime: the type that the entry claims, not inert; "image" where it claims none.
    :param data: base64, or the name of a blob; None where the entry has neither.
    """

    mime: str
    data: str | None


def image_of(block: dict[str, Any]) -> Image:
    """The image in a block of an entry's content, whatever else is in the block."""
    mime, data = block.get("mimeType"), block.get("data")
    return Image(mime if isinstance(mime, str) and mime else "image", data if isinstance(data, str) else None)


def told(image: Image) -> str:
    """Type, size in pixels where the first bytes tell it, and size of the file; or the name of the blob."""
    data = image.data
    if data is None:
        return f"{image.mime}, not in the file"
    if data.startswith(BLOB):
        return f"{image.mime}, kept as {data}"
    size = dimensions(head_of(data))
    pixels = f", {size[0]}×{size[1]}" if size else ""
    return f"{image.mime}{pixels}, {bytes_told(max(0, len(data) * 3 // 4 - data[-2:].count('=')))}"


def bytes_told(count: int) -> str:
    """So many bytes, for people."""
    if count < 1000:
        return f"{count} bytes"
    rounded = f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
    return f"{rounded} ({count:,} bytes)"
