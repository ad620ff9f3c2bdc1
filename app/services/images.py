"""The images of an entry, decoded in the thread that reads it: their lines first, then what is on them.

Pillow and what finds the bytes are imported with the first image.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING

from app.formats.image_block import BLOB, NoImage, bytes_told
from app.formats.text import one_line
from app.view.document_line import DocumentLine
from app.view.image_lines import MOST_ROWS, Drawing, ImageLine, fit, told_why
from app.view.image_ways import KITTY
from app.view.kitty import FIRST_NUMBER, MOST_CELLS, NUMBERS, telling
from app.view.palette import THEMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.formats.image_block import Image
    from app.sessions.storage.blobs import BlobStore

MOST_IMAGES = 20
"""Of one entry so many are drawn."""
KEPT, KEPT_CHARACTERS = 24, 32 << 20
"""So many images are kept, beside those of the entry that is shown, of so many characters to be sent."""
# pixels of a cell where the terminal draws: by these it is decided how large an image is, and twice as many
# are sent, for screens of a high resolution
CELL = (10, 20)
FINER = 2
# one terminal has the images of all screens
_numbers = count()

Key = tuple[bytes, int, int]


class Images:
    """Draws images in one way, and keeps the last of them."""

    def __init__(self, way: str) -> None:
        """:param way: see `way_to_draw`; not none."""
        self.way = way
        self.known: OrderedDict[Key, Drawing] = OrderedDict()

    def of_entry(
        self, blobs: Callable[[], BlobStore | None], cells: int, rows: int, overtaken: Callable[[], bool]
    ) -> EntryImages:
        """The images of one entry, none larger than so many cells in so many rows.

        :param blobs: where its agent keeps images; called in the thread, if at all.
        """
        self._drop()
        return EntryImages(self, blobs, cells, max(1, min(rows, MOST_ROWS)), overtaken)

    def _drop(self) -> None:
        sent = sum(len(drawing.sent) for drawing in self.known.values())
        while self.known and (len(self.known) > KEPT or sent > KEPT_CHARACTERS):
            sent -= len(self.known.popitem(last=False)[1].sent)

    def place(self, size: tuple[int, int], said: str, cells: int, rows: int) -> Drawing:
        """Where an image of so many pixels goes."""
        if self.way == KITTY:
            cells = min(cells, MOST_CELLS)
            width, height = fit(*size, cells * CELL[0], rows * CELL[1])
            across, down = -(-width // CELL[0]), -(-height // CELL[1])
            pixels = fit(*size, width * FINER, height * FINER)
            return Drawing(said, across, down, pixels, FIRST_NUMBER + next(_numbers) % NUMBERS)
        width, height = fit(*size, cells, 2 * rows)
        return Drawing(said, width, -(-height // 2), (width, height))

    def decode(self, drawing: Drawing, data: bytes, overtaken: Callable[[], bool]) -> None:
        """Make `drawing` ready.

        :raises NoImage: it cannot be decoded.
        :raises Overtaken: it was not finished.
        """
        from app.formats.pixels import as_png, flat

        if self.way == KITTY:
            png = as_png(data, drawing.size, overtaken)
            drawing.sent = telling(drawing.number, png, drawing.cells, drawing.rows)
        else:
            grounds = [theme["background"] for theme in THEMES.values()]
            drawing.flat = flat(data, drawing.size, grounds, overtaken)


class EntryImages:
    """The images of the entry that is shown, in the order in which they stand there."""

    def __init__(
        self,
        images: Images,
        blobs: Callable[[], BlobStore | None],
        cells: int,
        rows: int,
        overtaken: Callable[[], bool],
    ) -> None:
        self._images = images
        self._blobs = blobs
        self._cells = cells
        self._rows = rows
        self._overtaken = overtaken
        self._met = 0
        self._waiting: list[tuple[Drawing, Image]] = []

    def lines(self, image: Image) -> Iterator[DocumentLine]:
        """The lines of the next image, as many as it takes when it is drawn; or why it will not be.

        :raises Overtaken: nobody wants to know.
        """
        self._met += 1
        if self._met > MOST_IMAGES:
            if self._met == MOST_IMAGES + 1:
                yield from told_why(f"no more than {MOST_IMAGES} images of an entry are", self._cells)
            return
        try:
            drawing = self._drawing(image)
        except NoImage as error:
            yield from told_why(str(error), self._cells)
            return
        if drawing.said:
            yield DocumentLine(drawing.said, "dim")
        for row in range(drawing.rows):
            yield ImageLine(drawing, row)

    def _drawing(self, image: Image) -> Drawing:
        from app.formats.pixels import Overtaken, size_of

        if self._overtaken():
            raise Overtaken
        data = self._bytes(image)
        key = (blake2b(data, digest_size=16).digest(), self._cells, self._rows)
        known = self._images.known
        drawing = known.get(key)
        if drawing is None:
            size = size_of(data)
            is_blob = image.data is not None and image.data.startswith(BLOB)
            said = f"{size[0]}×{size[1]}, {bytes_told(len(data))}" if is_blob else ""
            drawing = known[key] = self._images.place(size, said, self._cells, self._rows)
        known.move_to_end(key)
        if drawing.problem:
            raise NoImage(drawing.problem)
        if not drawing.is_done:
            # The bytes are not kept: those of many images together may be too many, and are soon there again.
            self._waiting.append((drawing, image))
        return drawing

    def _bytes(self, image: Image) -> bytes:
        from app.sessions.storage.image_bytes import image_bytes

        is_blob = image.data is not None and image.data.startswith(BLOB)
        return image_bytes(image, self._blobs() if is_blob else None)

    def drawn(self) -> Iterator[Drawing]:
        """Decode one image after the other; each as soon as it can be drawn, or has a `problem`.

        :raises Overtaken: the entry is not shown any more.
        """
        for drawing, image in self._waiting:
            if not drawing.is_done and not drawing.problem:
                try:
                    self._images.decode(drawing, self._bytes(image), self._overtaken)
                except NoImage as error:
                    drawing.problem = one_line(str(error))
            yield drawing
