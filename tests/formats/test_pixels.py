"""Decoding image files to pixels, whatever the files contain."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from app.formats import Cancelled, ImageError, png_bytes, rgb_pixels, upright_size
from tests.cases import cases
from tests.pictures import BLUE, GREEN, RED, WHITE, image_file, image_of, plain, saved

MAX_PIXELS = 32 << 20  # pixels of the largest image that is decoded

BLACK = "#000000"


def never() -> bool:
    return False


def pixels(data: bytes, size: tuple[int, int], ground: str = BLACK) -> list[tuple[int, int, int]]:
    values = rgb_pixels(data, size, [ground], never)[ground]
    assert len(values) == 3 * size[0] * size[1]
    return [tuple(values[offset : offset + 3]) for offset in range(0, len(values), 3)]  # type: ignore[misc]


def png_of(width: int, height: int) -> bytes:
    """Return a PNG with a size in its header, but without pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )


@cases("kind", ["PNG", "BMP", "GIF"])
def test_every_pixel_has_its_colour(kind: str) -> None:
    data = image_file([RED, GREEN], [BLUE, WHITE], kind=kind)
    assert upright_size(data) == (2, 2)
    assert pixels(data, (2, 2)) == [RED, GREEN, BLUE, WHITE]


@cases("kind", ["JPEG", "WEBP"])
def test_lossy_formats_are_close_to_the_colour(kind: str) -> None:
    data = plain(40, 20, (200, 100, 50), kind=kind)
    assert upright_size(data) == (40, 20)
    for pixel in pixels(data, (4, 2)):
        assert all(abs(a - b) < 8 for a, b in zip(pixel, (200, 100, 50), strict=True))


@cases(
    ("mode", "pixel", "seen"),
    [
        ("1", 1, (255, 255, 255)),
        ("L", 90, (90, 90, 90)),
        ("LA", (90, 0), (0, 0, 0)),
        ("P", 0, (0, 0, 0)),
        ("RGBA", (255, 0, 0, 0), (0, 0, 0)),
    ],
)
def test_other_colour_modes_are_converted(mode: str, pixel: object, seen: tuple[int, int, int]) -> None:
    data = plain(6, 6, pixel, mode=mode)
    assert set(pixels(data, (3, 3))) == {seen}


def test_transparent_pixels_show_the_background() -> None:
    data = image_file([(255, 0, 0, 255), (255, 0, 0, 0)], [(0, 0, 255, 51), (0, 0, 0, 0)], mode="RGBA")
    on_ground = rgb_pixels(data, (2, 2), [BLACK, "#ffffff"], never)
    assert list(on_ground[BLACK]) == [255, 0, 0, 0, 0, 0, 0, 0, 51, 0, 0, 0]
    assert list(on_ground["#ffffff"]) == [255, 0, 0, 255, 255, 255, 204, 204, 255, 255, 255, 255]


def test_a_palette_may_have_a_transparent_colour() -> None:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([9, 9, 9, 255, 0, 0])
    assert set(pixels(saved(image, "GIF", transparency=1), (2, 2), "#00ff00")) == {GREEN}


@cases("kind", ["JPEG", "PNG", "WEBP"])
@cases("orientation", range(1, 9))
def test_the_orientation_is_applied(kind: str, orientation: int) -> None:
    # The scene, red above blue, is stored as a turned camera stores it.
    scene = Image.new("RGB", (16, 32), RED)
    scene.paste(BLUE, (0, 16, 16, 32))
    turned = {
        1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
    }[orientation]  # fmt: skip
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(scene.transpose(turned) if turned is not None else scene, kind, exif=exif)
    assert upright_size(data) == (16, 32)
    above, below = pixels(data, (1, 2))
    assert above[0] > 200 > 60 > above[2]
    assert below[2] > 200 > 60 > below[0]
    made = Image.open(io.BytesIO(png_bytes(data, (8, 16), never)))
    assert made.size == (8, 16)
    assert "exif" not in made.info


def test_an_animation_shows_its_first_frame() -> None:
    first, second = Image.new("RGB", (4, 4), RED), Image.new("RGB", (4, 4), BLUE)
    for kind in ("GIF", "PNG", "WEBP"):
        data = saved(first, kind, save_all=True, append_images=[second], lossless=True)
        assert set(pixels(data, (2, 2))) == {RED}, kind


def test_a_png_copy_keeps_transparency_and_no_metadata() -> None:
    data = saved(image_of([(1, 2, 3, 0)], mode="RGBA"), "PNG", exif=Image.Exif(), dpi=(72, 72))
    made = Image.open(io.BytesIO(png_bytes(data, (1, 1), never)))
    assert (made.mode, made.info) == ("RGBA", {})
    assert Image.open(io.BytesIO(png_bytes(plain(9, 9), (3, 3), never))).mode == "RGB"


@cases(("width", "height"), [(MAX_PIXELS, 2), (40_000, 40_000), (2**31 - 1, 2**31 - 1)])
def test_an_image_with_too_many_pixels_is_not_decoded(width: int, height: int) -> None:
    with pytest.raises(ImageError, match="pixels are more than are drawn"):
        upright_size(png_of(width, height))
    with pytest.raises(ImageError, match="pixels are more than are drawn"):
        rgb_pixels(png_of(width, height), (2, 2), [BLACK], never)


def test_the_number_of_pixels_is_checked_without_a_known_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.formats.images.dimensions", lambda head: None)
    with pytest.raises(ImageError, match="more than are drawn"):
        upright_size(png_of(7_000, 7_000))


@cases("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_a_truncated_image_is_damaged(kind: str) -> None:
    data = saved(Image.effect_noise((64, 64), 90).convert("RGB"), kind)
    with pytest.raises(ImageError, match="damaged"):
        rgb_pixels(data[: len(data) // 2], (8, 8), [BLACK], never)


def test_a_png_without_its_pixels_is_damaged() -> None:
    assert upright_size(png_of(100, 100)) == (100, 100)
    with pytest.raises(ImageError, match="damaged"):
        rgb_pixels(png_of(100, 100), (8, 8), [BLACK], never)


@cases("data", [b"", b"hello", b"<svg xmlns='x'/>", b"%!PS-Adobe-3.0 EPSF\n", b"\x89PNG\r\n\x1a\n"])
def test_other_files_are_refused_with_a_reason(data: bytes) -> None:
    with pytest.raises(ImageError, match="no PNG, JPEG, GIF, WEBP or BMP"):
        upright_size(data)


def test_no_other_format_is_tried() -> None:
    with pytest.raises(ImageError, match="no PNG"):
        upright_size(plain(4, 4, kind="TIFF"))


def test_decoding_stops_when_it_is_cancelled() -> None:
    asked = []

    def overtaken() -> bool:
        asked.append(None)
        return len(asked) > 3

    noise = saved(Image.effect_noise((700, 700), 90), "PNG")
    with pytest.raises(Cancelled):
        rgb_pixels(noise, (8, 8), [BLACK], overtaken)
    assert len(asked) == 4


@settings(max_examples=70)
@given(st.data())
def test_any_bytes_are_an_image_or_an_image_error(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP"]))
    good = bytearray(plain(12, 9, kind=kind))
    for _ in range(data.draw(st.integers(1, 6))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(good)))
    try:
        upright_size(bytes(good[:end]))
        found = rgb_pixels(bytes(good[:end]), (3, 2), [BLACK], never)
    except ImageError:
        return
    assert len(found[BLACK]) == 18
