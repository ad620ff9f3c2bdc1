"""Files of images as pixels, whatever the files are."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from app.formats.errors import Cancelled
from app.formats.images import MAX_PIXELS, ImageError, png_bytes, rgb_pixels, upright_size
from tests.pictures import BLUE, GREEN, RED, WHITE, image_file, image_of, plain, saved

BLACK = "#000000"


def never() -> bool:
    return False


def pixels(data: bytes, size: tuple[int, int], ground: str = BLACK) -> list[tuple[int, int, int]]:
    found = rgb_pixels(data, size, [ground], never)[ground]
    assert len(found) == 3 * size[0] * size[1]
    return [tuple(found[at : at + 3]) for at in range(0, len(found), 3)]  # type: ignore[misc]


def png_of(width: int, height: int) -> bytes:
    """A PNG that claims a size, without the pixels for it."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("kind", ["PNG", "BMP", "GIF"])
def test_every_pixel_has_its_colour(kind: str) -> None:
    data = image_file([RED, GREEN], [BLUE, WHITE], kind=kind)
    assert upright_size(data) == (2, 2)
    assert pixels(data, (2, 2)) == [RED, GREEN, BLUE, WHITE]


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_kinds_that_lose_something(kind: str) -> None:
    data = plain(40, 20, (200, 100, 50), kind=kind)
    assert upright_size(data) == (40, 20)
    for found in pixels(data, (4, 2)):
        assert all(abs(a - b) < 8 for a, b in zip(found, (200, 100, 50), strict=True))


@pytest.mark.parametrize(
    ("mode", "pixel", "seen"),
    [
        ("1", 1, (255, 255, 255)),
        ("L", 90, (90, 90, 90)),
        ("LA", (90, 0), (0, 0, 0)),
        ("P", 0, (0, 0, 0)),
        ("RGBA", (255, 0, 0, 0), (0, 0, 0)),
    ],
)
def test_other_ways_to_write_colours(mode: str, pixel: object, seen: tuple[int, int, int]) -> None:
    data = plain(6, 6, pixel, mode=mode)
    assert set(pixels(data, (3, 3))) == {seen}


def test_what_shines_through_is_the_background() -> None:
    data = image_file([(255, 0, 0, 255), (255, 0, 0, 0)], [(0, 0, 255, 51), (0, 0, 0, 0)], mode="RGBA")
    found = rgb_pixels(data, (2, 2), [BLACK, "#ffffff"], never)
    assert list(found[BLACK]) == [255, 0, 0, 0, 0, 0, 0, 0, 51, 0, 0, 0]
    assert list(found["#ffffff"]) == [255, 0, 0, 255, 255, 255, 204, 204, 255, 255, 255, 255]


def test_a_palette_may_have_a_hole() -> None:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([9, 9, 9, 255, 0, 0])
    assert set(pixels(saved(image, "GIF", transparency=1), (2, 2), "#00ff00")) == {GREEN}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_it_stands_upright(kind: str, orientation: int) -> None:
    # what a camera saw, red above blue, as it lies in the file when the camera was turned
    seen = Image.new("RGB", (16, 32), RED)
    seen.paste(BLUE, (0, 16, 16, 32))
    turned = {
        1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
    }[orientation]  # fmt: skip
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(seen.transpose(turned) if turned is not None else seen, kind, exif=exif)
    assert upright_size(data) == (16, 32)
    above, below = pixels(data, (1, 2))
    assert above[0] > 200 > 60 > above[2]
    assert below[2] > 200 > 60 > below[0]
    made = Image.open(io.BytesIO(png_bytes(data, (8, 16), never)))
    assert made.size == (8, 16)
    assert "exif" not in made.info


def test_of_one_that_moves_it_is_the_first_picture() -> None:
    first, second = Image.new("RGB", (4, 4), RED), Image.new("RGB", (4, 4), BLUE)
    for kind in ("GIF", "PNG", "WEBP"):
        data = saved(first, kind, save_all=True, append_images=[second], lossless=True)
        assert set(pixels(data, (2, 2))) == {RED}, kind


def test_a_png_of_it_keeps_what_shines_through_and_nothing_else() -> None:
    data = saved(image_of([(1, 2, 3, 0)], mode="RGBA"), "PNG", exif=Image.Exif(), dpi=(72, 72))
    made = Image.open(io.BytesIO(png_bytes(data, (1, 1), never)))
    assert (made.mode, made.info) == ("RGBA", {})
    assert Image.open(io.BytesIO(png_bytes(plain(9, 9), (3, 3), never))).mode == "RGB"


@pytest.mark.parametrize(("width", "height"), [(MAX_PIXELS, 2), (40_000, 40_000), (2**31 - 1, 2**31 - 1)])
def test_one_that_claims_more_than_any_memory_is_not_decoded(width: int, height: int) -> None:
    with pytest.raises(ImageError, match="pixels are more than are drawn"):
        upright_size(png_of(width, height))
    with pytest.raises(ImageError, match="pixels are more than are drawn"):
        rgb_pixels(png_of(width, height), (2, 2), [BLACK], never)


def test_a_bomb_whose_head_is_hidden_is_found_out_before_it_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.formats.images.dimensions", lambda head: None)
    with pytest.raises(ImageError, match="more than are drawn"):
        upright_size(png_of(7_000, 7_000))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_one_that_is_cut_short_says_so(kind: str) -> None:
    whole = saved(Image.effect_noise((64, 64), 90).convert("RGB"), kind)
    with pytest.raises(ImageError, match="damaged"):
        rgb_pixels(whole[: len(whole) // 2], (8, 8), [BLACK], never)


def test_a_png_without_its_pixels_is_damaged() -> None:
    assert upright_size(png_of(100, 100)) == (100, 100)
    with pytest.raises(ImageError, match="damaged"):
        rgb_pixels(png_of(100, 100), (8, 8), [BLACK], never)


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"<svg xmlns='x'/>", b"%!PS-Adobe-3.0 EPSF\n", b"\x89PNG\r\n\x1a\n"]
)
def test_what_is_no_image_is_said_so(data: bytes) -> None:
    with pytest.raises(ImageError, match="no PNG, JPEG, GIF, WEBP or BMP"):
        upright_size(data)


def test_no_other_format_is_tried() -> None:
    with pytest.raises(ImageError, match="no PNG"):
        upright_size(plain(4, 4, kind="TIFF"))


def test_nothing_is_decoded_that_nobody_waits_for() -> None:
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
def test_whatever_the_bytes_are_it_is_an_image_or_no_image(data: st.DataObject) -> None:
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
