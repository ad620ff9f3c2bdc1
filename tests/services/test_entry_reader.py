"""The cache of images in the thread that reads entries, and the end of decoding when an entry is left."""

from __future__ import annotations

import pytest

from app.formats import Cancelled, EmbeddedImage, image_of
from app.services import entry_reader
from app.services.entry_reader import ImageCache
from app.view.image_lines import ImageLine
from app.view.terminal import BLOCKS, KITTY
from tests.cases import cases
from tests.pictures import block, plain


def picture(number: int, width: int = 4, height: int = 4) -> EmbeddedImage:
    """An image that differs from those of other numbers."""
    return image_of(block(plain(width, height, (number % 256, number // 256, 0))))


def never() -> bool:
    return False


def show(images: ImageCache, *shown: EmbeddedImage, cells: int = 20, rows: int = 20) -> list[ImageLine]:
    """Read an entry with these images."""
    entry = images.of_entry(lambda: None, cells, rows, never)
    lines = [line for image in shown for line in entry.lines(image)]
    for drawing in entry.drawn():
        assert drawing.is_done
    return [line for line in lines if isinstance(line, ImageLine)]


@cases("way", [BLOCKS, KITTY])
def test_the_cache_keeps_a_limited_number_of_images(way: str) -> None:
    images = ImageCache(way)
    for number in range(3 * entry_reader.CACHED_IMAGES):
        show(images, picture(number))
    assert len(images.drawings) <= entry_reader.CACHED_IMAGES + 1
    [last] = {line.drawing for line in show(images, picture(3 * entry_reader.CACHED_IMAGES - 1))}
    assert last in images.drawings.values()
    assert last in {
        line.drawing for line in show(images, picture(0), picture(3 * entry_reader.CACHED_IMAGES - 1))
    }


def test_the_cache_keeps_a_limited_number_of_characters_to_send(monkeypatch: pytest.MonkeyPatch) -> None:
    images = ImageCache(KITTY)
    monkeypatch.setattr(entry_reader, "CACHED_CHARACTERS", 600)
    for number in range(12):
        show(images, picture(number))
    assert len(images.drawings) < 6


def test_all_images_of_one_entry_are_kept_while_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_reader, "CACHED_IMAGES", 2)
    images = ImageCache(BLOCKS)
    drawings = {line.drawing for line in show(images, *map(picture, range(6)))}
    assert len(drawings) == 6
    assert drawings <= set(images.drawings.values())


def test_another_size_is_another_drawing() -> None:
    images = ImageCache(BLOCKS)
    wide = show(images, picture(1, 100, 50), cells=40)[0].drawing
    narrow = show(images, picture(1, 100, 50), cells=20)[0].drawing
    assert (wide.cells, wide.rows, wide.size) == (40, 10, (40, 20))
    assert (narrow.cells, narrow.rows, narrow.size) == (20, 5, (20, 10))


def test_images_of_all_screens_have_different_numbers() -> None:
    first, second = ImageCache(KITTY), ImageCache(KITTY)
    shown = [*show(first, picture(1), picture(2)), *show(second, picture(1), picture(2))]
    numbers = [drawing.number for drawing in {line.drawing for line in shown}]
    assert len(set(numbers)) == 4
    assert all(16 <= number <= 255 for number in numbers)


def test_an_image_is_sent_in_twice_the_pixels_of_its_cells_and_never_enlarged() -> None:
    large = show(ImageCache(KITTY), picture(1, 3_000, 1_500), cells=60)[0].drawing
    assert (large.cells, large.rows, large.size) == (60, 15, (1_200, 600))
    small = show(ImageCache(KITTY), picture(1, 30, 30), cells=60)[0].drawing
    assert (small.cells, small.rows, small.size) == (3, 2, (30, 30))


def test_images_of_an_entry_that_is_left_are_not_decoded() -> None:
    images = ImageCache(BLOCKS)
    with pytest.raises(Cancelled):
        list(images.of_entry(lambda: None, 20, 20, lambda: True).lines(picture(1)))
    is_left = False
    entry = images.of_entry(lambda: None, 20, 20, lambda: is_left)
    lines = list(entry.lines(picture(1)))
    is_left = True
    with pytest.raises(Cancelled):
        list(entry.drawn())
    assert [line.drawing.is_done for line in lines if isinstance(line, ImageLine)] == [False, False]
    # they are decoded when the entry is shown again
    assert show(images, picture(1))[0].drawing.is_done
