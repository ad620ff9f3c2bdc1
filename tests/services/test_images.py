"""The images of an entry in the thread that reads it: how many are kept, and when none is decoded."""

from __future__ import annotations

import pytest

from app.formats.image_block import Image, image_of
from app.formats.pixels import Overtaken
from app.services import images as module
from app.services.images import Images
from app.view.image_lines import ImageLine
from app.view.image_ways import BLOCKS, KITTY
from tests.pictures import block, plain


def picture(number: int, width: int = 4, height: int = 4) -> Image:
    """An image like no other."""
    return image_of(block(plain(width, height, (number % 256, number // 256, 0))))


def never() -> bool:
    return False


def show(images: Images, *shown: Image, cells: int = 20, rows: int = 20) -> list[ImageLine]:
    """Read an entry with these images."""
    entry = images.of_entry(lambda: None, cells, rows, never)
    lines = [line for each in shown for line in entry.lines(each)]
    for drawing in entry.drawn():
        assert drawing.is_done
    return [line for line in lines if isinstance(line, ImageLine)]


@pytest.mark.parametrize("way", [BLOCKS, KITTY])
def test_the_last_images_are_kept_and_no_more(way: str) -> None:
    images = Images(way)
    for number in range(3 * module.KEPT):
        show(images, picture(number))
    assert len(images.known) <= module.KEPT + 1
    [last] = {line.drawing for line in show(images, picture(3 * module.KEPT - 1))}
    assert last in images.known.values()
    assert last in {line.drawing for line in show(images, picture(0), picture(3 * module.KEPT - 1))}


def test_what_is_to_be_sent_is_kept_up_to_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    images = Images(KITTY)
    monkeypatch.setattr(module, "KEPT_CHARACTERS", 600)
    for number in range(12):
        show(images, picture(number))
    assert len(images.known) < 6


def test_all_images_of_one_entry_are_kept_while_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    images = Images(BLOCKS)
    drawings = {line.drawing for line in show(images, *map(picture, range(6)))}
    assert len(drawings) == 6
    assert drawings <= set(images.known.values())


def test_another_size_is_another_drawing() -> None:
    images = Images(BLOCKS)
    wide = show(images, picture(1, 100, 50), cells=40)[0].drawing
    narrow = show(images, picture(1, 100, 50), cells=20)[0].drawing
    assert (wide.cells, wide.rows, wide.size) == (40, 10, (40, 20))
    assert (narrow.cells, narrow.rows, narrow.size) == (20, 5, (20, 10))


def test_the_terminal_knows_the_images_of_all_screens_apart() -> None:
    one, other = Images(KITTY), Images(KITTY)
    shown = [*show(one, picture(1), picture(2)), *show(other, picture(1), picture(2))]
    numbers = [drawing.number for drawing in {line.drawing for line in shown}]
    assert len(set(numbers)) == 4
    assert all(16 <= number <= 255 for number in numbers)


def test_a_terminal_gets_twice_the_pixels_of_its_cells_and_no_more_than_there_are() -> None:
    large = show(Images(KITTY), picture(1, 3_000, 1_500), cells=60)[0].drawing
    assert (large.cells, large.rows, large.size) == (60, 15, (1_200, 600))
    small = show(Images(KITTY), picture(1, 30, 30), cells=60)[0].drawing
    assert (small.cells, small.rows, small.size) == (3, 2, (30, 30))


def test_nothing_is_done_for_an_entry_that_was_left() -> None:
    images = Images(BLOCKS)
    with pytest.raises(Overtaken):
        list(images.of_entry(lambda: None, 20, 20, lambda: True).lines(picture(1)))
    left = False
    entry = images.of_entry(lambda: None, 20, 20, lambda: left)
    lines = list(entry.lines(picture(1)))
    left = True
    with pytest.raises(Overtaken):
        list(entry.drawn())
    assert [line.drawing.is_done for line in lines if isinstance(line, ImageLine)] == [False, False]
    # and whoever comes back gets it
    assert show(images, picture(1))[0].drawing.is_done
